import type { Random } from "../../src/core/random.ts";

/**
 * Pages that change at random, each at the same rate. A page's changes are drawn only when somebody looks at it, which is exact for
 * freshness: only whether it changed since matters, not how often.
 */
export class ChangingPages {
  readonly pages: number;
  readonly #rate: number;
  readonly #random: Random;
  readonly #versions: Uint16Array;
  readonly #seenAt: Float64Array;

  /** @param rate - changes of a page in a second */
  constructor(pages: number, rate: number, random: Random) {
    this.pages = pages;
    this.#rate = rate;
    this.#random = random;
    this.#versions = new Uint16Array(pages);
    this.#seenAt = new Float64Array(pages);
  }

  /** The page's version at a time that is not before any earlier one. */
  look(page: number, time: number): number {
    const since = time - (this.#seenAt[page] as number);
    this.#seenAt[page] = time;
    if (this.#random() >= -Math.expm1(-this.#rate * since)) return this.#versions[page] as number;
    const version = (this.#versions[page] as number) + 1;
    if (version > 4000) throw new RangeError("a page has at most 4000 versions");
    this.#versions[page] = version;
    return version;
  }

  /**
   * The share of a crawler's copies of the first `count` pages that are fresh, in the mean over what was not drawn yet.
   *
   * @param first - place where the crawler's copies begin
   */
  freshness(copies: Uint16Array, first: number, time: number, count: number): number {
    let sum = 0;
    for (let page = 0; page < count; page++)
      if (copies[first + page] === this.#versions[page])
        sum += Math.exp(-this.#rate * (time - (this.#seenAt[page] as number)));
    return count === 0 ? 0 : sum / count;
  }
}
