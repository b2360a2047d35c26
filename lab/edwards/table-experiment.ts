import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asGoal, asRounded, type PublishedNumber } from "../experiment/published.ts";
import { checkCycle } from "./cycle-check.ts";
import { cycleParameters, edwardsPaper } from "./cycle-parameters.ts";
import { type CycleRun, countFetches, type FetchCount, planRun, sumPeriod, tableRuns } from "./cycle-runs.ts";
import { notPrinted, tenthAround } from "./published-cycle.ts";

/** A line of Tables 3 and 4; counts as they are printed, in 10^7. */
interface PrintedLine {
  readonly run: string;
  readonly title: string;
  readonly where: string;
  readonly objective: number;
  readonly pages: string;
  readonly obsolete: number;
}

const table3 = "section 5.2, Table 3";
const table4 = "section 5.3, Table 4";
const printed: readonly PrintedLine[] = [
  { run: "1-v1", title: "strategy 1", where: table3, objective: 32.592, pages: "52.24", obsolete: 3.086 },
  { run: "2-v1", title: "strategy 2", where: table3, objective: 1.722, pages: "51.84", obsolete: 1.609 },
  { run: "3-v1", title: "strategy 3", where: table3, objective: 2.138, pages: "52.24", obsolete: 1.702 },
  { run: "1-v2", title: "strategy 1, version 2", where: table4, objective: 37.744, pages: "52.14", obsolete: 3.534 },
  { run: "3-v2", title: "strategy 3, version 2", where: table4, objective: 2.5, pages: "51.93", obsolete: 1.972 },
];

const unit = 1e7;
const rowOf = (rows: readonly LabRow[], run: string): LabRow | undefined => rows.find((row) => row.run === run);

function numberOf(rows: readonly LabRow[], run: string, column: string, by = 1): number | undefined {
  const row = rowOf(rows, run);
  return row === undefined ? undefined : Number(row[column]) / by;
}

function largestOf(rows: readonly LabRow[], column: string): number | undefined {
  return rows.length === 0 ? undefined : Math.max(...rows.map((row) => Number(row[column])));
}

const rounded = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : Math.round(value * 1e9) / 1e9;

/** What holds for each number that depends on rates, capacity and weights. */
const explained = (value: number) => ({ expected: tenthAround(value), why: notPrinted });

function publishedLine({ run, title, where, objective, pages, obsolete }: PrintedLine): PublishedNumber[] {
  return [
    {
      name: `objective, in 10^7 (${title})`,
      where,
      theirs: String(objective),
      format: "number",
      tolerance: asRounded(objective, 0.001),
      explanation: explained(objective),
      ours: (rows) => numberOf(rows, run, "objective", unit),
    },
    {
      name: `obsolete pages at the end, in 10^7 (${title})`,
      where,
      theirs: String(obsolete),
      format: "number",
      tolerance: asRounded(obsolete, 0.001),
      explanation: explained(obsolete),
      ours: (rows) => numberOf(rows, run, "obsolete", unit),
    },
    {
      name: `pages at the end, in 10^7 (${title})`,
      where,
      theirs: pages,
      format: "number",
      tolerance: asRounded(Number(pages), 0.01),
      explanation: explained(Number(pages)),
      ours: (rows) => numberOf(rows, run, "pages", unit),
    },
  ];
}

/** Tables 3 and 4: what a cycle comes to under the paper's strategies, and how near the best that is. */
export const tableExperiment: Experiment = defineExperiment({
  name: "cycle",
  title: "A crawler's cycle by three strategies",
  paper: `${edwardsPaper}, sections 5.1 to 5.3, Tables 3 and 4`,
  about:
    "How many pages of each bucket of change rates to fetch in each period, so that the weighted sum of obsolete and waiting pages is " +
    "least. Strategy 1 weighs all periods alike, 2 the last alone, 3 the last above all. The paper prints the model and its results, " +
    "but neither rates nor capacity nor weights: the parameters are round numbers that give its objectives, one reconstruction of several.",
  parameters: cycleParameters,
  columns: [
    { name: "run", meaning: "strategy and version" },
    { name: "objective", meaning: "weighted sum of obsolete and waiting pages" },
    { name: "bound", meaning: "no plan has a lower objective" },
    { name: "gap", meaning: "objective above its bound, as a share" },
    { name: "obsolete", meaning: "obsolete pages at the end" },
    { name: "waiting", meaning: "new pages that wait at the end" },
    { name: "pages", meaning: "pages held at the end" },
    { name: "never", meaning: "share of the pages held at the start that are never fetched" },
    { name: "once", meaning: "share that is fetched once" },
    { name: "often", meaning: "share that is fetched more than once" },
    { name: "violation", meaning: "most by which a constraint is broken, beside what it is about" },
  ],
  published: [
    ...printed.flatMap(publishedLine),
    {
      name: "objective above its lower bound, at most",
      where: "section 5",
      theirs: "2.5 %",
      format: "percent",
      tolerance: asGoal(0, 0.025),
      ours: (rows) => largestOf(rows, "gap"),
    },
    {
      name: "constraints (1) to (6) broken by, at most",
      where: "section 4",
      theirs: "0",
      format: "number",
      tolerance: asGoal(0, 1e-6),
      // Of the last digits nothing can be said.
      ours: (rows) => rounded(largestOf(rows, "violation")),
    },
  ],
  points: () => tableRuns.map(({ name }) => ({ name })),
  run: ({ name }, values) => tableRuns.filter((run) => run.name === name).map((run) => measureRun(run, values)),
  figures: (rows) => [drawTotals(rows)],
});

function measureRun(run: CycleRun, values: Parameters<typeof planRun>[1]): LabRow {
  const { facts, plan } = planRun(run, values);
  const { objective } = plan.course;
  const fetches = countFetches(plan);
  const held = Array.from(facts.pages).reduce((sum, pages) => sum + pages, 0);
  const shareOf = (value: (count: FetchCount) => number): number =>
    fetches.reduce((sum, count, bucket) => sum + value(count) * (facts.pages[bucket] ?? 0), 0) / held;
  const { obsolete, pages } = sumPeriod(plan, plan.periods);
  return {
    run: run.name,
    objective,
    bound: plan.bound,
    gap: objective / plan.bound - 1,
    obsolete,
    waiting: plan.course.waiting[plan.periods - 1] ?? 0,
    pages,
    never: shareOf(({ never }) => never),
    once: shareOf(({ once }) => once),
    often: shareOf(({ never, once }) => Math.max(0, 1 - never - once)),
    violation: checkCycle(facts, plan).violation,
  };
}

function drawTotals(rows: readonly LabRow[]): Figure {
  const nameOf = (run: string): string => `S${run.replace("-", " ")}`;
  return {
    name: "cycle-totals",
    title: "Obsolete pages at the end of a cycle",
    caption: "Obsolete pages held at the end, by strategy and version. Edwards et al., Tables 3 and 4.",
    x: { label: "Strategy and version", kind: "names" },
    y: { label: "Obsolete pages, in millions", kind: "linear" },
    marks: [
      {
        kind: "bars",
        of: "ours",
        name: "obsolete pages",
        points: rows.map((row) => ({ x: nameOf(String(row.run)), y: Number(row.obsolete) / 1e6 })),
      },
      {
        kind: "dots",
        of: "theirs",
        name: "as printed",
        points: printed.map(({ run, obsolete }) => ({ x: nameOf(run), y: obsolete * 10 })),
      },
    ],
  };
}
