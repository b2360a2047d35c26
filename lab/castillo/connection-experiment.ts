import type { LabRow } from "../../src/core/lab-result.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asWorded } from "../experiment/published.ts";
import {
  castilloPaper,
  findWeb,
  graphParameters,
  noteReach,
  politenessParameters,
  webParameters,
} from "./crawl-parameters.ts";
import { isOrderName, RankedWeb } from "./rank-coverage.ts";

const where = "section 5, Figure 6";
const orders = ["length", "depth"] as const;
const connectionCounts = [1, 64, 256] as const;

/** How much an order's rate of growth moves from one hundredth of the pages to the next, in the mean over them and over r. */
function unrestOf(rows: readonly LabRow[], order: string): number | undefined {
  const unrests = connectionCounts.flatMap((count) => {
    const ranks = rows.filter((row) => row.order === order && row.connections === count).map((row) => Number(row.rank));
    const growths = ranks.map((rank, at) => rank - (ranks[at - 1] ?? 0));
    const moves = growths.slice(1).map((growth, at) => Math.abs(growth - (growths[at] ?? 0)));
    return moves.length === 0 ? [] : [moves.reduce((sum, move) => sum + move, 0) / moves.length];
  });
  return unrests.length === 0 ? undefined : unrests.reduce((sum, unrest) => sum + unrest, 0) / unrests.length;
}

/** Figure 6: what many connections at once do to an order. */
export const connectionExperiment: Experiment = defineExperiment({
  name: "connections",
  title: "Orders with many connections at once",
  paper: `${castilloPaper}, ${where}`,
  about:
    "A web like that of the experiment `orders`, with more sites than connections, crawled by Length and by Depth with 1, 64 and 256 " +
    "connections at once, each to another site. The more connections, the less an order may choose.",
  parameters: {
    ...webParameters,
    ...graphParameters,
    sites: { ...webParameters.sites, quick: 2000 },
    ...politenessParameters,
  },
  columns: [
    { name: "order", meaning: "which page of which site is next" },
    { name: "connections", meaning: "r: connections at once" },
    { name: "pages", meaning: "share of all pages that were retrieved, 0 to 1" },
    { name: "rank", meaning: "share of all PageRank that these have, 0 to 1" },
    { name: "hours", meaning: "hours since the crawl began" },
  ],
  published: [
    {
      name: "how much the rate of growth moves, Length by Depth",
      where,
      theirs: "Length is more stable",
      format: "number",
      tolerance: asWorded(0, 1),
      ours: (rows) => {
        const [length, depth] = [unrestOf(rows, "length"), unrestOf(rows, "depth")];
        return length === undefined || depth === undefined ? undefined : length / depth;
      },
    },
  ],
  points: () => orders.flatMap((order) => connectionCounts.map((count) => ({ name: `${order}-${count}` }))),
  run: async ({ name }, values, { seed, ports, onProgress }) => {
    const [order = "", count] = name.split("-");
    if (!isOrderName(order)) return [];
    const web = await findWeb(values, seed, ports);
    const plan = {
      order,
      connections: Number(count),
      pagesPerTurn: 1,
      restSeconds: values.rest,
      bytesPerSecond: Number.POSITIVE_INFINITY,
      batchPages: Math.ceil(web.pages / values.batches),
    };
    const steps = new RankedWeb(web).crawl(plan, onProgress);
    return steps.map(({ pages, rank, hours }) => ({ order, connections: Number(count), pages, rank, hours }));
  },
  notes: noteReach,
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
