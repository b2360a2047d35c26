import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { dayOf, type SiteEvent } from "../../src/formats/web-events/index.ts";
import { DayFiles } from "../../src/share/day-files.ts";
import { EventArchives } from "../../src/share/event-archives.ts";
import type { MergeSummary } from "../../src/share/index.ts";
import { openStore } from "../../src/storage/index.ts";
import { findCli } from "../interop/command.ts";
import { startWebServer } from "../interop/web-server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";
import { meterProcess } from "./peers/metered-process.ts";

const crawler = "crawler.example:443 bench/1";
/** Yesterday: all of it is over, and merges ask for it. */
const day = dayOf(Math.floor(Date.now() / 1000)) - 1;
const now = day * 86_400 + 86_399;
const eventsPerSite = 500;

const originOf = (site: number): string => `https://www${site}.example.org`;
const pathOf = (page: number): string => `/articles/2026/${(page * 7919) % 100_003}/a-page-of-this-site.html`;

/** The event of a number: pages of a site change all over the day. */
function eventAt(number: number, hour: number | undefined): readonly [origin: string, event: SiteEvent] {
  const mixed = Math.imul(number + 1, 2_654_435_761) >>> 0;
  const seconds = hour === undefined ? mixed % 86_400 : hour * 3600 + (mixed % 3600);
  const polledAt = day * 86_400 + seconds;
  const event: SiteEvent = {
    kind: mixed % 20 === 0 ? "created" : mixed % 21 === 0 ? "deleted" : "updated",
    path: pathOf(number % eventsPerSite),
    sizeBytes: mixed % 90_000,
    modifiedAt: polledAt - (mixed % 100_000),
    polledAt,
    digest: Buffer.of(mixed, mixed >> 8, mixed >> 16, mixed >> 24, number)
      .toString("base64url")
      .slice(0, 6),
  };
  return [originOf(Math.floor(number / eventsPerSite)), event];
}

