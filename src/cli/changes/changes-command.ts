import { choice, date, mediaTypes, path, settingRow as row } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { argument, siteArguments } from "../terminal/option.ts";
import { changeFormats } from "./change-line.ts";
import type { SeenChangesArguments, SiteChangesArguments } from "./changes-run.ts";

/** `tidemark changes` */
export const changesCommand: Command = defineCommand({
  usage: "changes <source>",
  describe: "Print changes that a site published or a crawler saw, without fetching pages",
  positionals: { source: "A site's URL, such as https://example.org/, or the folder or state file of a crawler" },
  options: {
    cursorFile: row("cursor FILE", path, "File that stores how far you have read; without it, everything is printed"),
    since: row("since DATE", date, "Only what changed from this date on; not together with `--cursor`", {
      default: "everything",
    }),
    types: row(
      "types TYPES",
      mediaTypes,
      "For a site's URL: only pages of these media types, such as `text/html,image/*`",
      {
        default: "all",
      },
    ),
    format: row(
      "format FORMAT",
      choice(...changeFormats),
      "Form of the output: `urls` (created and updated pages), `tsv` or `json` (also deletions); `--json` is `--format json`",
      { default: "`urls`; for a crawler's folder `json`" },
    ),
  },
  examples: [
    ["changes https://example.org/ --since 2026-11-01", "what changed since the first of the month"],
    ["changes https://example.org/ --cursor c | wget -x -i -", "make any downloader incremental"],
    ["changes https://example.org/ --cursor c --format tsv", "also sizes, types, digests and deletions"],
    ["changes mirror --cursor c | my-indexer", "feed the changes that a crawler saw to another program"],
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
    throw new TidemarkError("bad-option", "--types works only for a site's URL, not for a crawler's folder.", {
      hint: "Filter the lines by mediaType, or crawl with --types.",
    });
  },
  load: async () => (await import("./changes-run.ts")).runChanges,
});
