import type { PollRows } from "./visit-schedule.ts";

/** How often each page is polled in the long run. */
export interface PollRates {
  /** Polls a second of a page of each row; times the counts their sum is the budget. */
  readonly pollsPerSecond: Float64Array;
  /** Value of the last poll of each polled page, in the unit of the curve. */
  readonly price: number;
}

/**
 * A policy: how often a page is polled if a poll costs a price. It never rises with the price, and falls to (nearly) 0 as the
 * price goes to infinity.
 */
export type PollCurve = (price: number, ratePerSecond: number, weight: number, row: number) => number;

/** The polls at a price. Pages of a site at its limit are polled at the site's own, higher price. */
class Demand {
  readonly #curve: PollCurve;
  readonly #rows: PollRows;
  /** By site; undefined if there are no limits. */
  readonly #sitePrices: Float64Array | undefined;

  constructor(curve: PollCurve, rows: PollRows) {
    this.#curve = curve;
    this.#rows = rows;
    this.#sitePrices = this.#priceSites();
  }

  /** Polls a second at a price, written into `into`. @returns their sum */
  at(price: number, into: Float64Array): number {
    const { ratesPerSecond, weights, counts, sites } = this.#rows;
    const prices = this.#sitePrices;
    let sum = 0;
    for (let row = 0; row < ratesPerSecond.length; row++) {
      const own = prices === undefined ? price : Math.max(price, prices[sites?.[row] ?? -1] ?? 0);
      const polls = this.#curve(own, ratesPerSecond[row] ?? 0, weights[row] ?? 0, row);
      into[row] = polls;
      sum += counts === undefined ? polls : polls * (counts[row] ?? 0);
    }
    return sum;
  }

  /** Whether any row is polled at any price. */
  isAny(): boolean {
    const { ratesPerSecond, weights, counts } = this.#rows;
    for (let row = 0; row < ratesPerSecond.length; row++) {
      const polls = this.#curve(leastPrice, ratesPerSecond[row] ?? 0, weights[row] ?? 0, row);
      if (polls * (counts?.[row] ?? 1) > 0) return true;
    }
    return false;
  }

  /** The price at which each site with a limit is polled as often as it allows; 0 where it never would be. */
  #priceSites(): Float64Array | undefined {
    const { ratesPerSecond, weights, counts, sites, siteLimitsPerSecond } = this.#rows;
    if (sites === undefined || siteLimitsPerSecond === undefined) return undefined;
    const rowsOf = groupRows(sites, ratesPerSecond.length, siteLimitsPerSecond.length);
    return Float64Array.from({ length: siteLimitsPerSecond.length }, (_, site) => {
      const limit = siteLimitsPerSecond[site] ?? Number.POSITIVE_INFINITY;
      if (limit === Number.POSITIVE_INFINITY) return 0;
      if (!(limit > 0)) return Number.POSITIVE_INFINITY;
      const own = rowsOf(site);
      const pick = (column: ArrayLike<number>): Float64Array => Float64Array.from(own, (row) => column[row] ?? 0);
      const rows = { ratesPerSecond: pick(ratesPerSecond), weights: pick(weights), counts: counts && pick(counts) };
      const curve: PollCurve = (price, rate, weight, at) => this.#curve(price, rate, weight, own[at] ?? -1);
      const polls = new Float64Array(own.length);
      const bracket = bracketPrice(new Demand(curve, rows), limit, guessPrice(rows, limit), polls);
      // The dearer end: below the limit, never above.
      return bracket.isReached ? Math.exp(bracket.high) : 0;
    });
  }
}

/** The rows of each site, without a list for each. */
function groupRows(sites: ArrayLike<number>, rows: number, count: number): (site: number) => Uint32Array {
  const starts = new Uint32Array(count + 1);
  for (let row = 0; row < rows; row++) {
    const site = sites[row] ?? -1;
    if (!(site >= 0 && site < count)) throw new RangeError(`the site of row ${row} has no limit: ${site}`);
    starts[site + 1] = (starts[site + 1] ?? 0) + 1;
  }
  for (let site = 0; site < count; site++) starts[site + 1] = (starts[site + 1] ?? 0) + (starts[site] ?? 0);
  const next = starts.slice();
  const order = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) {
    const site = sites[row] ?? 0;
    order[next[site] ?? 0] = row;
    next[site] = (next[site] ?? 0) + 1;
  }
  return (site) => order.subarray(starts[site], starts[site + 1]);
}

/** A first guess of the price, and the likely error of its logarithm. */
interface Guess {
  readonly price: number;
  readonly error: number;
}

function guessPrice({ ratesPerSecond, weights, counts }: PollRows, budget: number): Guess {
  let roots = 0;
  for (let row = 0; row < ratesPerSecond.length; row++) {
    const product = (ratesPerSecond[row] ?? 0) * (weights[row] ?? 0) * (counts?.[row] ?? 1);
    if (product > 0 && product < Number.POSITIVE_INFINITY) roots += Math.sqrt(product);
  }
  const price = (roots / budget) ** 2 / 2;
  return { price: price > 0 && price < Number.POSITIVE_INFINITY ? price : 1, error: 0.25 };
}

const sampleRows = 8192;

