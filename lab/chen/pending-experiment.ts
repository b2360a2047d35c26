import type { Figure, FigureMark, LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { GraphBuilder } from "../../src/graph/graph-builder.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { groupBy } from "../experiment/group-by.ts";
import { chenPaper } from "../experiment/papers.ts";
import type { CrawledPage } from "../experiment/ports.ts";
import { asGoal, asRounded, asWorded, near, type PublishedNumber } from "../experiment/published.ts";
import { generateWeb } from "../webs/generated-web.ts";
import type { Web } from "../webs/web.ts";
import { peakOf, pendingNodes } from "./pending-list.ts";

/** S in Table 5.3. */
const printedLinks = 200;
/** Rows of Table 5.3: N, the longest list, and the nodes that are crawled then. */
const table = [
  [1e9, 968_508_416, 26_491_535],
  [2e9, 1_965_042_680, 29_957_321],
  [3e9, 2_963_015_354, 31_984_648],
  [4e9, 3_961_576_944, 33_423_058],
  [5e9, 4_960_461_226, 34_538_777],
] as const;
const [[fewestNodes]] = table;

const webKinds = ["uniform", "sites"] as const;
type WebKind = (typeof webKinds)[number];
const steps = 100;

const tableRows = (rows: readonly LabRow[], web: string): LabRow[] =>
  rows.filter((row) => row.part === "table" && row.web === web);

/** Rows of the table that come out: the list to a node or two, the nodes that are crawled then to five digits. */
function countEqual(rows: readonly LabRow[], web: string): number | undefined {
  const own = tableRows(rows, web);
  if (own.length === 0) return undefined;
  return table.filter(([nodes, pending, crawled]) => {
    const row = own.find((one) => one.nodes === nodes);
    return Math.abs(Number(row?.pending) - pending) <= 2 && Math.abs(Number(row?.crawled) / crawled - 1) <= 1e-5;
  }).length;
}

function tableCell(rows: readonly LabRow[], column: "pending" | "crawled"): number | undefined {
  const row = tableRows(rows, "same links").find(({ nodes }) => nodes === fewestNodes);
  return row === undefined ? undefined : Number(row[column]);
}

/** The longest list of each crawl of a kind of web, by that of the formula. */
function peakRatios(rows: readonly LabRow[], kind: WebKind): number[] {
  const own = rows.filter((row) => row.part === "crawl" && row.web === kind);
  const crawls = groupBy(own, (row) => `${row.order}/${row.run}`);
  return [...crawls.values()].map((of) => {
    const most = (column: string): number => Math.max(...of.map((row) => Number(row[column])));
    return most("pending") / most("formula");
  });
}

const where = "section 5.2, Table 5.3";
const published: readonly PublishedNumber[] = [
  {
    name: "longest list of pending nodes, 1,000,000,000 nodes",
    where,
    theirs: "968,508,416",
    format: "number",
    tolerance: asRounded(968_508_416, 1),
    ours: (rows) => tableCell(rows, "pending"),
  },
  {
    name: "nodes that are crawled then, 1,000,000,000 nodes",
    where,
    theirs: "26,491,535",
    format: "number",
    tolerance: asRounded(26_491_535, 1),
    ours: (rows) => tableCell(rows, "crawled"),
    explanation: {
      expected: [26_491_485, 26_491_585],
      why: "The list is flat at its longest: 50 nodes earlier it is shorter by 0.0003 nodes, and as long if it is rounded.",
    },
  },
  {
    name: "rows of five that come out, 200 links a node",
    where,
    theirs: "5",
    format: "number",
    tolerance: asWorded(5, 5),
    ours: (rows) => countEqual(rows, "same links"),
    explanation: {
      expected: [1, 1],
      why: "The other rows were made with as many links more as there are more nodes: 400 to 1000, not 200. S / N of the first row was kept.",
    },
  },
  {
    name: "rows of five that come out, links in proportion to nodes",
    where,
    theirs: "5",
    format: "number",
    tolerance: asWorded(5, 5),
    ours: (rows) => countEqual(rows, "more links"),
  },
  {
    name: "share of nodes that are crawled when the list is longest, of 5,000,000,000 by that of 1,000,000,000",
    where,
    theirs: "smaller the larger the web",
    format: "number",
    tolerance: asWorded(0, 1 - near),
    ours: (rows) => {
      const [first, last] = [table[0], table[4]].map(([nodes]) => {
        const row = tableRows(rows, "same links").find((one) => one.nodes === nodes);
        return Number(row?.crawled) / nodes;
      });
      return first === undefined || last === undefined || Number.isNaN(first) ? undefined : last / first;
    },
    explanation: {
      expected: [1 - 1e-6, 1 + 1e-6],
      why: "By equation 5.3 it is ln S / S, whatever N is. It falls in the table because S grows there.",
    },
  },
  {
    name: "longest list of the crawler of production by that of equation 5.3, links to any page: the crawl that is farthest off",
    where: "our own: section 5.2, Figure 5.3",
    theirs: "1",
    format: "number",
    tolerance: asGoal(0.98, 1.02),
    ours: (rows) => {
      const ratios = peakRatios(rows, "uniform");
      return ratios.toSorted((one, other) => Math.abs(other - 1) - Math.abs(one - 1))[0];
    },
  },
];

/** The same sites, and links to any page. */
function drawWeb(kind: WebKind, pages: number, sites: number, links: number, random: () => number): Web {
  const shape = { pages, sites, siteCap: pages, outwardShare: 0.5, branching: [3, 10] as const };
  if (kind === "sites") return generateWeb({ ...shape, linksPerPage: links }, random);
  const builder = new GraphBuilder(pages);
  for (let page = 0; page < pages; page++) {
    const targets = new Set<number>();
    while (targets.size < Math.min(links, pages - 1)) {
      const target = Math.floor(random() * pages);
      if (target !== page) targets.add(target);
    }
    for (const target of targets) builder.addLink(page, target);
  }
  return { ...generateWeb({ ...shape, linksPerPage: 0 }, random), graph: builder.build() };
}

/** The list after each hundredth of the pages, and where it is longest. */
function measureList(crawled: readonly CrawledPage[], web: Web): { crawled: number; pending: number }[] {
  const known = new Set<number>(web.homes);
  const lists: { crawled: number; pending: number }[] = [{ crawled: 0, pending: known.size }];
  let longest = { crawled: 0, pending: known.size };
  for (const [at, { links }] of crawled.entries()) {
    for (const link of links) known.add(link);
    const list = { crawled: at + 1, pending: known.size - at - 1 };
    if (list.pending > longest.pending) longest = list;
    if (list.crawled * steps >= lists.length * web.pages) lists.push(list);
  }
  return [...lists, longest].toSorted((one, other) => one.crawled - other.crawled);
}

function draw(rows: readonly LabRow[]): Figure[] {
  const line = (name: string, of: readonly LabRow[], column: "pending" | "formula"): FigureMark => ({
    kind: "line",
    of: "ours",
    name,
    points: of.map((row) => ({
      x: Number(row.crawled) / Number(row.nodes),
      y: Number(row[column]) / Number(row.nodes),
    })),
  });
  const crawls = rows.filter((row) => row.part === "crawl" && row.run === 1);
  const byName = groupBy(crawls, (row) => `${row.web}, ${row.order}`);
  const [first] = byName.values();
  return [
    {
      name: "pending-list",
      title: "Pending nodes by crawled ones",
      caption:
        "Nodes that are known and not crawled, by those that are crawled, as shares of all: equation 5.3, and crawls in production. Chen, Figure 5.3; the dot is the first row of Table 5.3, with 200 links a node.",
      x: { label: "Crawled", kind: "linear", format: "percent", domain: [0, 1] },
      y: { label: "Pending", kind: "linear", format: "percent", domain: [0, 1] },
      marks: [
        line("equation 5.3", first ?? [], "formula"),
        ...[...byName].map(([name, of]) => line(name, of, "pending")),
        { kind: "dots", of: "theirs", name: "Table 5.3", points: [{ x: table[0][2] / 1e9, y: table[0][1] / 1e9 }] },
      ],
    },
  ];
}

/** Figure 5.3 and Table 5.3: the list of nodes that wait, by formula and in the crawler of production. */
export const pendingExperiment: Experiment = defineExperiment({
  name: "pending-list",
  title: "The list of pending nodes",
  paper: `${chenPaper}, section 5.2, Figure 5.3, Table 5.3`,
  about:
    "The longest list of nodes that are known and not crawled, by the closed form of equation 5.3; and webs that are crawled by the crawler of `tidemark crawl --web` " +
    "in virtual time: one whose links lead to any page, which is what the equation takes for granted, and one of sites. Equation 5.4 is no derivative of the " +
    "equation before it, and has no zero; the table does not come from it.",
  parameters: {
    pages: {
      kind: "whole",
      default: 3000,
      quick: 600,
      min: 10,
      max: 1_000_000,
      meaning: "N: pages of a web that is crawled",
    },
    sites: { kind: "whole", default: 60, quick: 12, min: 2, max: 100_000, meaning: "sites of a web that is crawled" },
    links: {
      kind: "whole",
      default: 200,
      quick: 60,
      min: 2,
      max: 1000,
      meaning: "S: links of a page of a web that is crawled",
    },
    webs: { kind: "whole", default: 3, quick: 2, min: 1, max: 100, meaning: "webs of each kind, drawn independently" },
    orders: {
      kind: "choices",
      default: "depth,partial",
      quick: "depth",
      choices: ["depth", "length", "random", "partial", "batch"],
      meaning: "orders in which pages are crawled",
    },
  },
  columns: [
    { name: "part", meaning: "table: a row of Table 5.3; crawl: the list during a crawl" },
    {
      name: "web",
      meaning:
        "of the table: the same links a node in all rows, or in proportion to nodes; of a crawl: links to any page, or a web of sites",
    },
    { name: "order", meaning: "order of a crawl" },
    { name: "run", meaning: "which of the webs, from 1" },
    { name: "nodes", meaning: "N" },
    { name: "links", meaning: "S" },
    { name: "crawled", meaning: "n: nodes that are crawled; of the table, when the list is longest" },
    { name: "pending", meaning: "P: nodes that are known and not crawled" },
    { name: "formula", meaning: "P by equation 5.3" },
  ],
  published,
  points: ({ webs, orders }) => [
    { name: "table", weight: 0.01 },
    ...webKinds.flatMap((kind) =>
      orders
        .split(",")
        .flatMap((order) => Array.from({ length: webs }, (_, run) => ({ name: `${kind}/${order}/${run + 1}` }))),
    ),
  ],
  run: async ({ name }, { pages, sites, links }, { seed, ports }) => {
    if (name === "table")
      return table.flatMap(([nodes]) =>
        ["same links", "more links"].map((web) => {
          const own = web === "same links" ? printedLinks : (printedLinks * nodes) / fewestNodes;
          const { crawled, pending } = peakOf({ nodes, links: own });
          return { part: "table", web, order: null, run: null, nodes, links: own, crawled, pending, formula: pending };
        }),
      );
    const [kind, order, run] = name.split("/") as [WebKind, "depth", string];
    const web = drawWeb(kind, pages, sites, links, createRandom(seed, "pending-list", kind, run));
    const crawled = await ports.crawlWeb(web, {
      ...{ order, connections: 8, restSeconds: 15, answerSeconds: 1, seed },
      batchPages: Math.ceil(pages / 10),
    });
    return measureList(crawled, web).map((list) => ({
      ...{ part: "crawl", web: kind, order, run: Number(run), nodes: pages, links, ...list },
      formula: pendingNodes({ nodes: pages, links, seeds: sites }, list.crawled),
    }));
  },
  notes: (rows) =>
    webKinds.flatMap((kind) => {
      const ratios = peakRatios(rows, kind);
      if (ratios.length === 0) return [];
      const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(3));
      const what = kind === "uniform" ? "links to any page" : "webs of sites";
      return [`With ${what} the longest list is ${least} to ${most} times that of equation 5.3.`];
    }),
  figures: draw,
});
