import { IndexedHeap } from "../../src/core/indexed-heap.ts";
import { secondsUntilValue } from "../../src/crawler/engine/revisit/poll-index.ts";

/** Pages of a queue, by their numbers; the columns are read again as pages are visited, and may change meanwhile. */
export interface QueuedPages {
  readonly ratesPerSecond: Float64Array | Float32Array;
  readonly weights: Float64Array | Float32Array;
  /** In seconds; -Infinity for never. */
  readonly polledAtSeconds: Float64Array;
}

/** How much the price follows the lateness of a whole round. */
const pull = 0.5;

/**
 * The greedy index as a queue without end: a visit whenever there is room for one, whatever the pace. Each page is due when
 * its value reaches a price, and the price follows how late visits are, so that no budget need be known. O(log n) a
 * visit; once in n visits all are dated anew, which is O(n log n). 24 bytes a page.
 *
 * @see Busa-Fekete et al., arXiv 2502.02430, 2025
 */
export class IndexQueue {
  readonly #pages: QueuedPages;
  readonly #heap: IndexedHeap = new IndexedHeap();
  #price: number;
  #visits = 0;
  #lateness = 0;
  #roundFrom: number;

  /** @param price - to begin with: that of `planOptimum` for the budget, or any positive guess */
  constructor(pages: QueuedPages, price: number, nowSeconds: number) {
    this.#pages = pages;
    this.#price = price;
    this.#roundFrom = nowSeconds;
    this.#dateAll();
  }

  get price(): number {
    return this.#price;
  }

  /** Takes the page to visit now, which counts as visited at that instant. @returns -1 of no pages */
  take(nowSeconds: number): number {
    const page = this.#heap.first;
    if (page === undefined) return -1;
    const late = nowSeconds - this.#heap.firstKey;
    if (Number.isFinite(late)) this.#lateness += late;
    this.#pages.polledAtSeconds[page] = nowSeconds;
    this.#heap.set(page, this.#dueOf(page));
    this.#visits += 1;
    if (this.#visits >= this.#heap.size) this.#beginRound(nowSeconds);
    return page;
  }

  /** Tells that a page's rate or weight is another. */
  update(page: number): void {
    this.#heap.set(page, this.#dueOf(page));
  }

  #dueOf(page: number): number {
    const { polledAtSeconds, ratesPerSecond, weights } = this.#pages;
    const at = polledAtSeconds[page] ?? Number.NEGATIVE_INFINITY;
    if (at === Number.NEGATIVE_INFINITY) return at;
    return at + secondsUntilValue(this.#price, ratesPerSecond[page] ?? 0, weights[page] ?? 0);
  }

  #beginRound(nowSeconds: number): void {
    const roundSeconds = nowSeconds - this.#roundFrom;
    const late = roundSeconds > 0 ? this.#lateness / this.#visits / roundSeconds : 0;
    this.#price *= Math.exp(pull * Math.max(-2, Math.min(2, late)));
    this.#visits = 0;
    this.#lateness = 0;
    this.#roundFrom = nowSeconds;
    this.#dateAll();
  }

  #dateAll(): void {
    for (let page = 0; page < this.#pages.polledAtSeconds.length; page++) this.#heap.set(page, this.#dueOf(page));
  }
}
