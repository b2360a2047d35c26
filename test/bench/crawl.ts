import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportDocroot } from "../interop/command.ts";
import { compareFiles } from "../interop/file-tree.ts";
import { createRandom } from "../interop/random.ts";
import { findFreePort, readVersion, startWebServer, type WebServer } from "../interop/web-server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark, log, medianOf } from "./benchmark.ts";
import { startDelayingProxy } from "./peers/delaying-proxy.ts";
import { type Downloader, downloaders } from "./peers/downloader.ts";
import { copyRealPages } from "./peers/real-pages.ts";

/** All that the packages have is pages here, whatever its type. */
const allFiles = ["--noindex-pages", "--include", "**", "--include", "**/{*,*.*}"];
const changesPerRound = 100;
const sampledUrls = 1000;

/** One run of one downloader. */
interface Measurement {
  readonly stage: string;
  readonly name: string;
  /** Pages that this run had to look after. */
  readonly pages: number;
  /** Pages of the site; where `pages` is less, the run was a sample. */
  readonly of: number;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** By the server's log. */
  readonly requests: number;
}

const columns = ["", "n", "wall s", "pages/s", "CPU s", "requests", "times ours"] as const;

function formatRow(cells: readonly string[]): string {
  return `${cells.map((cell, at) => (at === 0 ? cell.padEnd(34) : cell.padStart(10))).join(" ")}\n`;
}

/**
 * Writes a table with one part a stage and one row a downloader, medians of its runs.
 *
 * A sample's wall time stands as measured; the last column compares what it would be for the whole site, in
 * proportion. The first downloader of a stage is what the others are compared with.
 */
function formatMeasurements(measurements: readonly Measurement[]): string {
  let text = "";
  for (const stage of new Set(measurements.map((one) => one.stage))) {
    const inStage = measurements.filter((one) => one.stage === stage);
    const names = [...new Set(inStage.map((one) => one.name))];
    text += formatRow([stage, ...columns.slice(1)]);
    let ours: number | undefined;
    for (const name of names) {
      const runs = inStage.filter((one) => one.name === name);
      const pages = runs[0]?.pages ?? 0;
      const scale = (runs[0]?.of ?? pages) / pages;
      const wall = medianOf(runs.map((one) => one.wallSeconds));
      ours ??= wall;
      text += formatRow([
        `  ${name}`,
        `${pages}${scale > 1 ? "*" : ""}`,
        wall.toFixed(2),
        (pages / wall).toFixed(0),
        medianOf(runs.map((one) => one.cpuSeconds)).toFixed(2),
        medianOf(runs.map((one) => one.requests)).toFixed(0),
        `${((wall * scale) / ours).toFixed(2)}${scale > 1 ? "*" : ""}`,
      ]);
    }
    text += "\n";
  }
  if (measurements.some((one) => one.pages < one.of)) {
    text +=
      "* a sample of the URLs with as great a share of the changes; the last column is extrapolated to the site.\n";
  }
  return text;
}

/** What a race is about: a site, its copies, and what was measured. */
interface Race {
  readonly folder: string;
  readonly docroot: string;
  readonly url: string;
  readonly port: number;
  readonly paths: readonly string[];
  readonly measurements: Measurement[];
}

interface Lap {
  readonly race: Race;
  readonly server: WebServer;
  readonly stage: string;
  /** URLs that downloaders which need them are told; the copy must be equal there. */
  readonly told: readonly string[];
  /** Who begins. */
  readonly round: number;
  /** Number of the copies: none is removed before the end. */
  readonly copies: number;
}

async function changePages(race: Race, paths: readonly string[], round: string): Promise<void> {
  for (const path of paths) appendFileSync(join(race.docroot, path), `changed in round ${round}\n`);
  const { summary } = await exportDocroot(race.docroot, race.url, join(race.folder, "state"), ...allFiles);
  if (summary.updated !== paths.length) throw new Error(`${summary.updated} updated, not ${paths.length}`);
}