/** Very many rows are guessed from a sample, without limits. */
function guessBySample(curve: PollCurve, rows: PollRows, budget: number): Guess {
  const { ratesPerSecond, weights, counts } = rows;
  const stride = Math.floor(ratesPerSecond.length / sampleRows);
  if (stride < 8) return guessPrice(rows, budget);
  const length = Math.floor(ratesPerSecond.length / stride);
  const pick = (column: ArrayLike<number>): Float64Array =>
    Float64Array.from({ length }, (_, at) => column[at * stride] ?? 0);
  const sample = { ratesPerSecond: pick(ratesPerSecond), weights: pick(weights), counts: counts && pick(counts) };
  const demand = new Demand((price, rate, weight, at) => curve(price, rate, weight, at * stride), sample);
  const share = budget / stride;
  const { low, isReached } = bracketPrice(demand, share, guessPrice(sample, share), new Float64Array(length));
  return isReached ? { price: Math.exp(low), error: 0.02 } : guessPrice(rows, budget);
}

/** Logarithms of two neighbouring prices, between which the budget is spent. */
interface Bracket {
  readonly low: number;
  readonly high: number;
  /** Whether any price spends as much. */
  readonly isReached: boolean;
}

/** A price that was tried, and what it spends relative to the budget; both as logarithms. */
interface Trial {
  readonly log: number;
  readonly excess: number;
}

/** Where the line through two trials meets the budget. */
function findZero(a: Trial, b: Trial): number {
  return a.log - (a.excess * (b.log - a.log)) / (b.excess - a.excess);
}

const mostSteps = 200;
const smoothSteps = 6;
/** At this price everything is polled that ever is, and no curve overflows. */
const leastPrice = 1e-200;

/**
 * Searches by secants of the logarithms, which are nearly straight, within a bracket: of the last two prices, then of the
 * bracket's ends (Illinois), otherwise by bisection.
 */
function bracketPrice(demand: Demand, budget: number, { price, error }: Guess, into: Float64Array): Bracket {
  const excessAt = (log: number): number => Math.log(demand.at(Math.exp(log), into) / budget);
  let low = Math.log(price);
  let high = low;
  let lowExcess = excessAt(low);
  let highExcess = lowExcess;
  for (let step = error; !(lowExcess >= 0); step *= 3) {
    if (low < -700) return { low, high, isReached: false };
    [high, highExcess] = [low, lowExcess];
    low = Math.max(low - step, -701);
    lowExcess = excessAt(low);
  }
  for (let step = error; highExcess >= 0 && high < 700; step *= 3) {
    [low, lowExcess] = [high, highExcess];
    high += step;
    highExcess = excessAt(high);
  }
  let newest: Trial = { log: low, excess: lowExcess };
  let before: Trial = { log: high, excess: highExcess };
  if (Math.abs(highExcess) < Math.abs(lowExcess)) [newest, before] = [before, newest];
  let wasLow: boolean | undefined;
  for (let step = 0; step < mostSteps && high - low > 1e-13 * Math.max(1, Math.abs(low)); step++) {
    // The last two prices are best while the sum is smooth; if it jumps they may not converge.
    const secant =
      step < smoothSteps
        ? findZero(newest, before)
        : findZero({ log: low, excess: lowExcess }, { log: high, excess: highExcess });
    const middle = secant > low && secant < high && step % 8 < 7 ? secant : (low + high) / 2;
    if (!(middle > low && middle < high)) break;
    const excess = excessAt(middle);
    if (Math.abs(excess) < 1e-11) return { low: middle, high: middle, isReached: true };
    [newest, before] = [{ log: middle, excess }, newest];
    const isLow = excess >= 0;
    if (isLow) [low, lowExcess] = [middle, excess];
    else [high, highExcess] = [middle, excess];
    // An end that stays twice weighs half, so that the secant comes to lie beyond the root.
    if (isLow && wasLow === true) highExcess /= 2;
    if (!isLow && wasLow === false) lowExcess /= 2;
    wasLow = isLow;
  }
  return { low, high, isReached: true };
}

/**
 * Divides a budget by a policy: finds the price at which the polls sum up to the budget. A site that would be polled too
 * often is polled at its limit, and the others share the rest. O(rows) for each price tried, some ten of them.
 *
 * @param budgetPerSecond - polls a second of them all, above 0
 * @param nearPrice - where to begin, such as the price of a similar plan
 * @returns polls that sum up to the budget, or to less where limits, or pages not worth a poll, leave some of it
 * @throws RangeError if the budget is not above 0, or a row's site has no limit
 */
export function planByPrice(
  curve: PollCurve,
  rows: PollRows,
  budgetPerSecond: number,
  nearPrice: number = Number.NaN,
): PollRates {
  if (!(budgetPerSecond > 0)) throw new RangeError(`not a budget: ${budgetPerSecond}`);
  const pollsPerSecond = new Float64Array(rows.ratesPerSecond.length);
  const demand = new Demand(curve, rows);
  if (!demand.isAny()) return { pollsPerSecond, price: 0 };
  const guess = nearPrice > 0 ? { price: nearPrice, error: 0.02 } : guessBySample(curve, rows, budgetPerSecond);
  const { low, high, isReached } = bracketPrice(demand, budgetPerSecond, guess, pollsPerSecond);
  // The last price that was tried is the one that was found.
  if (!isReached || low === high) return { pollsPerSecond, price: isReached ? Math.exp(low) : 0 };
  const more = demand.at(Math.exp(low), pollsPerSecond);
  // If the sum jumps between two neighbouring prices, take a mean of both.
  const rarer = new Float64Array(pollsPerSecond.length);
  const less = demand.at(Math.exp(high), rarer);
  const share = more > less ? Math.max(0, Math.min(1, (budgetPerSecond - less) / (more - less))) : 1;
  for (let row = 0; row < rarer.length; row++) {
    pollsPerSecond[row] = share * (pollsPerSecond[row] ?? 0) + (1 - share) * (rarer[row] ?? 0);
  }
  return { pollsPerSecond, price: Math.exp((low + high) / 2) };
}
