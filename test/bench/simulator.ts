import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { CrawlPlan } from "../../lab/simulation/crawl-plan.ts";
import { simulateCrawl } from "../../lab/simulation/simulate-crawl.ts";
import { generateWeb } from "../../lab/webs/generated-web.ts";
import { crawlNaively } from "../lab/naive-crawl.ts";
import { numbersFrom } from "../lab/numbers.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";

/** What `simulator-run.ts` prints of a crawl. */
interface Cost {
  readonly links: number;
  readonly webSeconds: number;
  readonly crawlSeconds: number;
  readonly crawlCpuSeconds: number;
  readonly peakMiB: number;
  readonly virtualHours: number;
}

const pagesPerSite = 70;
const naivePages = 3000;

/** Both retrieve the same pages at the same times, or the speed of neither means anything. @returns pages a second of the naive one */
function agree(): number {
  const web = generateWeb({ pages: naivePages, sites: 50 }, numbersFrom(1));
  const plan: CrawlPlan = {
    order: "length",
    connections: 64,
    pagesPerTurn: 1,
    restSeconds: 15,
    bytesPerSecond: 50_000,
    batchPages: 100,
  };
  const begunMs = performance.now();
  const naive = new Map(crawlNaively(web, plan).map(({ page, at }) => [page, at]));
  const seconds = (performance.now() - begunMs) / 1000;
  simulateCrawl(web, plan, {
    page(page, at) {
      const expected = naive.get(page);
      if (expected === undefined || Math.abs(expected - at) > 1e-3 * (1 + at))
        throw new Error(`page ${page} at ${at}, not at ${expected}: the simulator is wrong`);
    },
  });
  return naivePages / seconds;
}

function simulate(pages: number, order: string, connections: number, bandwidth: number): Cost {
  const program = fileURLToPath(new URL("./simulator/simulator-run.js", import.meta.url));
  const sites = Math.ceil(pages / pagesPerSite);
  // A small web has no site of 25,000 pages: none has more than a twentieth of it.
  const cap = Math.max(pagesPerSite * 2, Math.min(25_000, Math.ceil(pages / 20)));
  const given = { pages, sites, cap, order, connections, bandwidth };
  const args = Object.entries(given).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const run = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(`the simulator failed: ${run.stderr}`);
  return JSON.parse(run.stdout) as Cost;
}

/** Simulated crawls of generated webs, 70 pages a site and at most 25,000: 3.5 million pages are the web of Castillo et al. */
export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- simulator [--pages 10000,100000,1000000,3500000,10000000] [--order length] [--connections 64]
  [--bandwidth Infinity]
--order: depth, length, batch, partial, optimal or random. --bandwidth: bytes a second of the crawler's link.
`,
  options: {
    ...{ pages: "10000,100000,1000000,3500000,10000000", order: "length", connections: 64 },
    bandwidth: Number.POSITIVE_INFINITY,
  },
  run: async ({ pages: sizes, order, connections, bandwidth }) => {
    process.stdout.write(
      `order ${order}, r = ${connections}, k = 1, w = 15 s, ${bandwidth} bytes a second; one round; Node ${process.version}\n\n` +
        "| pages | sites | links | web, s | crawl, s | crawl, CPU s | pages/CPU s | peak MiB | virtual hours |\n" +
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    process.stdout.write(`| naive: ${naivePages} | 50 | | | | | ${agree().toFixed(0)} | | |\n`);
    for (const pages of sizes.split(",").map(Number)) {
      const cost = simulate(pages, order, connections, bandwidth);
      const cells = [
        ...[
          pages,
          Math.ceil(pages / pagesPerSite),
          cost.links,
          cost.webSeconds.toFixed(1),
          cost.crawlSeconds.toFixed(1),
        ],
        ...[cost.crawlCpuSeconds.toFixed(1), (pages / cost.crawlCpuSeconds).toFixed(0), cost.peakMiB.toFixed(0)],
        cost.virtualHours.toFixed(0),
      ];
      process.stdout.write(`| ${cells.join(" | ")} |\n`);
    }
  },
});
