import { type ChangeHistory, maxRate, minRate, type RatePrior, rateOf } from "./change-rate.ts";
import { bernoulli, representIntervals } from "./interval-sums.ts";

/** A rate of change, and between which rates the true one is found with a confidence of 95 %, about. */
export interface RateEstimate {
  /** Changes a second. */
  readonly ratePerSecond: number;
  readonly low: number;
  /** Infinity where nothing bounds it. */
  readonly high: number;
}

const sigmas = 1.96;

/** @param error - of the rate's logarithm */
function withError(ratePerSecond: number, error: number): RateEstimate {
  const factor = Math.exp(sigmas * error);
  return { ratePerSecond, low: ratePerSecond / factor, high: ratePerSecond * factor };
}

/** The bounds of a Poisson count, near to the exact ones (Wilson and Hilferty's cubes). */
function boundCount(count: number): readonly [low: number, high: number] {
  const cube = (n: number, sign: number): number => n * (1 - 1 / (9 * n) + (sign * sigmas) / (3 * Math.sqrt(n))) ** 3;
  return [count > 0 ? Math.max(0, cube(count, -1)) : 0, cube(count + 1, 1)];
}

/** X changes that were seen in n visits at equal intervals, as a rate: too low where pages change more often than that. */
export function naiveRate(visits: number, changes: number, intervalSeconds: number): number {
  return visits > 0 ? changes / (visits * intervalSeconds) : 0;
}

/** Changes whose instants are known, over the time that was seen: the likeliest rate, a little too high of few visits. */
export function datedRate(changes: number, quietSeconds: number): number {
  return quietSeconds > 0 ? changes / quietSeconds : 0;
}

/** What {@link fitRate} adds: a change and none, each in so long an interval, so that there is always a finite rate. */
const imaginarySeconds = 43_200;

/**
 * The likeliest rate for visits at any intervals: `sum over changed of I / (e^(L I) - 1) = sum over the others of I`. Exact,
 * where a `ChangeHistory` keeps sums; O(visits) a step.
 *
 * @param intervalsSeconds - before each visit
 * @param changed - whether it saw a change
 * @param addedSeconds - length of an imaginary visit with a change and of one without. Default half a day; 0 for none,
 *   which gives the highest or lowest rate where all or no visits saw one
 * @see A. Kolobov and others, NeurIPS 2019, for the imaginary visits; the error is by Fisher's information
 */
export function fitRate(
  intervalsSeconds: ArrayLike<number>,
  changed: ArrayLike<number | boolean>,
  addedSeconds: number = imaginarySeconds,
): RateEstimate {
  let quiet = addedSeconds;
  let count = addedSeconds > 0 ? 1 : 0;
  for (let at = 0; at < intervalsSeconds.length; at++) {
    if (changed[at]) count += 1;
    else quiet += intervalsSeconds[at] ?? 0;
  }
  if (count === 0) return { ratePerSecond: minRate, low: 0, high: quiet > 0 ? 3 / quiet : maxRate };
  if (quiet === 0) return { ratePerSecond: maxRate, low: 0, high: Number.POSITIVE_INFINITY };
  const excessAt = (rate: number): number => {
    let sum = addedSeconds > 0 ? bernoulli(rate * addedSeconds)[0] : 0;
    for (let at = 0; at < intervalsSeconds.length; at++) {
      if (changed[at]) sum += bernoulli(rate * (intervalsSeconds[at] ?? 0))[0];
    }
    return sum - quiet * rate;
  };
  let low = Math.log(minRate);
  let high = Math.log(maxRate);
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (excessAt(Math.exp(middle)) > 0) low = middle;
    else high = middle;
  }
  const rate = Math.exp((low + high) / 2);
  let information = 0;
  for (let at = 0; at < intervalsSeconds.length; at++) information += informationOf(rate * (intervalsSeconds[at] ?? 0));
  return withError(rate, 1 / Math.sqrt(Math.max(information, 1e-6)));
}

/** Fisher's information on ln L of one visit: `x^2 e^-x / (1 - e^-x)`. */
function informationOf(changes: number): number {
  return changes > 0 ? (changes * changes) / Math.expm1(changes) : 0;
}

/**
 * A page's rate of a history, with its error: the curvature of what {@link rateOf} solves.
 *
 * @param prior - as for {@link rateOf}
 */
export function estimateRate(history: ChangeHistory, prior?: RatePrior): RateEstimate {
  const rate = rateOf(history, prior);
  const { changes, changedSeconds, changedSquares, quietSeconds } = history;
  let information = rate * (quietSeconds + (prior?.seconds ?? 0));
  if (changes > 0 && changedSeconds > 0) {
    const { first, firstCount, second, secondCount } = representIntervals(changes, changedSeconds, changedSquares);
    information -= firstCount * rate * first * bernoulli(rate * first)[1];
    information -= secondCount * rate * second * bernoulli(rate * second)[1];
  }
  return withError(rate, 1 / Math.sqrt(Math.max(information, 1e-6)));
}

/**
 * The rate of changes whose every instant is known, as archives tell them: count by time, the best data there are.
 *
 * @param changes - in the time that was seen
 * @param seconds - the time, above 0
 */
export function rateOfChanges(changes: number, seconds: number): RateEstimate {
  const [low, high] = boundCount(changes);
  return {
    ratePerSecond: Math.min(maxRate, Math.max(minRate, changes / seconds)),
    low: low / seconds,
    high: high / seconds,
  };
}

/**
 * The rate at which a feed gets entries. Where older ones were dropped its length tells nothing: the time back to the k-th
 * is what is random, and `(k - 1) / (now - oldest)` is free of bias.
 *
 * @param datesSeconds - of its entries, in any order; those after `nowSeconds` are left out
 * @param sinceSeconds - from when on it has all of them; left out if older ones are dropped
 */
export function rateOfFeed(datesSeconds: Iterable<number>, nowSeconds: number, sinceSeconds?: number): RateEstimate {
  const dates = [...datesSeconds].filter(
    (date) => date <= nowSeconds && date >= (sinceSeconds ?? Number.NEGATIVE_INFINITY),
  );
  if (sinceSeconds !== undefined) return rateOfChanges(dates.length, Math.max(1, nowSeconds - sinceSeconds));
  if (dates.length < 2) return { ratePerSecond: minRate, low: 0, high: Number.POSITIVE_INFINITY };
  const oldest = dates.reduce((least, date) => Math.min(least, date));
  return rateOfChanges(dates.length - 1, Math.max(1, nowSeconds - oldest));
}
