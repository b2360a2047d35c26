import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asRounded, asWorded, near } from "../experiment/published.ts";
import { cycleParameters, edwardsPaper } from "./cycle-parameters.ts";
import { type CycleRun, planRun, strategyRuns, sumPeriod, tableRuns, trendRuns } from "./cycle-runs.ts";
import { notPrinted, tenthAround } from "./published-cycle.ts";

/** Figure 6 has cycles of two lengths: one, and twice as long. */
const longer = 2;

/** A line of the figures. */
interface Course {
  readonly point: string;
  readonly run: CycleRun;
  /** Cycles by the parameter's periods. */
  readonly length: number;
}

const courses: readonly Course[] = [
  ...tableRuns.map((run) => ({ point: run.name, run, length: 1 })),
  ...trendRuns
    .filter(({ name }) => !tableRuns.some((run) => run.name === name))
    .map((run) => ({ point: run.name, run, length: 1 })),
  ...trendRuns.map((run) => ({ point: `${run.name}-longer`, run, length: longer })),
];

const obsoleteOf = (rows: readonly LabRow[], run: string): number[] =>
  rows.filter((row) => row.run === run).map((row) => Number(row.obsolete));

/** In how many periods before the last one run has fewer obsolete pages than another. */
function countFewer(rows: readonly LabRow[], one: string, other: string): number | undefined {
  const [a, b] = [obsoleteOf(rows, one), obsoleteOf(rows, other)];
  if (a.length === 0 || a.length !== b.length) return undefined;
  return a.slice(0, -1).filter((obsolete, at) => obsolete < (b[at] ?? 0)).length / (a.length - 1);
}

