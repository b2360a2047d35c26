import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asWorded, type PublishedNumber } from "../experiment/published.ts";
import { simulateCrawl } from "../simulation/simulate-crawl.ts";
import { castilloPaper, findWeb, graphParameters, politenessParameters, webParameters } from "./crawl-parameters.ts";

const where = "section 5, Table 1";
const connectionCounts = [1, 64, 256] as const;

/** The table: bytes a second, and the speed-ups for 1, 64 and 256 connections. */
const table: readonly (readonly [bandwidth: number, ...speedUps: readonly [number, number, number]])[] = [
  [20_000_000, 1, 54.6, 220.1],
  [2_000_000, 1, 54.3, 204.3],
  [200_000, 1, 43, 114.1],
  [20_000, 1, 27, 83.3],
  [2000, 0.7, 3.8, 16],
  [200, 0.2, 1.6, 3],
];

/** How transfers share the link: hard is a link of so many bytes a second, soft slows each by less than their number. */
const sharings = [
  { name: "hard", sharing: 1 },
  { name: "soft", sharing: 0.55 },
] as const;

function speedUp(rows: readonly LabRow[], sharing: string, bandwidth: number, connections: number): number | undefined {
  const row = rows.find(
    (one) => one.sharing === sharing && one.bandwidth === bandwidth && one.connections === connections,
  );
  return row === undefined ? undefined : Number(row.speedup);
}

/** Cells that are less than a neighbour with fewer connections or less bandwidth, of all. */
function countFalls(rows: readonly LabRow[]): number | undefined {
  if (rows.length === 0) return undefined;
  let falls = 0;
  for (const { name } of sharings) {
    for (const [at, [bandwidth]] of table.entries()) {
      for (const [place, connections] of connectionCounts.entries()) {
        const here = speedUp(rows, name, bandwidth, connections) ?? 0;
        // Up to a twentieth is what random sizes of the pages in between make of it.
        const below = table[at + 1];
        if (below !== undefined && (speedUp(rows, name, below[0], connections) ?? 0) > here * 1.05) falls++;
        const fewer = connectionCounts[place - 1];
        if (fewer !== undefined && (speedUp(rows, name, bandwidth, fewer) ?? 0) > here * 1.05) falls++;
      }
    }
  }
  return falls;
}

/** Cells of the table that ours rounds to, of those that the table has. */
function countEqual(rows: readonly LabRow[]): number | undefined {
  if (rows.length === 0) return undefined;
  const isEqual = (ours: number | undefined, theirs: number): boolean =>
    ours !== undefined && Math.abs(ours - theirs) <= 0.05 + 1e-9;
  return table
    .flatMap(([bandwidth, ...theirs]) =>
      theirs.map((value, at) => isEqual(speedUp(rows, "hard", bandwidth, connectionCounts[at] ?? 1), value)),
    )
    .filter(Boolean).length;
}

const published: readonly PublishedNumber[] = [
  {
    name: "cells of the table that ours rounds to",
    where,
    theirs: "18 of 18",
    format: "number",
    tolerance: asWorded(18, 18),
    ours: countEqual,
    explanation: {
      expected: [4, 7],
      why:
        "The table is not reproduced, but for the column of one connection. It prints neither latencies, sizes of pages nor the share of the " +
        "web that is retrieved. A link of B bytes a second that transfers share, as the paper's model has it, gives 64 connections at 200 " +
        "bytes a second no more pages than one (0.2, not 1.6): no choice of the missing inputs gives its last rows. Soft shares, of B / n ** 0.55, " +
        "come nearer there and are further off above.",
    },
  },
  {
    name: "cells that fall where connections or bandwidth rise",
    where,
    theirs: "0 of 18",
    format: "number",
    tolerance: asWorded(0, 0),
    ours: countFalls,
  },
];

