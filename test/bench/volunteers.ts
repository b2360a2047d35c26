import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";
import { lies } from "./volunteers/liars.ts";
import { checks, runTrial } from "./volunteers/trial.ts";

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;

/** What volunteers who lie bring into the graph. */
export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- volunteers [--volunteers N] [--sites N] [--pages N] [--seed N]

Volunteers crawl a simulated web, 10 or 30 % of them liars; half of its pages change from answer to answer, by up to 30 % of their links. The
program's own checks stand beside none, and beside the links that two of two or three copies have. Fails if more than 3 % of the links that
reach the graph are false, or if an honest volunteer is barred.
`,
  options: { volunteers: 40, sites: 60, pages: 200, seed: 1 },
  run: async ({ volunteers, sites, pages, seed }) => {
    process.stdout.write(
      "| lie | liars | checks | false links | missing links | copies a unit | own pages | liars barred | honest barred |\n",
    );
    process.stdout.write("|---|---|---|---|---|---|---|---|---|\n");
    using folder = makeTempFolder();
    let worst = 0;
    let honest = 0;
    for (const lie of lies)
      for (const liarShare of [0.1, 0.3])
        for (const check of checks) {
          const into = join(folder.path, `${lie}-${liarShare}-${check}`);
          mkdirSync(into);
          const result = await runTrial(check, { volunteers, liarShare, lie, sites, pages, seed }, into);
          const barred = check === "layers" ? `${result.barredLiars} of ${Math.round(volunteers * liarShare)}` : "-";
          if (check === "layers") {
            worst = Math.max(worst, result.falseShare);
            honest += result.barredHonest;
          }
          process.stdout.write(
            `| ${lie} | ${percent(liarShare)} | ${check} | ${percent(result.falseShare)} | ${percent(result.missingShare)} | ${result.copiesPerUnit.toFixed(2)} | ${percent(result.ownShare)} | ${barred} | ${result.barredHonest} |\n`,
          );
        }
    if (worst > 0.03 || honest > 0) process.exitCode = 1;
  },
});
