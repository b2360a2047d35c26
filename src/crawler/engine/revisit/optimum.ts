import { changesAtAge, expectedChangesAt } from "./poll-index.ts";
import { type PollCurve, type PollRates, planByPrice } from "./price-search.ts";
import type { PollRows } from "./visit-schedule.ts";

const isPolled = (rate: number, weight: number): boolean => rate > 0 && weight > 0;

/**
 * The freshest copies, polled at equal intervals: `w (1 - (1 + r) e^-r) / L = price`, r = L / f.
 *
 * @see J. Cho, H. Garcia-Molina, "Effective Page Refresh Policies for Web Crawlers", ACM TODS 28(4), 2003
 */
export const freshnessCurve: PollCurve = (price, rate, weight) =>
  isPolled(rate, weight) ? rate / expectedChangesAt((price / weight) * rate) : 0;

/**
 * The least age of copies, polled at equal intervals: `w (r^2 / 2 - 1 + (1 + r) e^-r) / L^2 = price`, r = L / f. Every page
 * that changes is polled, whereas freshness gives up the fastest ones.
 *
 * @see J. Cho, H. Garcia-Molina, "Effective Page Refresh Policies for Web Crawlers", ACM TODS 28(4), 2003
 */
export const leastAgeCurve: PollCurve = (price, rate, weight) =>
  isPolled(rate, weight) ? rate / changesAtAge(((price * rate) / weight) * rate) : 0;

/**
 * The freshest copies, polled at random instants: `f = sqrt(w L / price) - L`, or none.
 *
 * @see Y. Azar, E. Horvitz, E. Lubetzky, Y. Peres, D. Shahaf, "Tractable near-optimal policies for crawling", PNAS
 * 115(32), 2018
 */
export const randomFreshnessCurve: PollCurve = (price, rate, weight) =>
  isPolled(rate, weight) ? Math.max(0, Math.sqrt((weight * rate) / price) - rate) : 0;

/**
 * The harmonic penalty of missed changes, under which every page is polled: `f = (sqrt(L^2 + 4 w L / price) - L) / 2`.
 *
 * @see A. Kolobov, Y. Peres, C. Lu, E. Horvitz, "Staying up to Date with Online Content Changes Using Reinforcement
 * Learning for Scheduling", NeurIPS 2019
 */
export const harmonicCurve: PollCurve = (price, rate, weight) => {
  if (!isPolled(rate, weight)) return 0;
  const product = (weight * rate) / price;
  return (2 * product) / (rate + Math.sqrt(rate * rate + 4 * product));
};

/** Uniform except for weights: `f = w / price`. */
export const uniformCurve: PollCurve = (price, _rate, weight) => (weight > 0 ? weight / price : 0);

/** As often as pages change, which is worse than uniform: `f = w L / price`. */
export const proportionalCurve: PollCurve = (price, rate, weight) =>
  isPolled(rate, weight) ? (weight * rate) / price : 0;

/**
 * The harmonic penalty if some pages announce each change: those are polled after a share p of their notices, `p = min(1,
 * w / (L price))`, at the same price as the others, so that the split of the budget need not be searched for.
 *
 * @param isNoticed - by row: whether the page announces all its changes
 * @see Kolobov and others, 2019, as {@link harmonicCurve}; "complete" and "mixed" observation
 */
export function noticedCurve(isNoticed: ArrayLike<number | boolean>): PollCurve {
  return (price, rate, weight, row) =>
    isNoticed[row]
      ? isPolled(rate, weight)
        ? Math.min(rate, weight / price)
        : 0
      : harmonicCurve(price, rate, weight, row);
}

/**
 * Finds the polls at equal intervals that keep pages of known rates freshest under a budget: {@link freshnessCurve} at one
 * price. Pages that change too fast get none. O(n) for each price tried.
 *
 * @param ratesPerSecond - expected changes a second of each page
 * @param weights - how much each matters
 * @param budgetPerSecond - polls a second of them all, above 0
 * @param rest - counts, and limits of sites
 * @throws RangeError if the budget is not above 0
 * @see J. Cho, H. Garcia-Molina, "Effective Page Refresh Policies for Web Crawlers", ACM TODS 28(4), 2003
 */
export function planOptimum(
  ratesPerSecond: ArrayLike<number>,
  weights: ArrayLike<number>,
  budgetPerSecond: number,
  rest: Omit<PollRows, "ratesPerSecond" | "weights"> = {},
): PollRates {
  return planByPrice(freshnessCurve, { ...rest, ratesPerSecond, weights }, budgetPerSecond);
}
