import type { LabRow } from "../../src/core/lab-result.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { brandmanPaper } from "../experiment/papers.ts";
import { asRounded } from "../experiment/published.ts";
import { inputOf, intervalInputs } from "./change-intervals.ts";
import { bandwidthFor, measureFreshness } from "./freshness-levels.ts";
import { freshnessParameters } from "./freshness-parameters.ts";

const stepsOfFreshness = 50;

/** From nothing to everything; for few fresh copies meta-data may cost more than it saves, and then from there, in tenths. */
function savedAxis(rows: readonly LabRow[]): readonly [number, number] {
  const least = rows.reduce((low, { saved }) => Math.min(low, Number(saved)), 0);
  return [Math.floor(least * 10) / 10, 1];
}

/** Figure 6 (c): how much bandwidth meta-data saves for a freshness that is wanted. */
export const savingsExperiment: Experiment = defineExperiment({
  name: "savings",
  title: "Bandwidth saved for a freshness",
  paper: `${brandmanPaper}, section 6, Figure 6 (c)`,
  about:
    "The crawlers of the experiment `freshness`, asked the other way round: which bandwidth keeps a share of the copies fresh. " +
    "Between two levels of bandwidth freshness is taken to rise in a straight line. Copies that stay fresh without any " +
    "download have no row.",
  parameters: freshnessParameters,
  columns: [
    { name: "input", meaning: "histogram that the pages are drawn from" },
    { name: "freshness", meaning: "share of fresh copies that is wanted, 0 to 1" },
    { name: "conventional", meaning: "bandwidth that it takes without meta-data, pages a day by all pages" },
    { name: "metadata", meaning: "bandwidth that it takes with meta-data" },
    { name: "saved", meaning: "share of bandwidth that meta-data saves" },
  ],
  published: intervalInputs.map(({ name, title }) => ({
    name: `bandwidth saved at 80 % freshness (${title})`,
    where: "section 6, Figure 6 (c)",
    theirs: "62 %",
    format: "percent",
    tolerance: asRounded(0.62, 0.01, 0.0065),
    ours: (rows) => {
      const row = rows.find((one) => one.input === name && one.freshness === 0.8);
      return row === undefined ? undefined : Number(row.saved);
    },
    explanation: {
      expected: [0.59, 0.69],
      why:
        "What is saved depends on how many pages change how often, and the paper's pages are gone: the three histograms that stand for " +
        "them save 60 to 68 %.",
    },
  })),
  points: () => intervalInputs.map(({ name }) => ({ name })),
  run: ({ name }, values, { seed, onProgress }) => {
    const levels = measureFreshness(inputOf(name), values, seed, onProgress);
    const rows: LabRow[] = [];
    for (let step = 1; step <= stepsOfFreshness; step++) {
      const freshness = step / stepsOfFreshness;
      const conventional = bandwidthFor(levels, "conventional", freshness);
      const metadata = bandwidthFor(levels, "metadata", freshness);
      if (conventional === undefined || metadata === undefined || conventional === 0) continue;
      rows.push({ input: name, freshness, conventional, metadata, saved: 1 - metadata / conventional });
    }
    return rows;
  },
  figures: (rows) => [
    {
      name: "savings",
      title: "Bandwidth that meta-data saves",
      caption:
        "Share of the bandwidth that is saved, by the freshness that is wanted. Brandman et al., Figure 6 (c): 62 % at 80 % freshness.",
      x: { label: "Wanted fresh copies", kind: "linear", format: "percent" },
      y: { label: "Bandwidth saved", kind: "linear", format: "percent", domain: savedAxis(rows) },
      marks: [
        ...intervalInputs.map(({ name, title }) => ({
          kind: "line" as const,
          of: "ours" as const,
          name: title,
          points: rows
            .filter((row) => row.input === name)
            .map((row) => ({ x: Number(row.freshness), y: Number(row.saved) })),
        })),
        { kind: "dots", of: "theirs", name: "62 % at 80 % freshness", points: [{ x: 0.8, y: 0.62 }] },
      ],
    },
  ],
});
