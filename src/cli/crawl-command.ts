import type { PolitenessOptions } from "../frontier/index.ts";
import type { Keep } from "../kept-site.ts";
import { type EpochMs, type SourceName, sourceNames, TidemarkError } from "../model/index.ts";
import { type Command, valueOption } from "./command.ts";
import {
  choiceOption,
  dateOption,
  flagOption,
  integerOption,
  listOption,
  mediaTypesOption,
  type RawArguments,
  siteUrl,
  textOption,
} from "./option.ts";

/** What the command line says about a crawl. */
export interface CrawlArguments {
  readonly urls: readonly string[];
  readonly into: string;
  readonly stateFile: string | undefined;
  readonly keep: Keep | undefined;
  readonly types: string[] | undefined;
  readonly since: EpochMs | undefined;
  readonly budget: number | undefined;
  readonly concurrency: number | undefined;
  readonly urlFile: string | undefined;
  readonly sources: readonly SourceName[] | undefined;
  readonly maxPages: number | undefined;
  readonly maxDepth: number | undefined;
  readonly isPlanned: boolean | undefined;
  readonly distrustMs: number | undefined;
  readonly packageBytes: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly userAgent: string | undefined;
  readonly from: string | undefined;
  readonly caFile: string | undefined;
  readonly allowPrivate: boolean | undefined;
  /** Shared by all the sites. */
  readonly politeness: PolitenessOptions;
}

function planCrawl(args: RawArguments): CrawlArguments {
  return {
    urls: listOption(args, "url").map((url) => siteUrl(url, "The address")),
    into: textOption(args, "into") ?? "",
    stateFile: textOption(args, "state"),
    keep: keepOption(args),
    types: mediaTypesOption(args, "types").types,
    since: dateOption(args, "since"),
    budget: integerOption(args, "budget", 0, 1_000_000_000),
    concurrency: integerOption(args, "concurrency", 1, 64),
    urlFile: textOption(args, "urls"),
    sources: sourcesOption(args),
    maxPages: integerOption(args, "max-pages", 1, 1_000_000_000),
    maxDepth: integerOption(args, "depth", 0, 1_000_000),
    isPlanned: choiceOption(args, "poll", ["all", "planned"]) === "planned" ? true : undefined,
    distrustMs: days(integerOption(args, "distrust", 0, 36_500)),
    packageBytes: mebibytes(integerOption(args, "max-package", 0, 1_000_000)),
    timeoutMs: seconds(integerOption(args, "timeout", 1, 3600)),
    userAgent: textOption(args, "user-agent"),
    from: textOption(args, "from"),
    caFile: textOption(args, "ca"),
    allowPrivate: flagOption(args, "allow-private") || undefined,
    politeness: {
      pagesBeforeRest: integerOption(args, "pages-before-rest", 1, 1_000_000),
      restMs: seconds(integerOption(args, "rest", 0, 86_400)),
      crawlDelayMs: seconds(integerOption(args, "crawl-delay", 0, 86_400)),
      loopbackRests: flagOption(args, "rest-on-loopback"),
      maxWaitMs: seconds(integerOption(args, "max-wait", 0, 86_400)),
    },
  };
}

function sourcesOption(args: RawArguments): SourceName[] | undefined {
  const names = listOption(args, "source").flatMap((text) => text.split(","));
  if (names.length === 0) return undefined;
  return names.map((name) => {
    const known = sourceNames.find((source) => source === name);
    if (known !== undefined) return known;
    throw new TidemarkError("bad-option", `--source knows no ${JSON.stringify(name)}.`, {
      hint: `Give one or more of ${sourceNames.join(", ")}.`,
    });
  });
}

function days(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * 86_400_000;
}

function mebibytes(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * 1024 * 1024;
}

function keepOption(args: RawArguments): Keep | undefined {
  const keep = choiceOption(args, "keep", ["mirror", "warc", "wacz", "none"]);
  return keep === "none" ? "metadata" : keep;
}

function seconds(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value * 1000;
}

/** `tidemark crawl` */
export const crawlCommand: Command = {
  usage: "crawl <url..>",
  describe: "Bring a mirror of sites up to date, fetching only what changed",
  positionals: { url: "A site, such as https://example.org/ (repeatable)" },
  options: {
    into: valueOption("Folder of the mirror", { demandOption: true }),
    keep: valueOption("How pages are kept: mirror, warc, wacz or none (mirror)"),
    state: valueOption("File of what is remembered between runs (DIR/.tidemark/state.db)"),
    types: valueOption("Only pages of these media types: text/html,image/* (repeatable)"),
    since: valueOption("On a first visit, only what changed from this date on"),
    budget: valueOption("Most page requests in this visit; the rest waits for the next"),
    concurrency: valueOption("Requests at the same time (1)"),
    source: valueOption(
      "Learn what changed only from these: archives,resourcesync,sitemap,links,list (the first that works)",
    ),
    urls: valueOption("Ask for the URLs in this file, one a line; - for standard input"),
    "max-pages": valueOption("Keep at most so many pages of the site"),
    depth: valueOption("Follow links at most so many steps from the start"),
    poll: valueOption(
      "Where only polling is left, ask for all pages, or for those that have probably changed: all, planned (all)",
    ),
    distrust: valueOption("Days after which a page is fetched whole, whatever its validators say (90)"),
    "max-package": valueOption("Largest package of many pages that is fetched, in MiB; 0 for none (1024)"),
    timeout: valueOption("Seconds that one request may take"),
    "user-agent": valueOption("Name to give to servers"),
    from: valueOption("Mail address to give to servers, so that a site's operator can write to you"),
    ca: valueOption("File of further certificate authorities to trust, in PEM"),
    "allow-private": {
      type: "boolean",
      describe: "Let redirects lead to private addresses; without it only the site you name may have one",
    },
    "pages-before-rest": valueOption("Requests to a site before it is given a rest (100 with archives, else 10)"),
    rest: valueOption("Seconds of that rest (1 with archives, else 15)"),
    "crawl-delay": valueOption("Least seconds between two requests; a site's own Crawl-delay holds where it is longer"),
    "rest-on-loopback": { type: "boolean", describe: "Give rests to sites of this machine too" },
    "max-wait": valueOption("Longest wait in seconds; a site that wants a longer one is left for the next run (300)"),
  },
  examples: [
    ["crawl https://example.org/ --into mirror", "fetch the site; again: what changed"],
    ["crawl https://example.org/ --into mirror --types text/html", "pages only, no images"],
    [
      "crawl https://example.org/ --into mirror --source links --max-pages 1000",
      "follow links, whatever the site publishes",
    ],
    ["crawl https://a.example/ https://b.example/ --into mirror --quiet", "two sites, from cron"],
  ],
  plan: (args) => {
    const options = planCrawl(args);
    return async (context) => (await import("./crawl-run.ts")).runCrawl(options, context);
  },
};
