import { CrawlOrder } from "../../src/crawler/engine/order/crawl-order.ts";
import type { OrderRule } from "../../src/crawler/engine/order/order-rule.ts";
import { KnownRanks } from "../../src/graph/known-ranks.ts";
import type { Web } from "../webs/web.ts";
import type { CrawlPlan } from "./crawl-plan.ts";

/** Of ranks that decide an order no more is asked: all of them together are within a thousandth of the limit. */
const rankTolerance = 1e-4;

/** What a simulated crawler knows of a web: the pages it has heard of, in the order of its plan. */
export class KnownWeb {
  readonly order: CrawlOrder;
  readonly #web: Web;
  readonly #isKnown: Uint8Array;
  readonly #depths: Uint16Array;
  readonly #ranks: KnownRanks | undefined;
  readonly #isPartial: boolean;

  constructor(web: Web, plan: CrawlPlan) {
    this.#web = web;
    this.#isKnown = new Uint8Array(web.pages);
    this.#depths = new Uint16Array(web.pages);
    const isRanked = plan.order === "batch" || plan.order === "partial";
    this.#ranks = isRanked ? new KnownRanks(web.graph, { tolerance: rankTolerance }) : undefined;
    this.#isPartial = plan.order === "partial";
    this.order = new CrawlOrder(
      ruleOf(plan, () => this.#computeRanks()),
      {
        connections: plan.connections,
        pagesPerTurn: plan.pagesPerTurn,
        restMs: plan.restSeconds * 1000,
      },
    );
    this.order.reserve(web.pages, web.sites);
    for (const home of web.homes) {
      // All home pages have the same rank at first.
      this.#ranks?.hear(home, 1 / web.homes.length);
      this.#hear(home, 0);
      if (this.#isPartial) this.order.raise(home, 1 / web.homes.length);
    }
  }

  /** A page was retrieved: now it is known what it leads to. O(its links) */
  learn(page: number): void {
    const { offsets, targets } = this.#web.graph;
    const end = offsets[page + 1] as number;
    const depth = Math.min((this.#depths[page] as number) + 1, 65_535);
    const share = this.#ranks?.fetch(page) ?? 0;
    for (let at = offsets[page] as number; at < end; at++) {
      const target = targets[at] as number;
      if (this.#isKnown[target] === 0) this.#hear(target, depth);
      if (this.#isPartial) this.order.raise(target, share);
    }
  }

  #hear(page: number, depth: number): void {
    this.#isKnown[page] = 1;
    this.#depths[page] = depth;
    this.order.add(page, this.#web.siteOf[page] as number, depth);
  }

  #computeRanks(): Float32Array {
    this.#ranks?.compute();
    return Float32Array.from(this.#ranks?.ranks ?? []);
  }
}

/** @throws RangeError if the plan lacks what its order needs */
function ruleOf(plan: CrawlPlan, computeRanks: () => Float32Array): OrderRule {
  const { order, ranks, random } = plan;
  if (order === "depth" || order === "length") return { kind: order };
  if (order === "batch" || order === "partial") return { kind: order, pages: plan.batchPages, ranks: computeRanks };
  if (order === "optimal" && ranks !== undefined) return { kind: order, ranks };
  if (order === "random" && random !== undefined) return { kind: order, random };
  throw new RangeError(`the order ${order} lacks ${order === "optimal" ? "ranks" : "randomness"}`);
}
