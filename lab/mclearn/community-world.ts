import type { SharingController } from "../../src/share/engine/model-rho.ts";

/** One crawler of a community. */
export interface CrawlerSetup {
  /** What decides between polls and merges; each crawler has a state of its own. */
  readonly controller: SharingController<unknown>;
  /** Whether others may merge from it. */
  readonly isSharing: boolean;
  /** False events that it adds to its log in place of each operation, and none that is true. Default none. */
  readonly falseEvents?: number;
}

/** The world of a community, which is the same for all crawlers. */
export interface CommunityWorld {
  /** Pages of the web. */
  readonly pages: number;
  /** One page in so many is simulated; the others only take time. Default every page. */
  readonly sampling?: number;
  /** Changes of a page in a second. */
  readonly changesPerSecond: number;
  /** Crawlers that the network serves at full speed at once (s of s/k). Infinity: no contention. */
  readonly slots: number;
  /** Seconds of a merge beside its records, where a poll takes one. */
  readonly mergeSeconds: number;
  /** Events transferred in a second, at full speed. */
  readonly recordsPerSecond: number;
  /** How long, in seconds; freshness is the mean of the second half. */
  readonly seconds: number;
  /** Whether crawlers publish their mean rho. Default not. */
  readonly isAdvertised?: boolean;
  /** Events that a crawler may take for one that others took from it, beyond a first allowance; more are refused. Default any number. */
  readonly takenPerGiven?: number;
  /** Sites that publish archives of their changes, which crawlers read. Default none. */
  readonly archives?: ArchiveRule;
  /** How crawlers doubt what peers say. Default not at all. */
  readonly trust?: TrustRule;
  /** Share of the pages that changed with importance; see {@link CommunityWorld.ordinaryWeight}. Default all. */
  readonly importantShare?: number;
  /** What an event of any other page counts to controllers, and to the weighted freshness. Default 1. */
  readonly ordinaryWeight?: number;
}

/** Sites that publish archives: one request brings all changes of a site since the last one, and nobody polls its pages. */
export interface ArchiveRule {
  /** Share of the pages on such sites, 0 to 1. */
  readonly exportedShare: number;
  readonly pagesPerSite: number;
  /** Share of a crawler's requests to sites that read an archive, 0 to 1; the others poll pages. */
  readonly readShare: number;
}

/** Trust by spot polls: a crawler sometimes polls what was claimed, and ignores the claims of those who were wrong too often. */
export interface TrustRule {
  /** Share of the polls that verify claims, 0 to 1. */
  readonly spotShare: number;
  /** What a refuted claim counts, where a confirmed one counts 1. */
  readonly falseWeight: number;
  /** Least trust, (confirmed + 1) by (all + 2), with which claims are believed. */
  readonly least: number;
}

/** What became of a crawler, in the second half of the time. */
export interface CrawlerCourse {
  /** Mean share of its copies that are fresh. */
  readonly freshness: number;
  /** The same at each of 32 equal steps, from the beginning on. */
  readonly steps: readonly number[];
  /** The same over important pages only. */
  readonly importantFreshness: number;
  /** Mean rho of its operations. */
  readonly rho: number;
  /** Share of its time with rho of 0.5 and more. */
  readonly highShare: number;
  /** Polls and merges in a second. */
  readonly pollsPerSecond: number;
  readonly mergesPerSecond: number;
  /** Events transferred to it in a second. */
  readonly recordsPerSecond: number;
}

/** The mean of some numbers, 0 of none. */
export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
