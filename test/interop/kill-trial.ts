import { parseArgs } from "node:util";
import { type KillReport, killCrawls, killExports } from "./kill.ts";
import { killSites } from "./kill-sites.ts";
import { killWatches } from "./kill-watch.ts";

/** The trial by `kill -9` at full length: `npm run kill -- --times 200 --seed 1 --pages 2000`. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      times: { type: "string", default: "200" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      pages: { type: "string", default: "2000" },
      only: { type: "string" },
      sites: { type: "string", default: "20" },
    },
  });
  const options = {
    times: Number(values.times),
    seed: Number(values.seed),
    pages: Number(values.pages),
    onProgress: (line: string) => process.stderr.write(`${line}\n`),
  };
  const trials = { export: killExports, crawl: killCrawls, watch: killWatches };
  for (const [name, trial] of Object.entries(trials)) {
    if (values.only !== undefined && values.only !== name) continue;
    process.stderr.write(`${name}: ${values.times} kills, ${values.pages} pages, seed ${values.seed}\n`);
    const report: KillReport = await trial(options);
    process.stdout.write(
      `${name}: killed ${report.killed} times within ${Math.round(report.withinMs)} ms, ${report.finished} ended before; ` +
        `${report.checks} times read whole, ${report.publications} publications; site, archives and mirror agree\n`,
    );
  }
  if (values.only !== undefined && values.only !== "sites") return;
  const startedMs = performance.now();
  const sites = Number(values.sites);
  const report = await killSites({ ...options, sites, withinMs: 1500, troubleEvery: 1500 });
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stdout.write(`sites: ${JSON.stringify({ sites, ...report, seconds })}\n`);
}

await main();
