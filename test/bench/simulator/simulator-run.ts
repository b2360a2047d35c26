import { parseArgs } from "node:util";
import type { CrawlPlan } from "../../../lab/simulation/crawl-plan.ts";
import { simulateCrawl } from "../../../lab/simulation/simulate-crawl.ts";
import { generateWeb } from "../../../lab/webs/generated-web.ts";
import { orderNames } from "../../../src/crawler/engine/order/order-rule.ts";
import { computePageRank } from "../../../src/graph/page-rank.ts";
import { numbersFrom } from "../../lab/numbers.ts";

// One simulated crawl in a process of its own, so that its largest resident set is its own: `simulator.ts` reads what it prints.

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "10000" },
    sites: { type: "string", default: "150" },
    cap: { type: "string", default: "25000" },
    order: { type: "string", default: "length" },
    connections: { type: "string", default: "64" },
    bandwidth: { type: "string", default: "Infinity" },
  },
});

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const isOrder = (word: string): word is CrawlPlan["order"] => (orderNames as readonly string[]).includes(word);
const pages = Number(values.pages);
if (!isOrder(values.order)) throw new RangeError(`no order: ${values.order}`);
const begunMs = performance.now();
const random = numbersFrom(1);
const web = generateWeb({ pages, sites: Number(values.sites), siteCap: Number(values.cap) }, random);
const ranks =
  values.order === "optimal" ? Float32Array.from(computePageRank(web.graph, { tolerance: 1e-6 }).ranks) : undefined;
const [madeMs, madeCpu] = [performance.now(), cpuSeconds()];
const outcome = simulateCrawl(web, {
  order: values.order,
  connections: Number(values.connections),
  pagesPerTurn: 1,
  restSeconds: 15,
  bytesPerSecond: Number(values.bandwidth),
  batchPages: Math.ceil(pages / 35),
  random,
  ...(ranks !== undefined && { ranks }),
});
if (outcome.pages !== pages)
  throw new Error(`${outcome.pages} of ${pages} pages were retrieved: the simulator is wrong`);
process.stdout.write(
  `${JSON.stringify({
    links: web.graph.targets.length,
    webSeconds: (madeMs - begunMs) / 1000,
    crawlSeconds: (performance.now() - madeMs) / 1000,
    crawlCpuSeconds: cpuSeconds() - madeCpu,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    virtualHours: outcome.seconds / 3600,
  })}\n`,
);
