import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asRounded, type PublishedNumber } from "../experiment/published.ts";
import { simulateCrawl } from "../simulation/simulate-crawl.ts";
import { generateWeb } from "../webs/generated-web.ts";
import type { Web } from "../webs/web.ts";
import { castilloPaper, checkSites, politenessParameters } from "./crawl-parameters.ts";

const where = "section 6, Figure 7";

/** Bytes a second, pages a connection, the hours that the paper gives, and the standard deviation of ours over seeds. */
const cells = [
  { bandwidth: 2000, k: 1, hours: 33, spread: 0.47 },
  { bandwidth: 2000, k: 100, hours: 29, spread: 0.42 },
  { bandwidth: 20_000, k: 1, hours: 9, spread: 0.27 },
  { bandwidth: 20_000, k: 100, hours: 3, spread: 0.045 },
] as const;

const nameOf = ({ bandwidth, k }: { readonly bandwidth: number; readonly k: number }): string => `${bandwidth}-${k}`;

function hoursOf(rows: readonly LabRow[], bandwidth: number, k: number): number | undefined {
  const ends = rows.filter((row) => row.bandwidth === bandwidth && row.k === k).map((row) => Number(row.hours));
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function savingOf(rows: readonly LabRow[], bandwidth: number): number | undefined {
  const [before, after] = [hoursOf(rows, bandwidth, 1), hoursOf(rows, bandwidth, 100)];
  return before === undefined || after === undefined ? undefined : 1 - after / before;
}

const published: readonly PublishedNumber[] = [
  ...cells.map(
    ({ bandwidth, k, hours, spread }): PublishedNumber => ({
      name: `hours of a batch at ${bandwidth} bytes a second, ${k} pages a connection`,
      where,
      theirs: `about ${hours}`,
      format: "number",
      tolerance: asRounded(hours, 1, spread),
      ours: (rows) => hoursOf(rows, bandwidth, k),
    }),
  ),
  ...[
    { bandwidth: 2000, before: 33, after: 29, spread: 0.0094 },
    { bandwidth: 20_000, before: 9, after: 3, spread: 0.0102 },
  ].map(
    ({ bandwidth, before, after, spread }): PublishedNumber => ({
      name: `time saved by 100 pages a connection at ${bandwidth} bytes a second`,
      where,
      theirs: `${(100 * (1 - after / before)).toFixed(0)} %`,
      format: "percent",
      // Worked out from two rounded numbers.
      tolerance: {
        range: [1 - (after + 0.5) / (before - 0.5) - 2 * spread, 1 - (after - 0.5) / (before + 0.5) + 2 * spread],
        basis: "rounding and seeds",
      },
      ours: (rows) => savingOf(rows, bandwidth),
    }),
  ),
];

/** All pages of a web without links, which the crawler knows from the beginning. */
function knownWhole(web: Web): Web {
  return { ...web, homes: Uint32Array.from({ length: web.pages }, (_, page) => page) };
}

function draw(rows: readonly LabRow[], bandwidth: number): Figure {
  return {
    name: `batch-${bandwidth}`,
    title: `Active connections, ${bandwidth / 1000} KB/s`,
    caption:
      "Connections that are busy while a batch is retrieved, with 1 and with 100 pages a connection. Castillo et al., Figure 7; " +
      "the guides are the hours that its text gives.",
    x: { label: "Hours", kind: "linear" },
    y: { label: "Active connections", kind: "linear" },
    marks: [
      ...cells
        .filter((cell) => cell.bandwidth === bandwidth)
        .flatMap((cell) => [
          {
            kind: "guide" as const,
            of: "theirs" as const,
            name: `end with k = ${cell.k}`,
            axis: "x" as const,
            at: cell.hours,
          },
          {
            kind: "line" as const,
            of: "ours" as const,
            name: `k = ${cell.k}`,
            points: rows
              .filter((row) => row.bandwidth === bandwidth && row.k === cell.k)
              .map((row) => ({ x: Number(row.hours), y: Number(row.active) })),
          },
        ]),
    ],
  };
}

/** Figure 7: what several pages a connection save. */
export const batchExperiment: Experiment = defineExperiment({
  name: "batch-time",
  title: "Several pages over one connection",
  paper: `${castilloPaper}, ${where}`,
  about:
    "A batch of pages of which all are known, most of them of few sites, is retrieved over a link that all transfers share. Both times " +
    "with 100 pages a connection are 209 million bytes by the link's speed, so that is taken for the batch: 10,000 pages of 20.9 KB. How " +
    "its pages are spread over sites is chosen to fit.",
  parameters: {
    pages: { kind: "whole", default: 10_000, min: 100, max: 1_000_000, meaning: "pages of the batch" },
    sites: { kind: "whole", default: 1000, min: 1, max: 100_000, meaning: "sites of the batch" },
    cap: { kind: "whole", default: 1600, min: 1, max: 1_000_000, meaning: "pages of a site at most" },
    bytes: { kind: "number", default: 20_900, min: 1, max: 1e9, meaning: "mean bytes of a page" },
    latency: { kind: "number", default: 1.5, min: 0, max: 1000, meaning: "mean seconds until a site's first byte" },
    connections: { kind: "whole", default: 64, min: 1, max: 1000, meaning: "r: connections at once" },
    rest: politenessParameters.rest,
    steps: { kind: "whole", default: 100, min: 10, max: 10_000, meaning: "rows of each crawl, of equal time" },
  },
  columns: [
    { name: "bandwidth", meaning: "bytes a second of the link" },
    { name: "k", meaning: "pages a connection at most" },
    { name: "hours", meaning: "end of a stretch of time, in hours since the beginning" },
    { name: "active", meaning: "connections that were busy in it, in the mean" },
  ],
  published,
  points: () => cells.map((cell) => ({ name: nameOf(cell) })),
  run: ({ name }, values, { seed }) => {
    const cell = cells.find((one) => nameOf(one) === name);
    if (cell === undefined) return [];
    checkSites(values);
    const shape = {
      pages: values.pages,
      sites: values.sites,
      siteCap: values.cap,
      linksPerPage: 0,
      meanSizeBytes: values.bytes,
      latencySeconds: values.latency,
    };
    const web = knownWhole(generateWeb(shape, createRandom(seed, "web")));
    const plan = {
      order: "length" as const,
      connections: values.connections,
      pagesPerTurn: cell.k,
      restSeconds: values.rest,
      bytesPerSecond: cell.bandwidth,
      batchPages: values.pages,
    };
    const spans: (readonly [from: number, to: number, busy: number])[] = [];
    const { seconds } = simulateCrawl(web, plan, { span: (...span) => spans.push(span) });
    return meanActive(spans, seconds, values.steps).map((active, at) => ({
      bandwidth: cell.bandwidth,
      k: cell.k,
      hours: (seconds * (at + 1)) / values.steps / 3600,
      active,
    }));
  },
  figures: (rows) => [draw(rows, 2000), draw(rows, 20_000)],
});

/** Mean busy connections in each of some equal stretches of time. */
function meanActive(
  spans: readonly (readonly [from: number, to: number, busy: number])[],
  seconds: number,
  steps: number,
): number[] {
  const width = seconds / steps;
  const sums = new Float64Array(steps);
  for (const [from, to, busy] of spans) {
    const last = Math.min(steps - 1, Math.floor(to / width));
    for (let step = Math.min(steps - 1, Math.floor(from / width)); step <= last; step++) {
      const shared = Math.min(to, (step + 1) * width) - Math.max(from, step * width);
      sums[step] = (sums[step] as number) + Math.max(0, shared) * busy;
    }
  }
  return Array.from(sums, (sum) => sum / width);
}
