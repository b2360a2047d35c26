import { TidemarkError } from "../model/index.ts";
import { type Command, valueOption } from "./command.ts";
import {
  choiceOption,
  flagOption,
  integerOption,
  listOption,
  type RawArguments,
  siteUrl,
  textOption,
} from "./option.ts";

const digests = ["all", "changed", "none"] as const;

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
  readonly index: string[];
  readonly cleanUrls: boolean;
  readonly map: { readonly urlPrefix: string; readonly folder: string }[];
  readonly noindexPages: boolean;
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
    index: listOption(args, "index"),
    cleanUrls: flagOption(args, "clean-urls"),
    map: listOption(args, "map").map(planMap),
    noindexPages: flagOption(args, "noindex-pages"),
    robotsDir: textOption(args, "robots-dir"),
    serverUser: textOption(args, "server-user"),
    allowEmpty: flagOption(args, "allow-empty"),
    dryRun: flagOption(args, "dry-run"),
  };
}

function planMap(text: string): { urlPrefix: string; folder: string } {
  const at = text.indexOf("=");
  if (at > 0 && text.startsWith("/") && at < text.length - 1)
    return { urlPrefix: text.slice(0, at), folder: text.slice(at + 1) };
  throw new TidemarkError("bad-option", `--map ${text}: not a path of the site, =, and a folder.`, {
    hint: "Write --map /static/=/srv/static",
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
    index: valueOption("Publish a folder's file of this name as the folder's own URL (repeatable, first wins)"),
    "clean-urls": { type: "boolean", describe: "Publish about.html as /about, and index.html as its folder" },
    map: valueOption("PREFIX=FOLDER: below this path of the site the server shows this folder (repeatable)"),
    "noindex-pages": {
      type: "boolean",
      describe: "Publish pages too that ask not to be indexed (meta robots noindex)",
    },
    "robots-dir": valueOption("Folder of robots.txt (the docroot)"),
    "server-user": valueOption("Hold back what this user, as whom the web server runs, cannot read"),
    "allow-empty": { type: "boolean", describe: "Let a site that had pages come to have none" },
    "dry-run": { type: "boolean", describe: "Write nothing; show what would become public and what not" },
  },
  examples: [
    ["export /var/www/html --base-url https://example.org/", "publish the site"],
    ["export /var/www/html --base-url https://example.org/ --dry-run", "see first what would be published"],
    ["export . --base-url https://example.org/ --exclude 'drafts/**'", "leave a folder out"],
  ],
  plan: (args) => {
    const options = planExport(args);
    return async (context) => (await import("./export-run.ts")).runExport(options, context);
  },
};
