import { type CrawlSettings, crawlSettings } from "../crawl-settings.ts";
import { TidemarkError } from "../model/index.ts";
import { type Command, valueOption } from "./command.ts";
import { listOption, type RawArguments, siteUrl, textOption } from "./option.ts";
import { optionsOfSettings, readSettings } from "./setting-option.ts";

/** What the command line says about a crawl. */
export interface CrawlArguments {
  /** Sites; beside a file those of the file that are meant, or none for all of them. */
  readonly urls: readonly string[];
  /** What holds for each of them, before what the file says. */
  readonly settings: Partial<Omit<CrawlSettings, "url">>;
  readonly configFile: string | undefined;
}

const { url: urlSetting, ...commonSettings } = crawlSettings;

function planCrawl(args: RawArguments): CrawlArguments {
  const urls = listOption(args, "url").map((url) => siteUrl(url, "The address"));
  const settings = readSettings<Omit<CrawlSettings, "url">>(args, commonSettings);
  const configFile = textOption(args, "config");
  const site = textOption(args, "site");
  const hint = "See `tidemark crawl --help`.";
  if (configFile === undefined) {
    if (site !== undefined) {
      throw new TidemarkError("bad-option", "--site picks a site of a configuration, and --config is missing.", {
        hint,
      });
    }
    if (urls.length === 0) throw new TidemarkError("bad-option", "url is missing.", { hint });
    if (settings.into === undefined) throw new TidemarkError("bad-option", "--into is missing.", { hint });
  }
  return { urls: site === undefined ? urls : [...urls, siteUrl(site, "--site")], settings, configFile };
}

/** `tidemark crawl` */
export const crawlCommand: Command = {
  usage: "crawl [url..]",
  describe: "Bring a mirror of sites up to date, fetching only what changed",
  positionals: { url: `${urlSetting.describe} (repeatable)` },
  options: {
    config: valueOption("File of sites and their settings (JSON); options given beside it go before it"),
    site: valueOption("Only this site of --config"),
    ...optionsOfSettings(commonSettings),
  },
  examples: [
    ["crawl https://example.org/ --into mirror", "fetch the site; again: what changed"],
    ["crawl https://example.org/ --into mirror --types text/html", "pages only, no images"],
    [
      "crawl https://example.org/ --into mirror --source links --max-pages 1000",
      "follow links, whatever the site publishes",
    ],
    ["crawl https://a.example/ https://b.example/ --into mirror --quiet", "two sites, from cron"],
    ["crawl --config /etc/tidemark-crawl.json", "all sites of a file, each with settings of its own"],
  ],
  plan: (args) => {
    const options = planCrawl(args);
    return async (context) => (await import("./crawl-run.ts")).runCrawl(options, context);
  },
};
