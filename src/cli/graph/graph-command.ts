import { path, settingRow as row } from "../../config/index.ts";
import { omitUndefined, TidemarkError } from "../../core/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";
import type { GraphArguments } from "./graph-run.ts";

const actions = ["import", "export"] as const;
type Action = (typeof actions)[number];

/** Which options an action has. */
const optionsOf: Readonly<Record<Action, readonly string[]>> = {
  import: ["links", "names"],
  export: ["links", "names"],
};

/** `tidemark graph` */
export const graphCommand: Command = defineCommand({
  usage: "graph <action> <dir>",
  describe: "Read, write and examine the graph of links between hosts or pages",
  positionals: {
    action: "import makes a graph's folder from lists of links and names; export writes such lists",
    dir: "Folder of the graph",
  },
  options: {
    links: row(
      "links FILE",
      path,
      "With import and export: list of links, the numbers of two nodes a line; gzip'd if the name ends with .gz",
    ),
    names: row("names FILE", path, "With import and export: list of nodes, a number and a name a line", {
      default: "nodes have no names",
    }),
  },
  examples: [
    ["graph import web --links edges.txt.gz --names vertices.txt.gz", "take over a graph of Common Crawl"],
    ["graph export web --links web.arcs", "write links for WebGraph's ArcListASCIIGraph"],
  ],
  plan: (given, args, fail): GraphArguments => {
    const word = argument(args, "action");
    const action = actions.find((one) => one === word);
    if (action === undefined)
      throw new TidemarkError("bad-option", `There is no action ${JSON.stringify(word.slice(0, 100))}.`, {
        hint: `There are ${actions.join(", ")}.`,
      });
    const surplus = Object.keys(given).find((name) => !optionsOf[action].includes(name));
    if (surplus !== undefined) fail(`--${surplus} is not for graph ${action}.`);
    const folder = argument(args, "dir");
    const { links, names } = given;
    if (action === "import") {
      if (links === undefined) return fail("--links is missing: from which list?");
      return { action, into: folder, links, ...omitUndefined({ names }) };
    }
    if (links === undefined && names === undefined) fail("--links is missing: to which file?");
    return { action, folder, ...omitUndefined({ links, names }) };
  },
  load: async () => (await import("./graph-run.ts")).runGraph,
});
