import type { Cursor } from "./cursor.ts";
import type { FetchFailure } from "./fetch-outcome.ts";
import type { EpochMs, EpochSeconds } from "./time.ts";

/** What telling search engines of changes reports while it works. Plain JSON. */
export type IndexNowEvent =
  /** The first run: changes after this publication will be told. */
  | { readonly event: "index-now"; readonly step: "begun"; readonly publication: EpochSeconds }
  | {
      readonly event: "index-now";
      readonly step: "told";
      readonly publication: EpochSeconds;
      readonly urls: number;
      readonly status: number;
    }
  /** The endpoint does not want these URLs; they are not sent again. */
  | {
      readonly event: "index-now";
      readonly step: "refused";
      readonly publication: EpochSeconds;
      readonly urls: number;
      readonly status: number;
      readonly message: string;
      /** What to do about it. */
      readonly hint: string;
    }
  /** Trouble that may pass; the same URLs are sent again after the delay. */
  | {
      readonly event: "index-now";
      readonly step: "retrying";
      readonly status: number | FetchFailure;
      readonly message: string;
      readonly delayMs: number;
    }
  /** The rest is left to a later run. */
  | {
      readonly event: "index-now";
      readonly step: "postponed";
      /** URLs that are known to be still to tell. */
      readonly urls: number;
      /** The endpoint is not asked before this time; absent if the next run may go on at once. */
      readonly notBefore?: EpochMs;
      readonly message: string;
    }
  | { readonly event: "warning"; readonly code: string; readonly message: string };

/** What telling came to in one run. */
export interface IndexNowSummary {
  readonly endpoint: string;
  /** URL of the file that proves that the site is ours. */
  readonly keyLocation: string;
  /** URLs that the endpoint accepted. */
  readonly told: number;
  /** URLs that it refused. */
  readonly refused: number;
  /** URLs that no search engine takes, because they are too long. */
  readonly leftOut: number;
  readonly calls: number;
  /** URLs that are known to be still to tell. */
  readonly pending: number;
  /** The endpoint is not asked before this time. */
  readonly notBefore: EpochMs | undefined;
  /** Everything until here has been told or refused; undefined if another process is telling. */
  readonly cursor: Cursor | undefined;
}
