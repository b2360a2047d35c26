import type { Change, Clock, Cursor, PostOutcome, PostRequest } from "../model/index.ts";

/** Sends JSON texts. */
export interface Sending {
  /** Sends one; never rejects for anything that a server or a network does, and never sends it twice. */
  post(request: PostRequest): Promise<PostOutcome>;
}

/** Time and chance, real or virtual. */
export interface Timing {
  readonly now: Clock;
  /** Resolves after `delayMs`, or earlier if the signal is aborted; never rejects. */
  delay(delayMs: number, signal: AbortSignal | undefined): Promise<void>;
  /** At least 0 and below 1. */
  random(): number;
}

/** Changes on their way to being told. */
export interface ChangeReading {
  /** Whether what was asked for is not known any more, so that the changes are a guess. */
  readonly isGuess: boolean;
  /** Where the changes lead to. */
  readonly cursor: Cursor;
  /** Each path once; to be read once. */
  readonly changes: AsyncIterable<Change>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the site published. */
export interface ChangeSource {
  /** The newest publication. */
  readNewest(): Promise<Cursor>;
  /** Changes after a cursor; without one, the whole site. */
  openChanges(after: Cursor | undefined): Promise<ChangeReading>;
}

/** What telling needs. */
export interface AnnouncePorts {
  readonly sending: Sending;
  readonly timing: Timing;
  readonly source: ChangeSource;
}
