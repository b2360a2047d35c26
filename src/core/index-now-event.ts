import type { Cursor } from "./change.ts";
import type { FetchFailure } from "./fetch-outcome.ts";
import type { EpochMs, EpochSeconds } from "./time.ts";

/** Events of IndexNow submission. Plain JSON. */
export type IndexNowEvent =
  /** The first run: only changes after this publication will be submitted. */
  | { readonly event: "index-now"; readonly step: "begun"; readonly publication: EpochSeconds }
  | {
      readonly event: "index-now";
      readonly step: "told";
      readonly publication: EpochSeconds;
      readonly urls: number;
      readonly status: number;
    }
  /** The endpoint refused these URLs; they are not sent again. */
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
  /** A temporary failure; the same URLs are sent again after the delay. */
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
      /** URLs known to be still pending. */
      readonly urls: number;
      /** No request is sent before this time; absent if the next run may start at once. */
      readonly notBefore?: EpochMs;
      readonly message: string;
    }
  | { readonly event: "warning"; readonly code: string; readonly message: string };

/** Summary of one submission run. */
export interface IndexNowSummary {
  readonly endpoint: string;
  /** URL of the key file that proves ownership of the site. */
  readonly keyLocation: string;
  /** URLs accepted by the endpoint. */
  readonly told: number;
  /** URLs refused by the endpoint. */
  readonly refused: number;
  /** URLs skipped because they are too long for any search engine. */
  readonly leftOut: number;
  readonly calls: number;
  /** URLs known to be still pending. */
  readonly pending: number;
  /** No request is sent before this time. */
  readonly notBefore: EpochMs | undefined;
  /** All changes up to here were submitted or refused; undefined if another process is submitting. */
  readonly cursor: Cursor | undefined;
}
