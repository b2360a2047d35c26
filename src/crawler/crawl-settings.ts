import {
  choice,
  choices,
  date,
  duration,
  flag,
  mediaTypes,
  numberBetween,
  parseDate,
  path,
  settingRow as row,
  type SettingTable,
  siteUrl,
  text,
  wholeNumber,
} from "../config/index.ts";
import { omitUndefined, type PageOrder, pageOrders, type SourceName, sourceNames } from "../core/index.ts";
import type { CrawlSiteOptions } from "./crawl-site-options.ts";
import type { PolitenessOptions } from "./engine/politeness/politeness-options.ts";
import { type PollPlannerName, pollPlannerNames } from "./engine/revisit/poll-planners.ts";
import type { FollowedSite } from "./followed-site.ts";

/** What of a crawl can be set, on the command line and in a file: all but what belongs to one run. */
export interface CrawlSettings {
  readonly url: string;
  readonly into: string;
  readonly keep?: "mirror" | "warc" | "wacz" | "none";
  readonly stateFile?: string;
  readonly types?: readonly string[];
  /** A date, as `parseDate` reads it. */
  readonly since?: string;
  readonly budget?: number;
  readonly concurrency?: number;
  readonly sources?: readonly SourceName[];
  /** A file's path, or `-` for standard input. */
  readonly urls?: string;
  readonly maxPages?: number;
  readonly maxDepth?: number;
  readonly order?: PageOrder;
  readonly poll?: "all" | "planned";
  readonly planner?: PollPlannerName;
  readonly distrustDays?: number;
  readonly significant?: number;
  /** In MiB. */
  readonly maxPackage?: number;
  readonly timeoutSeconds?: number;
  /** In KiB a second. */
  readonly leastRate?: number;
  /** In MiB. */
  readonly maxPage?: number;
  readonly maxSite?: number;
  readonly maxVisit?: number;
  readonly userAgent?: string;
  readonly from?: string;
  /** A file's path. */
  readonly ca?: string;
  /** Has no effect. */
  readonly http1?: boolean;
  readonly allowPrivate?: boolean;
  readonly pagesBeforeRest?: number;
  readonly restSeconds?: number;
  readonly crawlDelaySeconds?: number;
  readonly restOnLoopback?: boolean;
  readonly maxWaitSeconds?: number;
  /** Of many sites: how soon this one has its turn. */
  readonly priority?: number;
  /** Of sites that are followed for ever: bounds of the time between two visits. */
  readonly lookLeastMs?: number;
  readonly lookMostMs?: number;
}

const daySeconds = 86_400;
const mebibyte = 1024 * 1024;

/**
 * Every setting of a crawl: a line here is an option of `tidemark crawl`, a key of its configuration file, and a property
 * of the file's JSON Schema.
 */
export const crawlSettings: SettingTable<CrawlSettings> = {
  url: row("url", siteUrl, "A site, such as https://example.org/", { ofSite: true, isRequired: true }),
  into: row("into", path, "Folder of the mirror"),
  keep: row(
    "keep",
    choice("mirror", "warc", "wacz", "none"),
    "How pages are kept: mirror, warc, wacz or none (mirror)",
  ),
  stateFile: row("state", path, "File of what is remembered between runs (DIR/.tidemark/state.db)"),
  types: row("types", mediaTypes, "Only pages of these media types: text/html,image/* (repeatable)"),
  since: row("since", date, "On a first visit, only what changed from this date on"),
  budget: row("budget", wholeNumber(0, 1_000_000_000), "Most page requests in this visit; the rest waits for the next"),
  concurrency: row("concurrency", wholeNumber(1, 64), "Requests at the same time (1)"),
  sources: row(
    "source",
    choices(...sourceNames),
    "Learn what changed only from these: archives,resourcesync,sitemap,links,list (the first that works)",
  ),
  urls: row("urls", path, "Ask for the URLs in this file, one a line; - for standard input"),
  maxPages: row("max-pages", wholeNumber(1, 1_000_000_000), "Keep at most so many pages of the site"),
  maxDepth: row("depth", wholeNumber(0, 1_000_000), "Follow links at most so many steps from the start"),
  order: row(
    "order",
    choice(...pageOrders),
    "Ask for new pages as they were found, by temporary rank, or at random; of many sites, longer ones first: depth, partial, random, length (depth)",
  ),
  poll: row(
    "poll",
    choice("all", "planned"),
    "Where only polling is left, ask for all pages, or for those that have probably changed: all, planned (all)",
  ),
  planner: row(
    "planner",
    choice(...pollPlannerNames),
    `With --poll planned, which it implies, what chooses the pages: ${pollPlannerNames.join(", ")} (default)`,
  ),
  distrustDays: row(
    "distrust",
    wholeNumber(0, 36_500),
    "Days after which a page is fetched whole, whatever its validators say (90)",
  ),
  significant: row(
    "significant",
    numberBetween(0, 1, 0.9),
    "Where only polling is left, count changes of HTML pages only if the texts' resemblance, 0 to 1, falls below this (0.9)",
  ),
  maxPackage: row(
    "max-package",
    wholeNumber(0, 1_000_000),
    "MiB of the largest package that is fetched where a site offers many pages in one; 0: none (1024)",
  ),
  maxPage: row("max-page", wholeNumber(1, 1_000_000), "MiB of the largest page that is kept (1024)"),
  maxSite: row("max-site", wholeNumber(1, 1_000_000_000), "MiB of all kept pages of a site together (1048576)"),
  maxVisit: row(
    "max-visit",
    wholeNumber(1, 1_000_000_000),
    "MiB that one visit receives; the rest waits for the next (65536)",
  ),
  timeoutSeconds: row(
    "timeout",
    wholeNumber(1, 3600),
    "Seconds that a small request may take, and that a large one may be silent (30)",
  ),
  leastRate: row(
    "least-rate",
    wholeNumber(1, 1_000_000),
    "KiB a second; a body that comes more slowly for longer than --timeout is given up (64)",
  ),
  userAgent: row("user-agent", text, "Name to give to servers; robots.txt is obeyed under it, else under tidemark"),
  from: row("from", text, "Mail address to give to servers, so that a site's operator can write to you"),
  ca: row("ca", path, "File of further certificate authorities to trust, in PEM"),
  http1: row("http1", flag, "Has no effect: HTTP/1.1 is what is spoken", { isDeprecated: true }),
  allowPrivate: row(
    "allow-private",
    flag,
    "Let redirects lead to private addresses; without it only the site you name may have one",
  ),
  pagesBeforeRest: row(
    "pages-before-rest",
    wholeNumber(1, 1_000_000),
    "Requests to a site before it is given a rest (100 with archives, else 10)",
  ),
  restSeconds: row("rest", wholeNumber(0, daySeconds), "Seconds of that rest (1 with archives, else 15)"),
  crawlDelaySeconds: row(
    "crawl-delay",
    wholeNumber(0, daySeconds),
    "Least seconds between two requests; a site's own Crawl-delay holds where it is longer",
  ),
  restOnLoopback: row("rest-on-loopback", flag, "Give rests to sites of this machine too"),
  maxWaitSeconds: row(
    "max-wait",
    wholeNumber(0, daySeconds),
    "Longest wait in seconds; a site that wants a longer one is left for the next run (300)",
  ),
  priority: row(
    "priority",
    wholeNumber(0, 10),
    "Of many sites that are due, those with more have their turn first (5)",
  ),
  lookLeastMs: row(
    "look-least",
    duration(90 * daySeconds * 1000),
    "With --forever, look at a site no sooner again (1m with archives, else 1h)",
  ),
  lookMostMs: row(
    "look-most",
    duration(90 * daySeconds * 1000),
    "With --forever, look at a site no later again, unless it asks for that or cannot be had (1d)",
  ),
};

