import type { Validators } from "./fetch-outcome.ts";
import type { Page } from "./page.ts";
import type { EpochSeconds } from "./time.ts";

/** Why a page could not be brought in line with its record. */
export type PageTrouble = "differs" | "gone" | "refused" | "unavailable" | "disallowed" | "mirror" | "moved";

/** Work that a visit did not finish. */
export interface Postponement {
  readonly trouble: PageTrouble;
  /** Failed attempts in a row for this reason, one per visit. */
  readonly attempts: number;
  /** `parked` work waits until its record changes, `disallowed` work until robots.txt changes. */
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
  /** The server answered 404 on three visits. */
  | "not-found"
  /** On three visits it redirected to another URL of the site, under which its body is kept. */
  | "moved"
  /** A complete list no longer names it. */
  | "unlisted";

/** A page to fetch. */
export interface FetchItem {
  readonly kind: "fetch";
  /** The record published by the site. */
  readonly page: Page;
  /** The body that is held, or undefined if none is. */
  readonly held: HeldBody | undefined;
  /**
   * The held page with its validators as received; absent if the record's digest shows that the body differs.
   */
  readonly known?: { readonly page: Page & HeldBody; readonly validators: Validators };
  /** How earlier attempts ended, if there were any. */
  readonly postponed: Pick<Postponement, "trouble" | "attempts"> | undefined;
}

/** A page to delete. */
export interface DeleteItem {
  readonly kind: "delete";
  readonly path: string;
  /** Whether its body was known to be held; if not, a killed crawl may have left one. */
  readonly isHeld: boolean;
}

/** A known change that is not yet carried out. */
export type WorkItem = FetchItem | DeleteItem;

/** Outcome of a work item. */
export type Settlement =
  /** The body is held as `page` says; the work is done unless it is postponed. */
  | {
      readonly kind: "kept";
      readonly page: Page & HeldBody;
      /** The published record, if the server serves something else that is kept anyway. */
      readonly acceptedFor?: Page;
      /** Validators of this response; omitted if none came. */
      readonly validators?: Validators;
      readonly postponed?: Postponement;
    }
  /** Neither the page nor its work exists any more. */
  | { readonly kind: "removed"; readonly path: string; readonly reason: DeletionReason }
  /** The held body stays. */
  | { readonly kind: "postponed"; readonly path: string; readonly postponed: Postponement };

/** State that a revisit rule keeps for a page whose interval it adapts after each request. */
export interface KeptInterval {
  /** Name of the rule. Only the same rule can use the state. */
  readonly rule: string;
  readonly intervalSeconds: number;
  /** Seconds from the last response to the next request. */
  readonly waitSeconds: number;
}

/** A URL found in a list or a link. */
export interface FoundTarget {
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

/** A URL of a site that does not publish its changes, with what its requests have shown. */
export interface TrackedUrl extends Omit<FoundTarget, "share"> {
  /** Increases in the order of discovery. */
  readonly id: number;
  /** The `lastmod` at the time of the last request. */
  readonly askedLastmod: string | undefined;
  /** Validators of the held body, byte for byte as received, from whatever source. */
  readonly validators: Validators;
  /** Whether the source changed since the last request, so that the held body may be of another time. */
  readonly isUnconfirmed: boolean;
  /** Whether the links of the held body are to be read even if it is not modified. */
  readonly hasUnreadLinks: boolean;
  /** The body that is held, or undefined if none is. */
  readonly held: (Page & HeldBody) | undefined;
  /** The sum of the contributions to its rank before its first request. */
  readonly rank: number;
  /** Its change history, as numbers that only the revisit plan reads. */
  readonly history: readonly number[];
  /** State of the planner that requested it last, if that planner keeps intervals. */
  readonly interval: KeptInterval | undefined;
  /** When the last response came. */
  readonly askedAt: EpochSeconds | undefined;
  /** When it was last requested without validators. */
  readonly fullAt: EpochSeconds | undefined;
  /** Earliest time of the next request. */
  readonly dueAt: EpochSeconds;
  /** Why and how often requests failed, if the last one failed. */
  readonly postponed: Pick<Postponement, "trouble" | "attempts"> | undefined;
}

/** Outcome of a request for a tracked URL. */
export type TargetSettlement =
  /** Confirmed: the held body stays (`page` undefined), or another is kept now. */
  | {
      readonly kind: "answered";
      readonly target: TrackedUrl;
      /** The page to hold from now on; undefined if the held one stays or none is to be held. */
      readonly page: (Page & HeldBody) | undefined;
      /** Whether no body is kept, but its links are followed. */
      readonly isLinkOnly: boolean;
      readonly validators: Validators;
      readonly history: readonly number[];
      /** If omitted, the stored value stays. */
      readonly interval?: KeptInterval;
      readonly askedAt: EpochSeconds;
      readonly isFull: boolean;
      readonly dueAt: EpochSeconds;
    }
  /** It redirects to another URL of the site, under which its body is kept. */
  | {
      readonly kind: "alias";
      readonly target: TrackedUrl;
      readonly askedAt: EpochSeconds;
      readonly dueAt: EpochSeconds;
    }
  | {
      readonly kind: "removed";
      readonly target: TrackedUrl;
      readonly reason: DeletionReason;
      readonly askedAt: EpochSeconds;
      readonly dueAt: EpochSeconds;
    }
  /** The held body stays; the next request sends no validators. */
  | {
      readonly kind: "postponed";
      readonly target: TrackedUrl;
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
}
