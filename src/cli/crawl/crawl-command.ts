import { flag, path, settingRow as row, siteUrl, wholeNumber } from "../../config/index.ts";
import { areIntervalsInOrder, crawlSettings } from "../../crawler/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { readSettings, siteArguments } from "../terminal/option.ts";
import type { CrawlArguments } from "./crawl-run.ts";

const { url: urlSetting, ...siteSettings } = crawlSettings;

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
      default: "16 with `--sites` or `--forever`",
      doc: "requests at the same time to all sites together, 1 to 1024; a request that takes longer than 5 seconds is not counted, but there are never more than twice as many",
    },
  ),
};

/** `tidemark crawl` */
export const crawlCommand: Command = defineCommand({
  usage: "crawl [url..]",
  describe: "Create or update a mirror of sites, fetching only what changed",
  positionals: { url: `${urlSetting.describe} (repeatable)` },
  options: { ...runSettings, ...siteSettings },
  groups: {
    "What is kept": ["into", "keep", "state", "types", "include", "exclude", "since", "max-pages", "depth"],
    "How changes are found": ["source", "urls", "order", "poll", "planner", "distrust", "significant"],
    "Many sites": ["config", "site", "sites", "forever", "connections", "priority", "min-interval", "max-interval"],
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
    ["crawl --config /etc/tidemark-crawl.json", "all sites of a file, each with its own settings"],
  ],
  plan: (_, args, fail): CrawlArguments => {
    const urls = siteArguments(args, "url");
    const settings = readSettings(args, siteSettings);
    if (!areIntervalsInOrder(settings)) fail("--min-interval is longer than --max-interval.");
    const { site, ...run } = readSettings(args, runSettings);
    const { configFile, sitesFile } = run;
    if (configFile !== undefined && sitesFile !== undefined) fail("--config and --sites exclude each other.");
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
  load: async ({ isForever, sitesFile, connections }) =>
    isForever || sitesFile !== undefined || connections !== undefined
      ? (await import("./follow-run.ts")).runFollow
      : (await import("./crawl-run.ts")).runCrawl,
});
