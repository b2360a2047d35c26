import type { Validators } from "./fetch-outcome.ts";
import type { Page } from "./page.ts";
import type { EpochSeconds } from "./time.ts";
import type { DeletionReason, HeldBody, Postponement } from "./work-item.ts";

/** What a rule keeps of a page that steps its interval by what each request saw. */
export interface KeptInterval {
  /** The rule's name. What another rule kept is of no use to it. */
  readonly rule: string;
  readonly intervalSeconds: number;
  /** From the last answer to the next request, in seconds. */
  readonly waitSeconds: number;
}

/** A URL that a list names or a link leads to. */
export interface FoundTarget {
  readonly path: string;
  /** Links from a start to here; 0 for what a list names. */
  readonly depth: number;
  /** `lastmod` of a sitemap as it stands there; undefined if nothing says. */
  readonly lastmod: string | undefined;
  /** What the page that leads here gives to its rank. Default: nothing. */
  readonly share?: number;
}

/**
 * In which order pages that nobody has yet are asked for, and which of many sites has its turn.
 *
 * - `depth`: as they were found, which is breadth first.
 * - `length`: the same; of many sites, those with most pages waiting have their turn sooner.
 * - `partial`: the highest temporary rank first, the sum of what the pages that were fetched give to those they lead to.
 * - `random`: any.
 *
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, Scheduling Algorithms for Web Crawling, LA-WEB 2004, section 5
 */
export type PageOrder = (typeof pageOrders)[number];

/** The names of the orders. */
export const pageOrders = ["depth", "length", "partial", "random"] as const;

/** A URL of a site that does not publish its changes, with what is known from asking for it. */
export interface TrackedUrl extends Omit<FoundTarget, "share"> {
  /** Counts up in the order in which URLs were found. */
  readonly id: number;
  /** The `lastmod` under which it was last asked for. */
  readonly askedLastmod: string | undefined;
  /** Of the body that is held, byte for byte as they were received, whatever source it came by. */
  readonly validators: Validators;
  /** Whether the source changed since it was asked for: what is held may be of another time. */
  readonly isUnconfirmed: boolean;
  /** Whether the links of the body that is held are to be read, also if it is not modified. */
  readonly hasUnreadLinks: boolean;
  /** The body that is held, or undefined if none is. */
  readonly held: (Page & HeldBody) | undefined;
  /** The sum of what pages gave to its rank before it was asked for. */
  readonly rank: number;
  /** How it changed so far, as numbers that only the revisit plan reads. */
  readonly history: readonly number[];
  /** Of the planner that it was last asked for by, if that keeps intervals. */
  readonly interval: KeptInterval | undefined;
  /** When it was last answered for. */
  readonly askedAt: EpochSeconds | undefined;
  /** When it was last asked for without validators. */
  readonly fullAt: EpochSeconds | undefined;
  /** Not to be asked for before. */
  readonly dueAt: EpochSeconds;
  /** How earlier visits ended, if the last was in trouble. */
  readonly postponed: Pick<Postponement, "trouble" | "attempts"> | undefined;
}

/** What became of a target that was asked for. */
export type TargetSettlement =
  /** It was answered for: with the body that is held (`page` undefined), or with the one that is kept now. */
  | {
      readonly kind: "answered";
      readonly target: TrackedUrl;
      /** What is held from now on; undefined if what was held stays, or nothing is to be held. */
      readonly page: (Page & HeldBody) | undefined;
      /** Whether no body of it is to be held, but the links that it leads to are known. */
      readonly isLinkOnly: boolean;
      readonly validators: Validators;
      readonly history: readonly number[];
      /** Left out, what was kept stays. */
      readonly interval?: KeptInterval;
      readonly askedAt: EpochSeconds;
      readonly isFull: boolean;
      readonly dueAt: EpochSeconds;
    }
  /** It leads to another URL of the site, under which its body is kept. */
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
  /** What is held stays as it is; the next request sends no validators. */
  | {
      readonly kind: "postponed";
      readonly target: TrackedUrl;
      readonly postponed: Postponement;
      readonly dueAt: EpochSeconds;
    };

/** What a consumer of a crawler's changes is told of one page. */
export interface SeenChange {
  readonly site: string;
  readonly path: string;
  readonly kind: "created" | "updated" | "deleted";
  /** When the crawler saw it. */
  readonly at: EpochSeconds;
  readonly page: (Page & HeldBody) | undefined;
  readonly reason: DeletionReason | undefined;
}
