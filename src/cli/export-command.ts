import { TidemarkError } from "../model/index.ts";
import { type Command, valueOption } from "./command.ts";
import {
  choiceOption,
  durationOption,
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
  readonly robotsDir: string | undefined;
  readonly serverUser: string | undefined;
  readonly allowEmpty: boolean;
  readonly dryRun: boolean;
  readonly indexNowKey: string | undefined;
}

/** What the command line says about when and for whom; the rest is {@link ExportArguments}. */
export interface ExportRun {
  readonly watch: boolean;
  readonly settleMs: number | undefined;
  readonly rescanMs: number | undefined;
  readonly indexNow: boolean;
  readonly indexNowEndpoint: string | undefined;
  readonly indexNowAll: boolean;
}

const watchOptions = ["settle", "rescan"] as const;
const indexNowOptions = ["index-now-key", "index-now-endpoint", "index-now-all"] as const;

function planRun(args: RawArguments): ExportRun {
  const needs = (switchName: string, names: readonly string[]): void => {
    const given = names.find((name) => args[name] !== undefined && args[name] !== false);
    if (given === undefined || flagOption(args, switchName)) return;
    throw new TidemarkError("bad-option", `--${given} says nothing without --${switchName}.`, {
      hint: `Add --${switchName}, or leave --${given} out.`,
    });
  };
  needs("watch", watchOptions);
  needs("index-now", indexNowOptions);
  if (flagOption(args, "watch") && flagOption(args, "dry-run")) {
    throw new TidemarkError("bad-option", "A watch cannot be a dry run.", { hint: "Leave --watch or --dry-run out." });
  }
  return {
    watch: flagOption(args, "watch"),
    settleMs: durationOption(args, "settle"),
    rescanMs: durationOption(args, "rescan"),
    indexNow: flagOption(args, "index-now"),
    indexNowEndpoint: textOption(args, "index-now-endpoint"),
    indexNowAll: flagOption(args, "index-now-all"),
  };
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
    allowEmpty: flagOption(args, "allow-empty"),
    dryRun: flagOption(args, "dry-run"),
    indexNowKey: textOption(args, "index-now-key"),
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
    "robots-dir": valueOption("Folder of robots.txt (the docroot)"),
    "server-user": valueOption("Hold back what this user, as whom the web server runs, cannot read"),
    "allow-empty": { type: "boolean", describe: "Let a site that had pages come to have none" },
    "dry-run": { type: "boolean", describe: "Write nothing; show what would become public and what not" },
    watch: { type: "boolean", describe: "Go on: publish what changes, as it changes" },
    settle: valueOption("With --watch: publish when nothing has changed for so long (30s)"),
    rescan: valueOption("With --watch: look at everything so often (24h)"),
    "index-now": { type: "boolean", describe: "Tell search engines by IndexNow what changed" },
    "index-now-key": valueOption("Key of IndexNow; its file is put into the docroot (the one used last, or a new one)"),
    "index-now-endpoint": valueOption("Where IndexNow is told (https://api.indexnow.org/indexnow)"),
    "index-now-all": { type: "boolean", describe: "Let the first telling tell the whole site" },
  },
  examples: [
    ["export /var/www/html --base-url https://example.org/", "publish the site"],
    ["export /var/www/html --base-url https://example.org/ --dry-run", "see first what would be published"],
    ["export /var/www/html --base-url https://example.org/ --watch", "publish changes as they happen"],
    ["export . --base-url https://example.org/ --exclude 'drafts/**'", "leave a folder out"],
    ["export . --base-url https://example.org/ --ignore '/built at [^<]*/'", "do not take a new build for new pages"],
  ],
  plan: (args) => {
    const options = planExport(args);
    const run = planRun(args);
    if (run.watch) return async (context) => (await import("./watch-run.ts")).runWatch(options, run, context);
    return async (context) => (await import("./export-run.ts")).runExport(options, run, context);
  },
};
