import { simulateCrawl } from "../../../lab/simulation/simulate-crawl.ts";
import { generateWeb } from "../../../lab/webs/generated-web.ts";
import type { Web } from "../../../lab/webs/web.ts";
import { createRandom } from "../../../src/core/random.ts";
import { crawlWeb as crawlPages } from "../../../src/crawler/web/crawl-web.ts";
import { computePageRank } from "../../../src/graph/page-rank.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { GraphServers } from "./graph-servers.ts";

/** How large a web is crawled. */
export interface RealCrawlSize {
  readonly pages: number;
  readonly sites: number;
  readonly seed: number;
}

/** How far a crawl had come. */
export interface CrawlMoment {
  readonly seconds: number;
  /** Share of all pages that were retrieved, 0 to 1. */
  readonly pages: number;
  /** Share of all PageRank that these have, 0 to 1. */
  readonly rank: number;
}

/** Links of pages lead to home pages and those near them, as menus do: ranks are as unequal as in a real web. */
const shape = { linksPerPage: 8, homeShare: 0.2, depthSkew: 4 };
const pagesBeforeRest = 10;
const restSeconds = 3;
const connections = 16;
/** Share of all pages that the largest site has, unless sites are so few that it is less than twice their mean. */
const largestShare = 1 / 14;
const spare = { pagesBeforeRest, restMs: restSeconds * 1000, loopbackRests: true };

/** What a crawl came to, beside what could be. */
export interface RealCrawl {
  /** For each page that was retrieved, in their order. */
  readonly moments: readonly CrawlMoment[];
  /** The same web crawled in the order Length by the simulator. */
  readonly simulated: readonly CrawlMoment[];
  /** The most rank that any pages have that are so large a share of all. */
  mostRank(pages: number): number;
}

function simulate(web: Web, ranks: Float64Array, seed: number): CrawlMoment[] {
  const moments: CrawlMoment[] = [];
  let rank = 0;
  const page = (which: number, seconds: number): void => {
    rank += ranks[which] ?? 0;
    moments.push({ seconds, pages: (moments.length + 1) / web.pages, rank });
  };
  const plan = {
    ...{ order: "length" as const, connections, pagesPerTurn: pagesBeforeRest, restSeconds, batchPages: web.pages },
    ...{
      bytesPerSecond: Number.POSITIVE_INFINITY,
      ranks: Float32Array.from(ranks),
      random: createRandom(seed, "order"),
    },
  };
  simulateCrawl(web, plan, { page });
  return moments;
}

/**
 * Crawls a generated web by HTTP, as `tidemark crawl --web --order length` does: into mirrors, politely, all sites from their home
 * pages on.
 */
export async function crawlWeb({ pages, sites, seed }: RealCrawlSize): Promise<RealCrawl> {
  const siteCap = Math.ceil(pages * Math.max(largestShare, 2 / sites));
  const web = generateWeb({ pages, sites, siteCap, ...shape }, createRandom(seed, "web"));
  const { ranks } = computePageRank(web.graph, { tolerance: 1e-7 });
  await using servers = await GraphServers.open(web);
  using folder = makeTempFolder();
  const moments: CrawlMoment[] = [];
  let [count, rank] = [0, 0];
  const began = performance.now();
  await crawlPages({
    ...{ seeds: servers.origins.map((origin) => `${origin}/`), into: folder.path },
    ...{ order: "length", connections, ...spare },
    onEvent: (event) => {
      if (event.event !== "page" || event.outcome !== "created") return;
      const page = servers.pageOf(new URL(event.site).host, event.path);
      if (page === undefined) throw new TypeError(`${event.site}${event.path} is no page`);
      rank += ranks[page] ?? 0;
      count++;
      moments.push({ seconds: (performance.now() - began) / 1000, pages: count / pages, rank });
    },
  });
  const falling = ranks.toSorted((one, other) => other - one);
  const mostRank = (share: number): number =>
    falling.subarray(0, Math.round(share * pages)).reduce((sum, one) => sum + one, 0);
  return { moments, simulated: simulate(web, ranks, seed), mostRank };
}

/** The first moment at which so much of something was retrieved; undefined if it never was. */
export function momentOf(
  moments: readonly CrawlMoment[],
  what: "pages" | "seconds",
  least: number,
): CrawlMoment | undefined {
  return moments.find((moment) => moment[what] >= least - 1e-9);
}
