import type { PlannerForecasts, PlannerOutlook } from "../../crawler/index.ts";
import { formatCount, formatNoun } from "../terminal/quantity.ts";
import { formatTable } from "../terminal/text-layout.ts";

const daySeconds = 86_400;

function percent(share: number, digits = 1): string {
  return `${(100 * share).toFixed(digits)} %`;
}

function perDay(requests: number): string {
  return requests >= 100 ? formatCount(requests) : requests.toFixed(requests >= 10 ? 1 : 2);
}

/** `5 min`, `3.2 h`, `12.5 d`. */
function span(seconds: number): string {
  if (seconds < 3600) return `${(seconds / 60).toFixed(0)} min`;
  return seconds < daySeconds ? `${(seconds / 3600).toFixed(1)} h` : `${(seconds / daySeconds).toFixed(1)} d`;
}

function lineOf({
  planner,
  freshness,
  freshnessRange,
  ageSeconds,
  requestsPerDay,
  neverVisited,
}: PlannerOutlook): string[] {
  const [low, high] = freshnessRange;
  const range = `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}`;
  return [planner, percent(freshness), range, span(ageSeconds), perDay(requestsPerDay), formatCount(neverVisited)];
}

/** Forecasts for people, 80 columns wide. */
export function formatForecasts(forecasts: PlannerForecasts, freshness: number | undefined): string {
  const { sites, pages, polledPages, polls, changing, budgetPerDay, planners } = forecasts;
  const { daily, weekly, monthly } = changing;
  const share = (value: number): string => percent(value, 0);
  const head = ["planner", "fresh", "90 % range", "age", "a day", "never"];
  const parts = [
    `${sites.length === 1 ? sites[0] : formatNoun(sites.length, "site")}\n`,
    `${formatNoun(pages, "page")}, ${formatCount(polledPages)} with a history, of ${formatNoun(polls, "poll")} in all.\n`,
    `Of them ${share(daily)} change at least daily, ${share(weekly)} weekly, ${share(monthly)} monthly.\n`,
    `Budget: ${perDay(budgetPerDay)} requests a day, ${percent(budgetPerDay / pages)} of the pages.\n\n`,
    formatTable([head, ...planners.map(lineOf)], "lrrrrr"),
    "\nfresh: share of time in which copies equal the pages;\n90 % range: where that lies with a probability of 90 %, given the history;\n",
    "age: mean age of the copies of visited pages; a day: requests;\nnever: pages that are never requested.\n",
  ];
  if (freshness === undefined) return parts.join("");
  const needs = planners.map(({ planner, neededPerDay }) => {
    if (neededPerDay === null || neededPerDay === undefined) return [planner, "-", "-"];
    return [planner, perDay(neededPerDay), percent(neededPerDay / pages)];
  });
  parts.push(`\nFor ${percent(freshness)} fresh copies:\n\n`);
  parts.push(formatTable([["planner", "requests a day", "of the pages"], ...needs], "lrr"));
  if (needs.some(([, needed]) => needed === "-")) parts.push("\n-: no budget reaches it.\n");
  return parts.join("");
}
