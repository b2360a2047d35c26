import { choices, flag, settingRow as row, text } from "../../config/index.ts";
import { TidemarkError, usages } from "../../core/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";

/** `tidemark feed` */
export const feedCommand: Command = defineCommand({
  usage: "feed <mirror>",
  describe: "Bring a search index to what a mirror holds: write what changed, remove what is gone",
  positionals: { mirror: "Folder of the mirrors, or state file of the crawler" },
  options: {
    to: row(
      "to INDEX",
      text,
      "sqlite:FILE, postgres://user@host/database?table=NAME or opensearch+https://host:9200/INDEX",
      {
        doc: "the search index: `sqlite:FILE`, `postgres://user@host/database?table=NAME` or `opensearch+https://host:9200/INDEX` (`elasticsearch+...` is the same); required",
      },
    ),
    pieces: row("chunks", flag, "Cut texts into pieces with stable ids, for embeddings", {
      doc: "cut texts into pieces for embeddings; a piece whose text did not change keeps its id, and what was added to it",
    }),
    respectUsage: row(
      "respect-usage USES",
      choices(...usages),
      "Leave out pages of which the site disallows one of these uses: train-ai,ai-use,search",
      {
        default: "none",
        doc: "leave out pages of which the site disallows one of these uses: `train-ai`, `ai-use`, `search`; see [Preferences about use](#preferences-about-use)",
      },
    ),
  },
  examples: [
    ["feed mirror --to sqlite:search.db", "full text search in one file, without a server"],
    ["feed mirror --to postgres://me@localhost/web?table=page", "a table with a tsvector"],
    ["feed mirror --to opensearch+http://localhost:9200/web --chunks", "pieces to embed"],
  ],
  plan: ({ to, ...given }, args) => {
    if (to === undefined)
      throw new TidemarkError("bad-option", "--to is missing.", { hint: "For example --to sqlite:search.db." });
    return { ...given, to, store: argument(args, "mirror") };
  },
  load: async () => (await import("./feed-run.ts")).runFeed,
});
