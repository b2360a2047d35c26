import {
  choice,
  duration,
  flag,
  numberBetween,
  path,
  settingRow as row,
  siteUrl,
  text,
  texts,
  wholeNumber,
} from "../../config/index.ts";
import { omitUndefined, pageOrders } from "../../core/index.ts";
import { areIntervalsInOrder, crawlSettings, exchangeSettings, webOrders } from "../../crawler/index.ts";
import { isLanguageTag } from "../../formats/html/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { readSettings, siteArguments } from "../terminal/option.ts";
import type { CrawlArguments } from "./crawl-run.ts";
import { type FleetArguments, planFleet } from "./plan-fleet.ts";

const { url: urlSetting, order: orderSetting, ...siteSettings } = crawlSettings;
/** Settings of sites that hold for a crawl of the Web. */
const sharedSettings: ReadonlySet<string> = new Set([
  ...[
    "into",
    "keep",
    "objects",
    "stateFile",
    "types",
    "include",
    "exclude",
    "maxPages",
    "maxDepth",
    "pageBytes",
    "timeoutMs",
  ],
  ...["respectUsage", "ranksFile"],
  ...["leastBytesPerSecond", "userAgent", "from", "identity", "proxy", "ca", "allowPrivate"],
  ...["pagesBeforeRest", "restMs", "crawlDelayMs", "loopbackRests", "minIntervalMs", "maxIntervalMs"],
  ...["listen", "allowHosts"],
]);
const orders: readonly [string, ...string[]] = [
  "depth",
  ...pageOrders.slice(1),
  ...webOrders.filter((name) => !pageOrders.some((other) => other === name)),
];
const many = wholeNumber(1, 1_000_000_000);

const tagExpects = "a language tag, such as de or pt-BR";
const languageTags: typeof texts = {
  ...texts,
  expects: tagExpects,
  parseText: (given) => (isLanguageTag(given) ? given : undefined),
};

const webSettings = {
  scopeDomains: row("scope-domain NAME", texts, "With --web: only hosts of this domain, or of a suffix such as de", {
    default: "all",
    doc: "with `--web`: only this host and those below it, such as `example.org`, or those of a suffix, such as `de`; repeatable",
  }),
  languages: row("language TAG", languageTags, "With --web: follow links only of pages in this language", {
    default: "all",
    doc: "with `--web`: follow links only of pages in this language, such as `de`, which includes `de-AT`, and of pages that name none; repeatable",
  }),
  keepsTexts: row("link-texts", flag, "With --web: keep the texts of links too", {
    doc: "with `--web`: keep the texts of links beside them, for `graph export --anchors`",
  }),
  maxHops: row("max-hops N", wholeNumber(0, 1_000_000), "With --web: follow at most N links from one site to another", {
    default: "no limit",
  }),
  maxTotal: row("max-total N", many, "With --web: at most N pages of all sites together", { default: "no limit" }),
  batchPages: row("batch-pages N", many, "With --order batch: choose the next pages after every N pages", {
    default: "50000",
  }),
  maxSites: row("max-sites N", many, "With --web: know at most N sites", { default: "1000000" }),
  maxDomainSites: row("max-domain-sites N", many, "With --web: know at most N sites of a registrable domain", {
    default: "1000",
    doc: "with `--web`: know at most N sites of a registrable domain, such as `example.co.uk` (by the public suffix list)",
  }),
  maxNewSites: row(
    "max-new-sites N",
    many,
    "With --web: follow the pages of a registrable domain to at most N new sites",
    {
      default: "10000",
    },
  ),
  maxAddressSites: row("max-address-sites N", many, "With --web: request at most N sites at one address", {
    default: "10000",
  }),
  newShare: row(
    "new-share SHARE",
    numberBetween(0, 1),
    "With --web and --forever: share of requests for new pages, 0 to 1",
    {
      default: "planned from what changes",
      doc: "with `--web` and `--forever`: share of page requests for new pages, 0 to 1, while known pages are due as well",
    },
  ),
  isOnce: row("no-revisit", flag, "With --web: request no page again, and end; the default without --forever", {
    doc: "with `--web`: request no page again, and end when all were requested; the default without `--forever`",
  }),
  nameServers: row(
    "name-server ADDRESS",
    texts,
    "With --web or --fleet: ask this name server, such as 127.0.0.1:5353",
    {
      default: "those of the system, after `/etc/hosts`",
    },
  ),
  retryMs: row(
    "retry DURATION",
    duration(86_400_000),
    "With --web: wait before a site that does not answer is tried again, then four times as long; after the third failure it is given up, with `--forever` for longer and longer, up to a day",
    { default: "`30s`" },
  ),
  lookups: row("lookups N", wholeNumber(1, 1024), "With --web or --fleet: look up at most N names at the same time", {
    default: "16",
  }),
};

