import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "../../src/core/random.ts";
import type { CrawlWebOptions } from "../../src/crawler/web/web-options.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";
import { CrawlParts } from "./web-crawl/crawl-part.ts";
import type { CrawlerLine } from "./web-crawl/crawler-process.ts";
import { compareHostile } from "./web-crawl/hostile-crawls.ts";
import { hostilities } from "./web-crawl/hostile-part.ts";
import { MadeSites } from "./web-crawl/made-sites.ts";
import { runCrawler, startServer } from "./web-crawl/processes.ts";
import { crawlDays, formatDay, formatDays } from "./web-crawl/revisit-days.ts";
import type { ServerReport } from "./web-crawl/server-process.ts";
import { measureSiteMemory } from "./web-crawl/site-memory.ts";

const seeds = 10;
/** Of larger Webs the ranks would take longer than all else. */
const mostRanked = 200_000;

/** How much of all PageRank the first pages have, as a share of what all requested pages have. */
function sharesOf(order: readonly number[], ranks: Float64Array): (part: number) => number {
  const sum = (pages: readonly number[]): number => pages.reduce((total, page) => total + (ranks[page] as number), 0);
  const all = sum(order);
  return (part) => sum(order.slice(0, Math.round(order.length * part))) / all;
}

function formatShares(made: MadeSites, { order }: ServerReport): string {
  const shares = sharesOf(order, made.ranks());
  return [0.1, 0.25, 0.5].map((part) => shares(part).toFixed(3)).join(", ");
}

/** Writes the ranks of all pages as a table. */
function writeRanks(made: MadeSites, port: number, file: string): void {
  const ranks = made.ranks();
  const rows = Array.from({ length: made.sites }, (_, site) =>
    Array.from({ length: made.sizeOf(site) }, (_, page) => {
      const url = `http://${made.hostOf(site)}:${port}${made.pathOf(page)}`;
      return `${url}\t${ranks[(made.firsts[site] as number) + page]}\n`;
    }).join(""),
  );
  writeFileSync(file, `name\tpagerank\n${rows.join("")}`);
}

export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- web-crawl [--sites N] [--pages N] [--kills N] [--order NAME] [--keep KIND] [--batch N] [--seed N] [--connections N] [--turn N]
                          [--rest MS] [--friendly]
