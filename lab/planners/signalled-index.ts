import { pollValue, secondsUntilValue } from "../../src/crawler/engine/revisit/poll-index.ts";

/** How a page changes and signals it. */
export interface SignalledPage {
  /** L, changes a second. */
  readonly ratePerSecond: number;
  /** The share of changes that send a signal, from 0 to 1. */
  readonly recall: number;
  /** Signals a second that stand for no change. */
  readonly falsePerSecond: number;
}

/** What a page is like between two polls that are made as soon as its index reaches a bound. */
export interface SignalledCycle {
  /** Mean time from poll to poll (psi), in seconds. */
  readonly cycleSeconds: number;
  /** Mean time in it in which the copy is as the page is (W), in seconds. */
  readonly freshSeconds: number;
}

/** Below it, as a logarithm, a signal says so little that it is not listened to. */
const leastEvidence = 0.05;
const leastRecall = 1e-6;
const mostTerms = 2000;

/** How likely a Poisson number of mean x is above k, given ln k!: 1 - e^-x sum of x^j / j!, j up to k. */
function poissonTail(k: number, x: number, logFactorial: number): number {
  if (!(x > 0)) return 0;
  if (x > k + 40 + 12 * Math.sqrt(x)) return 1;
  let term = Math.exp(k * Math.log(x) - x - logFactorial);
  if (x < k + 1) {
    let sum = 0;
    for (let j = k + 1; term > 0; j++) {
      term *= x / j;
      sum += term;
      if (term <= sum * 1e-17) break;
    }
    return Math.min(1, sum);
  }
  let sum = term;
  for (let j = k; j >= 1; j--) {
    term *= j / x;
    sum += term;
    if (term <= sum * 1e-17) break;
  }
  return Math.max(0, 1 - sum);
}

/** The page's rates: of signals (gamma), of changes without one (alpha), and what a signal is worth in time (beta). */
interface SignalRates {
  readonly gamma: number;
  readonly alpha: number;
  readonly beta: number;
}

function ratesOf({ ratePerSecond, recall, falsePerSecond }: SignalledPage): SignalRates {
  const gamma = recall * ratePerSecond + falsePerSecond;
  // Of a page that signals all its changes time alone says nothing; so little that it does not matter is said instead.
  const alpha = Math.max((1 - recall) * ratePerSecond, 1e-9 * ratePerSecond);
  return { gamma, alpha, beta: Math.log(gamma / falsePerSecond) / alpha };
}

/** Whether a page's signals are worth listening to. */
export function isSignalling({ ratePerSecond, recall, falsePerSecond }: SignalledPage): boolean {
  return (
    ratePerSecond > 0 && recall >= leastRecall && Math.log1p((recall * ratePerSecond) / falsePerSecond) >= leastEvidence
  );
}

/**
 * The time since a poll to which time and signals add up: `t + n ln(gamma / nu) / alpha`, Infinity after a signal that is
 * never false. The copy is fresh with probability `e^(-alpha u)`.
 */
export function effectiveSeconds(page: SignalledPage, elapsedSeconds: number, signals: number): number {
  if (signals === 0 || !isSignalling(page)) return elapsedSeconds;
  return elapsedSeconds + signals * ratesOf(page).beta;
}

/**
 * The mean cycle of a page that is polled when its effective time reaches a bound: with x_k = iota - k beta,
 * `psi = (1 / gamma) sum of R_k(gamma x_k)` and `W = sum of nu^k / (alpha + gamma)^(k + 1) R_k((alpha + gamma) x_k)`, R_k(x)
 * the probability that a Poisson number of mean x is above k.
 *
 * @param bound - iota, in seconds of effective time
 */
export function signalledCycle(page: SignalledPage, bound: number): SignalledCycle {
  const { gamma, alpha, beta } = ratesOf(page);
  const nu = page.falsePerSecond;
  const all = alpha + gamma;
  const terms = nu > 0 ? Math.min(mostTerms, Math.floor(bound / beta)) : 0;
  let cycleSeconds = 0;
  let freshSeconds = 0;
  let logFactorial = 0;
  let factor = 1 / all;
  for (let k = 0; k <= terms; k++) {
    if (k > 0) {
      logFactorial += Math.log(k);
      factor *= nu / all;
    }
    const left = k === 0 ? bound : bound - k * beta;
    const tail = poissonTail(k, gamma * left, logFactorial);
    cycleSeconds += tail / gamma;
    freshSeconds += factor * poissonTail(k, all * left, logFactorial);
    if (tail < 1e-16 && k > gamma * left) break;
  }
  return { cycleSeconds, freshSeconds };
}

/**
 * What a poll of a page that signals is worth at an effective time: `w (W - e^(-alpha iota) psi)`. Without signals it is
 * {@link pollValue}; after one that is never false, `w / L`.
 *
 * @param effective - of {@link effectiveSeconds}
 * @returns seconds of freshness, times the weight
 * @see Busa-Fekete et al., "Learning to Crawl: Optimal freshness crawling with signals", arXiv 2502.02430, 2025
 */
export function signalledValue(page: SignalledPage, effective: number, weight = 1): number {
  if (!isSignalling(page)) return pollValue(page.ratePerSecond, effective, weight);
  if (!(effective > 0 && weight > 0)) return 0;
  const { alpha } = ratesOf(page);
  const most = weight / page.ratePerSecond;
  if (effective === Number.POSITIVE_INFINITY || alpha * effective > 45) return most;
  const { cycleSeconds, freshSeconds } = signalledCycle(page, effective);
  return Math.min(most, Math.max(0, weight * (freshSeconds - Math.exp(-alpha * effective) * cycleSeconds)));
}

/** The inverse of {@link signalledValue}: effective seconds; Infinity where only a signal that is never false is worth it. */
export function effectiveUntilValue(value: number, page: SignalledPage, weight = 1): number {
  if (!(value > 0)) return 0;
  if (!isSignalling(page)) return secondsUntilValue(value, page.ratePerSecond, weight);
  const { alpha } = ratesOf(page);
  let high = 46 / alpha;
  if (!(weight > 0) || value >= weight / page.ratePerSecond || signalledValue(page, high * 0.97, weight) < value) {
    return Number.POSITIVE_INFINITY;
  }
  let low = 0;
  for (let step = 0; step < 100 && high - low > 1e-12 * high; step++) {
    const middle = (low + high) / 2;
    if (signalledValue(page, middle, weight) < value) low = middle;
    else high = middle;
  }
  return high;
}
