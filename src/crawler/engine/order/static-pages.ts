import { grow } from "../../../core/index.ts";
import { type OrderedPages, type OrderRule, rankOf } from "./order-rule.ts";
import { PageHeaps } from "./page-heaps.ts";

/** Pages found one after the other are so far from those one link deeper. */
const depthStep = 2 ** 40;
/** Beyond, a key would not be exact. */
const maxDepth = 4096;

type StaticRule = Extract<OrderRule, { kind: "depth" | "length" | "optimal" | "random" }>;

/** Pages whose places are settled when they come. */
export class StaticPages implements OrderedPages {
  readonly #rule: StaticRule;
  readonly #heaps = new PageHeaps();
  /** By page: a bit, 1 while it waits. */
  #waits = new Uint8Array(0);
  #added = 0;
  #size = 0;

  constructor(rule: StaticRule) {
    this.#rule = rule;
  }

  get size(): number {
    return this.#size;
  }

  reserve(pages: number, sites: number): void {
    this.#waits = grow(this.#waits, (pages + 7) >> 3);
    this.#heaps.reserve(pages, sites);
  }

  has(page: number): boolean {
    return (((this.#waits[page >> 3] ?? 0) >> (page & 7)) & 1) === 1;
  }

  add(page: number, site: number, depth: number): void {
    this.#heaps.add(site, page, this.#keyFor(page, depth));
    this.#waits = grow(this.#waits, (page >> 3) + 1);
    this.#waits[page >> 3] = (this.#waits[page >> 3] as number) | (1 << (page & 7));
    this.#size++;
  }

  count(site: number): number {
    return this.#heaps.count(site);
  }

  firstKey(site: number): number {
    return this.#heaps.firstKey(site);
  }

  take(site: number): number | undefined {
    const page = this.#heaps.take(site);
    if (page === undefined) return undefined;
    this.#waits[page >> 3] = (this.#waits[page >> 3] as number) & ~(1 << (page & 7));
    this.#size--;
    return page;
  }

  #keyFor(page: number, depth: number): number {
    const rule = this.#rule;
    if (rule.kind === "random") return rule.random();
    if (rule.kind === "optimal") return -rankOf(rule.ranks, page);
    return Math.min(depth, maxDepth) * depthStep + this.#added++;
  }
}
