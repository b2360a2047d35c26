import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeTempFolder } from "../interop/temp-folder.ts";
import { readVersion, startWebServer, type WebServer } from "../interop/web-server.ts";
import { type MeteredCost, meterProcess } from "./peers/metered-process.ts";
import { raceWithKnownUrls } from "./race/known-urls.ts";
import { writeLinkedSite } from "./race/link-site.ts";
import { findRacers, folderOf, type Racer } from "./race/racers.ts";

interface Lap extends MeteredCost {
  readonly racer: Racer;
  readonly requests: number;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function runLap(racer: Racer, server: WebServer, folder: string, pages: number): Promise<Lap> {
  const into = folderOf(folder, racer);
  mkdirSync(into);
  const cost = meterProcess(racer.command(server.url, into), { cwd: into });
  const log = await server.takeLog();
  rmSync(into, { recursive: true, force: true });
  const found = new Set(log.filter(({ status }) => status === 200).map(({ uri }) => uri));
  // Some leave out what stands for the first page.
  if (found.size !== pages) throw new Error(`${racer.name} found ${found.size} pages, not ${pages}: ${cost.output}`);
  process.stderr.write(
    `${racer.name}, ${racer.connections}: ${cost.wallSeconds.toFixed(1)} s, CPU ${cost.cpuSeconds.toFixed(1)} s\n`,
  );
  return { ...cost, racer, requests: log.length };
}

function formatTable(racers: readonly Racer[], laps: readonly Lap[], pages: number): string {
  const lines = [
    "| | connections | keeps | pages/CPU s | pages/s | CPU s | wall s | peak MiB | requests |",
    "|---|---:|---|---:|---:|---:|---:|---:|---:|",
  ];
  for (const racer of racers) {
    const own = laps.filter((lap) => lap.racer === racer);
    const cpu = median(own.map((lap) => lap.cpuSeconds));
    const wall = median(own.map((lap) => lap.wallSeconds));
    const peak = Math.max(...own.map((lap) => lap.peakMiB));
    const cells = [
      ...[racer.name, racer.connections, racer.keeps, (pages / cpu).toFixed(0), (pages / wall).toFixed(0)],
      ...[cpu.toFixed(1), wall.toFixed(1), peak.toFixed(0), median(own.map((lap) => lap.requests))],
    ];
    lines.push(`| ${cells.join(" | ")} |`);
  }
  return `${lines.join("\n")}\n`;
}

// Ours at its best beside each kind's best.
function formatRatios(racers: readonly Racer[], laps: readonly Lap[]): string {
  const bestOf = (kind: Racer["kind"]): { name: string; cpuSeconds: number } | undefined =>
    racers
      .filter((racer) => racer.kind === kind)
      .map((racer) => ({
        name: racer.name,
        cpuSeconds: median(laps.filter((lap) => lap.racer === racer).map((lap) => lap.cpuSeconds)),
      }))
      .sort((a, b) => a.cpuSeconds - b.cpuSeconds)[0];
  const ours = bestOf("ours");
  if (ours === undefined) return "";
  return (["JavaScript", "Python", "compiled"] as const)
    .map((kind) => {
      const best = bestOf(kind);
      if (best === undefined) return "";
      const ratio = (best.cpuSeconds / ours.cpuSeconds).toFixed(2);
      return `Pages a CPU-second, ours to the fastest ${kind} one (${best.name}): ${ratio}\n`;
    })
    .join("");
}

/** What `--help` prints. */
export const help: string = `npm run bench -- race [--pages 50000] [--rounds 1] [--only WORD]
npm run bench -- race --known [--urls 100000,1000000,5000000] [--budget 1000]
--only: those whose name contains the word.
`;

/**
 * First crawls of a site by its links, from nginx on loopback, in turn with other crawlers; each must have got every
 * page, by the server's log. With `--known`: what a visit costs when ever more URLs are known.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: "string", default: "50000" },
      rounds: { type: "string", default: "1" },
      only: { type: "string", default: "" },
      known: { type: "boolean", default: false },
      urls: { type: "string", default: "100000,1000000,5000000" },
      budget: { type: "string", default: "1000" },
    },
  });
  if (values.known) {
    process.stdout.write(await raceWithKnownUrls(values.urls.split(",").map(Number), Number(values.budget)));
    return;
  }
  const [pages, rounds] = [Number(values.pages), Number(values.rounds)];
  const racers = findRacers().filter(({ name }) => name.toLowerCase().includes(values.only.toLowerCase()));
  using temp = makeTempFolder("bench-race");
  const docroot = join(temp.path, "docroot");
  mkdirSync(docroot);
  writeLinkedSite(docroot, pages);
  await using server = await startWebServer("nginx", docroot, { gzip: false });
  const laps: Lap[] = [];
  for (let round = 0; round < rounds; round++) {
    for (let at = 0; at < racers.length; at++) {
      const racer = racers[(at + round) % racers.length];
      if (racer !== undefined) laps.push(await runLap(racer, server, temp.path, pages));
    }
  }
  process.stdout.write(
    `${pages} pages of 5 KiB with 30 links each, from nginx on loopback; medians of ${rounds}. ` +
      `Node ${process.version}; ${readVersion("nginx")}\n\n${formatTable(racers, laps, pages)}\n${formatRatios(racers, laps)}`,
  );
}
