import type { Cursor } from "./change.ts";
import type { SourceName } from "./crawl-event.ts";
import type { Validators } from "./fetch-outcome.ts";
import type { EpochMs, EpochSeconds } from "./time.ts";

/** A site's robots.txt as last received, kept so that a 304 can be answered from it. */
export interface RobotsCopy {
  /** The agent names under which it was requested and obeyed, separated by a space. */
  readonly agent: string;
  /** The body; empty if the site had none. */
  readonly body: Uint8Array;
  readonly validators: Validators;
  /** When the server last confirmed it. */
  readonly confirmedAt: EpochMs;
  /** How long after that it need not be requested again, in milliseconds. */
  readonly freshMs: number;
}

/** How far a crawler has followed a site, and for which selection of its pages. */
export interface SitePosition {
  readonly cursor: Cursor;
  /** Key of the requested media types; see `MediaTypeFilter.key`. */
  readonly typesKey: string;
  /** Pages last modified before this were skipped on the first visit. */
  readonly since: EpochSeconds | undefined;
  /** Path of the applied index. */
  readonly indexPath: string;
  /** Validators of that index; only saved together with its content. */
  readonly indexValidators: Validators;
}

/**
 * A site's rate-limit clock, saved so that a killed crawler still keeps the waits it was asked for.
 * Times are in milliseconds since 1970, 0 for never.
 */
export interface SiteClockState {
  /** Requests since the last rest. */
  readonly pages: number;
  readonly answeredAt: EpochMs;
  /** When the next request may begin. */
  readonly notBefore: EpochMs;
  /** Failures that still count for the back-off. */
  readonly level: number;
  readonly troubledAt: EpochMs;
  /** End of the back-off. */
  readonly until: EpochMs;
  /** 1 if the site itself named that time, else 0. */
  readonly isAsked: number;
  /** The site's Crawl-delay; 0 if there is none. */
  readonly crawlDelayMs: number;
  /** 1 while a visit is under way, so that a killed visit is recognised. */
  readonly isOpen: number;
  /** 1 if no request was made since these numbers were written, as at the end of a visit. */
  readonly isQuiet: number;
}

/** What a crawler stores about a site besides its pages. */
export interface SiteRecord {
  /** Undefined before the first successful visit. */
  readonly position: SitePosition | undefined;
  readonly robots: RobotsCopy | undefined;
  /**
   * The source that the held pages follow. Positions of other sources are not valid, because they missed changes since.
   * Undefined if unknown.
   */
  readonly writer: SourceName | undefined;
  readonly clock: SiteClockState | undefined;
}

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
