import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { BurstSite } from "../interop/burst.ts";
import { createRandom } from "../interop/random.ts";
import { runWatchBurst } from "../interop/watch-burst.ts";
import { WatchingExporter } from "../interop/watching-exporter.ts";
import { readVersion } from "../interop/web-server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark, log, medianOf } from "./benchmark.ts";

const settleMs = 1000;
const changesPerRound = 100;
const roundsPerSize = 7;
const burstMs = 4000;

/** What rounds of {@link changesPerRound} changes took on a site of one size, in order. */
interface RoundCosts {
  readonly pages: number;
  readonly folders: number;
  /** From the end of the settle time to the publication, as seen from outside. */
  readonly waitedMs: readonly number[];
  /** What the exporter says that it took. */
  readonly elapsedMs: readonly number[];
  readonly residentMiB: number;
  readonly watchesMs: number;
  readonly firstMs: number;
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`;

async function measureBurst(files: number, changes: number, seed: number): Promise<void> {
  const report = await runWatchBurst({
    files,
    changes,
    burstMs,
    seed,
    options: ["--settle", `${settleMs}ms`],
    onProgress: log,
  });
  process.stdout.write(
    [
      `${files} files in ${report.folders} folders; --settle ${settleMs} ms`,
      `  watches stand after              ${seconds(report.watchesMs)}`,
      `  first publication after          ${seconds(report.firstPublicationMs)}`,
      `  resident memory then             ${report.residentMiB} MiB`,
      `  ${changes} changes were made in    ${seconds(report.burstMs)}, ${report.visits} visits of a crawler`,
      `  last change to publication       ${seconds(report.delayMs)}`,
      `  resident memory after, peak      ${report.residentAfterMiB} MiB, ${report.peakMiB} MiB`,
      `  rounds                           ${report.rounds.join(", ")}`,
      `  warnings                         ${report.warnings.join(", ") || "none"}`,
      `  the mirror equals the site`,
      "",
      "",
    ].join("\n"),
  );
}

async function measureRounds(pages: number): Promise<RoundCosts> {
  using temp = makeTempFolder("bench-watch");
  const docroot = join(temp.path, "docroot");
  mkdirSync(docroot);
  const site = new BurstSite(docroot, createRandom(pages));
  site.make(pages);
  log(`made ${pages} files in ${site.folders} folders`);
  await using exporter = new WatchingExporter({
    docroot,
    url: "http://localhost/",
    state: join(temp.path, "state"),
    options: ["--settle", `${settleMs}ms`],
  });
  const stood = await exporter.next("the watches", ({ event }) => event.event === "watching");
  const first = await exporter.nextRound("the first publication");
  if (first.event.pages !== pages) throw new Error(`${first.event.pages} pages are published, not ${pages}`);
  const waitedMs: number[] = [];
  const elapsedMs: number[] = [];
  for (let round = 0; round < roundsPerSize; round++) {
    const published = exporter.nextRound("100 changes", ({ event }) => event.published === true);
    site.writeScattered(changesPerRound);
    const writtenMs = performance.now();
    const { event, atMs } = await published;
    if (event.updated !== changesPerRound)
      throw new Error(`${event.updated} pages were updated: ${exporter.describe()}`);
    waitedMs.push(atMs - writtenMs - settleMs);
    elapsedMs.push(Number(event.elapsedMs));
    log(`${pages} pages: ${seconds(waitedMs.at(-1) ?? 0)}, the exporter says ${seconds(elapsedMs.at(-1) ?? 0)}`);
  }
  const { residentMiB } = exporter;
  await exporter.stop();
  const watchesMs = stood.atMs - exporter.startedMs;
  const firstMs = first.atMs - exporter.startedMs;
  return { pages, folders: site.folders, waitedMs, elapsedMs, residentMiB, watchesMs, firstMs };
}

function formatRounds(costs: readonly RoundCosts[]): string {
  const head = ["pages", "folders", "watches s", "first s", "MiB", "waited s", "worst s", "export s"];
  const rows = costs.map(({ pages, folders, watchesMs, firstMs, residentMiB, waitedMs, elapsedMs }) => [
    String(pages),
    String(folders),
    (watchesMs / 1000).toFixed(2),
    (firstMs / 1000).toFixed(2),
    String(residentMiB),
    (medianOf(waitedMs) / 1000).toFixed(2),
    (Math.max(...waitedMs) / 1000).toFixed(2),
    (medianOf(elapsedMs) / 1000).toFixed(2),
  ]);
  return [head, ...rows].map((cells) => `${cells.map((cell) => cell.padStart(10)).join("")}\n`).join("");
}

export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- watch [--files 50000] [--changes 20000] [--rounds 1] [--large]
Watches a large site: a burst of changes while a crawler comes every second, whose mirror must then equal the site; and what
the publication of 100 changes takes on sites of different sizes. --large: also of a site of 1,000,000 pages.
`,
  options: { files: 50_000, changes: 20_000, rounds: 1, large: false },
  run: async ({ files, changes, rounds, large }) => {
    for (let round = 0; round < rounds; round++) {
      await measureBurst(files, changes, 17 + round);
    }
    const costs: RoundCosts[] = [];
    for (const pages of [10_000, 100_000, ...(large ? [1_000_000] : [])]) costs.push(await measureRounds(pages));
    process.stdout.write(
      `${changesPerRound} changes, each in a folder of its own; median and worst of ${roundsPerSize} rounds, from the ` +
        `end of the settle time.\n${formatRounds(costs)}\nNode ${process.version}; ${readVersion("nginx")}\n`,
    );
  },
});
