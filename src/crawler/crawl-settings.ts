import {
  choice,
  choices,
  converted,
  countOf,
  date,
  duration,
  flag,
  mediaTypes,
  numberBetween,
  path,
  settingRow as row,
  type SettingTable,
  siteUrl,
  text,
  wholeNumber,
} from "../config/index.ts";
import { pageOrders, sourceNames } from "../core/index.ts";
import type { CrawlSiteOptions } from "./crawl-site-options.ts";
import type { PolitenessOptions } from "./engine/politeness/politeness-options.ts";
import { pollPlannerNames } from "./engine/revisit/poll-planners.ts";
import type { FollowedSite } from "./followed-site.ts";
import type { Keep } from "./kept-site.ts";

/** What of a crawl can be set, on the command line and in a file, as the library's options: all but what belongs to one run. */
export interface CrawlSettings
  extends Omit<
      CrawlSiteOptions,
      "urls" | "keep" | "warcBytes" | "starts" | "lookAgainMs" | "clock" | "delay" | "signal" | "onEvent" | "politeness"
    >,
    Pick<FollowedSite, "priority" | "minIntervalMs" | "maxIntervalMs">,
    Omit<PolitenessOptions, "maxRetryAfterMs"> {
  readonly keep?: Keep;
  /** A file's path, or `-` for standard input. */
  readonly urls?: string;
  /** A file's path. */
  readonly ca?: string;
}

const dayMs = 86_400_000;
const mebibyte = 1024 * 1024;
const seconds = countOf(1000, 0, 86_400);
const keep = converted(choice("mirror", "warc", "wacz", "none"), (kind) => (kind === "none" ? "metadata" : kind));
const poll = converted(choice("all", "planned"), (which) => which === "planned");

/**
 * Every setting of a crawl: a line here is an option of `tidemark crawl`, a key of its configuration file, and a property
 * of the file's JSON Schema.
 */
