import { type Command, valueOption } from "./command.ts";
import {
  choiceOption,
  flagOption,
  integerOption,
  listOption,
  numberOption,
  type RawArguments,
  rateOption,
  siteUrl,
  textOption,
} from "./option.ts";

const digests = ["all", "changed", "none"] as const;

/** For `--significant` without a value: about a word in eighty, or one passage of a twentieth of the page. */
const defaultSignificant = 0.9;

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
  readonly sitemap: boolean;
  readonly resourceSync: boolean;
  readonly changeDumps: boolean;
  readonly resourceDump: boolean;
  readonly robotsDir: string | undefined;
  readonly serverUser: string | undefined;
  readonly allowEmpty: boolean;
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
    sitemap: flagOption(args, "sitemap"),
    resourceSync: flagOption(args, "resourcesync"),
    changeDumps: flagOption(args, "change-dumps"),
    resourceDump: flagOption(args, "resource-dump"),
    robotsDir: textOption(args, "robots-dir"),
    serverUser: textOption(args, "server-user"),
    allowEmpty: flagOption(args, "allow-empty"),
    dryRun: flagOption(args, "dry-run"),
  };
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
    sitemap: { type: "boolean", describe: "Publish sitemaps too, and announce them in robots.txt" },
    resourcesync: { type: "boolean", describe: "Publish ResourceSync too: what there is, and changes by days" },
    "change-dumps": { type: "boolean", describe: "Pack the pages that a day changed once it is over (--resourcesync)" },
    "resource-dump": { type: "boolean", describe: "Pack all pages as they are now (--resourcesync)" },
    "robots-dir": valueOption("Folder of robots.txt (the docroot)"),
    "server-user": valueOption("Hold back what this user, as whom the web server runs, cannot read"),
    "allow-empty": { type: "boolean", describe: "Let a site that had pages come to have none" },
    "dry-run": { type: "boolean", describe: "Write nothing; show what would become public and what not" },
  },
  examples: [
    ["export /var/www/html --base-url https://example.org/", "publish the site"],
    ["export /var/www/html --base-url https://example.org/ --dry-run", "see first what would be published"],
    ["export . --base-url https://example.org/ --exclude 'drafts/**'", "leave a folder out"],
    ["export . --base-url https://example.org/ --ignore '/built at [^<]*/'", "do not take a new build for new pages"],
  ],
  plan: (args) => {
    const options = planExport(args);
    return async (context) => (await import("./export-run.ts")).runExport(options, context);
  },
};
