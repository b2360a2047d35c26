import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { planOptimum } from "../../src/crawler/engine/revisit/optimum.ts";
import { expectedFreshness } from "../../src/crawler/engine/revisit/poll-index.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";
import { runTrial, type TrialResult, type TrialSite } from "./poll/polled-site.ts";
import { createAdaptive, createEstimating, createKnowing, createLearning, createRoundRobin } from "./poll/pollers.ts";
import { makePoissonSite, poissonRates, takeHistory } from "./poll/trial-sites.ts";
import { daySeconds, readHistory } from "./replay/history.ts";

const explanation = `Each poller may make the same number of requests a day, once a day; the pages of the first day are held.
Counted is the second half of the days. fresh: mean share of pages whose copy is as they are; age: mean days since a
copy became another than its page. useful: polls that found a change or a new page.
uniform: the page polled longest ago. adaptive: an interval that halves after a change and grows by half after none, 1
hour to 14 days, as StormCrawler's. index: the crawler's plan "index". learned: its own, "default". known rates: each page's mean over the trial, which no crawler can know.
`;

const defaultFiles = ["flink-web.tsv.gz", "nodejs-org.tsv.gz"];

function formatResult({ poller, freshness, ageDays, polls, useful }: TrialResult, days: number): string {
  const share = polls === 0 ? 0 : (100 * useful) / polls;
  return [
    `  ${poller.padEnd(28)}`,
    freshness.toFixed(4).padStart(7),
    ageDays.toFixed(2).padStart(9),
    (polls / days).toFixed(1).padStart(12),
    `${share.toFixed(1)} %`.padStart(9),
  ].join("");
}

function compare(site: TrialSite, days: number, everyDays: number): void {
  const live = site.pages.filter(({ bornAt, goneAt }) => bornAt <= site.until && goneAt > site.until).length;
  const budget = Math.max(1, Math.round(live / everyDays));
  const countFrom = Math.floor(days / 2);
  process.stdout.write(
    `\n${site.name}: ${live} pages at the end, ${days} days, ${budget} polls a day (1/${everyDays})\n`,
  );
  process.stdout.write(`  ${"".padEnd(28)}  fresh age, days polls a day   useful\n`);
  const pollers = [
    createRoundRobin(),
    createAdaptive(site),
    createEstimating(site, { dated: false }),
    createEstimating(site, { dated: true }),
    createLearning(site, { dated: false }),
    createLearning(site, { dated: true }),
    createKnowing(site),
  ];
  for (const poller of pollers) {
    process.stdout.write(`${formatResult(runTrial(site, poller, budget, countFrom), days - countFrom)}\n`);
  }
}

/** The best that polls at equal intervals can do on the made site, by the formula. */
function describeOptimum(count: number, everyDays: number): string {
  const rates = poissonRates(count);
  const { pollsPerSecond } = planOptimum(rates, new Float64Array(count).fill(1), count / everyDays / daySeconds);
  const sum = pollsPerSecond.reduce((total, polls, at) => total + expectedFreshness(rates[at] ?? 0, polls), 0);
  return `  ${"optimum, by formula".padEnd(28)}${(sum / count).toFixed(4).padStart(7)}\n`;
}

/** Compares ways to divide the same number of polls: on made Poisson pages, and on what happened at real sites. */
export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- poll [--days 730] [--pages 10000] [HISTORY...]
HISTORY: a gzip'd file of events, as for "replay". Default: those in ../shared/data that are there.
`,
  options: { days: 730, pages: 10_000 },
  run: async ({ days, pages }, histories) => {
    process.stdout.write(`Node ${process.version}\n${explanation}`);
    const made = makePoissonSite(pages, days, 1);
    compare(made, days, 30);
    process.stdout.write(describeOptimum(pages, 30));
    const files = defaultFiles
      .map((name) => join(repositoryFolder(), "../shared/data", name))
      .filter((file) => existsSync(file));
    for (const file of histories.length > 0 ? histories : files) {
      const site = takeHistory(await readHistory(file, basename(file)), days);
      const spanDays = Math.round((site.until - site.from) / daySeconds);
      for (const everyDays of [90, 30, 7]) compare(site, spanDays, everyDays);
    }
  },
});
