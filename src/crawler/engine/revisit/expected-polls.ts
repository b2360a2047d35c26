import { freshnessCurve } from "./optimum.ts";
import { defaultPollPolicy, dueAfterSeconds, type PollPolicy } from "./poll-policy.ts";
import { planByPrice } from "./price-search.ts";
import { rateBuckets, rateOfBucket } from "./rate-buckets.ts";

const rowRates = Float64Array.from({ length: rateBuckets }, (_, row) => rateOfBucket(row));
const rowWeights = new Float64Array(rateBuckets).fill(1);

/** Polls a second of a page of each row in the long run, by a curve. */
export function pollsByCurve(
  curve: (price: number, rate: number, weight: number, row: number) => number,
  counts: ArrayLike<number>,
  budgetPerSecond: number,
): Float64Array {
  const rows = { ratesPerSecond: rowRates, weights: rowWeights, counts };
  return planByPrice(curve, rows, budgetPerSecond).pollsPerSecond;
}

/**
 * Polls a second of a page of each row in the long run by the crawler's own plan and by `index`: the greedy index, which comes to the
 * optimum's rates; what the crawler's own plan learns beyond the estimated rates is left out; no page more often than where it is all but certainly equal; and of a quarter of the budget those that would else
 * wait for longer than the longest interval.
 *
 * @param counts - pages by the row of their estimated rate
 */
export function pollsByIndex(
  counts: ArrayLike<number>,
  budgetPerSecond: number,
  policy: PollPolicy = defaultPollPolicy,
): Float64Array {
  const most = rowRates.map((rate) => 1 / dueAfterSeconds(rate, policy.minBudgetedProbability, policy));
  const least = 1 / policy.maxIntervalSeconds;
  let pages = 0;
  for (let row = 0; row < rateBuckets; row++) pages += counts[row] ?? 0;
  let floor = Math.min(least, budgetPerSecond / 4 / Math.max(1, pages));
  let polls = new Float64Array(rateBuckets);
  // Of fewer pages that wait each has more; who they are settles in a few rounds.
  for (let round = 0; round < 6; round++) {
    const atLeast = floor;
    polls = Float64Array.from(
      pollsByCurve(
        (price, rate, weight, row) =>
          Math.min(most[row] ?? 0, Math.max(atLeast, freshnessCurve(price, rate, weight, row))),
        counts,
        budgetPerSecond,
      ),
    );
    let waiting = 0;
    for (let row = 0; row < rateBuckets; row++) if ((polls[row] ?? 0) <= atLeast) waiting += counts[row] ?? 0;
    floor = waiting === 0 ? atLeast : Math.min(least, budgetPerSecond / 4 / waiting);
    if (Math.abs(floor - atLeast) <= 1e-6 * atLeast) break;
  }
  return polls;
}
