import { formatTable } from "../../../src/cli/terminal/text-layout.ts";
import type { PollingResult } from "../../lab/polled-sites.ts";

/** What came of sites that one planner polled. */
export interface PlannerFigures {
  readonly planner: string;
  /** Of each site, in the same order for all planners. */
  readonly freshness: readonly number[];
  readonly requestsADay: number;
  readonly visits: number;
  readonly seconds: number;
}

/** What came of the sites of all histories. */
export function describeSites(
  planner: string,
  results: readonly PollingResult[],
  days: number,
  seconds: number,
): PlannerFigures {
  const sum = (pick: (result: PollingResult) => number): number =>
    results.reduce((total, result) => total + pick(result), 0);
  return {
    planner,
    freshness: results.flatMap(({ freshness }) => freshness),
    requestsADay: sum(({ pageRequests }) => pageRequests) / days,
    visits: sum(({ visits }) => visits),
    seconds,
  };
}

/** A mean, and half the length of its interval of 95 %. */
export function meanWithError(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const mean = values.reduce((total, value) => total + value, 0) / values.length;
  const squares = values.reduce((total, value) => total + (value - mean) ** 2, 0);
  return {
    mean,
    error: values.length < 2 ? Number.NaN : 1.96 * Math.sqrt(squares / (values.length - 1) / values.length),
  };
}

/** A line each: freshness, and by how much it is more than the first planner's at the same sites. */
export function formatPlanners(figures: readonly PlannerFigures[]): string {
  const [first] = figures;
  const share = ({ mean, error }: { readonly mean: number; readonly error: number }, sign = ""): string =>
    `${sign}${mean.toFixed(4)} ± ${error.toFixed(4)}`;
  const rows = figures.map(({ planner, freshness, requestsADay, visits, seconds }) => {
    const lead = meanWithError(freshness.map((value, site) => value - (first?.freshness[site] ?? 0)));
    const behind = planner === first?.planner ? "" : share(lead, lead.mean < 0 ? "" : "+");
    return [planner, share(meanWithError(freshness)), behind, requestsADay.toFixed(1), `${visits}`, seconds.toFixed(0)];
  });
  const head = ["planner", "freshness, 95 %", `less ${first?.planner ?? ""}`, "requests a day", "visits", "s"];
  return formatTable([head, ...rows], "lrrrrr");
}
