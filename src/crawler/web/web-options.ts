import type { Clock, CrawlEvent, Timing } from "../../core/index.ts";
import type { CrawlSiteOptions } from "../crawl-site-options.ts";
import type { PolitenessOptions } from "../engine/politeness/politeness-options.ts";
import type { Keep } from "../kept-site.ts";

/** Which of the pages that links lead to are crawled. Each bound is told in the summary where it held something back. */
export interface WebScopeOptions {
  /** Hosts of these domains only: `example.org` with all hosts below it, or a suffix such as `de`. Default: all hosts. */
  readonly scopeDomains?: readonly string[] | undefined;
  /**
   * Links are followed only of pages in these languages, `de` with `de-AT`, and of pages that name no language (RFC 4647, basic filtering).
   * Default: of all pages.
   */
  readonly languages?: readonly string[] | undefined;
  /** Most links within a site from where it was entered. Default: no bound. */
  readonly maxDepth?: number | undefined;
  /** Most links from one site to another on the way from a seed. Default: no bound. */
  readonly maxHops?: number | undefined;
  /** @default 1000000 */
  readonly maxSites?: number | undefined;
  /** Most pages of a site. Default: no bound. */
  readonly maxPages?: number | undefined;
  /** Most pages of all sites together. Default: no bound. */
  readonly maxTotal?: number | undefined;
  /** Most sites of a registrable domain, as the public suffix list has them. @default 1000 */
  readonly maxDomainSites?: number | undefined;
  /** Most new sites that the pages of one registrable domain bring. @default 10000 */
  readonly maxNewSites?: number | undefined;
  /** Most sites at one address. @default 10000 */
  readonly maxAddressSites?: number | undefined;
}

/** A crawl that finds its sites. */
export interface CrawlWebOptions
  extends WebScopeOptions,
    PolitenessOptions,
    Pick<
      CrawlSiteOptions,
      | "into"
      | "stateFile"
      | "types"
      | "include"
      | "exclude"
      | "respectUsage"
      | "userAgent"
      | "from"
      | "identity"
      | "proxy"
      | "ca"
      | "allowPrivate"
      | "timeoutMs"
      | "leastBytesPerSecond"
      | "pageBytes"
    > {
  /** Absolute URLs. They may have private addresses; hosts that are found may not, unless `allowPrivate`. */
  readonly seeds: readonly string[];
  /** Whether the texts of links are kept with them. @default false */
  readonly keepsTexts?: boolean | undefined;
  /** How bodies are kept, below `into`. @default "mirror" */
  readonly keep?: Keep | undefined;
  /** As for a site. */
  readonly objects?: string | undefined;
  /** In which order pages of all sites are requested. @default "depth" */
  readonly order?: WebOrder | undefined;
  /** With `optimal`: file of ranks, a table with the columns `name` and `pagerank`, see docs/format.md. */
  readonly ranksFile?: string | undefined;
  /** With `batch`: pages of a batch, and pages that are requested before the next one is chosen. @default 50000 */
  readonly batchPages?: number | undefined;
  /** Sites that are requested at once: r of Castillo et al.; and as many that have not answered yet. @default 64 */
  readonly connections?: number | undefined;
  /** Name servers, such as `127.0.0.1:5353`. Default: those of the system. */
  readonly nameServers?: readonly string[] | undefined;
  /** Most look-ups of names at once. @default 16 */
  readonly lookups?: number | undefined;
  /**
   * How long a site rests that could not be reached; four times as long after the second time. After the third it is left for the next
   * run, or with `isForever` tried again: four times as long after each further time, up to a day.
   *
   * @default 30000
   */
  readonly retryMs?: number | undefined;
  /** Memory of the queue of URLs, in bytes. @default 268435456 */
  readonly queueBytes?: number | undefined;
  /**
   * Whether the crawl goes on until the signal: known sites are visited again by their best source when changes are expected, and what
   * is new there is requested as well.
   *
   * @default false
   */
  readonly isForever?: boolean | undefined;
  /** With `isForever`: share of page requests for new pages, from 0 to 1, while known ones are due as well. Default: planned from what changes. */
  readonly newShare?: number | undefined;
  /** With `isForever`: bounds of the time between two visits to a site, as of a followed site. */
  readonly minIntervalMs?: number | undefined;
  readonly maxIntervalMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Waits. Default: real time. */
  readonly delay?: Timing["delay"] | undefined;
  /** From 0 to 1. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Ends the crawl in order; the same call goes on with it. */
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: CrawlEvent | WebBatch | WebProgress) => void) | undefined;
}

export const webOrders = ["depth", "length", "random", "partial", "batch", "optimal"] as const;

/** One of {@link webOrders}. */
export type WebOrder = (typeof webOrders)[number];

export const heldBackReasons = [
  "out-of-scope",
  "language",
  "depth",
  "hops",
  "sites",
  "pages",
  "domain-sites",
  "new-sites",
  "address-sites",
  "private-address",
  "trap",
] as const;
/** Why URLs or sites were held back. */
export type HeldBackReason = (typeof heldBackReasons)[number];

/** What waits, and what is known of sites. */
export interface FrontierCounts {
  /** Sites that are known, those that have no address, and those that are given up after failures in a row. */
  readonly sites: number;
  readonly unresolvedSites: number;
  readonly unreachableSites: number;
  /** URLs that are known, those that wait, and those that are done. */
  readonly urls: number;
  readonly waiting: number;
  readonly done: number;
  /** Links of this run that led to nothing, by reason. */
  readonly heldBack: Readonly<Partial<Record<HeldBackReason, number>>>;
}

/** What a crawl of the Web came to so far. */
export interface WebCounts extends FrontierCounts {
  /** Sites that are visited again, and visits of this run; 0 unless the crawl goes on. */
  readonly knownSites: number;
  readonly visits: number;
  /** Page requests of this run, for new pages and by visits to known sites, and known pages that had changed. */
  readonly newRequests: number;
  readonly knownRequests: number;
  readonly changed: number;
  /** If known pages are requested again: the share of new ones now. */
  readonly newShare?: number;
  /** Of this run. */
  readonly pages: number;
  readonly failed: number;
  readonly requests: number;
  readonly bytes: number;
  readonly links: number;
  readonly elapsedMs: number;
}

/** About once a second. */
export interface WebProgress extends WebCounts {
  readonly event: "web-progress";
  /** Sites that are being requested. */
  readonly open: number;
}

/** A batch was chosen by the ranks of what is known. */
export interface WebBatch {
  readonly event: "web-batch";
  /** Pages of the batch; pages that are known, those of them that were requested, and links, when it was begun to choose them. */
  readonly pages: number;
  readonly known: number;
  readonly requested: number;
  readonly links: number;
  readonly elapsedMs: number;
}

/** What a crawl of the Web came to. */
export interface WebSummary extends WebCounts {
  /** Why it ended: nothing is left but what is unreachable, there are as many pages as may be, or it was to go on until the signal. */
  readonly end: "done" | "full" | "stopped";
}