/** The options of a crawl that settings stand for, but for what is in files. */
export function crawlOptionsOf(settings: CrawlSettings): Omit<CrawlSiteOptions, "urls" | "ca"> {
  const { stateFile, keep, since, poll, distrustDays, timeoutSeconds, leastRate } = settings;
  const { maxPackage, maxPage, maxSite, maxVisit } = settings;
  const { types, budget, concurrency, sources, maxPages, maxDepth, order, planner } = settings;
  const { significant, userAgent, from, allowPrivate } = settings;
  return {
    url: settings.url,
    into: settings.into,
    ...omitUndefined({
      stateFile,
      keep: keep === "none" ? ("metadata" as const) : keep,
      since: since === undefined ? undefined : parseDate(since),
      isPlanned: poll === undefined ? undefined : poll === "planned",
      distrustMs: scaled(distrustDays, daySeconds * 1000),
      packageBytes: scaled(maxPackage, mebibyte),
      pageBytes: scaled(maxPage, mebibyte),
      siteBytes: scaled(maxSite, mebibyte),
      visitBytes: scaled(maxVisit, mebibyte),
      leastBytesPerSecond: scaled(leastRate, 1024),
      timeoutMs: scaled(timeoutSeconds, 1000),
    }),
    ...omitUndefined({ types, budget, concurrency, sources, maxPages, maxDepth, order, planner }),
    ...omitUndefined({ significant, userAgent, from, allowPrivate }),
  };
}

/** A site among many, as settings say, but for what is in files. */
export function followedSiteOf(settings: CrawlSettings): FollowedSite {
  const { into: _, stateFile: __, politeness: ___, ...options } = crawlOptionsOf(settings);
  const { priority, lookLeastMs, lookMostMs } = settings;
  const own: PolitenessOptions = omitUndefined({ ...politenessOf(settings) });
  const politeness = Object.keys(own).length === 0 ? undefined : own;
  return { ...options, ...omitUndefined({ priority, lookLeastMs, lookMostMs, politeness }) };
}

/** Whether the least time between two visits is no more than the most, as far as both are set. */
export function areLooksInOrder({
  lookLeastMs = 0,
  lookMostMs = Number.POSITIVE_INFINITY,
}: Pick<CrawlSettings, "lookLeastMs" | "lookMostMs">): boolean {
  return lookLeastMs <= lookMostMs;
}

/** How a site is spared that has these settings. */
export function politenessOf(settings: CrawlSettings): PolitenessOptions {
  const { pagesBeforeRest, restSeconds, crawlDelaySeconds, restOnLoopback, maxWaitSeconds } = settings;
  return {
    pagesBeforeRest,
    restMs: scaled(restSeconds, 1000),
    crawlDelayMs: scaled(crawlDelaySeconds, 1000),
    loopbackRests: restOnLoopback,
    maxWaitMs: scaled(maxWaitSeconds, 1000),
  };
}

function scaled(value: number | undefined, unit: number): number | undefined {
  return value === undefined ? undefined : value * unit;
}
