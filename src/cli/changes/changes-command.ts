import { choice, date, mediaTypes, path, settingRow as row } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import type { Command } from "../terminal/command.ts";
import { type RawArguments, readSettings, siteUrl, textOption } from "../terminal/option.ts";
import { changeFormats } from "./change-line.ts";
import type { ChangesArguments } from "./changes-run.ts";
import type { SeenChangesArguments } from "./seen-changes-run.ts";

const settings = {
  cursorFile: row(
    "cursor FILE",
    path,
    "File that remembers how far was read; without the file, everything is printed",
    { doc: "remembers how far was read; without the file, everything is printed" },
  ),
  since: row("since DATE", date, "Only what changed from this date on", {
    default: "everything",
    doc: "only what changed from this date on; not together with `--cursor`",
  }),
  types: row("types TYPES", mediaTypes, "Of a site, only pages of these media types: text/html,image/*", {
    default: "all",
    doc: "of a site, only pages of these media types; repeatable",
  }),
  format: row(
    "format FORMAT",
    choice(...changeFormats),
    "urls (created and updated pages), tsv or json (deletions too)",
    { default: "`urls`; of a crawler `json`", doc: "`urls`, `tsv` or `json`; `--json` is `--format json`" },
  ),
};

function planChanges(args: RawArguments): ChangesArguments | SeenChangesArguments {
  const { types, format, ...options } = readSettings(args, settings);
  const json = args.json === true;
  if (json && format !== undefined && format !== "json") {
    throw new TidemarkError("bad-option", `--json and --format ${format} exclude each other.`);
  }
  if (options.cursorFile !== undefined && options.since !== undefined) {
    throw new TidemarkError("bad-option", "--cursor and --since exclude each other.");
  }
  const source = textOption(args, "source") ?? "";
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) {
    if (types !== undefined) {
      throw new TidemarkError("bad-option", "--types is of a site; what a crawler saw is printed whole.", {
        hint: "Choose by the mediaType of the lines, or crawl with --types.",
      });
    }
    return { ...options, store: source, format: json ? "json" : (format ?? "json") };
  }
  const url = siteUrl(source, "The address");
  return { ...options, url, ...(types === undefined ? {} : { types }), format: json ? "json" : (format ?? "urls") };
}

/** `tidemark changes` */
export const changesCommand: Command = {
  usage: "changes <source>",
  describe: "Print what a site published, or what a crawler saw, without fetching a page",
  positionals: { source: "The site, such as https://example.org/, or a crawler's folder or state file" },
  options: settings,
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
