import { parseArgs } from "node:util";
import { type KillReport, killCrawls, killExports } from "./kill.ts";
import { killShares } from "./kill-shares.ts";
import { killSites } from "./kill-sites.ts";
import { killWatches } from "./kill-watch.ts";

const help = `npm run kill -- [--times 200] [--seed N] [--pages 2000] [--only export|crawl|watch|share|sites] [--sites 20]
Kills programs by kill -9 at random instants and starts them again, while their sites change and others read; at the end
site, archives and mirror must agree, and of "share" events and what is requested for them. --pages: of each site; of "sites", of all together.
`;

/** The trial by `kill -9` at full length. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: "boolean", default: false },
      times: { type: "string", default: "200" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      pages: { type: "string", default: "2000" },
      only: { type: "string" },
      sites: { type: "string", default: "20" },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const trials = { export: killExports, crawl: killCrawls, watch: killWatches, share: killShares };
  const names = [...Object.keys(trials), "sites"];
  if (values.only !== undefined && !names.includes(values.only))
    throw new Error(`--only must be one of ${names.join(", ")}, not ${values.only}`);
  const options = {
    times: Number(values.times),
    seed: Number(values.seed),
    pages: Number(values.pages),
    onProgress: (line: string) => process.stderr.write(`${line}\n`),
  };
  for (const [name, trial] of Object.entries(trials)) {
    if (values.only !== undefined && values.only !== name) continue;
    process.stderr.write(`${name}: ${values.times} kills, ${values.pages} pages, seed ${values.seed}\n`);
    const report: KillReport = await trial(options);
    process.stdout.write(
      `${name}: killed ${report.killed} times within ${Math.round(report.withinMs)} ms, ${report.finished} ended before; ` +
        `${report.checks} times read whole, ${report.publications} publications; all agree\n`,
    );
  }
  if (values.only !== undefined && values.only !== "sites") return;
  const startedMs = performance.now();
  const sites = Number(values.sites);
  const report = await killSites({ ...options, sites, withinMs: 1500, troubleEvery: 1500 });
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stdout.write(`sites: ${JSON.stringify({ sites, ...report, seconds })}\n`);
}

try {
  await main();
} catch (error) {
  // A mistyped option is no bug: one line says it.
  if ((error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS") !== true) throw error;
  process.stderr.write(`${(error as Error).message}\n${help}`);
  process.exitCode = 2;
}
