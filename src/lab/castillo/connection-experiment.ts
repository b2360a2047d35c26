import type { LabRow } from "../../model/index.ts";
import { defineExperiment, type Experiment } from "../experiment.ts";
import { castilloPaper, drawWeb, politenessParameters, webParameters } from "./crawl-parameters.ts";
import { isOrderName, RankedWeb } from "./rank-coverage.ts";

const where = "section 5, Figure 6";
const orders = ["length", "depth"] as const;
const connectionCounts = [1, 64, 256] as const;

/** How far the curves of an order for different r lie apart, in the mean over all shares of pages. */
function spreadOf(rows: readonly LabRow[], order: string): number | undefined {
  const byPages = new Map<number, number[]>();
  for (const row of rows) {
    if (row.order !== order) continue;
    const ranks = byPages.get(Number(row.pages)) ?? [];
    ranks.push(Number(row.rank));
    byPages.set(Number(row.pages), ranks);
  }
  if (byPages.size === 0) return undefined;
  let sum = 0;
  for (const ranks of byPages.values()) sum += Math.max(...ranks) - Math.min(...ranks);
  return sum / byPages.size;
}

/** Figure 6: what many connections at once do to an order. */
export const connectionExperiment: Experiment = defineExperiment({
  name: "connections",
  title: "Orders with many connections at once",
  paper: `${castilloPaper}, ${where}`,
  about:
    "The web of the experiment `orders`, crawled by Length and by Depth with 1, 64 and 256 connections at once, each to another site. " +
    "The more connections, the less an order may choose: what counts is how little its curve moves.",
  parameters: { ...webParameters, ...politenessParameters },
  columns: [
    { name: "order", meaning: "which page of which site is next" },
    { name: "connections", meaning: "r: connections at once" },
    { name: "pages", meaning: "share of all pages that were retrieved, 0 to 1" },
    { name: "rank", meaning: "share of all PageRank that these have, 0 to 1" },
    { name: "hours", meaning: "hours since the crawl began" },
  ],
  published: [
    {
      name: "spread of Length over r, by that of Depth",
      where,
      theirs: "Length is more stable",
      format: "number",
      tolerance: [0, 1],
      ours: (rows) => {
        const [length, depth] = [spreadOf(rows, "length"), spreadOf(rows, "depth")];
        return length === undefined || depth === undefined ? undefined : length / depth;
      },
      explanation: {
        expected: [1, 8],
        why:
          "In the generated web Depth is the order that moves less: breadth first takes sites in turn anyway, while Length wants the few " +
          "largest, which many connections make it share with others.",
      },
    },
  ],
  points: () => orders.flatMap((order) => connectionCounts.map((count) => ({ name: `${order}-${count}` }))),
  run: ({ name }, values, { seed, onProgress }) => {
    const [order = "", count] = name.split("-");
    if (!isOrderName(order)) return [];
    const plan = {
      order,
      connections: Number(count),
      pagesPerTurn: 1,
      restSeconds: values.rest,
      bytesPerSecond: Number.POSITIVE_INFINITY,
      batchPages: Math.ceil(values.pages / values.batches),
    };
    const steps = new RankedWeb(drawWeb(values, seed)).crawl(plan, onProgress);
    return steps.map(({ pages, rank, hours }) => ({ order, connections: Number(count), pages, rank, hours }));
  },
  figures: (rows) =>
    orders.map((order) => ({
      name: `connections-${order}`,
      title: `Rank retrieved with many connections, ${order}`,
      caption: "Cumulative PageRank by retrieved pages, for 1, 64 and 256 connections. Castillo et al., Figure 6.",
      x: { label: "Pages retrieved", kind: "linear", format: "percent", domain: [0, 1] },
      y: { label: "PageRank retrieved", kind: "linear", format: "percent", domain: [0, 1] },
      marks: connectionCounts.map((count) => ({
        kind: "line" as const,
        of: "ours" as const,
        name: `r = ${count}`,
        points: rows
          .filter((row) => row.order === order && row.connections === count)
          .map((row) => ({ x: Number(row.pages), y: Number(row.rank) })),
      })),
    })),
});
