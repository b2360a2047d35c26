import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Deceit, deceits } from "../share/trust/liar.ts";
import { type PoisonedResult, runPoisoned } from "../share/trust/poisoned-crawlers.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";

const peers = 8;
const mostLoss = new Map([
  [1, 0.02],
  [3, 0.05],
  [5, 0.1],
]);

/** Which deceits so many liars use: each seed begins with another one. */
function chooseDeceits(liars: number, seed: number): Deceit[] {
  return Array.from({ length: liars }, (_, at) => deceits[(seed * 3 + at) % deceits.length] ?? "everything");
}

interface Totals {
  lost: number;
  strays: number;
  leastGapMs: number;
}

/** What peers that lie cost honest crawlers. */
export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- poisoning [--seeds N] [--liars N] [--sites N] [--pages N] [--days N]

Honest crawlers and liars share, ${peers} in all, with the crawler of production in virtual time and real files over HTTP. The
same run with the same liars that say nothing is the base. Fails if more freshness is lost than is allowed, if a page is
lost, or if a site is requested sooner than its rest allows.
`,
  options: { seeds: 5, "first-seed": 1, liars: 0, sites: 8, pages: 20, days: 4 },
  run: async ({ seeds, "first-seed": first, liars: only, sites, pages, days }) => {
    const counts = [...mostLoss.keys()].filter((count) => only === 0 || count === only);
    process.stdout.write(
      "| liars | seed | freshness without lies | with | loss | requests without | with | in quarantine |\n",
    );
    process.stdout.write("|---|---|---|---|---|---|---|---|\n");
    const totals: Totals = { lost: 0, strays: 0, leastGapMs: Number.POSITIVE_INFINITY };
    for (const liars of counts) {
      const losses: number[] = [];
      for (let seed = first; seed < first + seeds; seed++) {
        const size = { seed, honest: peers - liars, deceits: chooseDeceits(liars, seed), sites, pages, days };
        const run = async (isPoisoned: boolean): Promise<PoisonedResult> => {
          using folder = makeTempFolder();
          const into = join(folder.path, "run");
          mkdirSync(into);
          const result = await runPoisoned({ ...size, isPoisoned }, into);
          totals.lost += result.lost;
          totals.strays += result.strays;
          totals.leastGapMs = Math.min(totals.leastGapMs, result.leastGapMs);
          return result;
        };
        const [base, poisoned] = [await run(false), await run(true)];
        const loss = 1 - poisoned.freshness / base.freshness;
        losses.push(loss);
        const caught = poisoned.trust.slice(-liars).filter((peer) => peer?.isQuarantined).length;
        process.stdout.write(
          `| ${liars} | ${seed} | ${base.freshness.toFixed(3)} | ${poisoned.freshness.toFixed(3)} | ${(100 * loss).toFixed(1)} % | ` +
            `${base.requests} | ${poisoned.requests} | ${caught}: ${size.deceits.join(", ")} |\n`,
        );
      }
      const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
      process.stdout.write(`${liars} liars: mean loss ${(100 * mean).toFixed(1)} %\n`);
      if (mean > (mostLoss.get(liars) ?? 0)) process.exitCode = 1;
    }
    const { lost, strays, leastGapMs } = totals;
    process.stdout.write(
      `pages lost: ${lost}; requests elsewhere: ${strays}; least time between requests: ${leastGapMs} ms\n`,
    );
    if (lost + strays > 0 || leastGapMs < 15_000) process.exitCode = 1;
  },
});
