import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asRounded, asWorded } from "../experiment/published.ts";
import { cycleParameters, edwardsPaper } from "./cycle-parameters.ts";
import { countFetches, planRun, strategyRuns } from "./cycle-runs.ts";
import { changeRateOf, notPrinted, tenthAround } from "./published-cycle.ts";

const where = "section 5.2, Figure 3";

/** The mean of what is told of a strategy's buckets, which have equally many pages. */
function meanOf(rows: readonly LabRow[], strategy: number, value: (row: LabRow) => number): number | undefined {
  const own = rows.filter((row) => row.strategy === strategy);
  return own.length === 0 ? undefined : own.reduce((sum, row) => sum + value(row), 0) / own.length;
}

const isCrawled = (row: LabRow): boolean => Number(row.crawls) >= 0.01;
const isAbove = (row: LabRow): boolean => isCrawled(row) && Number(row.crawls) > Number(row.changes);

const moreThanOnce =
  "One crawl of each page leaves some 200 million fetches of a cycle. Here three pages in ten share them; if the fastest 18 % did, each " +
  "would be crawled three times in the mean. Which is better depends on the rates, which are not printed.";

/** Figure 3: how often pages are crawled, by how often they change. */
export const crawlExperiment: Experiment = defineExperiment({
  name: "cycle-crawls",
  title: "Crawls a cycle, by change rate",
  paper: `${edwardsPaper}, ${where}`,
  about:
    "The plans of experiment `cycle`, bucket by bucket: how often a page is crawled in the cycle, beside how often it is expected to " +
    "change in it. A part of a crawl is a bucket of which that part is crawled.",
  parameters: cycleParameters,
  columns: [
    { name: "strategy", meaning: "how periods are weighed" },
    { name: "place", meaning: "share of buckets that change no faster, 0 to 1" },
    { name: "changes", meaning: "expected changes of a page in the cycle: periods by a_i" },
    { name: "crawls", meaning: "crawls of a page in the cycle, in the mean" },
    { name: "never", meaning: "share of the bucket's pages that are never crawled, 0 to 1" },
    { name: "once", meaning: "share that is crawled once" },
  ],
  published: [
    {
      name: "pages never crawled, strategy 1",
      where: "section 5.2",
      theirs: "the slowest 40 %",
      format: "percent",
      tolerance: asRounded(0.4, 0.01),
      explanation: { expected: tenthAround(0.4), why: notPrinted },
      ours: (rows) => meanOf(rows, 1, (row) => Number(row.never)),
    },
    {
      name: "crawled buckets that are crawled more often than they change, strategy 1",
      where: "section 5.2",
      theirs: "usually",
      format: "percent",
      tolerance: asWorded(0.5, 1),
      ours: (rows) => {
        const crawled = meanOf(rows, 1, (row) => Number(isCrawled(row)));
        const above = meanOf(rows, 1, (row) => Number(isAbove(row)));
        return crawled === undefined || above === undefined ? undefined : above / crawled;
      },
    },
    {
      name: "pages crawled just once, strategy 2",
      where: "section 5.2",
      theirs: "each",
      format: "percent",
      tolerance: asWorded(1, 1),
      explanation: { expected: [0.9, 1], why: notPrinted },
      ours: (rows) => meanOf(rows, 2, (row) => Number(row.once)),
    },
    {
      name: "pages never crawled, strategy 3",
      where: "section 5.2",
      theirs: "none",
      format: "percent",
      tolerance: asWorded(0, 0),
      explanation: { expected: [0, 0.1], why: notPrinted },
      ours: (rows) => meanOf(rows, 3, (row) => Number(row.never)),
    },
    {
      name: "pages crawled more than once, strategy 3",
      where: "section 5.2",
      theirs: "the fastest 18 %",
      format: "percent",
      tolerance: asRounded(0.18, 0.01),
      ours: (rows) => meanOf(rows, 3, (row) => 1 - Number(row.never) - Number(row.once)),
      explanation: { expected: [0.25, 0.33], why: moreThanOnce },
    },
  ],
  points: () => strategyRuns.map(({ name }) => ({ name })),
  run: ({ name }, values) =>
    strategyRuns
      .filter((run) => run.name === name)
      .flatMap((run) => {
        const crawls = countFetches(planRun(run, values).plan);
        return crawls.map(({ mean, never, once }, bucket) => ({
          strategy: run.strategy,
          place: (bucket + 1) / values.buckets,
          changes: values.periods * changeRateOf(values, run.version, bucket),
          crawls: mean,
          never,
          once,
        }));
      }),
  figures: (rows) => [drawCrawls(rows)],
});

function drawCrawls(rows: readonly LabRow[]): Figure {
  const pointsOf = (strategy: number, column: string) =>
    rows.filter((row) => row.strategy === strategy).map((row) => ({ x: Number(row.place), y: Number(row[column]) }));
  return {
    name: "cycle-crawls",
    title: "Crawls a cycle, by change rate",
    caption:
      "How often a page is crawled in a cycle, from the slowest pages to the fastest. Edwards et al., Figure 3, of which the text " +
      "gives who is not crawled by strategy 1 and who is crawled again by strategy 3.",
    x: { label: "Pages, from slow to fast", kind: "linear", format: "percent", domain: [0, 1] },
    y: { label: "Crawls in a cycle", kind: "linear" },
    marks: [
      { kind: "guide", of: "theirs", name: "strategy 1 crawls from here on", axis: "x", at: 0.4 },
      { kind: "guide", of: "theirs", name: "strategy 3 crawls again from here on", axis: "x", at: 0.82 },
      ...strategyRuns.map(({ strategy }) => ({
        kind: "line" as const,
        of: "ours" as const,
        name: `strategy ${strategy}`,
        points: pointsOf(strategy, "crawls"),
      })),
      { kind: "line", of: "ours", name: "expected changes", points: pointsOf(1, "changes") },
    ],
  };
}
