import { TidemarkError } from "../model/index.ts";
import { type Command, valueOption } from "./command.ts";
import {
  choiceOption,
  durationOption,
  flagOption,
  givenOptions,
  integerOption,
  listOption,
  numberOption,
  type RawArguments,
  rateOption,
  siteUrl,
  textOption,
} from "./option.ts";

const listFormats = ["tsv", "csv", "jsonl"] as const;
const digests = ["all", "changed", "none"] as const;

/** For `--significant` without a value: about a word in eighty, or one passage of a twentieth of the page. */
const defaultSignificant = 0.9;

interface ProbeArguments {
  readonly budget?: number;
  readonly delayMs?: number;
  readonly concurrency?: number;
}

/** What the command line says about an export. */
export interface ExportArguments {
  readonly docroot: string;
  readonly baseUrl: string;
  readonly stateDir: string | undefined;
  readonly include: string[];
  readonly exclude: string[];
  readonly segmentSize: number | undefined;
  readonly minGroup: number | undefined;
  readonly digest: (typeof digests)[number] | undefined;
  readonly ignore: string[];
  readonly significant: number | undefined;
  readonly ioLimit: number | undefined;
  readonly robotsDir: string | undefined;
  readonly serverUser: string | undefined;
  /** A file's path, or `-` for standard input. */
  readonly urls: string | undefined;
  readonly urlsFormat: (typeof listFormats)[number] | undefined;
  readonly sitemapFrom: string | undefined;
  readonly probe: boolean | ProbeArguments;
  readonly allowEmpty: boolean;
  readonly allowFewerLists: boolean;
  readonly dryRun: boolean;
}

function planExport(args: RawArguments): ExportArguments {
  const baseUrl = textOption(args, "base-url") ?? "";
  return {
    docroot: textOption(args, "docroot") ?? "",
    baseUrl: siteUrl(baseUrl, "--base-url"),
    stateDir: textOption(args, "state"),
    include: listOption(args, "include"),
    exclude: listOption(args, "exclude"),
    segmentSize: integerOption(args, "segment-size", 1, 65_536),
    minGroup: integerOption(args, "min-group", 1, 65_536),
    digest: choiceOption(args, "digest", digests),
    ignore: listOption(args, "ignore"),
    significant: numberOption(args, "significant", defaultSignificant),
    ioLimit: rateOption(args, "io-limit"),
    robotsDir: textOption(args, "robots-dir"),
    serverUser: textOption(args, "server-user"),
    urls: textOption(args, "urls"),
    urlsFormat: choiceOption(args, "urls-format", listFormats),
    sitemapFrom: textOption(args, "sitemap-from"),
    probe: planProbe(args),
    allowEmpty: flagOption(args, "allow-empty"),
    allowFewerLists: flagOption(args, "allow-fewer-lists"),
    dryRun: flagOption(args, "dry-run"),
  };
}

function planProbe(args: RawArguments): boolean | ProbeArguments {
  const probe = givenOptions({
    budget: integerOption(args, "probe-budget", 0, 1_000_000_000),
    delayMs: durationOption(args, "probe-delay"),
    concurrency: integerOption(args, "probe-concurrency", 1, 64),
  });
  if (flagOption(args, "probe")) return probe;
  const [given] = Object.keys(args).filter((name) => name.startsWith("probe-") && args[name] !== undefined);
  if (given === undefined) return false;
  throw new TidemarkError("bad-option", `--${given} says how --probe asks, which is missing.`, {
    hint: "Add --probe.",
  });
}

/** `tidemark export` */
export const exportCommand: Command = {
  usage: "export <docroot>",
  describe: "Publish what a folder of pages holds, and what changed since the last time",
  positionals: { docroot: "The folder that the web server serves" },
  options: {
    "base-url": valueOption("Where the folder stands on the web, such as https://example.org/", { demandOption: true }),
    state: valueOption("Folder of what is remembered between runs, outside the docroot (~/.local/state/tidemark/HOST)"),
    include: valueOption("Publish only paths of this glob (repeatable)"),
    exclude: valueOption("Publish no paths of this glob (repeatable)"),
    "segment-size": valueOption("Changes in a segment of an interval (2000)"),
    "min-group": valueOption("Changes that a media type needs for an archive of its own (50)"),
    digest: valueOption("Which pages get a digest: all, changed or none (all)"),
    ignore: valueOption(
      "Cut this out of pages before they are compared: /regular expression/ or selector (repeatable)",
    ),
    significant: {
      type: "string",
      describe: "Count changes of HTML pages only if the texts' resemblance, 0 to 1, falls below this (0.9)",
    },
    "io-limit": valueOption("Bytes of files to read a second at most, such as 500K or 20M (no limit)"),
    "robots-dir": valueOption("Folder of robots.txt (the docroot)"),
    "server-user": valueOption("Hold back what this user, as whom the web server runs, cannot read"),
    urls: valueOption("List of pages that are no files: a file (TSV, CSV, JSON lines), or - for standard input"),
    "urls-format": valueOption("How that list is written: tsv, csv or jsonl (by its name or first line)"),
    "sitemap-from": valueOption("Sitemap of pages that are no files: a URL or a file"),
    probe: { type: "boolean", describe: "Ask the server for listed pages without a last-modified" },
    "probe-budget": valueOption("Pages to ask for in a run (1000)"),
    "probe-delay": valueOption("Time between the beginnings of two requests, such as 250ms or 2s (250ms)"),
    "probe-concurrency": valueOption("Requests at the same time, 1 to 64 (1)"),
    "allow-empty": { type: "boolean", describe: "Let a site that had pages come to have none" },
    "allow-fewer-lists": {
      type: "boolean",
      describe: "Let the pages of a list go that the last export had and this one has not",
    },
    "dry-run": { type: "boolean", describe: "Write nothing; show what would become public and what not" },
  },
  examples: [
    ["export /var/www/html --base-url https://example.org/", "publish the site"],
    ["export /var/www/html --base-url https://example.org/ --dry-run", "see first what would be published"],
    ["export . --base-url https://example.org/ --exclude 'drafts/**'", "leave a folder out"],
    [
      "export . --base-url https://example.org/ --sitemap-from https://example.org/cms.xml",
      "publish a CMS's pages too",
    ],
    ["export . --base-url https://example.org/ --ignore '/built at [^<]*/'", "do not take a new build for new pages"],
  ],
  plan: (args) => {
    const options = planExport(args);
    return async (context) => (await import("./export-run.ts")).runExport(options, context);
  },
};
