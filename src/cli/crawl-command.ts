import type { PolitenessOptions } from "../frontier/index.ts";
import type { EpochMs } from "../model/index.ts";
import { type Command, valueOption } from "./command.ts";
import {
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
  readonly types: string[] | undefined;
  readonly since: EpochMs | undefined;
  readonly budget: number | undefined;
  readonly concurrency: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly userAgent: string | undefined;
  /** Shared by all the sites. */
  readonly politeness: PolitenessOptions;
}

function planCrawl(args: RawArguments): CrawlArguments {
  return {
    urls: listOption(args, "url").map((url) => siteUrl(url, "The address")),
    into: textOption(args, "into") ?? "",
    stateFile: textOption(args, "state"),
    types: mediaTypesOption(args, "types").types,
    since: dateOption(args, "since"),
    budget: integerOption(args, "budget", 0, 1_000_000_000),
    concurrency: integerOption(args, "concurrency", 1, 64),
    timeoutMs: seconds(integerOption(args, "timeout", 1, 3600)),
    userAgent: textOption(args, "user-agent"),
    politeness: {
      pagesBeforeRest: integerOption(args, "pages-before-rest", 1, 1_000_000),
      restMs: seconds(integerOption(args, "rest", 0, 86_400)),
      crawlDelayMs: seconds(integerOption(args, "crawl-delay", 0, 86_400)),
      loopbackRests: flagOption(args, "rest-on-loopback"),
      maxWaitMs: seconds(integerOption(args, "max-wait", 0, 86_400)),
    },
  };
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
    state: valueOption("File of what is remembered between runs (DIR/.tidemark/state.db)"),
    types: valueOption("Only pages of these media types: text/html,image/* (repeatable)"),
    since: valueOption("On a first visit, only what changed from this date on"),
    budget: valueOption("Most page requests in this visit; the rest waits for the next"),
    concurrency: valueOption("Requests at the same time (1)"),
    timeout: valueOption("Seconds that one request may take"),
    "user-agent": valueOption("Name to give to servers"),
    "pages-before-rest": valueOption("Requests to a site before it is given a rest (100 with archives, else 10)"),
    rest: valueOption("Seconds of that rest (1 with archives, else 15)"),
    "crawl-delay": valueOption("Least seconds between two requests; a site's own Crawl-delay holds where it is longer"),
    "rest-on-loopback": { type: "boolean", describe: "Give rests to sites of this machine too" },
    "max-wait": valueOption("Longest wait in seconds; a site that wants a longer one is left for the next run (300)"),
  },
  examples: [
    ["crawl https://example.org/ --into mirror", "fetch the site; again: what changed"],
    ["crawl https://example.org/ --into mirror --types text/html", "pages only, no images"],
    ["crawl https://a.example/ https://b.example/ --into mirror --quiet", "two sites, from cron"],
  ],
  plan: (args) => {
    const options = planCrawl(args);
    return async (context) => (await import("./crawl-run.ts")).runCrawl(options, context);
  },
};