async function measure(lap: Lap, downloader: Downloader): Promise<void> {
  const { race, server, stage, told, copies } = lap;
  // ext4 gives out an inode again a minute after its file's removal, and searches past it until then.
  const folder = join(race.folder, `copies-${copies}`, downloader.name.replace(/\W+/g, "-"));
  const urlFile = join(race.folder, "urls");
  writeFileSync(urlFile, told.map((path) => `${race.url.slice(0, -1)}${path}\n`).join(""));
  const { wallSeconds, cpuSeconds } = await downloader.update({ url: race.url, urlFile }, folder);
  const requests = (await server.takeLog()).length;
  const paths = downloader.needsUrls ? told : race.paths;
  const differences = compareFiles(race.docroot, downloader.mirror(folder, race.port), paths);
  if (differences.length > 0) throw new Error(`${downloader.name}: ${differences.join("; ")}`);
  race.measurements.push({
    stage,
    name: downloader.name,
    pages: paths.length,
    of: race.paths.length,
    wallSeconds,
    cpuSeconds,
    requests,
  });
  log(`${stage}: ${downloader.name}: ${wallSeconds.toFixed(2)} s, ${requests} requests`);
}

async function runLap(lap: Lap): Promise<void> {
  for (let at = 0; at < downloaders.length; at++) {
    const downloader = downloaders[(at + lap.round) % downloaders.length];
    if (downloader !== undefined) await measure(lap, downloader);
  }
}

async function raceOnLoopback(race: Race, rounds: number): Promise<void> {
  await using server = await startWebServer("nginx", race.docroot, { port: race.port, gzip: false });
  const random = createRandom(11);
  for (let round = 0; round < rounds; round++) {
    await runLap({ race, server, stage: "first download", told: race.paths, round, copies: round });
    await changePages(race, random.sample(race.paths, changesPerRound), `${round}`);
    await runLap({ race, server, stage: "update", told: race.paths, round, copies: round });
  }
}

async function raceFarAway(race: Race, rounds: number, delayMs: number, isFull: boolean): Promise<void> {
  await using server = await startWebServer("nginx", race.docroot, { gzip: false });
  await using _proxy = await startDelayingProxy(server.port, delayMs, race.port);
  const random = createRandom(13);
  // A twentieth of the URLs, a twentieth of the changes.
  const told = isFull ? race.paths : random.sample(race.paths, sampledUrls);
  const others = race.paths.filter((path) => !told.includes(path));
  const changed = Math.round((changesPerRound * told.length) / race.paths.length);
  for (let round = 0; round < rounds; round++) {
    const paths = [...random.sample(told, changed), ...random.sample(others, changesPerRound - changed)];
    await changePages(race, paths, `far ${round}`);
    await runLap({ race, server, stage: `update, ${delayMs} ms each way`, told, round, copies: rounds - 1 });
  }
}

/** All copies must equal the site before a time counts. */
export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- crawl [--pages 20000] [--rounds 3] [--latency-ms 20] [--full]
Downloads real files from nginx on loopback, and updates them, in turn with wget and wget2; then once more with the server far away.
--full: also far away, wget and wget2 ask for every URL (a quarter of an hour a round), not for a sample of ${sampledUrls}.
`,
  options: { pages: 20_000, rounds: 3, "latency-ms": 20, full: false },
  run: async ({ pages, rounds, ...values }) => {
    using temp = makeTempFolder("bench-crawl");
    const docroot = join(temp.path, "docroot");
    mkdirSync(docroot);
    const copied = copyRealPages(docroot, pages);
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}/`;
    const { summary, events } = await exportDocroot(docroot, url, join(temp.path, "state"), ...allFiles);
    // A few names are of files that no site publishes, such as keys.
    const withheld = new Set(events.filter(({ event }) => event === "withheld").map(({ path }) => path));
    const paths = copied.filter((path) => !withheld.has(path));
    const race: Race = { folder: temp.path, docroot, url, port, paths, measurements: [] };
    if (summary.pages !== paths.length) throw new Error(`${summary.pages} pages are published, not ${paths.length}`);
    await raceOnLoopback(race, rounds);
    await raceFarAway(race, rounds, values["latency-ms"], values.full);
    const versions = [`Node ${process.version}`, ...["nginx", "wget", "wget2"].map(readVersion)].join("; ");
    process.stdout.write(
      `${paths.length} files of Debian documentation from nginx on loopback, without compression; ` +
        `${changesPerRound} of them change before each update.\n` +
        `Medians of ${rounds} rounds, in turn; all copies equal the site. ${versions}\n\n` +
        formatMeasurements(race.measurements),
    );
  },
});
