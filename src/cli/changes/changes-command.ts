import { choice, date, mediaTypes, path, settingRow as row } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { argument, siteArguments } from "../terminal/option.ts";
import { changeFormats } from "./change-line.ts";
import type { SeenChangesArguments, SiteChangesArguments } from "./changes-run.ts";

/** `tidemark changes` */
export const changesCommand: Command = defineCommand({
  usage: "changes <source>",
  describe: "Print what a site published, or what a crawler saw, without fetching a page",
  positionals: { source: "The site, such as https://example.org/, or a crawler's folder or state file" },
  options: {
    cursorFile: row(
      "cursor FILE",
      path,
      "File that remembers how far was read; without the file, everything is printed",
    ),
    since: row("since DATE", date, "Only what changed from this date on; not together with `--cursor`", {
      default: "everything",
    }),
    types: row("types TYPES", mediaTypes, "Of a site, only pages of these media types: `text/html,image/*`", {
      default: "all",
    }),
    format: row(
      "format FORMAT",
      choice(...changeFormats),
      "`urls` (created and updated pages), `tsv` or `json` (deletions too); `--json` is `--format json`",
      { default: "`urls`; of a crawler `json`" },
    ),
  },
  examples: [
    ["changes https://example.org/ --since 2026-11-01", "what is new this month"],
    ["changes https://example.org/ --cursor c | wget -x -i -", "make any downloader incremental"],
    ["changes https://example.org/ --cursor c --format tsv", "with sizes, types, digests, deletions"],
    ["changes mirror --cursor c | my-indexer", "feed what a crawl brought to another program"],
  ],
  plan: ({ types, format, ...given }, args, fail): SiteChangesArguments | SeenChangesArguments => {
    const json = args.json === true;
    if (json && format !== undefined && format !== "json") fail(`--json and --format ${format} exclude each other.`);
    if (given.cursorFile !== undefined && given.since !== undefined) fail("--cursor and --since exclude each other.");
    const source = argument(args, "source");
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) {
      const [url = source] = siteArguments(args, "source");
      return { ...given, url, ...(types === undefined ? {} : { types }), format: json ? "json" : (format ?? "urls") };
    }
    if (types === undefined) return { ...given, store: source, format: format ?? "json" };
    throw new TidemarkError("bad-option", "--types is of a site; what a crawler saw is printed whole.", {
      hint: "Choose by the mediaType of the lines, or crawl with --types.",
    });
  },
  load: async () => (await import("./changes-run.ts")).runChanges,
});
