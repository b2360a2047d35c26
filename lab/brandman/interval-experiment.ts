import type { LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { brandmanPaper } from "../experiment/papers.ts";
import { asRounded } from "../experiment/published.ts";
import { drawIntervals, inputOf, intervalBars, intervalInputs } from "./change-intervals.ts";
import { barOfObserved, type ChangeProcess, changeProcesses, countObservedChanges } from "./observed-changes.ts";

const observed =
  (input: string, process: ChangeProcess, bar: number) =>
  (rows: readonly LabRow[]): number | undefined => {
    const name = intervalBars[bar]?.name;
    const row = rows.find((one) => one.input === input && one.changes === process && one.bar === name);
    return row === undefined ? undefined : Number(row.observed);
  };

const last = intervalBars.length - 1;
const processTitles: Readonly<Record<ChangeProcess, string>> = { regular: "regular", poisson: "random" };

/** Figure 2: what daily visits for four months say of how often pages change. */
export const intervalExperiment: Experiment = defineExperiment({
  name: "intervals",
  title: "Change intervals, as daily visits see them",
  paper: `${brandmanPaper}, section 4.1, Figure 2`,
  about:
    "Pages are drawn from histograms of true change intervals and visited daily for four months, as the 760,000 pages of " +
    "the paper were. What is observed is put into the paper's bars by the number of changes seen. It shows how far a " +
    "histogram that was observed may be taken for the truth.",
  parameters: {
    pages: { kind: "whole", default: 760_000, quick: 76_000, min: 1, max: 10_000_000, meaning: "pages drawn" },
    days: { kind: "whole", default: 120, min: 1, max: 10_000, meaning: "days of daily visits" },
    slowest: { kind: "number", default: 365, min: 120, max: 100_000, meaning: "longest change interval, in days" },
  },
  columns: [
    { name: "input", meaning: "histogram of true intervals" },
    { name: "changes", meaning: "regular: at equal intervals; poisson: at random" },
    { name: "bar", meaning: "bar of Figure 2" },
    { name: "given", meaning: "share of pages whose true interval lies in the bar, 0 to 1" },
    { name: "observed", meaning: "share that daily visits put there, 0 to 1" },
  ],
  published: [
    {
      name: "pages that changed at least once every day (regular changes)",
      where: "section 4.1, Figure 2",
      theirs: "around 23 %",
      format: "percent",
      tolerance: asRounded(0.23, 0.01),
      ours: observed("cho", "regular", 0),
    },
    {
      name: "pages that changed at least once every day (random changes)",
      where: "section 4.1, Figure 2",
      theirs: "around 23 %",
      format: "percent",
      tolerance: asRounded(0.23, 0.01),
      ours: observed("cho", "poisson", 0),
      explanation: {
        expected: [0, 0.001],
        why:
          "A page that changes at random once a day on average shows no change on 37 % of the days, so none is seen to change " +
          "on every day: pages of the first bar change far more often than daily, or regularly.",
      },
    },
    {
      name: "pages that change less than once every 4 months",
      where: "section 4.1, Figure 2",
      theirs: "more than 30 %",
      format: "percent",
      tolerance: { range: [0.295, 1], basis: "rounding" },
      ours: observed("cho", "regular", last),
      explanation: {
        expected: [0.19, 0.212],
        why:
          "Of pages that change once in 365 days a third is seen to change within 120 days, and counts as once every 4 months. " +
          "For 30 % to be observed the pages of the last bar must be slower: --param slowest=100000 meets it.",
      },
    },
  ],
  points: () =>
    intervalInputs.flatMap(({ name }) =>
      changeProcesses.map((process) => ({ name: `${name} ${process}`, weight: process === "poisson" ? 5 : 1 })),
    ),
  run: (point, { pages, days, slowest }, { seed, onProgress }) => {
    const [input = "", process = ""] = point.name.split(" ");
    const random = createRandom(seed, "intervals", point.name);
    const intervals = drawIntervals(inputOf(input), pages, slowest, random);
    const counts = intervalBars.map(() => 0);
    for (const [page, interval] of intervals.entries()) {
      const bar = barOfObserved(countObservedChanges(process as ChangeProcess, interval, days, random), days);
      counts[bar] = (counts[bar] ?? 0) + 1;
      if (page % 4096 === 0) onProgress(page / pages);
    }
    return intervalBars.map(({ name }, bar) => ({
      input,
      changes: process,
      bar: name,
      given: inputOf(input).shares[bar] ?? 0,
      observed: (counts[bar] ?? 0) / pages,
    }));
  },
  figures: (rows) => [
    {
      name: "intervals",
      title: "Change intervals, given and observed",
      caption:
        "Pages by their average change interval (270 sites, bar ends): the histogram that they were drawn from, and what daily " +
        "visits for four months make of it. Brandman et al., Figure 2; its text gives the first and the last bar.",
      x: { label: "Average change interval", kind: "names" },
      y: { label: "Pages", kind: "linear", format: "percent", domain: [0, 0.5] },
      marks: [
        {
          kind: "bars",
          of: "ours",
          name: "drawn from",
          points: rowsOf(rows, "regular").map((row) => ({ x: String(row.bar), y: Number(row.given) })),
        },
        ...changeProcesses.map((process) => ({
          kind: "bars" as const,
          of: "ours" as const,
          name: `observed, changes ${processTitles[process]}`,
          points: rowsOf(rows, process).map((row) => ({ x: String(row.bar), y: Number(row.observed) })),
        })),
        {
          kind: "dots",
          of: "theirs",
          name: "around 23 %, and more than 30 %",
          points: [
            { x: intervalBars[0]?.name ?? "", y: 0.23 },
            { x: intervalBars[last]?.name ?? "", y: 0.3 },
          ],
        },
      ],
    },
  ],
});

function rowsOf(rows: readonly LabRow[], process: ChangeProcess): LabRow[] {
  return rows.filter((row) => row.input === "cho" && row.changes === process);
}