export const crawlSettings: SettingTable<CrawlSettings> = {
  url: row("url", siteUrl, "A site, such as https://example.org/", { ofSite: true, isRequired: true }),
  into: row("into DIR", path, "Folder of the mirror", { default: "required, here or in the file" }),
  keep: row("keep KIND", keep, "How pages are kept: mirror, warc, wacz or none", {
    default: "`mirror`",
    doc: "how pages are kept: `mirror`, a file each; `warc`, every request and answer as WARC 1.1 with a CDXJ index; `wacz`, the same and `site.wacz`; `none`, only what is known of them",
  }),
  stateFile: row("state FILE", path, "File of what is remembered between runs", {
    default: "`DIR/.tidemark/state.db`",
    doc: "database of what is remembered between visits",
  }),
  types: row("types TYPES", mediaTypes, "Only pages of these media types: text/html,image/*", {
    default: "all",
    doc: "only pages of these media types, such as `text/html,image/*`; repeatable",
  }),
  since: row("since DATE", date, "On a first visit, only what changed from this date on", {
    default: "everything",
    doc: "on a first visit, only what changed from this date on; needs archives",
  }),
  budget: row(
    "budget N",
    wholeNumber(0, 1_000_000_000),
    "Most page requests in this visit; the rest waits for the next",
    {
      default: "no limit",
      doc: "at most N page requests in this visit, and ten and N/2 requests for sitemaps; the rest is kept as work for the next",
    },
  ),
  concurrency: row("concurrency N", wholeNumber(1, 64), "Requests at the same time", {
    default: "1",
    doc: "requests at the same time, 1 to 64",
  }),
  sources: row(
    "source NAMES",
    choices(...sourceNames),
    "Learn what changed only from these: archives,resourcesync,sitemap,links,list",
    {
      default: "all, in this order",
      doc: "learn what changed only from these: `archives`, `resourcesync`, `sitemap`, `links`, `list`; the first that works",
    },
  ),
  urls: row("urls FILE", path, "Ask for the URLs in this file, one a line; - for standard input", {
    doc: "ask for the URLs in this file, one a line, `-` for standard input; the source is `list` then",
  }),
  maxPages: row("max-pages N", wholeNumber(1, 1_000_000_000), "Keep at most so many pages of the site", {
    default: "no limit",
    doc: "keep at most N pages of a site that is followed by links, sitemaps or a list",
  }),
  maxDepth: row("depth N", wholeNumber(0, 1_000_000), "Follow links at most so many steps from the start", {
    default: "no limit",
    doc: "follow links at most N steps from the start",
  }),
  order: row(
    "order NAME",
    choice(...pageOrders),
    "Ask for new pages as they were found, by temporary rank, or at random; of many sites, longer ones first: depth, partial, random, length",
    {
      default: "`depth`",
      doc: "in which [order](#orders) pages that nobody has yet are asked for: `depth`, `partial`, `random`, `length`",
    },
  ),
  isPlanned: row(
    "poll WHICH",
    poll,
    "Where only polling is left, ask for all pages, or for those that have probably changed: all, planned",
    {
      key: "poll",
      default: "`all`",
      doc: "where only polling is left: ask for `all` pages at each visit, or, `planned`, for those that have probably changed; with `--budget` it is always planned",
    },
  ),
  planner: row(
    "planner NAME",
    choice(...pollPlannerNames),
    `With --poll planned, which it implies, what chooses the pages: ${pollPlannerNames.join(", ")}`,
    {
      default: "`default`",
      doc: "with `--poll planned`, which it implies, or `--budget`: what chooses the pages that a visit asks for, see [Planners](#planners)",
    },
  ),
  distrustMs: row(
    "distrust DAYS",
    countOf(dayMs, 0, 36_500),
    "Days after which a page is fetched whole, whatever its validators say",
    { key: "distrustDays", default: "90", doc: "fetch a page whole after so many days, whatever its validators say" },
  ),
  significant: row(
    "significant R",
    numberBetween(0, 1, 0.9),
    "Where only polling is left, count changes of HTML pages only if the texts' resemblance, 0 to 1, falls below this",
    {
      default: "each change counts; 0.9 without a value",
      doc: "where only polling is left, a change of an HTML page counts for when to ask again only if its visible text resembles the held one less than R, over 0 to 1; what is served is kept all the same",
    },
  ),
  packageBytes: row(
    "max-package MIB",
    countOf(mebibyte, 0, 1_000_000),
    "MiB of the largest package that is fetched where a site offers many pages in one; 0: none",
    {
      key: "maxPackage",
      default: "1024",
      doc: "largest package that is fetched where a site offers many pages in one; 0: each page is asked for. It lies in `DIR/.tidemark/tmp` while it is read",
    },
  ),
  pageBytes: row("max-page MIB", countOf(mebibyte, 1, 1_000_000), "MiB of the largest page that is kept", {
    key: "maxPage",
    default: "1024",
    doc: "largest page that is kept. A larger one has failed (`too-large`), whatever was announced, and a copy that is held stays",
  }),
  siteBytes: row("max-site MIB", countOf(mebibyte, 1, 1_000_000_000), "MiB of all kept pages of a site together", {
    key: "maxSite",
    default: "1048576",
    doc: "all kept pages of a site together; at the bound new pages have failed (`too-large`), and those that are held are still asked for",
  }),
  visitBytes: row(
    "max-visit MIB",
    countOf(mebibyte, 1, 1_000_000_000),
    "MiB that one visit receives; the rest waits for the next",
    {
      key: "maxVisit",
      default: "65536",
      doc: "what one visit receives; the rest waits for the next (warning `visit-full`)",
    },
  ),
  timeoutMs: row(
    "timeout SECONDS",
    countOf(1000, 1, 3600),
    "Seconds that a small request may take, and that a large one may be silent",
    {
      key: "timeoutSeconds",
      default: "30",
      doc: "time that a small request may take, and longest silence of a large one, 1 to 3600",
    },
  ),
  leastBytesPerSecond: row(
    "least-rate KIB",
    countOf(1024, 1, 1_000_000),
    "KiB a second; a body that comes more slowly for longer than --timeout is given up",
    {
      key: "leastRate",
      default: "64",
      doc: "KiB a second: a body that falls behind this by more than `--timeout` is given up (`timeout`). What was announced gives it no time",
    },
  ),
  userAgent: row(
    "user-agent TEXT",
    text,
    "Name to give to servers; robots.txt is obeyed under it, else under tidemark",
    {
      default: "`tidemark/VERSION` and an address",
      doc: "name to give to servers. robots.txt is obeyed under its product token (`mybot` of `MyBot/1.0 (+https://example.org/bot)`, also behind `Mozilla/5.0 (compatible; ...`), and under `tidemark` where no group names that",
    },
  ),
  from: row("from ADDRESS", text, "Mail address to give to servers, so that a site's operator can write to you", {
    doc: "sent as the field From, so that a site's operator can write to you",
  }),
  ca: row("ca FILE", path, "File of further certificate authorities to trust, in PEM", {
    doc: "further authorities in PEM that TLS trusts, beside Node's",
  }),
  http1: row("http1", flag, "Has no effect: HTTP/1.1 is what is spoken", { isDeprecated: true }),
  allowPrivate: row(
    "allow-private",
    flag,
    "Let redirects lead to private addresses; without it only the site you name may have one",
    {
      doc: "redirects may lead to loopback, private and link-local addresses; without it only the site you name may have such an address",
    },
  ),
  pagesBeforeRest: row(
    "pages-before-rest K",
    wholeNumber(1, 1_000_000),
    "Requests to a site before it is given a rest",
    { alias: "k", default: "100 for sites with archives, else 10" },
  ),
  restMs: row("rest SECONDS", seconds, "Seconds of that rest", {
    key: "restSeconds",
    alias: "w",
    default: "1 for sites with archives, else 15",
    doc: "how long that rest is",
  }),
  crawlDelayMs: row(
    "crawl-delay SECONDS",
    seconds,
    "Least seconds between two requests; a site's own Crawl-delay holds where it is longer",
    {
      key: "crawlDelaySeconds",
      default: "0",
      doc: "least time between two requests; a site's own Crawl-delay holds where it is longer",
    },
  ),
  loopbackRests: row("rest-on-loopback", flag, "Give rests to sites of this machine too", { key: "restOnLoopback" }),
  maxWaitMs: row(
    "max-wait SECONDS",
    seconds,
    "Longest wait in seconds; a site that wants a longer one is left for the next run",
    { key: "maxWaitSeconds", default: "300", doc: "a site that wants a longer wait is left for the next run" },
  ),
  priority: row("priority N", wholeNumber(0, 10), "Of many sites that are due, those with more have their turn first", {
    default: "5",
    doc: "of many sites that are due, those with more have their turn first, 0 to 10",
  }),
  minIntervalMs: row("min-interval DURATION", duration(90 * dayMs), "With --forever, look at a site no sooner again", {
    former: { option: "look-least", key: "lookLeastMs" },
    default: "`1m` with archives, else `1h`",
    doc: "with `--forever`: look at a site no sooner again",
  }),
  maxIntervalMs: row(
    "max-interval DURATION",
    duration(90 * dayMs),
    "With --forever, look at a site no later again, unless it asks for that or cannot be had",
    {
      former: { option: "look-most", key: "lookMostMs" },
      default: "`1d`",
      doc: "with `--forever`: look at a site no later again, unless it asks for that or cannot be had; not less than `--min-interval` if that is given. Where only polling is left, a look asks for the pages whose time has come: none, if none has",
    },
  ),
};

/** Whether the least time between two visits is no more than the most, as far as both are set. */
export function areIntervalsInOrder({
  minIntervalMs = 0,
  maxIntervalMs = Number.POSITIVE_INFINITY,
}: Pick<CrawlSettings, "minIntervalMs" | "maxIntervalMs">): boolean {
  return minIntervalMs <= maxIntervalMs;
}
