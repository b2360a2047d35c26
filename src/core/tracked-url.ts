import type { Validators } from "./fetch-outcome.ts";
import type { Page } from "./page.ts";
import type { EpochSeconds } from "./time.ts";
import type { PageUsage, UsagePreferences } from "./usage.ts";

/** Why a page could not be brought in line with what the site says of it. */
export type PageTrouble = "differs" | "gone" | "refused" | "unavailable" | "disallowed" | "mirror" | "moved" | "usage";

/** A page that a visit could not settle. */
export interface Postponement {
  readonly trouble: PageTrouble;
  /** Failed attempts in a row for this reason, one per visit. */
  readonly attempts: number;
  /** When the first of them was, where their number alone decides nothing: of `gone`, `moved` and `refused`. */
  readonly since?: EpochSeconds;
  /** `parked` pages wait until their record changes, `disallowed` pages until robots.txt changes. */
  readonly state: "due" | "parked" | "disallowed";
}

/** What is known about a held body. */
export interface HeldBody {
  readonly sizeBytes: number;
  readonly digest: string;
}

/** Why a page no longer exists. */
export type DeletionReason =
  /** The site published its deletion. */
  | "published"
  /** The server answered 410. */
  | "gone"
  /** The server answered 404 on three visits within two days or more. */
  | "not-found"
  /** On three visits, within two days or more, it redirected to another URL of the site, under which its body is kept. */
  | "moved"
  /** A complete list no longer names it. */
  | "unlisted"
  /** The site states that it may not be used in a way that the crawler was told to respect. */
  | "usage"
  /** The crawler is told not to keep it any more, by its URL or by preferences about use that were known before. */
  | "unwanted";

/** State that a revisit rule keeps for a page whose interval it adapts after each request. */
export interface KeptInterval {
  /** Name of the rule. Only the same rule can use the state. */
  readonly rule: string;
  readonly intervalSeconds: number;
  /** Seconds from the last response to the next request. */
  readonly waitSeconds: number;
}

/** A URL found in a list or a link. */
export interface FoundUrl {
  readonly path: string;
  /** Links from a start page; 0 for a URL from a list. */
  readonly depth: number;
  /** `lastmod` of a sitemap as written there; undefined if there is none. */
  readonly lastmod: string | undefined;
  /** What the linking page adds to its rank. Default: nothing. */
  readonly share?: number;
}

/**
 * The order in which new pages are fetched, and which of many sites is served first.
 *
 * - `depth`: in the order of discovery, which is breadth first.
 * - `length`: the same; of many sites, those with the most waiting pages are served sooner.
 * - `partial`: highest temporary rank first, that is the sum of the contributions of the fetched pages that link to it.
 * - `random`: in random order.
 *
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, Scheduling Algorithms for Web Crawling, LA-WEB 2004, section 5
 */
export type PageOrder = (typeof pageOrders)[number];

/** The names of the orders. */
export const pageOrders = ["depth", "length", "partial", "random"] as const;

/** A known URL of a site: what is announced of it, what is held of it, and what its requests have shown. */
export interface TrackedUrl extends Omit<FoundUrl, "share"> {
  /** Increases in the order of discovery. */
  readonly id: number;
  /** The record that the site published and that is not carried out yet; undefined for URLs that are polled. */
  readonly announced: Page | undefined;
  /** The body that is held, or undefined if none is. */
  readonly held: (Page & HeldBody) | undefined;
  /** Validators of the held body, byte for byte as received, from whatever source. */
  readonly validators: Validators;
  /** When its body last came whole. */
  readonly fullAt: EpochSeconds | undefined;
  /** When the last response came. */
  readonly askedAt: EpochSeconds | undefined;
  /** When another crawler last found the version that is held; undefined if none did. */
  readonly checkedAt: EpochSeconds | undefined;
  /** The `lastmod` at the time of the last request. */
  readonly askedLastmod: string | undefined;
  /** Earliest time of the next request, unless it is announced. */
  readonly dueAt: EpochSeconds;
  /** Why and how often requests failed, if the last one failed. */
  readonly postponed: Omit<Postponement, "state"> | undefined;
  /** Whether the source changed since the last request, so that the held body may be of another time. */
  readonly isUnconfirmed: boolean;
  /** Whether the links of the held body are to be read even if it is not modified. */
  readonly hasUnreadLinks: boolean;
  /** The sum of the contributions to its rank before its first request. */
  readonly rank: number;
  /** Its change history, as numbers that only the revisit plan reads. */
  readonly history: readonly number[];
  /** State of the planner that requested it last, if that planner keeps intervals. */
  readonly interval: KeptInterval | undefined;
  /** What the site states about the use of the held body. Default: nothing. */
  readonly usage?: PageUsage | undefined;
}

/** Of a polled URL what decides whether it is requested: a planner looks at all of a site to choose a few. */
export interface PollCandidate
  extends Pick<TrackedUrl, "id" | "path" | "lastmod" | "askedAt" | "checkedAt" | "history" | "interval" | "postponed"> {
  readonly isHeld: boolean;
}

/** What a visit found out about a tracked URL, to be stored. */
export type Settlement =
  /** Its body is known: the held one stays, or another is kept now. */
  | {
      readonly kind: "answered";
      readonly url: TrackedUrl;
      /** The page to hold from now on; undefined if the held one stays as it is or none is to be held. */
      readonly page: (Page & HeldBody) | undefined;
      /** Whether no body is kept, but its links are followed. */
      readonly isLinkOnly: boolean;
      readonly validators: Validators;
      readonly fullAt: EpochSeconds | undefined;
      readonly history: readonly number[];
      /** If omitted, the stored value stays. */
      readonly interval?: KeptInterval;
      /** If omitted, the stored value stays. */
      readonly usage?: PageUsage;
      /** Undefined if no request was made. */
      readonly askedAt: EpochSeconds | undefined;
      readonly dueAt: EpochSeconds;
      /** The body is not the announced one: it is requested again. */
      readonly postponed?: Postponement;
      /** The body is not the announced one and is accepted in its place, until another record is announced. */
      readonly isAccepted?: boolean;
    }
  /** It redirects to another URL of the site, under which its body is kept. */
  | {
      readonly kind: "alias";
      readonly url: TrackedUrl;
      readonly askedAt: EpochSeconds;
      readonly dueAt: EpochSeconds;
    }
  | {
      readonly kind: "removed";
      readonly url: TrackedUrl;
      readonly reason: DeletionReason;
      /** Undefined if no request was made. */
      readonly askedAt: EpochSeconds | undefined;
      readonly dueAt: EpochSeconds;
      /** It may come back: it is requested again. */
      readonly postponed?: Postponement;
    }
  /** The held body stays; the next request sends no validators. */
  | {
      readonly kind: "postponed";
      readonly url: TrackedUrl;
      readonly postponed: Postponement;
      readonly dueAt: EpochSeconds;
    };

/** A change of one page as reported to a consumer of a crawl. */
export interface SeenChange {
  readonly site: string;
  readonly path: string;
  readonly kind: "created" | "updated" | "deleted";
  /** When the crawler saw it. */
  readonly at: EpochSeconds;
  readonly page: (Page & HeldBody) | undefined;
  readonly reason: DeletionReason | undefined;
  /** What the site stated about the use of the body when it was last requested; undefined if nothing. */
  readonly usage: UsagePreferences | undefined;
}
