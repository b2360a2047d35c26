import type { Figure, LabRow } from "../../model/index.ts";
import { defineExperiment, type Experiment } from "../experiment.ts";
import { cycleParameters, edwardsPaper } from "./cycle-parameters.ts";
import { countFetches, planRun, strategyRuns } from "./cycle-runs.ts";
import { changeRateOf } from "./published-cycle.ts";

const where = "section 5.2, Figure 3";

/** What is counted of a strategy's buckets. */
function shareOf(
  rows: readonly LabRow[],
  strategy: number,
  holds: (crawls: number, changes: number) => boolean,
): number | undefined {
  const own = rows.filter((row) => row.strategy === strategy);
  if (own.length === 0) return undefined;
  return own.filter((row) => holds(Number(row.crawls), Number(row.changes))).length / own.length;
}

const fewestOf = (rows: readonly LabRow[], strategy: number): number | undefined => {
  const crawls = rows.filter((row) => row.strategy === strategy).map((row) => Number(row.crawls));
  return crawls.length === 0 ? undefined : Math.min(...crawls);
};

const moreThanOnce =
  "Who is crawled again depends on the rates, of which the paper tells only the names of its sources. Capacity is left for as many as " +
  "find a place in it, and with rates that give all five objectives these are more than a quarter.";

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
    { name: "crawls", meaning: "crawls of a page in the cycle" },
  ],
  published: [
    {
      name: "buckets never crawled, strategy 1",
      where: "section 5.2",
      theirs: "the slowest 40 %",
      format: "percent",
      tolerance: [0.3, 0.45],
      ours: (rows) => shareOf(rows, 1, (crawls) => crawls < 0.01),
    },
    {
      name: "crawled buckets that are crawled more often than they change, strategy 1",
      where: "section 5.2",
      theirs: "usually",
      format: "percent",
      tolerance: [0.5, 1],
      ours: (rows) => {
        const crawled = shareOf(rows, 1, (crawls) => crawls >= 0.01);
        const above = shareOf(rows, 1, (crawls, changes) => crawls >= 0.01 && crawls > changes);
        return crawled === undefined || above === undefined ? undefined : above / crawled;
      },
    },
    {
      name: "buckets crawled just once, strategy 2",
      where: "section 5.2",
      theirs: "each",
      format: "percent",
      tolerance: [0.95, 1],
      ours: (rows) => shareOf(rows, 2, (crawls) => Math.abs(crawls - 1) <= 0.01),
    },
    {
      name: "fewest crawls of a bucket, strategy 3",
      where: "section 5.2",
      theirs: "at least once",
      format: "number",
      tolerance: [0.99, 14],
      ours: (rows) => fewestOf(rows, 3),
    },
    {
      name: "buckets crawled more than once, strategy 3",
      where: "section 5.2",
      theirs: "the fastest 18 %",
      format: "percent",
      tolerance: [0.15, 0.21],
      ours: (rows) => shareOf(rows, 3, (crawls) => crawls > 1.01),
      explanation: { expected: [0.25, 0.33], why: moreThanOnce },
    },
  ],
  points: () => strategyRuns.map(({ name }) => ({ name })),
  run: ({ name }, values) =>
    strategyRuns
      .filter((run) => run.name === name)
      .flatMap((run) => {
        const crawls = countFetches(planRun(run, values).plan);
        return Array.from(crawls, (count, bucket) => ({
          strategy: run.strategy,
          place: (bucket + 1) / values.buckets,
          changes: values.periods * changeRateOf(values, run.version, bucket),
          crawls: count,
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
