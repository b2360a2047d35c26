import { type EpochMs, TidemarkError } from "../model/index.ts";
import { type Command, valueOption } from "./command.ts";
import {
  choiceOption,
  dateOption,
  flagOption,
  mediaTypesOption,
  type RawArguments,
  siteUrl,
  textOption,
} from "./option.ts";

/** The forms in which `changes` prints a change. */
const changeFormats = ["urls", "tsv", "json"] as const;

/** How `changes` prints a change. */
export type ChangeFormat = (typeof changeFormats)[number];

/** What the command line says about a list of changes. */
export interface ChangesArguments {
  readonly url: string;
  readonly cursorFile: string | undefined;
  readonly since: EpochMs | undefined;
  readonly types: string[] | undefined;
  /** The types in canonical form, to be kept with the cursor. */
  readonly typesKey: string;
  readonly format: ChangeFormat;
}

function planChanges(args: RawArguments): ChangesArguments {
  const { types, filter } = mediaTypesOption(args, "types");
  const format = choiceOption(args, "format", changeFormats);
  const json = flagOption(args, "json");
  if (json && format !== undefined && format !== "json") {
    throw new TidemarkError("bad-option", `--json and --format ${format} exclude each other.`);
  }
  const cursorFile = textOption(args, "cursor");
  const since = dateOption(args, "since");
  if (cursorFile !== undefined && since !== undefined) {
    throw new TidemarkError("bad-option", "--cursor and --since exclude each other.");
  }
  const url = siteUrl(textOption(args, "url") ?? "", "The address");
  return { url, cursorFile, since, types, typesKey: filter.key, format: json ? "json" : (format ?? "urls") };
}

/** `tidemark changes` */
export const changesCommand: Command = {
  usage: "changes <url>",
  describe: "Print what a site published, without fetching a page",
  positionals: { url: "The site, such as https://example.org/" },
  options: {
    cursor: valueOption("File that remembers how far was read; without the file, everything is printed"),
    since: valueOption("Only what changed from this date on"),
    types: valueOption("Only pages of these media types: text/html,image/* (repeatable)"),
    format: valueOption("urls (created and updated pages), tsv or json (deletions too)"),
  },
  examples: [
    ["changes https://example.org/ --since 2026-11-01", "what is new this month"],
    ["changes https://example.org/ --cursor c | wget -x -i -", "make any downloader incremental"],
    ["changes https://example.org/ --cursor c --format tsv", "with sizes, types, digests, deletions"],
  ],
  plan: (args) => {
    const options = planChanges(args);
    return async (context) => (await import("./changes-run.ts")).runChanges(options, context);
  },
};
