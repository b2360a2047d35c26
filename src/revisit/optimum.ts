import { expectedChangesAt } from "./poll-index.ts";

/** How often each page is polled in the long run. */
export interface PollRates {
  /** Polls a second, in the order of the pages; their sum is the budget. */
  readonly pollsPerSecond: Float64Array;
  /** What the last poll of each page that is polled is worth, as `pollValue` gives it: seconds of freshness, times the weight. */
  readonly price: number;
}

/** Polls a second at a price, written into `into`. @returns their sum */
function pollAtPrice(price: number, rates: ArrayLike<number>, weights: ArrayLike<number>, into: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < rates.length; at++) {
    const rate = rates[at] ?? 0;
    const weight = weights[at] ?? 0;
    const changes = rate > 0 && weight > 0 ? expectedChangesAt((price / weight) * rate) : Number.POSITIVE_INFINITY;
    const polls = rate / changes;
    into[at] = polls;
    sum += polls;
  }
  return sum;
}

/**
 * Finds the polls that keep pages freshest under a budget, when each is polled at equal intervals and its rate of change
 * is known: `w (1 - (1 + r) e^-r) / L = price` for each page that is polled at all, r = L / f. Pages that change
 * too fast get none. Bisection on the price, O(n) each step.
 *
 * @param ratesPerSecond - expected changes a second of each page; a page that never changes gets no poll
 * @param weights - how much each matters; at least as many
 * @param budgetPerSecond - polls a second of them all, above 0
 * @throws RangeError if the budget is not above 0
 * @see J. Cho, H. Garcia-Molina, "Effective Page Refresh Policies for Web Crawlers", ACM TODS 28(4), 2003
 */
export function planOptimum(
  ratesPerSecond: ArrayLike<number>,
  weights: ArrayLike<number>,
  budgetPerSecond: number,
): PollRates {
  if (!(budgetPerSecond > 0)) throw new RangeError(`not a budget: ${budgetPerSecond}`);
  const pollsPerSecond = new Float64Array(ratesPerSecond.length);
  let roots = 0;
  let dearest = 0;
  for (let at = 0; at < ratesPerSecond.length; at++) {
    const rate = ratesPerSecond[at] ?? 0;
    const weight = weights[at] ?? 0;
    if (!(rate > 0 && weight > 0)) continue;
    roots += Math.sqrt(weight * rate);
    dearest = Math.max(dearest, weight / rate);
  }
  if (dearest === 0) return { pollsPerSecond, price: 0 };
  // No page gets more polls at a price than by the first term of the series: so the price is not above this.
  let high = Math.log(Math.min(dearest, (roots / budgetPerSecond) ** 2 / 2));
  let low = high - 1;
  while (pollAtPrice(Math.exp(low), ratesPerSecond, weights, pollsPerSecond) < budgetPerSecond && low > -700) {
    high = low;
    low -= 2;
  }
  while (high - low > 1e-13 * Math.max(1, Math.abs(low))) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (pollAtPrice(Math.exp(middle), ratesPerSecond, weights, pollsPerSecond) < budgetPerSecond) high = middle;
    else low = middle;
  }
  // Where the best pages are polled hardly at all the sum jumps between neighbouring prices: take a mean of the two.
  const more = pollAtPrice(Math.exp(low), ratesPerSecond, weights, pollsPerSecond);
  const rarer = new Float64Array(pollsPerSecond.length);
  const less = pollAtPrice(Math.exp(high), ratesPerSecond, weights, rarer);
  const share = more > less ? Math.max(0, Math.min(1, (budgetPerSecond - less) / (more - less))) : 1;
  for (const [at, polls] of rarer.entries())
    pollsPerSecond[at] = share * (pollsPerSecond[at] ?? 0) + (1 - share) * polls;
  return { pollsPerSecond, price: Math.exp((low + high) / 2) };
}
