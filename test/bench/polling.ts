import { join } from "node:path";
import type { HistoryEvent } from "../../lab/experiment/ports.ts";
import { readHistory } from "../../lab/program/lab-history.ts";
import { formatTable } from "../../src/cli/terminal/text-layout.ts";
import {
  isPollPlannerName,
  type PollPlannerName,
  pollPlannerNames,
} from "../../src/crawler/engine/revisit/poll-planners.ts";
import { type PollingResult, pollSites } from "../lab/polled-sites.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";

const histories = ["nodejs-org.tsv.gz", "flink-web.tsv.gz"];

function parsePlanners(text: string): readonly PollPlannerName[] {
  if (text === "all") return pollPlannerNames;
  const names = text.split(",");
  const known = names.filter(isPollPlannerName);
  if (known.length < names.length) throw new Error(`--planners: of ${text} there are ${pollPlannerNames.join(", ")}`);
  return known;
}

/** What came of sites that one planner polled. */
interface PlannerFigures {
  readonly planner: string;
  /** Of each site, in the same order for all planners. */
  readonly freshness: readonly number[];
  readonly requestsADay: number;
  readonly visits: number;
  readonly seconds: number;
}

/** What came of the sites of all histories. */
function describeSites(
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
function meanWithError(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const mean = values.reduce((total, value) => total + value, 0) / values.length;
  const squares = values.reduce((total, value) => total + (value - mean) ** 2, 0);
  return {
    mean,
    error: values.length < 2 ? Number.NaN : 1.96 * Math.sqrt(squares / (values.length - 1) / values.length),
  };
}

/** A line each: freshness, and by how much it is more than the first planner's at the same sites. */
function formatPlanners(figures: readonly PlannerFigures[]): string {
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

export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- polling [--sites N] [--days N] [--pages N] [--budget N] [--planners NAMES] [HISTORY...]
The loop of production polls N sites (100) that publish nothing, in virtual time, and change as real sites did: each of N pages (60),
for N days (240) of which the first third is not measured, with requests for a share (0.05) of its pages a day. Planners, such as
default,round-robin,nutch,stormcrawler or all, follow the same sites one after the other; an oracle knows how fresh their copies are.
`,
  options: { sites: 100, days: 240, pages: 60, budget: 0.05, seed: 1, planners: "default" },
  run: async ({ sites, days, pages, budget, seed, planners: named }, rest) => {
    const files = rest.length > 0 ? rest : histories.map((name) => join("..", "shared", "data", name));
    const planners = parsePlanners(named);
    const burnInDays = Math.round(days / 3);
    const size = { seed: seed, sites: Math.ceil(sites / files.length), days, pages, burnInDays };
    const webs: HistoryEvent[][] = [];
    for (const file of files) webs.push(await readHistory(file));
    const figures: PlannerFigures[] = [];
    for (const planner of planners) {
      const began = performance.now();
      const results: PollingResult[] = [];
      for (const events of webs) {
        using temp = makeTempFolder();
        results.push(await pollSites({ ...size, budget: budget, options: { planner } }, events, temp.path));
      }
      const seconds = (performance.now() - began) / 1000;
      figures.push(describeSites(planner, results, days, seconds));
      process.stderr.write(`${planner}: ${seconds.toFixed(0)} s\n`);
    }
    process.stdout.write(
      `${size.sites * files.length} sites, up to ${pages} pages each, ${days} days of which ${burnInDays} are not measured, budget ${budget} a day\n`,
    );
    process.stdout.write(formatPlanners(figures));
  },
});
