import { TidemarkError } from "../../core/index.ts";
import { type Command, valueOption } from "../terminal/command.ts";
import {
  choiceOption,
  dateOption,
  flagOption,
  mediaTypesOption,
  type RawArguments,
  siteUrl,
  textOption,
} from "../terminal/option.ts";
import { changeFormats } from "./change-line.ts";
import type { ChangesArguments } from "./changes-run.ts";
import type { SeenChangesArguments } from "./seen-changes-run.ts";

function planChanges(args: RawArguments): ChangesArguments | SeenChangesArguments {
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
  const source = textOption(args, "source") ?? "";
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) {
    if (types !== undefined) {
      throw new TidemarkError("bad-option", "--types is of a site; what a crawler saw is printed whole.", {
        hint: "Choose by the mediaType of the lines, or crawl with --types.",
      });
    }
    return { store: source, cursorFile, since, format: json ? "json" : (format ?? "json") };
  }
  const url = siteUrl(source, "The address");
  return { url, cursorFile, since, types, typesKey: filter.key, format: json ? "json" : (format ?? "urls") };
}

/** `tidemark changes` */
export const changesCommand: Command = {
  usage: "changes <source>",
  describe: "Print what a site published, or what a crawler saw, without fetching a page",
  positionals: { source: "The site, such as https://example.org/, or a crawler's folder or state file" },
  options: {
    cursor: valueOption("File that remembers how far was read; without the file, everything is printed"),
    since: valueOption("Only what changed from this date on"),
    types: valueOption("Of a site, only pages of these media types: text/html,image/* (repeatable)"),
    format: valueOption("urls (created and updated pages), tsv or json (deletions too) (urls; of a crawler json)"),
  },
  examples: [
    ["changes https://example.org/ --since 2026-11-01", "what is new this month"],
    ["changes https://example.org/ --cursor c | wget -x -i -", "make any downloader incremental"],
    ["changes https://example.org/ --cursor c --format tsv", "with sizes, types, digests, deletions"],
    ["changes mirror --cursor c | my-indexer", "feed what a crawl brought to another program"],
  ],
  plan: (args) => {
    const options = planChanges(args);
    if ("store" in options) {
      return async (context) => (await import("./seen-changes-run.ts")).runSeenChanges(options, context);
    }
    return async (context) => (await import("./changes-run.ts")).runChanges(options, context);
  },
};
