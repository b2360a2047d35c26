import { join } from "node:path";
import type { CrawlWebOptions } from "../../../src/crawler/web/web-options.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { medianOf } from "../benchmark.ts";
import type { Hostility } from "./hostile-part.ts";
import { MadeSites } from "./made-sites.ts";
import { type Run, runCrawler, startServer } from "./processes.ts";
import type { ServerReport } from "./server-process.ts";

const sites = 300;
const pages = 1000;
const seed = 1;
/** Of each answer, so that not the machine decides how fast the crawl is. */
const latencyMs = 1000;
const restMs = 2000;
const pagesBeforeRest = 10;

interface Crawl {
  readonly report: ServerReport;
  readonly run: Run;
}

/** Crawls until all pages of the sites that are not hostile were requested. @param kind - of what lies in it, and is bait or not */
async function crawl(kind: Hostility, isHostile: boolean): Promise<Crawl> {
  const made = new MadeSites(sites, pages, seed, true);
  const hostility = isHostile ? kind : undefined;
  const shape = { sites, pages, seed, isFriendly: true, restMs, pagesBeforeRest, latencyMs, hostility };
  await using server = await startServer(shape);
  using temp = makeTempFolder("bench");
  // Seeds alone may have private addresses, where hosts with private ones are to be refused.
  const isPrivate = kind === "private";
  const seeds = Array.from({ length: isPrivate ? sites : 1 }, (_, at) => `http://${made.hostOf(at)}:${server.port}/`);
  if (isPrivate && isHostile) seeds.push(`http://hub.test:${server.port}/`);
  const options: CrawlWebOptions = {
    ...{ into: join(temp.path, "web"), seeds, nameServers: [server.nameServer], allowPrivate: !isPrivate },
    ...{ keep: "metadata", pagesBeforeRest, restMs, loopbackRests: true },
  };
  const run = await runCrawler(options, async () => (await server.report()).missed === 0);
  return { report: await server.report(), run };
}

/** Compares how soon the pages of sites are requested without and with something hostile beside them. @returns lines of text */
export async function compareHostile(kind: Hostility, rounds: number): Promise<string> {
  const without: Crawl[] = [];
  const beside: Crawl[] = [];
  for (let round = 0; round < rounds; round++) {
    // At the same time, so that what else the machine does slows both alike.
    const [one, other] = await Promise.all([crawl(kind, false), crawl(kind, true)]);
    without.push(one);
    beside.push(other);
  }
  const [mean, last] = (["meanSeconds", "lastSeconds"] as const).map((of) => {
    const before = medianOf(without.map(({ report }) => report[of]));
    const after = medianOf(beside.map(({ report }) => report[of]));
    const each = without.map(({ report }, at) => 100 * ((beside[at]?.report[of] ?? 0) / report[of] - 1));
    return `${before.toFixed(2)} s, with it ${after.toFixed(2)} s (${each.map((part) => part.toFixed(1)).join(", ")} %)`;
  });
  const { report, run } = beside.at(-1) as Crawl;
  const [before, after] = [without, beside].map((crawls) => {
    const lines = crawls.flatMap(({ run: { last } }) => last ?? []);
    return (["p99LateMs", "latestMs"] as const).map((of) => Math.max(...lines.map((line) => line[of])).toFixed(0));
  });
  const { busy, restless, disallowed } = report.broken;
  const held = Object.entries(run.last?.heldBack ?? {}).map(([reason, count]) => `${reason} ${count}`);
  return `${kind}
  mean page    ${mean}
  last page    ${last}
  event loop   99 % at most ${before?.join(" ms late, all ")} ms, with it ${after?.join(" ms, all ")} ms
  hostile      ${report.hostile} requests, ${report.hostileNames} questions for names
  crawler      ${run.last?.sites} sites, ${run.last?.unresolved} without an address, ${run.last?.unreachable} unreachable, ${run.last?.waiting} waiting, ${run.cpuSeconds.toFixed(0)} CPU s, ${(run.rssBytes / 2 ** 20).toFixed(0)} MiB
  held back    ${held.join(", ") || "nothing"}
  broken rules ${busy + restless + disallowed}, pages missed ${report.missed}, repeated ${report.repeated}
`;
}