const runSettings = {
  configFile: row("config FILE", path, "JSON file of sites and their settings; other options override it", {
    doc: "crawl the sites of [a configuration file](#configuration-file-of-crawls)",
  }),
  site: row("site URL", siteUrl, "Only this site of --config", {
    default: "all",
    doc: "only this site of the file; a URL beside `--config` means the same",
  }),
  sitesFile: row(
    "sites FILE",
    path,
    "List of sites, one URL and its settings per line, or a file as of --config; several sites are visited at a time",
    { doc: "crawl [many sites](#many-sites) into one folder" },
  ),
  seedsFile: row("web SEEDS", path, "Crawl the Web from the pages of this file on: follow links to other sites too", {
    doc: "crawl [the Web](#the-web) from the URLs or hosts of this file on, also to sites that links lead to",
  }),
  order: row("order NAME", choice(...orders), orderSetting.describe, {
    default: "`depth`",
    doc: `[order](#orders) in which new pages are requested: ${orders.map((name) => `\`${name}\``).join(", ")}`,
  }),
  isForever: row(
    "forever",
    flag,
    "Keep running until a signal, and visit each site when its next changes are expected",
  ),
  // r, k and w are the names of Castillo et al.
  connections: row(
    "connections N",
    wholeNumber(1, 1024),
    "Requests at the same time to all sites together; several sites are visited at a time",
    {
      alias: "r",
      default: "16 with `--sites` or `--forever`, 64 with `--web`, 128 with `--fleet --sites`",
      doc: "requests at the same time to all sites together, 1 to 1024; a request that takes longer than 5 seconds is not counted, but there are never more than twice as many. With [`--web`](#the-web) and `--fleet`: sites that are visited at the same time",
    },
  ),
};

const fleetSettings = {
  fleet: row("fleet DATABASE", text, "Share the crawl with other workers: postgres://user@host/name, or a file", {
    doc: "be a worker of [a fleet](#a-fleet) that shares its sites by this database: `postgres://user@host/name`, or a file for the workers of one machine",
  }),
  worker: row("worker NAME", text, "With --fleet: name of this worker", {
    default: "the machine's name and a number",
  }),
  leaseMs: row(
    "lease DURATION",
    duration(86_400_000),
    "With --fleet: a site is free again so long after its worker died",
    {
      default: "`1m`",
    },
  ),
};

function pickLookups({
  nameServers,
  lookups,
}: Pick<FleetArguments, "nameServers" | "lookups">): Partial<FleetArguments> {
  return omitUndefined({ nameServers, lookups });
}

const hostBounds = ["max-sites", "max-domain-sites", "max-new-sites", "max-address-sites"];