function lastRatio(rows: readonly LabRow[], one: string, other: string): number | undefined {
  const [a, b] = [obsoleteOf(rows, one).at(-1), obsoleteOf(rows, other).at(-1)];
  return a === undefined || b === undefined ? undefined : a / b;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean obsolete pages by those of another run. */
function meanRatio(rows: readonly LabRow[], one: string, other: string): number | undefined {
  const [a, b] = [obsoleteOf(rows, one), obsoleteOf(rows, other)];
  return a.length === 0 || a.length !== b.length ? undefined : mean(a) / mean(b);
}

/** How much the third quarter of a run has more than the second: the last is as in any cycle, driven down or left alone. */
function lateGrowth(rows: readonly LabRow[], run: string): number | undefined {
  const obsolete = obsoleteOf(rows, run);
  const quarter = Math.floor(obsolete.length / 4);
  if (quarter === 0) return undefined;
  return mean(obsolete.slice(2 * quarter, 3 * quarter)) / mean(obsolete.slice(quarter, 2 * quarter)) - 1;
}

const figure4 = "section 5.2, Figure 4";
const figure6 = "section 5.4, Figure 6";
const earlyPeriods =
  "Strategy 1 has the least sum over all periods, which is not the least in each: in periods 4 and 5 strategy 3, which weighs them " +
  "hardly at all, has a little less. Rates and first obsolete pages, on which the first periods depend, are not printed.";

/** Figures 4 to 6: how many pages are obsolete in each period. */
export const obsoleteExperiment: Experiment = defineExperiment({
  name: "cycle-obsolete",
  title: "Obsolete pages, period by period",
  paper: `${edwardsPaper}, sections 5.2 to 5.4, Figures 4 to 6, experiments 1 to 3`,
  about:
    "The plans of experiment `cycle`, period by period; and those of strategy 1 over twice as many periods, and with half the change " +
    "rates (version 3).",
  parameters: cycleParameters,
  columns: [
    { name: "run", meaning: "strategy and version; longer: of twice as many periods" },
    { name: "period", meaning: "t, from 1" },
    { name: "obsolete", meaning: "obsolete pages held at the end of the period" },
    { name: "waiting", meaning: "new pages that wait" },
    { name: "pages", meaning: "pages held" },
    { name: "fetched", meaning: "fetches of held pages" },
    { name: "new", meaning: "fetches of new pages" },
    { name: "price", meaning: "objective that one more unit of capacity would save" },
  ],
  published: [
    {
      name: "periods before the last in which strategy 1 has fewer obsolete pages than 3",
      where: figure4,
      theirs: "all",
      format: "percent",
      tolerance: asWorded(1, 1),
      ours: (rows) => countFewer(rows, "1-v1", "3-v1"),
      explanation: { expected: [0.75, 0.99], why: earlyPeriods },
    },
    {
      name: "periods before the last in which strategy 1 has fewer obsolete pages than 2",
      where: figure4,
      theirs: "all",
      format: "percent",
      tolerance: asWorded(1, 1),
      ours: (rows) => countFewer(rows, "1-v1", "2-v1"),
    },
    {
      name: "obsolete pages at the end, strategy 2 by strategy 1",
      where: figure4,
      theirs: "0.521",
      format: "number",
      tolerance: asRounded(0.521, 0.001),
      explanation: { expected: tenthAround(0.521), why: notPrinted },
      ours: (rows) => lastRatio(rows, "2-v1", "1-v1"),
    },
    {
      name: "obsolete pages at the end, strategy 3 by strategy 1",
      where: figure4,
      theirs: "0.552",
      format: "number",
      tolerance: asRounded(0.552, 0.001),
      explanation: { expected: tenthAround(0.552), why: notPrinted },
      ours: (rows) => lastRatio(rows, "3-v1", "1-v1"),
    },
    {
      name: "obsolete pages, strategy 1, version 2 by version 1",
      where: "section 5.3, Figure 5",
      theirs: "a larger number",
      format: "number",
      tolerance: asWorded(1, 10),
      ours: (rows) => meanRatio(rows, "1-v2", "1-v1"),
    },
    {
      name: "obsolete pages, strategy 3, version 2 by version 1",
      where: "section 5.3, Figure 5",
      theirs: "a larger number",
      format: "number",
      tolerance: asWorded(1, 10),
      ours: (rows) => meanRatio(rows, "3-v2", "3-v1"),
    },
    {
      name: "obsolete pages at half the rates",
      where: figure6,
      theirs: "approximately half",
      format: "number",
      tolerance: asRounded(0.5, 0.1),
      ours: (rows) => meanRatio(rows, "1-v3", "1-v1"),
    },
    {
      name: "growth from the second to the third quarter of 28 periods",
      where: figure6,
      theirs: "tending to stabilise",
      format: "percent",
      tolerance: asWorded(-near, near),
      ours: (rows) => lateGrowth(rows, "1-v1-longer"),
    },
    {
      name: "growth from the second to the third quarter of 28 periods, half the rates",
      where: figure6,
      theirs: "tending to stabilise",
      format: "percent",
      tolerance: asWorded(-near, near),
      ours: (rows) => lateGrowth(rows, "1-v3-longer"),
    },
  ],
  points: () => courses.map(({ point, length }) => ({ name: point, weight: length ** 2 })),
  run: ({ name }, values) => {
    const course = courses.find(({ point }) => point === name);
    if (course === undefined) return [];
    const periods = values.periods * course.length;
    const { plan } = planRun(course.run, { ...values, periods });
    return Array.from({ length: periods }, (_, t): LabRow => {
      const { obsolete, pages, fetched } = sumPeriod(plan, t + 1);
      return {
        run: name,
        period: t + 1,
        obsolete,
        waiting: plan.course.waiting[t] ?? 0,
        pages,
        fetched,
        new: plan.course.fetchedNew[t] ?? 0,
        price: plan.prices[t] ?? 0,
      };
    });
  },
  figures: (rows) => [
    drawCourses(rows, {
      name: "cycle-strategies",
      title: "Obsolete pages by strategy",
      caption: "Obsolete pages at the end of each period. Edwards et al., Figure 4; the last ones are in Table 3.",
      lines: strategyRuns.map(({ name, strategy }) => [name, `strategy ${strategy}`]),
      printed: [30.86, 16.09, 17.02],
    }),
    drawCourses(rows, {
      name: "cycle-versions",
      title: "Obsolete pages by version",
      caption:
        "The same with pages spread evenly over the change rates (version 1), and with more of the fastest and slowest (version 2). " +
        "Edwards et al., Figure 5; the last ones are in Table 4.",
      lines: tableRuns
        .filter(({ strategy }) => strategy !== 2)
        .map(({ name, strategy, version }) => [name, `strategy ${strategy}, version ${version}`]),
      printed: [30.86, 17.02, 35.34, 19.72],
    }),
    drawCourses(rows, {
      name: "cycle-trend",
      title: "Obsolete pages in long cycles",
      caption:
        "Strategy 1 over a cycle and over one of twice the periods, at all rates and at half of them. Edwards et al., Figure 6.",
      lines: courses
        .filter(({ run }) => trendRuns.includes(run) || run.name === "1-v1")
        .map(({ point, run, length }) => [point, `version ${run.version}${length > 1 ? ", twice the periods" : ""}`]),
      printed: [],
    }),
  ],
});

/** What a figure of courses shows. */
interface CourseFigure {
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  /** Runs, and what the legend calls them. */
  readonly lines: ReadonlyArray<readonly [run: string, name: string]>;
  /** What is obsolete at the end, in millions. */
  readonly printed: readonly number[];
}

function drawCourses(rows: readonly LabRow[], { name, title, caption, lines, printed }: CourseFigure): Figure {
  const marks = lines.map(([run, title]) => ({
    kind: "line" as const,
    of: "ours" as const,
    name: title,
    points: rows
      .filter((row) => row.run === run)
      .map((row) => ({ x: Number(row.period), y: Number(row.obsolete) / 1e6 })),
  }));
  const last = Math.max(...marks.flatMap(({ points }) => points.map(({ x }) => x)), 1);
  const ends = {
    kind: "dots" as const,
    of: "theirs" as const,
    name: "printed, at the end",
    points: printed.map((y) => ({ x: last, y })),
  };
  return {
    name,
    title,
    caption,
    x: { label: "Period", kind: "linear" },
    y: { label: "Obsolete pages, in millions", kind: "linear" },
    marks: printed.length > 0 ? [...marks, ends] : marks,
  };
}
