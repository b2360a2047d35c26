import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { orderNames } from "../../src/crawler/engine/order/order-rule.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asWorded, near, type PublishedNumber } from "../experiment/published.ts";
import {
  castilloPaper,
  findWeb,
  graphParameters,
  noteReach,
  politenessParameters,
  webParameters,
} from "./crawl-parameters.ts";
import { isOrderName, meanLead, overtakenAt, RankedWeb, type RankStep } from "./rank-coverage.ts";

const where = "section 5, Figure 5";

function stepsOf(rows: readonly LabRow[], order: string): RankStep[] {
  return rows
    .filter((row) => row.order === order)
    .map((row) => ({ pages: Number(row.pages), rank: Number(row.rank), hours: Number(row.hours) }));
}

const lead = (first: string, second: string) => (rows: readonly LabRow[]) =>
  meanLead(stepsOf(rows, first), stepsOf(rows, second));

/** By how much an order retrieves more than pages in proportion. */
function overLine(rows: readonly LabRow[], order: string): number | undefined {
  const steps = stepsOf(rows, order);
  return meanLead(
    steps,
    steps.map((step) => ({ ...step, rank: step.pages })),
  );
}

const ranksLead =
  "The order of strategies is a property of the graph. In each generated web that was tried, ranks of what is known " +
  "lead to better pages than the number of pages that wait; see the experiment `order-sensitivity`.";

const published: readonly PublishedNumber[] = [
  {
    name: "share of pages from which Optimal is overtaken",
    where,
    theirs: "above 75 %",
    format: "percent",
    tolerance: asWorded(0.75, 1),
    ours: (rows) =>
      overtakenAt(
        stepsOf(rows, "optimal"),
        ["length", "batch", "depth", "partial"].map((order) => stepsOf(rows, order)),
      ),
  },
  {
    name: "lead of Optimal over Batch, in the mean",
    where,
    theirs: "Optimal first",
    format: "percent",
    tolerance: asWorded(0, 1),
    ours: lead("optimal", "batch"),
  },
  {
    name: "lead of Length over Depth, in the mean",
    where,
    theirs: "Length better",
    format: "percent",
    tolerance: asWorded(0, 1),
    ours: lead("length", "depth"),
  },
  {
    name: "lead of Batch over Depth, in the mean",
    where,
    theirs: "a small difference",
    format: "percent",
    tolerance: asWorded(0, near),
    ours: lead("batch", "depth"),
    explanation: { expected: [near, 0.2], why: ranksLead },
  },
  {
    name: "lead of Length over Batch, in the mean",
    where,
    theirs: "Length better",
    format: "percent",
    tolerance: asWorded(0, 1),
    ours: lead("length", "batch"),
    explanation: {
      expected: [-0.2, 0],
      why: ranksLead,
    },
  },
  {
    name: "Partial over a straight line, in the mean",
    where,
    theirs: "close to random",
    format: "percent",
    tolerance: asWorded(-near, near),
    ours: (rows) => overLine(rows, "partial"),
    explanation: {
      expected: [0.05, 0.2],
      why:
        "Temporary ranks are the sum of what pages give that were retrieved, as the paper says. In generated webs, where links are drawn " +
        "independently of each other, that is as good as computing ranks; what was poor about it in the Chilean Web is not told.",
    },
  },
  {
    name: "random over a straight line, in the mean",
    where,
    theirs: "a straight line",
    format: "percent",
    tolerance: asWorded(-near, near),
    ours: (rows) => overLine(rows, "random"),
  },
];

function draw(rows: readonly LabRow[]): Figure {
  return {
    name: "orders",
    title: "Rank retrieved, one connection",
    caption:
      "Cumulative PageRank by retrieved pages, for one connection at a time. Castillo et al., Figure 5: Optimal is overtaken above " +
      "75 % of the pages; of its curves the text gives no other numbers.",
    x: { label: "Pages retrieved", kind: "linear", format: "percent", domain: [0, 1] },
    y: { label: "PageRank retrieved", kind: "linear", format: "percent", domain: [0, 1] },
    marks: [
      { kind: "guide", of: "theirs", name: "Optimal overtaken", axis: "x", at: 0.75 },
      ...orderNames.map((order) => ({
        kind: "line" as const,
        of: "ours" as const,
        name: order,
        points: stepsOf(rows, order).map(({ pages, rank }) => ({ x: pages, y: rank })),
      })),
    ],
  };
}

/** Figure 5: which order retrieves the best pages first, with one connection. */
export const orderExperiment: Experiment = defineExperiment({
  name: "orders",
  title: "Which order finds the best pages first",
  paper: `${castilloPaper}, ${where}`,
  about:
    "A generated web is crawled in virtual time with the orders that the crawler itself has, one connection at a time and a page a " +
    "connection. The rank of a page is its PageRank in the whole web, which only Optimal knows.",
  parameters: {
    ...webParameters,
    ...graphParameters,
    ...politenessParameters,
    connections: { kind: "whole", default: 1, min: 1, max: 1000, meaning: "r: connections at once" },
  },
  columns: [
    { name: "order", meaning: "which page of which site is next" },
    { name: "pages", meaning: "share of all pages that were retrieved, 0 to 1" },
    { name: "rank", meaning: "share of all PageRank that these have, 0 to 1" },
    { name: "hours", meaning: "hours since the crawl began" },
  ],
  published,
  points: () => orderNames.map((name) => ({ name, weight: name === "batch" || name === "partial" ? 6 : 1 })),
  run: async ({ name }, values, { seed, ports, onProgress }) => {
    if (!isOrderName(name)) return [];
    const web = await findWeb(values, seed, ports);
    const plan = {
      order: name,
      connections: values.connections,
      pagesPerTurn: 1,
      restSeconds: values.rest,
      bytesPerSecond: Number.POSITIVE_INFINITY,
      batchPages: Math.ceil(web.pages / values.batches),
      random: createRandom(seed, "random"),
    };
    const steps = new RankedWeb(web).crawl(plan, onProgress);
    return steps.map(({ pages, rank, hours }) => ({ order: name, pages, rank, hours }));
  },
  notes: noteReach,
  figures: (rows) => [draw(rows)],
});
