import type { SourceName } from "./crawl-event.ts";
import type { Cursor } from "./cursor.ts";
import type { Validators } from "./fetch-outcome.ts";
import type { EpochMs, EpochSeconds } from "./time.ts";

/** The robots.txt of a site as it was last received, kept so that a 304 can be read again. */
export interface RobotsCopy {
  /** The names under which it was received and obeyed, with a space between two. */
  readonly agent: string;
  /** The body; empty if the site had none. */
  readonly body: Uint8Array;
  readonly validators: Validators;
  /** When the server last said that this is its robots.txt. */
  readonly confirmedAt: EpochMs;
  /** For how long after that it need not be asked for again, in milliseconds. */
  readonly freshMs: number;
}

/** How far a crawler has followed a site, and for which selection of its pages that is true. */
export interface SitePosition {
  readonly cursor: Cursor;
  /** Key of the media types asked for; see `MediaTypeFilter.key`. */
  readonly typesKey: string;
  /** Pages last modified before this were not asked for on the first visit. */
  readonly since: EpochSeconds | undefined;
  /** Path of the index that was applied. */
  readonly indexPath: string;
  /** Validators of that index; they are only kept together with what it said. */
  readonly indexValidators: Validators;
}

/**
 * The numbers of a site's clocks, kept so that a crawler that was killed does not forget that it was told to wait.
 * Times are in milliseconds since 1970, 0 for never.
 */
export interface SiteClockState {
  /** Requests since the last rest. */
  readonly pages: number;
  readonly answeredAt: EpochMs;
  /** When the next request may begin. */
  readonly notBefore: EpochMs;
  /** Troubles that are not forgiven yet. */
  readonly level: number;
  readonly troubledAt: EpochMs;
  /** Until when the site is left alone after trouble. */
  readonly until: EpochMs;
  /** 1 if the site named that time itself, else 0. */
  readonly isAsked: number;
  /** The site's Crawl-delay; 0 if it named none. */
  readonly crawlDelayMs: number;
  /** 1 while a visit is under way, so that one that was killed is known by it. */
  readonly isOpen: number;
  /** 1 if no request was made since these numbers were written; what a visit that ended has written is so, too. */
  readonly isQuiet: number;
}

/** What a crawler remembers of a site beside its pages. */
export interface SiteRecord {
  /** Undefined before the first visit that succeeded. */
  readonly position: SitePosition | undefined;
  readonly robots: RobotsCopy | undefined;
  /**
   * The source that the pages that are held are followed by: what another remembers of how far it came is void, since pages
   * changed meanwhile that it does not know of. Undefined if that is not known.
   */
  readonly writer: SourceName | undefined;
  readonly clock: SiteClockState | undefined;
}
