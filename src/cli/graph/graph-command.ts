import { availableParallelism, totalmem } from "node:os";
import { type EngineChoice, harmonicWays } from "../../analysis/index.ts";
import {
  choice,
  date,
  numberBetween,
  path,
  settingRow as row,
  type SettingsOf,
  text,
  texts,
  timeSpan,
  wholeNumber,
} from "../../config/index.ts";
import { omitUndefined, TidemarkError } from "../../core/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";
import type { GraphArguments } from "./graph-run.ts";

const actions = ["import", "export", "rank", "stats"] as const;
type Action = (typeof actions)[number];

const listOptions = {
  links: row(
    "links FILE",
    path,
    "List of links, the numbers of two nodes a line; here and below, gzip'd if the file's name ends with .gz. Export writes Parquet if it ends with .parquet",
  ),
  names: row("names FILE", path, "List of nodes, a number and a name a line", { default: "none" }),
};

const exportOptions = {
  anchors: row("anchors FILE", path, "With export: write the texts of links, two nodes and a text a line", {
    default: "none",
  }),
};

const crawlOptions = {
  crawl: row("crawl DIR", path, "Instead of lists: the links that tidemark crawl --web kept in this folder", {
    default: "none",
  }),
};

const top = row("top N", wholeNumber(1, 1000), "Show this many of the first nodes, and with stats of hosts", {
  default: "10",
});

const statsOptions = {
  html: row("html FILE", path, "With stats: write a page with figures and tables to this file", { default: "none" }),
};

const rankOptions = {
  into: row("into FILE", path, "Write a table of all nodes to this file", {
    default: "only the first nodes are shown",
  }),
  damping: row("damping D", numberBetween(0, 0.999_999), "Probability that a link is followed", { default: "0.85" }),
  tolerance: row(
    "tolerance T",
    numberBetween(0, 1),
    "End when two rounds differ by no more than this, summed over all nodes",
    { default: "1e-9" },
  ),
  rounds: row("rounds N", wholeNumber(1, 10_000), "Most rounds", { default: "200" }),
  sites: row("site HOST", texts, "Compute ranks as seen from this site: its host, and the hosts below it", {
    default: "from all nodes",
  }),
  harmonic: row(
    "harmonic WAY",
    choice(...harmonicWays),
    "Compute harmonic centrality too: exact, for some ten thousand nodes, or estimate, by HyperBall",
    { default: "none" },
  ),
  linksMiB: row(
    "memory MIB",
    wholeNumber(0, 1_048_576),
    "Memory for links: a graph with more stays on disk, and each round reads it from there; not with --harmonic",
    { default: "half of the machine's" },
  ),
  threads: row("threads N", wholeNumber(1, 256), "Compute ranks on this many threads", {
    default: "one for each processor",
  }),
};

const workOptions = {
  work: row("work FILE", path, "Write a list of what to crawl next to this file", { default: "none" }),
  count: row("count N", wholeNumber(1, 100_000_000), "Length of that list", { default: "1000" }),
  newShare: row("new-share S", numberBetween(0, 1), "Share of that list for nodes that were never visited", {
    default: "0.9",
  }),
  visits: row(
    "visits FILE",
    path,
    "List of visits: a node, the second of its last visit since 1970 and, if there was one, of the visit before",
    { default: "no node was visited" },
  ),
  previous: row("previous DIR", path, "Folder of the graph as the visits before found it", {
    default: "the links of all nodes changed alike",
  }),
  cycleMs: row("cycle DURATION", timeSpan, "How long a crawl of everything takes", {
    default: "`180d`",
  }),
  nowMs: row("now DATE", date, "Moment at which the ages of visits are counted", { default: "now" }),
};

const engineOptions = {
  engine: row(
    "engine ENGINE",
    choice("duckdb", "spark"),
    "Compute degrees, PageRank and priorities as SQL: the graph need not fit in memory",
    { default: "the graph is read into memory" },
  ),
  master: row("master URL", text, "With --engine spark: the cluster, as spark-sql --master has it", {
    default: "`local[*]`",
  }),
  program: row("spark-sql FILE", path, "With --engine spark: its program spark-sql", { default: "that of PATH" }),
  scratch: row("scratch DIR", path, "With --engine: folder for its files; of a cluster, one that all machines share", {
    default: "that of the system",
  }),
};

const options = {
  ...listOptions,
  ...exportOptions,
  ...crawlOptions,
  top,
  ...statsOptions,
  ...rankOptions,
  ...workOptions,
  ...engineOptions,
};
type Given = SettingsOf<typeof options>;

/** Which options an action has. */
const optionsOf: Readonly<Record<Action, object>> = {
  import: { ...listOptions, ...crawlOptions },
  export: { ...listOptions, ...exportOptions },
  rank: { top, ...rankOptions, ...workOptions, ...engineOptions },
  stats: { top, ...statsOptions },
};

const groups = {
  "import, export": Object.values(listOptions).map(({ option }) => option),
  export: Object.values(exportOptions).map(({ option }) => option),
  import: Object.values(crawlOptions).map(({ option }) => option),
  "rank, stats": [top, ...Object.values(statsOptions)].map(({ option }) => option),
  rank: Object.values(rankOptions).map(({ option }) => option),
  "rank: what to crawl next": Object.values(workOptions).map(({ option }) => option),
  "rank: engines": Object.values(engineOptions).map(({ option }) => option),
};

