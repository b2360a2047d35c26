import { defaultPrior } from "./change-rate.ts";
import { gridRates, gridSize } from "./rate-grid.ts";

/** Pages that what is thought of a site before it is known counts for. */
const priorPages = 10;

/** Of the default prior's mass each rate has its part by the exponential distribution, and a tenth is spread evenly. */
function spreadDefault(): Float64Array {
  const { changes, seconds } = defaultPrior;
  const mean = changes / seconds;
  const parts = gridRates.map((rate) => (rate / mean) * Math.exp(-rate / mean));
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.map((part) => (0.5 * part) / sum + 0.5 / gridSize);
}

/** What is thought of a site of which nothing is known: its pages change about once a week, and may change otherwise. */
export const defaultShares: Float64Array = spreadDefault();

/**
 * How the rates of a site's pages are distributed, as shares of the grid's rates: the likeliest distribution of any form,
 * by expectation and maximisation, a page at a time. A page's shares of before are taken out when it comes with new ones,
 * so that what the mixture says is never older than the pages' shares (Neal and Hinton's incremental form).
 *
 * @see B. Efron, "Two Modeling Strategies for Empirical Bayes Estimation", Statistical Science 29(2), 2014
 */
export class RateMixture {
  readonly #sums = defaultShares.map((share) => share * priorPages);
  /** Shares of the grid's rates; their sum is 1. Changes with each page. */
  readonly shares: Float64Array = defaultShares.slice();
  #pages = priorPages;

  /** How many pages were counted. */
  get pages(): number {
    return this.#pages - priorPages;
  }

  /**
   * Counts a page.
   *
   * @param shares - of {@link weighRates}
   * @param before - the shares that it was counted with the last time; left out the first time
   */
  count(shares: ArrayLike<number>, before?: ArrayLike<number>): void {
    if (before === undefined) this.#pages += 1;
    for (let at = 0; at < gridSize; at++) {
      const sum = (this.#sums[at] ?? 0) + (shares[at] ?? 0) - (before?.[at] ?? 0);
      this.#sums[at] = Math.max(0, sum);
      this.shares[at] = Math.max(0, sum) / this.#pages;
    }
  }
}
