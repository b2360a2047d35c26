import { resolve } from "node:path";
import { type Figure, omitUndefined, wrapSystemError } from "../../core/index.ts";
import {
  type PlannerForecastOptions,
  type PlannerForecasts,
  type PlannerOutlook,
  readPlannerForecasts,
} from "../../crawler/index.ts";
import { writeTextFile } from "../../fs/index.ts";
import { drawFigure } from "../../report/index.ts";
import { printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatCount, formatNoun } from "../terminal/quantity.ts";
import { formatTable } from "../terminal/text-layout.ts";

/** What the command line says about a plan. */
interface PlanArguments extends PlannerForecastOptions {
  /** The file of the figure. */
  readonly figure?: string;
}

/** Budgets of a figure, as shares of the pages a day: from one in a thousand to twice each, in equal steps of the logarithm. */
const curveShares: readonly number[] = Array.from({ length: 34 }, (_, step) => 0.001 * 2000 ** (step / 33));

/** Tells what planners would do with a crawler's pages. */
export async function runPlan(options: PlanArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet } = context;
  const { figure, ...asked } = options;
  const progress = new ProgressLine(err, quiet);
  const onProgress = (pages: number): void => progress.show(() => `${formatCount(pages)} pages`);
  const curves = figure === undefined ? {} : { curveShares };
  const forecasts = await progress.during((async () => readPlannerForecasts({ ...asked, ...curves, onProgress }))());
  if (figure !== undefined) {
    const file = resolve(figure);
    try {
      await writeTextFile(file, await drawFigure(figureOf(forecasts)), { overwrite: true });
    } catch (error) {
      throw wrapSystemError(error, `write ${file}`, { file });
    }
  }
  const { planners, ...summary } = forecasts;
  if (json) for (const { curve: _, ...planner } of planners) out.writeJson({ event: "planner-forecast", ...planner });
  printSummary(context, { ...summary, ...omitUndefined({ figure }) }, () =>
    formatForecasts(forecasts, options.freshness),
  );
  return exitCodes.done;
}

/** Freshness against budget, a line for each planner. */
function figureOf({ sites, pages, planners, budgetPerDay }: PlannerForecasts): Figure {
  const of = sites.length === 1 ? (sites[0] ?? "") : `${sites.length} sites`;
  return {
    name: "plan",
    hasPublished: false,
    title: `Freshness of copies of ${of}, by requests`,
    caption: `Expected freshness of ${pages} pages in the long run, from the changes seen so far.`,
    x: { label: "requests a day, as a share of the pages", kind: "log", format: "percent", domain: [0.001, 2] },
    y: { label: "freshness", kind: "linear", format: "percent", domain: [0, 1] },
    marks: [
      ...planners.map(({ planner, curve }) => ({
        kind: "line" as const,
        of: "ours" as const,
        name: planner,
        points: curve.map((freshness, at) => ({ x: curveShares[at] ?? 0, y: freshness })),
      })),
      { kind: "guide", of: "ours", name: "the given budget", axis: "x", at: budgetPerDay / pages },
    ],
  };
}

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
function formatForecasts(forecasts: PlannerForecasts, freshness: number | undefined): string {
  const { sites, pages, polledPages, polls, changing, budgetPerDay, planners } = forecasts;
  const [least, most] = forecasts.assumedSecondsPerChange.map((seconds) => span(seconds)) as [string, string];
  const { daily, weekly, monthly } = changing;
  const share = (value: number): string => percent(value, 0);
  const head = ["planner", "fresh", "90 % range", "age", "a day", "never"];
  const parts = [
    `${sites.length === 1 ? sites[0] : formatNoun(sites.length, "site")}\n`,
    `${formatNoun(pages, "page")}, ${formatCount(polledPages)} with a history, of ${formatNoun(polls, "poll")} in all.\n`,
    `Assumed of a page before that: one change in ${least === most ? least : `${least} to ${most}`}, as if it had been seen once.\n`,
    ...(polls === 0 ? ["Nothing was observed yet: all numbers below follow from what is assumed.\n"] : []),
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
