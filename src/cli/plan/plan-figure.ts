import type { Figure } from "../../core/index.ts";
import type { PlannerForecasts } from "../../crawler/index.ts";

/** Budgets of a figure, as shares of the pages a day: from one in a thousand to twice each, in equal steps of the logarithm. */
export const curveShares: readonly number[] = Array.from({ length: 34 }, (_, step) => 0.001 * 2000 ** (step / 33));

/** Freshness against budget, a line for each planner. */
export function figureOf({ sites, pages, planners, budgetPerDay }: PlannerForecasts): Figure {
  const of = sites.length === 1 ? (sites[0] ?? "") : `${sites.length} sites`;
  return {
    name: "plan",
    hasPublished: false,
    title: `How fresh copies of ${of} are, by what is asked for`,
    caption: `Expected freshness of ${pages} pages in the long run, by how they changed so far.`,
    x: { label: "requests a day, as a share of the pages", kind: "log", format: "percent", domain: [0.001, 2] },
    y: { label: "freshness", kind: "linear", format: "percent", domain: [0, 1] },
    marks: [
      ...planners.map(({ planner, curve }) => ({
        kind: "line" as const,
        of: "ours" as const,
        name: planner,
        points: curve.map((freshness, at) => ({ x: curveShares[at] ?? 0, y: freshness })),
      })),
      { kind: "guide", of: "ours", name: "the budget asked for", axis: "x", at: budgetPerDay / pages },
    ],
  };
}
