import type { EpochMs, EpochSeconds } from "./time.ts";

/** What is known of when a site publishes. Plain JSON. */
export interface KnownPublications {
  /** Times of the newest publications by the site's own clock, ascending; none between them is missing. */
  readonly times: readonly EpochSeconds[];
  /** Waits between publications before those, in seconds, the oldest first. */
  readonly waits: readonly number[];
  /** Waits of which only the least is known, in seconds: so long nothing was out, and then several publications. */
  readonly leastWaits?: readonly number[];
  /** Between which bounds our clock is ahead of the site's, in milliseconds, as far as is known. */
  readonly leastAheadMs?: number | undefined;
  readonly mostAheadMs?: number | undefined;
}

/** Between which bounds a site is looked at again, in milliseconds from now. */
export interface LookBounds {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** What is remembered of a site for when to visit it next. Plain JSON. */
export interface VisitPlan {
  /** When it is to be visited next. */
  readonly at: EpochMs;
  /** When the last visit began; 0 if there was none. */
  readonly lookedAt: EpochMs;
  /** Visits in a row that came to nothing. */
  readonly failures: number;
  /** When it publishes, where it publishes archives. */
  readonly rhythm?: KnownPublications;
  /** How often visits found changes, where it does not: numbers as they are kept of a target. */
  readonly changes: readonly number[];
}
