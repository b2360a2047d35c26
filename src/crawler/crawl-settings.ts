import {
  choice,
  choices,
  converted,
  countOf,
  date,
  duration,
  flag,
  type ListenAddress,
  listenAddress,
  mediaTypes,
  numberBetween,
  path,
  settingRow as row,
  type SettingKind,
  type SettingTable,
  siteUrl,
  text,
  texts,
  wholeNumber,
} from "../config/index.ts";
import { pageOrders, sourceNames, usages } from "../core/index.ts";
import type { CrawlSiteOptions, FollowedSite } from "./crawl-site-options.ts";
import type { PolitenessOptions } from "./engine/politeness/politeness-options.ts";
import { pollPlannerNames } from "./engine/revisit/poll-planners.ts";
import { type ExchangeSettings, exchangeSettings } from "./exchange-settings.ts";
import type { Keep } from "./kept-site.ts";

/** What of a crawl can be set, on the command line and in a file, as the library's options: all but what belongs to one run. */
export interface CrawlSettings
  extends Omit<
      CrawlSiteOptions,
      | "urls"
      | "headers"
      | "keep"
      | "warcBytes"
      | "starts"
      | "lookAgainMs"
      | "isPolled"
      | "sharingSeed"
      | "clock"
      | "delay"
      | "signal"
      | "onEvent"
      | "politeness"
      | "weightOf"
    >,
    Pick<FollowedSite, "priority" | "minIntervalMs" | "maxIntervalMs">,
    Omit<PolitenessOptions, "maxRetryAfterMs">,
    ExchangeSettings {
  readonly keep?: Keep;
  /** A file's path, or `-` for standard input. */
  readonly urls?: string;
  /** Fields as `Name: value`. */
  readonly header?: readonly string[];
  /** A file's path. */
  readonly netrc?: string;
  /** File of cookies. */
  readonly cookies?: string;
  /** File of the key that requests are signed with. */
  readonly identity?: string;
  /** A file's path. */
  readonly ca?: string;
  /** Table of ranks, from which pages have their weights. */
  readonly ranksFile?: string;
  /** Where metrics and a page are served while sites are followed. */
  readonly listen?: ListenAddress;
  /** Names by which others reach that. */
  readonly allowHosts?: readonly string[];
}

