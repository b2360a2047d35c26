import type { SearchPage } from "./search-document.ts";

/** How far a sink was fed, and with what. */
export interface FeedPosition {
  /** Epoch of the crawler's state, and which uses are respected; sinks do not read it. */
  readonly epoch: string;
  /** Number of the last change that the sink has. */
  readonly number: number;
  /** Whether pages were cut into pieces. */
  readonly inPieces: boolean;
}

/** A search index. Closed when it is disposed of. */
export interface Sink extends AsyncDisposable {
  /** The position of what it has; undefined if it was never fed. */
  readPosition(): Promise<FeedPosition | undefined>;
  /** Removes all documents, and the position. */
  clear(): Promise<void>;
  /**
   * Replaces the documents of pages, each at most once in a call, and moves the position once they are durable. What
   * it has of an unchanged document besides what it was given, such as an embedding, stays.
   */
  write(pages: readonly SearchPage[], position: FeedPosition): Promise<void>;
}
