import { type CrawlEvent, TidemarkError } from "../../core/index.ts";
import { areLooksInOrder, type CrawlSettings, crawlSettings } from "../../crawler/index.ts";
import { type Command, printEvent, type RunContext, valueOption } from "../terminal/command.ts";
import { flagOption, integerOption, listOption, type RawArguments, siteUrl, textOption } from "../terminal/option.ts";
import { optionsOfSettings, readSettings } from "../terminal/setting-option.ts";
import type { CrawlArguments } from "./crawl-run.ts";

const { url: urlSetting, ...commonSettings } = crawlSettings;

const defaultConnections = 16;
const settingOptions = optionsOfSettings(commonSettings);

function fail(message: string): never {
  throw new TidemarkError("bad-option", message, { hint: "See `tidemark crawl --help`." });
}

function planCrawl(args: RawArguments): CrawlArguments {
  const urls = listOption(args, "url").map((url) => siteUrl(url, "The address"));
  const settings = readSettings<Omit<CrawlSettings, "url">>(args, commonSettings);
  if (!areLooksInOrder(settings)) fail("--look-least is longer than --look-most.");
  const configFile = textOption(args, "config");
  const sitesFile = textOption(args, "sites");
  const site = textOption(args, "site");
  const isForever = flagOption(args, "forever");
  const given = integerOption(args, "connections", 1, 1024);
  const isMany = isForever || sitesFile !== undefined || given !== undefined;
  if (configFile !== undefined && sitesFile !== undefined) fail("--config and --sites exclude each other.");
  if (sitesFile !== undefined && urls.length > 0) fail("--sites lists the sites; a URL beside it says nothing.");
  if (configFile === undefined) {
    if (site !== undefined) fail("--site picks a site of a configuration, and --config is missing.");
    if (urls.length === 0 && sitesFile === undefined) fail("url is missing.");
    if (settings.into === undefined && sitesFile === undefined) fail("--into is missing.");
  }
  return {
    urls: site === undefined ? urls : [...urls, siteUrl(site, "--site")],
    settings,
    configFile,
    sitesFile,
    isForever,
    connections: isMany ? (given ?? defaultConnections) : undefined,
  };
}

/** Tells each remark once, however often the list is read. */
function tellAddresses(context: RunContext): (event: CrawlEvent) => void {
  const told = new Set<string>();
  return (event) => {
    if (event.event !== "warning" || told.has(event.message)) return;
    told.add(event.message);
    printEvent(context, event);
    // A progress line may stand there.
    const cleared = context.err.isTerminal ? "\r\u001b[K" : "";
    if (!context.json) context.err.write(`${cleared}warning: ${event.site}: ${event.message}\n`);
  };
}

/** `tidemark crawl` */
export const crawlCommand: Command = {
  usage: "crawl [url..]",
  describe: "Bring a mirror of sites up to date, fetching only what changed",
  positionals: { url: `${urlSetting.describe} (repeatable)` },
  options: {
    config: valueOption("File of sites and their settings (JSON); options given beside it go before it"),
    site: valueOption("Only this site of --config"),
    sites: valueOption(
      "File of sites, a URL and its settings a line, or as of --config; several are visited at a time",
    ),
    forever: {
      type: "boolean",
      describe: "Go on until a signal: visit each site when its next changes are expected",
    },
    // r, k and w are the names of Castillo et al.
    connections: valueOption("Requests to all sites together, several sites at a time (16 with --sites or --forever)", {
      alias: "r",
    }),
    ...settingOptions,
    "pages-before-rest": { ...settingOptions["pages-before-rest"], alias: "k" },
    rest: { ...settingOptions.rest, alias: "w" },
  },
  examples: [
    ["crawl https://example.org/ --into mirror", "fetch the site; again: what changed"],
    ["crawl https://example.org/ --into mirror --types text/html", "pages only, no images"],
    [
      "crawl https://example.org/ --into mirror --source links --max-pages 1000",
      "follow links, whatever the site publishes",
    ],
    ["crawl https://a.example/ https://b.example/ --into mirror --quiet", "two sites, from cron"],
    ["crawl --sites sites.txt --forever --into mirrors", "thousands of sites, each in its own rhythm"],
    ["crawl --config /etc/tidemark-crawl.json", "all sites of a file, each with settings of its own"],
  ],
  plan: (args) => {
    const options = planCrawl(args);
    const { connections } = options;
    return async (context) => {
      if (connections === undefined) return (await import("./crawl-run.ts")).runCrawl(options, context);
      return (await import("./follow-run.ts")).runFollow(
        { ...options, connections, onAddress: tellAddresses(context) },
        context,
      );
    };
  },
};