A crawl of the Web from the home pages of ten sites: N sites (2000) with N pages (50000) by power laws, computed by a server of its own process,
with an address for nine sites of ten. Unless --friendly, of a hundred sites in the second half one is slow, one never answers, one is a trap of pages without end,
one forbids all by robots.txt, one has a broken one, one a Crawl-delay, two publish archives and one a sitemap, made by the exporter; and every tenth page links to
one that robots.txt disallows. Sites rest MS (0: not) after each turn. The crawler is killed with SIGKILL N times (0) on the way. The server says
which pages were requested, how often and in which order, and how often a rule of politeness was broken: the last row is [C] Figure 8 in three
points, of a Web of at most 200,000 pages. With --order optimal the ranks are those of the whole Web.
--hostile NAME crawls a small friendly Web, --rounds times (2) at the same time without and with a part that is hostile: ${hostilities.join(", ")}, or all;
it prints how soon the pages of the other sites were requested.
--days N [--capacity SHARE] crawls a Web whose pages change, a third of its sites with a sitemap, in virtual time, and goes on for N days once each page was requested: how
fresh its copies are then, beside those of a crawler that requests all pages in turn, as often. SHARE bounds the requests of all kinds a page and day (0: not bounded). Each two days it prints how fresh they were so far.
--memory N prints how much memory a site takes, of N that wait, and does nothing else.
`,
  options: {
    sites: 2000,
    pages: 50_000,
    kills: 0,
    order: "depth",
    keep: "metadata",
    batch: 50_000,
    seed: 1,
    connections: 64,
    turn: 10,
    rest: 0,
    friendly: false,
    memory: 0,
    hostile: "",
    rounds: 2,
    days: 0,
    capacity: 0,
  },
  run: async ({
    hostile,
    rounds,
    sites,
    pages,
    kills,
    order,
    keep,
    batch,
    seed,
    connections,
    turn,
    rest,
    friendly,
    memory,
    days,
    capacity,
  }) => {
    if (memory > 0) {
      process.stdout.write(`${(await measureSiteMemory(memory)).toFixed(0)} bytes of memory a site, of ${memory}\n`);
      return;
    }
    if (days > 0) {
      const onDays = (seen: Parameters<typeof formatDay>[0]): boolean => process.stderr.write(formatDay(seen));
      process.stdout.write(formatDays(await crawlDays({ sites, pages, days, seed, capacity, onDays })));
      return;
    }
    if (hostile !== "") {
      for (const kind of hostilities)
        if (hostile === kind || hostile === "all") process.stdout.write(await compareHostile(kind, rounds));
      return;
    }
    const shape = { sites, pages, seed, isFriendly: friendly };
    await using server = await startServer({
      ...shape,
      restMs: rest,
      pagesBeforeRest: turn,
      latencyMs: 0,
      hostility: undefined,
    });
    using temp = makeTempFolder("bench");
    const made = new MadeSites(sites, pages, seed, friendly);
    const into = join(temp.path, "web");
    const options = {
      into,
      seeds: Array.from({ length: Math.min(seeds, sites) }, (_, at) => `http://${made.hostOf(at)}:${server.port}/`),
      nameServers: [server.nameServer],
      allowPrivate: true,
      ...{ order, keep, connections, pagesBeforeRest: turn, batchPages: batch },
      ...{ timeoutMs: 3000, retryMs: 500, maxPages: 100_000, maxDepth: 40, loopbackRests: rest > 0, restMs: rest },
      ...(order === "batch"
        ? { maxDepth: undefined, maxPages: Math.max(...Array.from({ length: sites }, (_, at) => made.sizeOf(at))) + 20 }
        : {}),
    } as CrawlWebOptions;
    if (order === "optimal") {
      const ranksFile = join(temp.path, "ranks.tsv");
      writeRanks(made, server.port, ranksFile);
      Object.assign(options, { ranksFile });
    }
    const random = createRandom(seed);
    const begunAt = performance.now();
    const parts = new CrawlParts(into, made.pages);
    const starts: number[] = [];
    let cpuSeconds = 0;
    let rssBytes = 0;
    let last: CrawlerLine | undefined;
    for (let isEnded = false; !isEnded; ) {
      const goal = ((starts.length + 0.5 + random()) * made.pages) / (kills + 1);
      const killAt = starts.length < kills ? goal : Number.POSITIVE_INFINITY;
      const run = await runCrawler(options, (line) => {
        parts.take(line, cpuSeconds);
        return line.done >= killAt;
      });
      cpuSeconds += run.cpuSeconds;
      rssBytes = Math.max(rssBytes, run.rssBytes);
      last = run.last;
      isEnded = run.isEnded;
      starts.push(last?.firstPageMs ?? Number.NaN);
    }
    const seconds = (performance.now() - begunAt) / 1000;
    const report = await server.report();
    const all = report.requested + report.trapPages;
    const { busy, early, restless, disallowed } = report.broken;
    const rows: ReadonlyArray<readonly [string, string]> = [
      ["sites, pages", `${sites}, ${made.pages}`],
      ["order, keep", `${order}, ${keep}`],
      ["kills", String(starts.length - 1)],
      ["seconds from each start to the first page", starts.map((ms) => (ms / 1000).toFixed(1)).join(" ")],
      ["pages requested", String(report.requested)],
      ["pages of traps", String(report.trapPages)],
      ["pages missed", String(report.missed)],
      ["requests repeated", String(report.repeated)],
      ["requests to a busy address", String(busy)],
      ["requests before the Crawl-delay", String(early)],
      ["requests without a rest", rest > 0 ? String(restless) : "-"],
      ["requests that robots.txt disallows", String(disallowed)],
      ["requests for robots.txt", String(report.robots)],
      ["sites that the exporter published", String(report.exported)],
      ["sites given up", String(last?.unreachable ?? 0)],
      ["seconds", seconds.toFixed(1)],
      ["pages a second", (all / seconds).toFixed(0)],
      ["CPU seconds of the crawler", cpuSeconds.toFixed(1)],
      ["pages a CPU second", (all / cpuSeconds).toFixed(0)],
      ["most memory, MiB", (rssBytes / 2 ** 20).toFixed(0)],
      ["CPU seconds of the server", report.cpuSeconds.toFixed(1)],
      ["PageRank of the first 10, 25, 50 % of the pages", made.pages > mostRanked ? "-" : formatShares(made, report)],
    ];
    process.stdout.write(
      `Node ${process.version}\n${parts.format()}${rows.map(([name, value]) => `${name.padEnd(48)}${value}\n`).join("")}`,
    );
  },
});
