import type { EpochMs, EpochSeconds } from "./time.ts";

/** What is known about when a site publishes. Plain JSON. */
export interface KnownPublications {
  /** Times of the newest publications by the site's clock, ascending, with none missing in between. */
  readonly times: readonly EpochSeconds[];
  /** Intervals between earlier publications in seconds, oldest first. */
  readonly waits: readonly number[];
  /** Lower bounds of intervals in seconds: nothing was published for so long, then several publications at once. */
  readonly leastWaits?: readonly number[];
  /** Bounds of how far our clock is ahead of the site's, in milliseconds, as far as known. */
  readonly leastAheadMs?: number | undefined;
  readonly mostAheadMs?: number | undefined;
}

/** Bounds of the time until the next visit, in milliseconds. */
export interface LookBounds {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** State of the visit schedule of a site. Plain JSON. */
export interface VisitPlan {
  /** When the next visit is due. */
  readonly at: EpochMs;
  /** When the last visit began; 0 if there was none. */
  readonly lookedAt: EpochMs;
  /** Failed visits in a row. */
  readonly failures: number;
  /** Publication history, if the site publishes archives. */
  readonly rhythm?: KnownPublications;
  /** History of visits that found changes, if it does not: numbers as kept for a tracked URL. */
  readonly changes: readonly number[];
}
