import { orderNames } from "../../src/crawler/engine/order/order-rule.ts";
import { computePageRank } from "../../src/graph/page-rank.ts";
import type { CrawlPlan } from "../simulation/crawl-plan.ts";
import { simulateCrawl } from "../simulation/simulate-crawl.ts";
import type { Web } from "../webs/web.ts";

/** How much of all rank was retrieved with a share of the pages. */
export interface RankStep {
  /** Of all pages, 0 to 1. */
  readonly pages: number;
  /** Of all rank, 0 to 1. */
  readonly rank: number;
  readonly hours: number;
}

const steps = 100;

/** One of the orders. */
export type OrderName = CrawlPlan["order"];

/** Whether a word is the name of an order. */
export function isOrderName(word: string): word is OrderName {
  return (orderNames as readonly string[]).includes(word);
}

/** A web with the rank of each page, which its crawlers are measured by. */
export class RankedWeb {
  readonly web: Web;
  readonly #ranks: Float64Array;

  constructor(web: Web) {
    this.web = web;
    this.#ranks = computePageRank(web.graph, { tolerance: 1e-7 }).ranks;
  }

  /** Rank of a home page, by that of a page, both in the mean. */
  homeRank(): number {
    let sum = 0;
    for (const home of this.web.homes) sum += this.#ranks[home] as number;
    return (sum / this.web.homes.length) * this.web.pages;
  }

  /** By page; all of them sum to 1. */
  get ranks(): Float64Array {
    return this.#ranks;
  }

  /** The most rank that any pages have that are so large a share of all. */
  mostRank(pages: number): number {
    const falling = this.#ranks.toSorted((one, other) => other - one);
    return falling.subarray(0, Math.round(pages * this.web.pages)).reduce((sum, rank) => sum + rank, 0);
  }

  /** Adds up the ranks of pages as they are retrieved, at each hundredth of all pages. */
  measure(onProgress: (share: number) => void = () => undefined): RankMeter {
    const { pages } = this.web;
    const found: RankStep[] = [];
    let [rank, count] = [0, 0];
    const page = (which: number, seconds: number): void => {
      rank += this.#ranks[which] as number;
      count++;
      while (count * steps >= (found.length + 1) * pages) {
        found.push({ pages: (found.length + 1) / steps, rank, hours: seconds / 3600 });
        onProgress(found.length / steps);
      }
    };
    return { page, steps: found };
  }

  /** Crawls it with the simulator. @returns the ranks retrieved at each hundredth of all pages */
  crawl(plan: Omit<CrawlPlan, "ranks">, onProgress?: (share: number) => void): RankStep[] {
    const meter = this.measure(onProgress);
    simulateCrawl(this.web, { ...plan, ranks: Float32Array.from(this.#ranks) }, { page: meter.page });
    return meter.steps;
  }
}

/** Is told of pages. */
interface RankMeter {
  readonly page: (which: number, seconds: number) => void;
  readonly steps: RankStep[];
}

/** By how much the first retrieves more rank than the second, in the mean over all shares of pages. */
export function meanLead(first: readonly RankStep[], second: readonly RankStep[]): number | undefined {
  if (first.length === 0 || first.length !== second.length) return undefined;
  return first.reduce((sum, step, at) => sum + step.rank - (second[at]?.rank ?? 0), 0) / first.length;
}

/** Differences of less are those of one web from another. */
const noticeable = 0.002;

/** The share of pages at which one of the others first has more than the first; 1 if none ever has. */
export function overtakenAt(first: readonly RankStep[], others: readonly (readonly RankStep[])[]): number | undefined {
  if (first.length === 0 || others.some((other) => other.length !== first.length)) return undefined;
  const step = first.find(({ rank }, at) => others.some((other) => (other[at]?.rank ?? 0) > rank + noticeable));
  return step?.pages ?? 1;
}
