import { flag, settingRow as row, text } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import type { Command } from "../terminal/command.ts";
import { readSettings, textOption } from "../terminal/option.ts";

const settings = {
  to: row(
    "to URL",
    text,
    "The index: sqlite:FILE, postgres://user@host/database?table=NAME or opensearch+https://host:9200/INDEX",
    {
      doc: "the search index: `sqlite:FILE`, `postgres://user@host/database?table=NAME` or `opensearch+https://host:9200/INDEX` (`elasticsearch+...` is the same)",
    },
  ),
  pieces: row("chunks", flag, "Cut texts into pieces with stable ids, for embeddings", {
    doc: "cut texts into pieces with stable ids, for embeddings: a piece whose text did not change keeps its id, and what was added to it",
  }),
};

/** `tidemark feed` */
export const feedCommand: Command = {
  usage: "feed <mirror>",
  describe: "Bring a search index to what a mirror holds: what changed is written, what is gone is removed",
  positionals: { mirror: "A crawler's folder or state file" },
  options: settings,
  examples: [
    ["feed mirror --to sqlite:search.db", "full text search in one file, without a server"],
    ["feed mirror --to postgres://me@localhost/web?table=page", "a table with a tsvector"],
    ["feed mirror --to opensearch+http://localhost:9200/web --chunks", "pieces to embed"],
  ],
  plan: (args) => {
    const { to, pieces } = readSettings(args, settings);
    if (to === undefined)
      throw new TidemarkError("bad-option", "--to is missing.", { hint: "For example --to sqlite:search.db." });
    const store = textOption(args, "mirror") ?? "";
    return async (context) => (await import("./feed-run.ts")).runFeed({ store, to, pieces: pieces === true }, context);
  },
};