interface Published {
  readonly dayMs: number;
  readonly archivesMs: number;
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** Publishes events in both versions, as a share does. @param hour - undefined for a whole day */
async function publish(docroot: string, from: number, to: number, hour?: number): Promise<Published> {
  const repository = join(docroot, "share");
  const dayMs = await timed(async () => {
    const files = new DayFiles(repository, join(docroot, ".staging"));
    for (let at = from; at < to; at++) {
      const [origin, event] = eventAt(at, hour);
      files.add({ ...event, url: origin + event.path, crawler });
    }
    await files.publish({ checkedTo: 0, epoch: "0", number: to });
    files.forget();
  });
  const archivesMs = await timed(async () => {
    const at = hour === undefined ? now : day * 86_400 + hour * 3600 + 3599;
    await using archives = await EventArchives.open(repository, {
      crawler,
      epoch: "0123456789abcdef",
      now: at,
      days: 30,
    });
    for (let event = from; event < to; event++) archives.add(...eventAt(event, hour));
    const index = await archives.write();
    if (index !== undefined) writeFileSync(join(repository, "archives", "index.gz"), index);
  });
  return { dayMs, archivesMs };
}

function writeControl(docroot: string, url: string, version: 1 | 2): void {
  const archives = version === 1 ? "" : "x-tidemark-archives: /share/archives/index.gz\n";
  writeFileSync(
    join(docroot, "robots.shr"),
    `version: 1.0\ncrawler: ${crawler}\nrepository: ${url}share/\n${archives}`,
  );
}

/** A crawler of the first so many sites: it holds their pages, answered before or after the events; those that were created since it does not. */
function makeCrawler(into: string, sites: number, askedAt: number): void {
  mkdirSync(into, { recursive: true });
  const stateFile = join(into, ".tidemark", "state.db");
  openStore({ into, stateFile })[Symbol.dispose]();
  const state = new Database(stateFile);
  const addSite = state.prepare("INSERT INTO site (id, origin, mirror) VALUES (?, ?, ?)");
  const addUrl = state.prepare(
    "INSERT INTO url (site, path, state, size, digest, modified, media_type, asked) VALUES (?, ?, 'known', 1, 'abcdefghijk', 1, 'text/html', ?)",
  );
  const addChange = state.prepare("INSERT INTO seen_change (site, path, born, is_deleted, at) VALUES (?, ?, 0, 0, 1)");
  state.exec("BEGIN");
  for (let site = 0; site < sites; site++) {
    addSite.run(site + 1, originOf(site), `m${site}`);
    for (let page = 0; page < eventsPerSite; page++) {
      const [, event] = eventAt(site * eventsPerSite + page, undefined);
      if (event.kind === "created" && event.polledAt > askedAt) continue;
      addUrl.run(site + 1, pathOf(page), askedAt);
      addChange.run(site + 1, pathOf(page));
    }
  }
  state.exec("COMMIT");
  // As a crawler leaves it, which does so all the time; what is closed with much to do has a lock for a while.
  state.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  state.close();
}

interface Merged {
  readonly cpuMs: number;
  readonly peakMiB: number;
  readonly events: number;
  readonly bytes: number;
  readonly requests: number;
}

const limits = ["--days", "2", "--max-events", "1000000000", "--max-file", "65536"];

/** Merges as the command does, in a process of its own. */
async function merge(into: string, url: string): Promise<Merged> {
  const command = [process.execPath, findCli(), "merge", url, "--into", into, ...limits, "--json"];
  const { cpuSeconds, peakMiB, output } = await meterProcess(command);
  const summary = JSON.parse(output.trimEnd().split("\n").at(-1) ?? "") as MergeSummary;
  const [peer] = summary.peers;
  if (peer === undefined || peer.problem !== undefined) throw new Error(peer?.problem ?? "no peer");
  const { events, receivedBytes: bytes, requests } = peer;
  return { cpuMs: cpuSeconds * 1000, peakMiB, events, bytes, requests };
}

const millions = (events: number, ms: number): string => (events / ms / 1000).toFixed(2);
const seconds = (ms: number): string => (ms / 1000).toFixed(1);
const mib = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

/** A day's events, published at once and merged by crawlers that know none, all or half of their sites. */
async function measureDay(events: number): Promise<void> {
  using folder = makeTempFolder("bench");
  const docroot = join(folder.path, "docroot");
  mkdirSync(docroot);
  const { dayMs, archivesMs } = await publish(docroot, 0, events);
  const archives = folderBytes(join(docroot, "share", "archives"));
  const dayBytes = statSync(join(docroot, "share", `${dayOf(now)}.dat`)).size;
  process.stdout.write(
    `| ${events} events of a day | seconds | MiB on disk |\n|---|---:|---:|\n` +
      `| published as version 1 | ${seconds(dayMs)} | ${mib(dayBytes)} |\n` +
      `| published as version 2 | ${seconds(archivesMs)} | ${mib(archives)} |\n\n` +
      "| merged | version | MiB | CPU s | million events/s of a core | most MiB of memory |\n|---|---|---:|---:|---:|---:|\n",
  );
  await using server = await startWebServer("nginx", docroot, {
    snippet: "types { text/plain dat shr txt; }\ngzip on;\ngzip_types text/plain;\n",
  });
  const all = Math.ceil(events / eventsPerSite);
  const cases = [
    ["sites that are not crawled", 0, day * 86_400],
    ["one site in ten is crawled, its events are known", Math.ceil(all / 10), now],
    ["one site in ten is crawled, its events are news", Math.ceil(all / 10), day * 86_400 - 1],
    ["all sites are crawled, their events are known", all, now],
    ["all sites are crawled, their events are news", all, day * 86_400 - 1],
  ] as const;
  for (const [what, sites, askedAt] of cases)
    for (const version of [2, 1] as const) {
      const into = join(folder.path, "mirrors");
      makeCrawler(into, sites, askedAt);
      writeControl(docroot, server.url, version);
      const { cpuMs, peakMiB, bytes, events: merged } = await merge(into, server.url);
      if (merged !== events) throw new Error(`${merged} events were merged, not ${events}`);
      process.stdout.write(
        `| ${what} | ${version} | ${mib(bytes)} | ${seconds(cpuMs)} | ${millions(merged, cpuMs)} | ${peakMiB.toFixed(0)} |\n`,
      );
      rmSync(into, { recursive: true });
    }
}

function folderBytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** A day in which events are published and merged each hour: what the merges receive. */
async function measureHours(events: number): Promise<void> {
  process.stdout.write(
    "\n| a merge each hour of a day | version | requests | KiB | KiB a merge |\n|---|---|---:|---:|---:|\n",
  );
  for (const version of [1, 2] as const) {
    using folder = makeTempFolder("bench");
    const [docroot, into] = [join(folder.path, "docroot"), join(folder.path, "mirrors")];
    mkdirSync(docroot);
    makeCrawler(into, 1, now);
    await using server = await startWebServer("nginx", docroot, {
      snippet: "types { text/plain dat shr txt; }\ngzip on;\ngzip_types text/plain;\n",
    });
    writeControl(docroot, server.url, version);
    let [bytes, requests] = [0, 0];
    for (let hour = 0; hour < 24; hour++) {
      await publish(docroot, hour * events, (hour + 1) * events, hour);
      const merged = await merge(into, server.url);
      bytes += merged.bytes;
      requests += merged.requests;
    }
    const kib = (some: number): string => (some / 1024).toFixed(0);
    process.stdout.write(
      `| ${events} events an hour | ${version} | ${requests} | ${kib(bytes)} | ${kib(bytes / 24)} |\n`,
    );
  }
}

/** Prints tables as Markdown. */
export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- share [--events N] [--hourly N]
Events of other crawlers: a day of N published and merged in both versions of the protocol, by crawlers that know
none, some or all of their sites; and what a merge each hour receives if there are N events an hour. Served by nginx.
`,
  options: { events: 5_000_000, hourly: 5000 },
  run: async ({ events, hourly }) => {
    if (events > 0) await measureDay(events);
    if (hourly > 0) await measureHours(hourly);
  },
});
