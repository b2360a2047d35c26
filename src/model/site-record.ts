import type { Cursor } from "./cursor.ts";
import type { Validators } from "./fetch-outcome.ts";
import type { EpochMs, EpochSeconds } from "./time.ts";

/** The robots.txt of a site as it was last received, kept so that a 304 can be read again. */
export interface RobotsCopy {
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

/** What a crawler remembers of a site beside its pages. */
export interface SiteRecord {
  /** Undefined before the first visit that succeeded. */
  readonly position: SitePosition | undefined;
  readonly robots: RobotsCopy | undefined;
}
