import { followMonth } from "../lab/month.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";

export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- month [--sites N] [--days N] [--seed N]
The loop of production follows N sites (1000) in virtual time for N days (30): how long that takes, and what it came to.
`,
  options: { sites: 1000, days: 30, seed: 1 },
  run: async ({ sites, days, seed }) => {
    using temp = makeTempFolder();
    const began = performance.now();
    const before = process.cpuUsage();
    const { visits, requests, summary, kinds } = await followMonth({ sites, days, seed }, temp.path);
    const { user, system } = process.cpuUsage(before);
    const seconds = (performance.now() - began) / 1000;
    process.stdout.write(
      `${sites} sites, ${days} days: ${visits.length} visits (${summary.failedVisits} failed), ${requests.length} requests\n` +
        `${seconds.toFixed(1)} s, of a processor ${((user + system) / 1e6).toFixed(1)} s, memory ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB\n`,
    );
    for (const [kind, result] of kinds)
      process.stdout.write(
        `${kind.padEnd(9)} ${result.visits} visits, ${result.requests} requests (${result.needless} needless), freshness ${result.freshness.toFixed(4)}\n`,
      );
  },
});
