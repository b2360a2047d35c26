import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { createRandom, type Random } from "../../src/core/random.ts";
import { minRate, noHistory, observe, rateOf } from "../../src/crawler/engine/revisit/change-rate.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { estimatorPaper } from "../experiment/papers.ts";
import { asGoal, type PublishedNumber } from "../experiment/published.ts";

/** X changes that were seen in n visits at equal intervals, as a rate: too low where pages change more often than that. */
export function naiveRate(visits: number, changes: number, intervalSeconds: number): number {
  return visits > 0 ? changes / (visits * intervalSeconds) : 0;
}

/** Changes whose instants are known, over the time that was seen: the likeliest rate, a little too high of few visits. */
export function datedRate(changes: number, quietSeconds: number): number {
  return quietSeconds > 0 ? changes / quietSeconds : 0;
}

/** What visits at equal intervals of a second saw: for each, the time from the last change to its end; undefined for none. */
type Visits = readonly (number | undefined)[];

/** An estimate of changes a second. */
type Estimator = (visits: Visits) => number;

const countChanges = (visits: Visits): number => visits.filter((age) => age !== undefined).length;

/** Dates of changes are whole seconds to a crawler: an interval is so long here. */
const intervalSeconds = 1e6;

function estimateByHistory(visits: Visits, isDated: boolean): number {
  let history = noHistory;
  for (const age of visits) {
    const lastModifiedAgeSeconds = isDated ? (age ?? 2) * intervalSeconds : undefined;
    history = observe(history, { intervalSeconds, changed: age !== undefined, lastModifiedAgeSeconds }, visits.length);
  }
  const rate = rateOf(history);
  // No change at all counts as the formula's 0, not as the lowest rate.
  return rate === minRate ? 0 : rate * intervalSeconds;
}

const estimators: Readonly<Record<string, Estimator>> = {
  naive: (visits) => naiveRate(visits.length, countChanges(visits), 1),
  corrected: (visits) => estimateByHistory(visits, false),
  dated: (visits) =>
    datedRate(
      countChanges(visits),
      visits.reduce<number>((sum, age) => sum + (age ?? 1), 0),
    ),
  "dated-corrected": (visits) => estimateByHistory(visits, true),
};

const titles: Readonly<Record<string, string>> = {
  naive: "changes seen by time",
  corrected: "corrected for changes not seen",
  dated: "by dates of changes",
  "dated-corrected": "by dates, corrected",
};

/** Mean ratio to the truth of 20 visits, by changes an interval. */
const expectedRatios: ReadonlyArray<readonly [estimator: string, ratios: readonly number[]]> = [
  ["naive", [0.953, 0.632, 0.317]],
  ["corrected", [1.002, 1.001, 0.95]],
  ["dated", [1.03, 1.035, 1.048]],
  ["dated-corrected", [1.003, 1.004, 1.005]],
];
const changeCounts = [0.1, 1, 3] as const;

/** At which rates points lie, those of {@link changeCounts} among them. */
const figureCounts = [0.1, 0.3, 1, 2, 3] as const;

function publishedRatio(estimator: string, changes: number, ratio: number): PublishedNumber {
  return {
    name: `mean ratio to the truth at ${changes} changes a visit, ${titles[estimator]}`,
    where: "estimators of 20 visits",
    theirs: String(ratio),
    format: "number",
    tolerance: asGoal(ratio - 0.02, ratio + 0.02),
    ours: (rows) => {
      const row = rows.find((one) => one.estimator === estimator && one.changes === changes && one.visits === 20);
      return row === undefined ? undefined : Number(row.ratio);
    },
  };
}

/** How far estimates of a change rate are off, in the mean. */
export const estimatorExperiment: Experiment = defineExperiment({
  name: "estimators",
  title: "Estimators of change rates",
  paper: estimatorPaper,
  about:
    "A page changes by chance and is visited at equal intervals; its rate is estimated from what the visits saw, with and without the " +
    "date of its last change. The mean over many pages, by the true rate, is 1 for an estimator without bias. The numbers beside ours are " +
    "expected values: (1 - e^-x) / x for changes seen by time, and means of a simulation by other code for the others.",
  parameters: {
    visits: { kind: "whole", default: 20, min: 2, max: 1000, meaning: "visits of a page" },
    pages: { kind: "whole", default: 20_000, min: 2, max: 1_000_000, meaning: "pages of each rate" },
  },
  columns: [
    { name: "changes", meaning: "expected changes between two visits" },
    { name: "visits", meaning: "visits of a page" },
    { name: "estimator", meaning: "how the rate is estimated" },
    { name: "ratio", meaning: "mean estimate by the true rate" },
    { name: "error", meaning: "standard error of that mean" },
    { name: "spread", meaning: "standard deviation of one estimate, by the true rate" },
  ],
  published: expectedRatios.flatMap(([estimator, ratios]) =>
    changeCounts.map((changes, at) => publishedRatio(estimator, changes, ratios[at] ?? 1)),
  ),
  points: () => figureCounts.map((changes) => ({ name: String(changes) })),
  run: ({ name }, { visits, pages }, { seed, onProgress }) => {
    const changes = Number(name);
    const random = createRandom(seed, "estimators", name);
    const sums = new Map(Object.keys(estimators).map((estimator) => [estimator, { sum: 0, squares: 0 }]));
    for (let page = 0; page < pages; page++) {
      const seen = visitPage(visits, changes, random);
      for (const [estimator, total] of sums) {
        const ratio = (estimators[estimator]?.(seen) ?? Number.NaN) / changes;
        total.sum += ratio;
        total.squares += ratio * ratio;
      }
      if (page % 1000 === 0) onProgress(page / pages);
    }
    return Array.from(sums, ([estimator, { sum, squares }]): LabRow => {
      const ratio = sum / pages;
      const spread = Math.sqrt(Math.max(0, squares / pages - ratio * ratio));
      return { changes, visits, estimator, ratio, error: spread / Math.sqrt(pages), spread };
    });
  },
  figures: (rows) => [drawRatios(rows)],
});

function visitPage(visits: number, changes: number, random: Random): Visits {
  return Array.from({ length: visits }, () => {
    // Looking back from the visit, the last change is as far as the next would be.
    const age = -Math.log1p(-random()) / changes;
    return age < 1 ? age : undefined;
  });
}

function drawRatios(rows: readonly LabRow[]): Figure {
  return {
    name: "estimators",
    title: "Bias of estimators",
    caption:
      "Mean estimate of a change rate by the true one, by how often a page changes between two visits, with error bars of 95 % confidence.",
    x: { label: "Changes between two visits", kind: "log", domain: [0.1, 3] },
    y: { label: "Estimate by truth", kind: "linear", domain: [0, 1.2] },
    marks: [
      ...Object.entries(titles).map(([estimator, title]) => ({
        kind: "line" as const,
        of: "ours" as const,
        name: title,
        points: rows
          .filter((row) => row.estimator === estimator)
          .map(({ changes, ratio, error }) => {
            const [y, reach] = [Number(ratio), 1.96 * Number(error)];
            return { x: Number(changes), y, range: [y - reach, y + reach] as const };
          }),
      })),
      { kind: "guide", of: "theirs", name: "the truth", axis: "y", at: 1 },
    ],
  };
}