/** `tidemark crawl` */
export const crawlCommand: Command = defineCommand({
  usage: "crawl [url..]",
  describe: "Create or update a mirror of sites, fetching only what changed",
  positionals: { url: `${urlSetting.describe} (repeatable)` },
  options: { ...runSettings, ...siteSettings, ...webSettings, ...fleetSettings },
  groups: {
    "What is kept": [
      "into",
      "keep",
      "objects",
      "state",
      "types",
      "include",
      "exclude",
      "respect-usage",
      "since",
      "max-pages",
      "depth",
    ],
    "How changes are found": ["source", "urls", "order", "poll", "planner", "ranks", "distrust", "significant"],
    "Many sites": ["config", "site", "sites", "forever", "connections", "priority", "min-interval", "max-interval"],
    "With other crawlers": [
      "peer",
      "mode",
      "rho",
      "exchange",
      "named-peers",
      "share-into",
      "share-url",
      "share-special",
      "share-contact",
      "share-sign",
      "share-peers",
    ],
    "Metrics and a page": ["listen", "allow-host"],
    "The Web": [
      "web",
      "scope-domain",
      "language",
      "link-texts",
      "max-hops",
      "max-total",
      ...hostBounds,
      "batch-pages",
      "new-share",
      "no-revisit",
      "retry",
      "name-server",
      "lookups",
    ],
    "Many machines": ["fleet", "worker", "lease"],
    Limits: ["budget", "max-package", "max-page", "max-site", "max-visit", "timeout", "least-rate"],
    Politeness: [
      ...["concurrency", "pages-before-rest", "rest", "crawl-delay", "rest-on-loopback", "max-wait"],
      ...["user-agent", "from", "identity"],
    ],
    Network: ["auth", "digest", "netrc", "header", "cookies", "proxy", "ca", "allow-private"],
  },
  examples: [
    ["crawl https://example.org/ --into mirror", "fetch the site; run again, fetch what changed"],
    ["crawl https://example.org/ --into mirror --types text/html", "HTML pages only, no images"],
    ["crawl https://example.org/docs/ --into mirror --exclude '*.pdf'", "one folder of a site, without its PDF files"],
    [
      "crawl https://example.org/ --into mirror --source links --max-pages 1000",
      "find pages by links, whatever the site publishes",
    ],
    ["crawl https://a.example/ https://b.example/ --into mirror --quiet", "two sites, without output for cron"],
    ["crawl --sites sites.txt --forever --into mirrors", "thousands of sites, each on its own schedule"],
    ["crawl --web seeds.txt --into web --max-total 100000 --keep none", "crawl the Web, and keep its links only"],
    [
      "crawl --web seeds.txt --into web --forever",
      "crawl the Web, and visit known sites again when changes are expected",
    ],
    ["crawl --config /etc/tidemark-crawl.json", "all sites of a file, each with its own settings"],
    [
      "crawl --sites sites.txt --fleet postgres://db.example/crawl --into /shared/crawl --keep none",
      "a worker of many: run it on each machine",
    ],
  ],
  plan: (_, args, fail): CrawlArguments => {
    const urls = siteArguments(args, "url");
    const ownSettings = readSettings(args, siteSettings);
    const web = readSettings(args, webSettings);
    const exchangeKey = Object.keys(ownSettings).find((key) => key in exchangeSettings);
    if (!areIntervalsInOrder(ownSettings)) fail("--min-interval is longer than --max-interval.");
    const { site, order, seedsFile, ...others } = readSettings(args, runSettings);
    const crawl = {
      ...others,
      ...ownSettings,
      order,
      seedsFile,
      maxTotal: web.maxTotal,
      hasExchange: exchangeKey !== undefined,
    };
    const fleet = planFleet(readSettings(args, fleetSettings), crawl, fail);
    const run = fleet === undefined ? others : { ...others, fleet: { ...fleet, ...pickLookups(web) } };
    const { configFile, sitesFile, isForever } = run;
    if (exchangeKey !== undefined && isForever !== true)
      fail("Peers are merged by crawls that go on: add --forever, or use tidemark merge before a crawl.");
    if (seedsFile !== undefined) {
      if (/^https?:/i.test(seedsFile))
        fail("--web has its seeds in a file: write the URL into one, and name that file.");
      if (configFile !== undefined || sitesFile !== undefined || site !== undefined || urls.length > 0)
        fail("--web has its seeds in a file: no URL, --site, --sites or --config beside it.");
      const isOnce = web.isOnce === true;
      if (isForever && isOnce) fail("--forever and --no-revisit exclude each other.");
      if (!isForever && web.newShare !== undefined) fail("--new-share is for crawls that go on: add --forever.");
      const interval = ownSettings.minIntervalMs ?? ownSettings.maxIntervalMs;
      if (!isForever && interval !== undefined) fail("--min-interval and --max-interval need --forever.");
      if (ownSettings.into === undefined) fail("--into is missing.");
      const foreign = Object.keys(ownSettings).find((key) => !sharedSettings.has(key));
      if (foreign !== undefined)
        fail(`--${siteSettings[foreign as keyof typeof siteSettings].option} and --web exclude each other.`);
      const webOrder = webOrders.find((name) => name === order);
      if (order !== undefined && webOrder === undefined) fail(`--web has no order ${order}: ${webOrders.join(", ")}.`);
      if ((order === "optimal") !== (ownSettings.ranksFile !== undefined))
        fail("--order optimal and --ranks need each other.");
      if (order !== "batch" && web.batchPages !== undefined) fail("--batch-pages needs --order batch.");
      if (order === "batch" && (ownSettings.maxDepth ?? web.maxHops) !== undefined)
        fail("--order batch excludes --depth and --max-hops: it does not know the way to a page.");
      const { isOnce: _, ...choices } = web;
      return { ...run, urls, settings: ownSettings, web: { ...choices, seedsFile, order: webOrder } };
    }
    const given = Object.keys(web).find((name) => fleet === undefined || !(name in pickLookups(web)));
    if (given !== undefined) fail(`--${webSettings[given as keyof typeof webSettings].option} needs --web.`);
    const siteOrder = pageOrders.find((name) => name === order);
    if (order !== undefined && siteOrder === undefined) fail(`--order ${order} needs --web.`);
    const settings = siteOrder === undefined ? ownSettings : { ...ownSettings, order: siteOrder };
    if (configFile !== undefined && sitesFile !== undefined) fail("--config and --sites exclude each other.");
    if (settings.listen !== undefined && run.isForever !== true)
      fail("--listen is for crawls that go on: add --forever.");
    if (sitesFile !== undefined && urls.length > 0) fail("--sites lists the sites, so a URL cannot be given too.");
    if (settings.auth !== undefined && urls.length + (site === undefined ? 0 : 1) !== 1)
      fail("--auth is for one site. For several, write auth with each of them in the file, or use --netrc.");
    if (configFile === undefined) {
      if (site !== undefined) fail("--site selects a site of a configuration file, and --config is missing.");
      if (urls.length === 0 && sitesFile === undefined) fail("url is missing.");
      if (settings.into === undefined && sitesFile === undefined) fail("--into is missing.");
    }
    return { ...run, urls: site === undefined ? urls : [...urls, site], settings };
  },
  load: async ({ isForever, sitesFile, connections, web, fleet }) => {
    if (fleet !== undefined) return (await import("./fleet-run.ts")).runFleetCrawl;
    if (web !== undefined) return (await import("./web-run.ts")).runWeb;
    return isForever || sitesFile !== undefined || connections !== undefined
      ? (await import("./follow-run.ts")).runFollow
      : (await import("./crawl-run.ts")).runCrawl;
  },
});
