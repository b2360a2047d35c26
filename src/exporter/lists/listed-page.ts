import type { EpochSeconds } from "../../core/index.ts";

/** A page that somebody says exists: it need not be a file. What was not said is undefined. */
export interface ListedPage {
  /** Encoded path with query, in canonical form. */
  readonly path: string;
  readonly sizeBytes: number | undefined;
  readonly lastModified: EpochSeconds | undefined;
  /** Essence of the media type, lower case. */
  readonly mediaType: string | undefined;
  /** First 8 bytes of the SHA-256 of the body as base64url. */
  readonly digest: string | undefined;
}

/** Listed pages in path order, each path once. */
export interface ListedPageSource extends AsyncDisposable {
  /** Gives some thousand pages at a time; undefined after the last. */
  next(): Promise<readonly ListedPage[] | undefined>;
  /** Whether what it does not name is not there; known when the first pages were given. */
  readonly isComplete: boolean;
  /** Paths whose lines are not understood: what was published of them stays. Known when the first pages were given; bounded. */
  readonly kept: ReadonlySet<string>;
}
