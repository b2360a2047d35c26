import type { OrderedPages, OrderRule } from "./order-rule.ts";
import { PageHeaps } from "./page-heaps.ts";

/** Pages found one after the other are so far from those one link deeper. */
const depthStep = 2 ** 40;
/** Beyond, a key would not be exact. */
const maxDepth = 4096;

type StaticRule = Extract<OrderRule, { kind: "depth" | "length" | "optimal" | "random" }>;

/** Pages whose places are settled when they come. */
export class StaticPages extends PageHeaps implements OrderedPages {
  readonly #rule: StaticRule;
  #added = 0;

  constructor(rule: StaticRule) {
    super();
    this.#rule = rule;
  }

  override add(page: number, site: number, depth: number): void {
    super.add(page, site, this.#keyFor(page, depth));
  }

  #keyFor(page: number, depth: number): number {
    const rule = this.#rule;
    if (rule.kind === "random") return rule.random();
    if (rule.kind === "optimal") return -(rule.ranks[page] ?? 0);
    return Math.min(depth, maxDepth) * depthStep + this.#added++;
  }
}