function draw(rows: readonly LabRow[], sharing: string): Figure {
  return {
    name: `speed-up-${sharing}`,
    title: `Speed-up by connections, ${sharing} shares`,
    caption: "Pages a second by those of one connection at 20 MB/s. Castillo et al., Table 1.",
    x: { label: "KB a second of the link", kind: "log", domain: [0.1, 40_000] },
    y: { label: "Speed-up", kind: "log" },
    marks: connectionCounts.flatMap((connections, at) => [
      {
        kind: "line" as const,
        of: "ours" as const,
        name: `r = ${connections}`,
        points: table.map(([bandwidth]) => ({
          x: bandwidth / 1000,
          y: speedUp(rows, sharing, bandwidth, connections) ?? 0,
        })),
      },
      {
        kind: "dots" as const,
        of: "theirs" as const,
        name: `r = ${connections}`,
        points: table.map(([bandwidth, ...theirs]) => ({ x: bandwidth / 1000, y: theirs[at] ?? 0 })),
      },
    ]),
  };
}

/** Table 1: how much faster many connections are. */
export const speedUpExperiment: Experiment = defineExperiment({
  name: "speed-up",
  title: "Speed-up by connections and bandwidth",
  paper: `${castilloPaper}, ${where}`,
  about:
    "The time until a share of a web is retrieved by Length, by that of one connection with the largest bandwidth. The column of one " +
    "connection says how long a page takes: 12 s more at 2000 bytes a second make 0.7 of it, so 28 s in all, and of these 26 " +
    "are taken as latency. A full web would end with one site of 25,000 pages, and no connections make that one faster: so half of it.",
  parameters: {
    ...webParameters,
    ...graphParameters,
    pages: { ...webParameters.pages, quick: 20_000 },
    sites: { ...webParameters.sites, quick: 3000 },
    rest: politenessParameters.rest,
    latency: { kind: "number", default: 26, min: 0, max: 1000, meaning: "seconds until a site's first byte" },
    bytes: { kind: "number", default: 24_000, min: 1, max: 1e9, meaning: "mean bytes of a page" },
    share: { kind: "number", default: 0.5, min: 0.01, max: 1, meaning: "share of the pages that is retrieved" },
  },
  columns: [
    { name: "sharing", meaning: "hard: n transfers get B / n each; soft: B / n ** 0.55" },
    { name: "bandwidth", meaning: "B: bytes a second" },
    { name: "connections", meaning: "r: connections at once" },
    { name: "hours", meaning: "hours that it takes" },
    { name: "speedup", meaning: "by one connection at the largest bandwidth" },
    { name: "theirs", meaning: "the table's" },
  ],
  published,
  points: () => sharings.map(({ name }) => ({ name })),
  run: async ({ name }, values, { seed, ports, onProgress }) => {
    const sharing = sharings.find((one) => one.name === name)?.sharing ?? 1;
    // Servers are alike: else a speed-up says as much about which sites came first.
    const servers = { latencySeconds: values.latency, meanSizeBytes: values.bytes, serverSpread: 0 };
    const web = await findWeb(values, seed, ports, servers);
    const rows: LabRow[] = [];
    let single = 0;
    for (const [bandwidth, ...theirs] of table) {
      for (const [at, connections] of connectionCounts.entries()) {
        const { seconds } = simulateCrawl(web, {
          order: "length",
          connections,
          pagesPerTurn: 1,
          restSeconds: values.rest,
          bytesPerSecond: bandwidth,
          sharing,
          batchPages: web.pages,
          stopAfterPages: Math.max(1, Math.round(web.pages * values.share)),
        });
        // The first cell is what the others are compared with.
        if (single === 0) single = seconds;
        const speedup = single / seconds;
        rows.push({
          sharing: name,
          bandwidth,
          connections,
          hours: seconds / 3600,
          speedup,
          theirs: theirs[at] ?? null,
        });
        onProgress(rows.length / 18);
      }
    }
    return rows;
  },
  figures: (rows) => sharings.map(({ name }) => draw(rows, name)),
});
