import type { ChangeKind, EpochSeconds } from "../../core/index.ts";

/** A digest is only compared with that of the version that is held: 36 bits tell them apart. */
export const eventDigestLength = 6;

/** Longest URL of an event, in characters; records of longer ones are refused. */
export const maxEventUrlLength = 2048;

/**
 * What a crawler saw happen to a URL: one record of a day's file.
 *
 * @see G. L. McLearn, Autonomous Cooperating Web Crawlers, M.Math. thesis, Waterloo 2002, section 3.2.2
 */
export interface WebEvent {
  /** The absolute URL, http or https (`url`). */
  readonly url: string;
  /** Created, updated or deleted (`stat`). */
  readonly kind: ChangeKind;
  /** Size of the page (`size`); 0 for a deletion. */
  readonly sizeBytes: number;
  /** When the page last changed (`lmd`); of a deletion, when it was seen to be gone. */
  readonly modifiedAt: EpochSeconds;
  /** When the crawler saw it (`lpd`). */
  readonly polledAt: EpochSeconds;
  /** The crawler that saw it first: `host:port moniker` (`cid`). */
  readonly crawler: string;
  /** Seconds after `polledAt` for which the crawler expects no change (`ttl`). */
  readonly lifetimeSeconds?: number;
  /** The first {@link eventDigestLength} characters of the page's digest, as archives of events have it; days' files do not. */
  readonly digest?: string;
}