const dayMs = 86_400_000;
const mebibyte = 1024 * 1024;
const seconds = countOf(1000, 0, 86_400);
const keep = converted(choice("mirror", "warc", "wacz", "objects", "none"), (kind) =>
  kind === "none" ? "metadata" : kind,
);
const objectsAddress: SettingKind<string> = {
  ...path,
  completePaths: (value, complete) => (/^[a-z0-9]+:\/\//.test(value) ? value : complete(value)),
};
const poll = converted(choice("all", "planned"), (which) => which === "planned");

/**
 * Every setting of a crawl: a line here is an option of `tidemark crawl`, a key of its configuration file, and a property
 * of the file's JSON Schema.
 */
export const crawlSettings: SettingTable<CrawlSettings> = {
  url: row("url", siteUrl, "A site, such as https://example.org/", { ofSite: true, isRequired: true }),
  into: row("into DIR", path, "Folder for the mirror", { default: "required, here or in the file of sites" }),
  keep: row("keep KIND", keep, "How pages are kept: mirror, warc, wacz, objects or none", {
    default: "`mirror`",
    doc: "how pages are kept: `mirror`, one file per page; `warc`, every request and answer as WARC 1.1 with a CDXJ index; `wacz`, the same and `site.wacz`; `objects`, by their content in the store of `--objects`; `none`, no pages, only the state",
  }),
  objects: row(
    "objects ADDRESS",
    objectsAddress,
    "Where --keep objects keeps pages: a folder, also one that machines share, or s3://BUCKET/PREFIX",
    {
      doc: "with `--keep objects`: where pages are kept by their content: a folder, also one that several machines share, or `s3://BUCKET/PREFIX`. See [Pages as objects](#pages-as-objects)",
    },
  ),
  stateFile: row("state FILE", path, "Database of what the crawler remembers between visits", {
    default: "`DIR/.tidemark/state.db`",
  }),
  types: row("types TYPES", mediaTypes, "Only pages of these media types, such as `text/html,image/*`", {
    default: "all",
  }),
  include: row(
    "include PATTERN",
    texts,
    "Only URLs whose path matches this pattern, such as '/docs/**' or '*.pdf'; * stops at /, ** does not",
    {
      default: "all",
      doc: "only URLs that match this pattern; repeatable. See [URLs](#which-urls)",
    },
  ),
  exclude: row(
    "exclude PATTERN",
    texts,
    "No URLs whose path matches this pattern; pages that were kept before are removed. Before --include",
    {
      default: "none",
      doc: "no URLs that match this pattern; takes precedence over `--include`; repeatable. See [URLs](#which-urls)",
    },
  ),
  respectUsage: row(
    "respect-usage USES",
    choices(...usages),
    "Keep no pages of which the site disallows one of these uses: train-ai,ai-use,search",
    {
      default: "none",
      doc: "keep no pages of which the site disallows one of these uses: `train-ai`, `ai-use`, `search`. See [Preferences about use](#preferences-about-use)",
    },
  ),
  since: row("since DATE", date, "On a first visit, only what changed from this date on; needs archives", {
    default: "everything",
  }),
  budget: row(
    "budget N",
    wholeNumber(0, 1_000_000_000),
    "At most N page requests in this visit, and 10 + N/2 requests for sitemaps; the next visit continues",
    { default: "no limit" },
  ),
  concurrency: row("concurrency N", wholeNumber(1, 64), "Requests to a site at the same time, 1 to 64", {
    default: "1",
  }),
  sources: row(
    "source NAMES",
    choices(...sourceNames),
    "Learn what changed only from these sources: archives,resourcesync,sitemap,links,list",
    {
      default: "all, in this order",
      doc: "learn what changed only from these [sources](#sources-of-changes): `archives`, `resourcesync`, `sitemap`, `links`, `list`; the first that works is used",
    },
  ),
  urls: row(
    "urls FILE",
    path,
    "Request the URLs in this file, one per line, `-` for standard input; the source is then `list`",
  ),
  maxPages: row(
    "max-pages N",
    wholeNumber(1, 1_000_000_000),
    "Keep at most N pages of a site whose source is links, sitemaps or a list",
    { default: "no limit" },
  ),
  maxDepth: row("depth N", wholeNumber(0, 1_000_000), "Follow links at most N steps from the start page", {
    default: "no limit",
  }),
  order: row(
    "order NAME",
    choice(...pageOrders),
    "Order of new pages: as they were found (depth), by a temporary rank (partial), at random (random); length: of many sites, those with more waiting pages first",
    {
      default: "`depth`",
      doc: "[order](#orders) in which new pages are requested: `depth`, `partial`, `random`, `length`",
    },
  ),
  isPlanned: row(
    "poll WHICH",
    poll,
    "If no source says what changed, request all pages (all), or those that have probably changed (planned)",
    {
      key: "poll",
      default: "`all`",
      doc: "if no source says what changed, the crawler polls: it requests `all` pages at each visit, or those that have probably changed (`planned`); with `--budget` it is always `planned`",
    },
  ),
  planner: row(
    "planner NAME",
    choice(...pollPlannerNames),
    `Algorithm that chooses the pages of --poll planned, which it implies: ${pollPlannerNames.join(", ")}`,
    {
      default: "`default`",
      doc: "algorithm that chooses the pages to poll with `--budget` or `--poll planned`, which it implies; see [Planners](#planners)",
    },
  ),
  ranksFile: row(
    "ranks FILE",
    path,
    "Table of ranks, as graph rank --into writes it: with --budget, weights of polled pages; with --web, ranks of --order optimal",
    {
      key: "ranks",
      doc: "table of ranks of URLs, as `tidemark graph rank --into FILE` writes it. With `--budget`: pages of a higher rank are polled more often (planners `default` and `index`). With `--web --order optimal`: the order of pages; those that it does not name come last",
    },
  ),
  distrustMs: row(
    "distrust DAYS",
    countOf(dayMs, 0, 36_500),
    "Days after which a page is fetched without validators, in case the server's are wrong",
    { key: "distrustDays", default: "90" },
  ),
  significant: row(
    "significant R",
    numberBetween(0, 1, 0.9),
    "When polling, plan with a change of an HTML page only if the similarity of new and held text, 0 to 1, is below this",
    {
      default: "each change counts; 0.9 without a value",
      doc: "when polling, a change of an HTML page counts for the time of its next request only if the similarity of its visible text to the held copy is below R; R is above 0 and at most 1. The new version is kept in any case",
    },
  ),
  packageBytes: row(
    "max-package MIB",
    countOf(mebibyte, 0, 1_000_000),
    "Largest package of many pages to fetch, in MiB, if a site offers packages; 0: none",
    {
      key: "maxPackage",
      default: "1024",
      doc: "largest package of many pages to fetch, if a site offers packages; 0: each page is requested by itself. A package lies in `DIR/.tidemark/tmp` while it is read",
    },
  ),
  pageBytes: row(
    "max-page MIB",
    countOf(mebibyte, 1, 1_000_000),
    "Largest page to keep. A larger one counts as failed (`too-large`), whatever size was announced, and an older copy stays",
    { key: "maxPage", default: "1024" },
  ),
  siteBytes: row(
    "max-site MIB",
    countOf(mebibyte, 1, 1_000_000_000),
    "Most MiB of pages to keep of a site. At this limit new pages count as failed (`too-large`), and held pages are still requested",
    { key: "maxSite", default: "1048576" },
  ),
  visitBytes: row(
    "max-visit MIB",
    countOf(mebibyte, 1, 1_000_000_000),
    "Most MiB to receive in one visit; the next visit continues (warning `visit-full`)",
    { key: "maxVisit", default: "65536" },
  ),
  timeoutMs: row(
    "timeout SECONDS",
    countOf(1000, 1, 3600),
    "Seconds that a small request may take, and that a large one may bring no data, 1 to 3600",
    { key: "timeoutSeconds", default: "30" },
  ),
  leastBytesPerSecond: row(
    "least-rate KIB",
    countOf(1024, 1, 1_000_000),
    "Least KiB per second: a body that falls behind this by more than `--timeout` is given up (`timeout`), whatever size was announced",
    { key: "leastRate", default: "64" },
  ),
  userAgent: row(
    "user-agent TEXT",
    text,
    "Name to send to servers; the group of robots.txt for it is obeyed, or else that for tidemark",
    {
      default: "`tidemark/VERSION` and an address",
      doc: "name to send to servers. The crawler obeys the group of robots.txt for its product token (`mybot` of `MyBot/1.0 (+https://example.org/bot)`, also after `Mozilla/5.0 (compatible; ...`); if no group names that, it obeys the group for `tidemark`",
    },
  ),
  from: row(
    "from ADDRESS",
    text,
    "Mail address to send in the field `From`, so that a site's operator can write to you",
  ),
  auth: row(
    "auth USER:PASSWORD",
    text,
    "Login for Basic or Digest authentication, sent to the site's own origin only; other users of the machine may see it: see --netrc",
    {
      default: "that of the URL, else that of `--netrc`",
      doc: "login for Basic or Digest authentication; see [Logins and header fields](#logins-and-header-fields)",
      isSecret: true,
    },
  ),
  digest: row("digest", flag, "Use the login for Digest authentication only: the password itself is never sent"),
  netrc: row("netrc FILE", path, "File of logins by host, as curl and wget read it", {
    doc: "file of logins by host, in the form that curl and wget read",
  }),
  header: row(
    "header FIELD",
    texts,
    "Header field as 'Name: value' for requests to the site's own origin; not stored",
    { doc: "header field as `Name: value`, sent to the site's own origin only; repeatable", isSecret: true },
  ),
  cookies: row(
    "cookies FILE",
    path,
    "File of cookies in Netscape form; those of the site are sent, and its own are kept until the visit ends",
    {
      doc: "file of cookies in Netscape form, as curl, wget and extensions of browsers write it; see [Cookies](#cookies)",
    },
  ),
  identity: row("identity FILE", path, "Key file of tidemark identity init, with which every request is signed", {
    doc: "key file of `tidemark identity init`, with which every request is signed; see [Signed requests](#signed-requests)",
  }),
  proxy: row(
    "proxy URL",
    text,
    "Proxy for all requests, such as http://proxy.example:3128 or socks5://127.0.0.1:1080",
    {
      default: "`HTTP_PROXY`, `HTTPS_PROXY`",
      doc: "proxy for all requests, such as `http://proxy.example:3128` or `socks5://127.0.0.1:1080`; see [Proxies](#proxies)",
      isSecret: true,
    },
  ),
  ca: row("ca FILE", path, "Certificate authorities in PEM that TLS trusts in addition to Node's"),
  http1: row("http1", flag, "Has no effect: the crawler always speaks HTTP/1.1", { isDeprecated: true }),
  allowPrivate: row(
    "allow-private",
    flag,
    "Follow redirects to loopback, private and link-local addresses; without it, only a site that you name may have such an address",
  ),
  pagesBeforeRest: row(
    "pages-before-rest K",
    wholeNumber(1, 1_000_000),
    "Requests to a site before the crawler pauses",
    { alias: "k", default: "100 for sites with archives, else 10" },
  ),
  restMs: row("rest SECONDS", seconds, "Length of that pause", {
    key: "restSeconds",
    alias: "w",
    default: "1 for sites with archives, else 15",
  }),
  crawlDelayMs: row(
    "crawl-delay SECONDS",
    seconds,
    "Least time between two requests to a site; a longer Crawl-delay in its robots.txt is obeyed",
    { key: "crawlDelaySeconds", default: "0" },
  ),
  loopbackRests: row("rest-on-loopback", flag, "Pause also for sites on this machine", { key: "restOnLoopback" }),
  maxWaitMs: row(
    "max-wait SECONDS",
    seconds,
    "Longest wait; a site that asks for a longer one is left for the next run",
    { key: "maxWaitSeconds", default: "300" },
  ),
  listen: row(
    "listen ADDRESS",
    listenAddress,
    "With --forever: serve OpenMetrics at /metrics and a page of the sites at /, such as 127.0.0.1:9464; a port alone is on 127.0.0.1, port 0 any free one. With --web: metrics alone",
    {
      ofRun: true,
      doc: "with `--forever`: serve OpenMetrics at `/metrics` and a page of the sites at `/`; see [Metrics and a page](#metrics-and-a-page). A port alone is on 127.0.0.1; port 0 is any free one. With `--web`: metrics alone",
    },
  ),
  allowHosts: row(
    "allow-host NAME",
    texts,
    "Name or address by which other machines reach --listen; without one, it listens on this machine only",
    {
      ofRun: true,
      doc: "name or address by which other machines reach `--listen`, as in the URL that they ask for; repeatable",
    },
  ),
  ...exchangeSettings,
  priority: row(
    "priority N",
    wholeNumber(0, 10),
    "With many sites: of those that are due, sites with a higher priority come first, 0 to 10",
    { default: "5" },
  ),
  minIntervalMs: row(
    "min-interval DURATION",
    duration(90 * dayMs),
    "With `--forever`: shortest time between two visits of a site",
    { former: { option: "look-least", key: "lookLeastMs" }, default: "`1m` with archives, else `1h`" },
  ),
  maxIntervalMs: row(
    "max-interval DURATION",
    duration(90 * dayMs),
    "With --forever, longest time between two visits of a site, unless it asks for a longer one or cannot be reached",
    {
      former: { option: "look-most", key: "lookMostMs" },
      default: "`1d`",
      doc: "with `--forever`: longest time between two visits of a site, unless it asks for a longer one or cannot be reached; not less than `--min-interval` if that is given. When polling, a visit requests only the pages that are due, perhaps none",
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