/** `tidemark graph` */
export const graphCommand: Command = defineCommand({
  usage: "graph <action> <dir>",
  describe: "Read, write, describe and rank the graph of links between hosts or pages",
  positionals: {
    action:
      "import makes a graph's folder from lists of links and names; export writes such lists; stats describes a graph; rank computes PageRank, degrees and what to crawl next",
    dir: "Folder of the graph",
  },
  options,
  groups,
  examples: [
    ["graph import web --links edges.txt.gz --names vertices.txt.gz", "take over a graph of Common Crawl"],
    ["graph import graph --crawl web", "make a graph of the links that a crawl of the Web kept"],
    ["graph export web --links web.arcs", "write links for WebGraph's ArcListASCIIGraph"],
    ["graph stats web --html web.html", "show degrees, components, bow tie and hosts, also as a page"],
    ["graph rank web --into ranks.tsv.gz --harmonic estimate", "rank all nodes"],
    ["graph rank web --work next.tsv --visits visits.tsv", "list what to crawl next"],
    ["graph rank web --engine spark --master spark://host:7077 --scratch /shared", "rank on a cluster"],
  ],
  plan: (given, args, fail): GraphArguments => {
    const word = argument(args, "action");
    const action = actions.find((one) => one === word);
    if (action === undefined)
      throw new TidemarkError("bad-option", `There is no action ${JSON.stringify(word.slice(0, 100))}.`, {
        hint: `There are ${actions.join(", ")}.`,
      });
    const surplus = Object.keys(given).find((name) => !(name in optionsOf[action]));
    if (surplus !== undefined) fail(`--${options[surplus as keyof Given].option} is not for graph ${action}.`);
    const folder = argument(args, "dir");
    if (action === "rank") return planRank(folder, given, fail);
    if (action === "stats") return { action, folder, top: given.top ?? 10, ...omitUndefined({ html: given.html }) };
    const { links, names, anchors } = given;
    if (action === "export") {
      if ((links ?? names ?? anchors) === undefined) fail("--links is missing: to which file?");
      return { action, folder, ...omitUndefined({ links, names, anchors }) };
    }
    if (given.crawl !== undefined) {
      if (links !== undefined || names !== undefined) fail("--crawl stands instead of --links and --names.");
      return { action, into: folder, crawl: given.crawl };
    }
    if (links === undefined) return fail("--links is missing: from which list? Or --crawl: of which crawl?");
    return { action, into: folder, links, ...omitUndefined({ names }) };
  },
  load: async () => (await import("./graph-run.ts")).runGraph,
});

/** What an engine does not do. */
const notForEngines = ["tolerance", "sites", "harmonic", "linksMiB", "threads"] as const;

function planEngine(given: Given, fail: (message: string) => never): EngineChoice | undefined {
  const { engine, master, program, scratch } = given;
  const isOfSpark = master !== undefined || program !== undefined;
  if (engine !== "spark" && isOfSpark)
    fail(`--${master === undefined ? "spark-sql" : "master"} is for --engine spark only.`);
  if (engine === undefined && scratch !== undefined) fail("--scratch has no effect without --engine.");
  if (engine === undefined) return undefined;
  const surplus = notForEngines.find((name) => given[name] !== undefined);
  if (surplus !== undefined) fail(`--${options[surplus].option} is not for --engine.`);
  if (engine === "duckdb") return { name: engine, ...omitUndefined({ scratch }) };
  return { name: engine, ...omitUndefined({ master, program, scratch }) };
}

/** What the machine has, or the container that this runs in. */
function memoryBytes(): number {
  const most = process.constrainedMemory();
  return most > 0 ? Math.min(totalmem(), most) : totalmem();
}

function planRank(folder: string, given: Given, fail: (message: string) => never): GraphArguments {
  const { rounds: maxRounds, threads = availableParallelism(), linksMiB, nowMs, cycleMs, ...rest } = given;
  const { into, top, damping, tolerance, sites, harmonic, work: file, count = 1000, newShare, visits, previous } = rest;
  if (file === undefined) {
    const surplus = Object.entries(workOptions).find(([name]) => given[name as keyof Given] !== undefined);
    if (surplus !== undefined) fail(`--${surplus[1].option} has no effect without --work.`);
  }
  if (harmonic !== undefined && linksMiB !== undefined) fail("--memory is not for --harmonic.");
  const nowSeconds = Math.floor((nowMs ?? Date.now()) / 1000);
  const crawlSeconds = cycleMs === undefined ? undefined : cycleMs / 1000;
  const work = file && { file, count, nowSeconds, ...omitUndefined({ newShare, visits, previous, crawlSeconds }) };
  return {
    action: "rank",
    folder,
    threads,
    linksBytes: linksMiB === undefined ? memoryBytes() / 2 : linksMiB * 2 ** 20,
    ...omitUndefined({ engine: planEngine(given, fail), into, top, damping, tolerance, maxRounds, sites, harmonic }),
    ...(work && { work }),
  };
}
