import { type ChangeHistory, noHistory, type Observation, observe, weighHistory } from "./change-rate.ts";
import { pollPolicy } from "./poll-policy.ts";

const daySeconds = 86_400;
const slowest = 1 / (3650 * daySeconds);
const fastest = 1 / 3600;

/** How many rates a page may have. */
export const gridSize = 24;

/** The rates, in changes a second, ascending: from once in ten years to once an hour, each 1.64 times the one before. */
export const gridRates: Float64Array = Float64Array.from(
  { length: gridSize },
  (_, at) => slowest * (fastest / slowest) ** (at / (gridSize - 1)),
);

const logRates = gridRates.map(Math.log);
const noPrior = { changes: 0, seconds: 0 };

/** The last poll of a page, which is kept separately until the next one. */
interface LastPoll {
  readonly intervalSeconds: number;
  readonly changed: boolean;
  /** Time without a change before a dated one, in seconds. */
  readonly quietSeconds?: number;
}

/** Likelihoods are kept in tenths of a logarithm, down from the largest. */
const steps = 10;
const mostLevel = 300;
const lastNumbers = 3;
const mostSeconds = 1e10;

/** The likelihoods of the rates before the last poll, as logarithms, and that poll, as numbers to be kept. */
function packEvidence({ intervalSeconds, changed, quietSeconds }: LastPoll, logs: Float64Array): number[] {
  const most = Math.max(...logs);
  const kind = quietSeconds === undefined ? Number(changed) : 2;
  const levels = Array.from(logs, (log) => Math.min(mostLevel, Math.round(steps * (most - log))));
  return [intervalSeconds, kind, quietSeconds ?? 0, ...levels];
}

/** How many numbers evidence has. */
export const evidenceSize: number = lastNumbers + gridSize;

/** A page's last poll, if it is kept separately; damaged numbers are ignored. */
export function lastPollOf({ evidence }: ChangeHistory): LastPoll | undefined {
  if (evidence?.length !== evidenceSize) return undefined;
  const [intervalSeconds = 0, kind, quietSeconds = 0] = evidence;
  if (!(intervalSeconds > 0 && intervalSeconds <= mostSeconds)) return undefined;
  const isDated = kind === 2 && quietSeconds >= 0 && quietSeconds <= mostSeconds;
  return { intervalSeconds, changed: kind === 1 || kind === 2, ...(isDated && { quietSeconds }) };
}

function addPoll({ intervalSeconds, changed, quietSeconds }: LastPoll, into: Float64Array): void {
  for (let at = 0; at < gridSize; at++) {
    const rate = gridRates[at] ?? 0;
    const expected = rate * intervalSeconds;
    let log = changed ? Math.log(-Math.expm1(-expected)) : -expected;
    if (quietSeconds !== undefined) log = (logRates[at] ?? 0) - rate * quietSeconds;
    into[at] = (into[at] ?? 0) + log;
  }
}

/**
 * The logarithm of how likely a page's history is at each rate of the grid, up to a constant: by its evidence, otherwise by
 * its sums.
 *
 * @param isBeforeLast - whether the last poll is left out, if it is kept separately
 */
function likelihoodsOf(history: ChangeHistory, into: Float64Array, isBeforeLast: boolean): Float64Array {
  const last = lastPollOf(history);
  if (last === undefined) {
    weighHistory(history, noPrior, gridRates, logRates, into);
    return into;
  }
  for (let at = 0; at < gridSize; at++) {
    const level = history.evidence?.[lastNumbers + at] ?? 0;
    into[at] = level >= 0 ? -Math.min(mostLevel, level) / steps : 0;
  }
  if (!isBeforeLast) addPoll(last, into);
  return into;
}

/**
 * How likely each rate of the grid is after what was seen of a page (Bayes).
 *
 * @param prior - shares of the rates before, see `RateMixture`
 * @param into - receives the shares. Default a new array
 * @param options - `keep`: the power of the likelihoods, from 0 to 1, which is how much of what was seen still holds
 *   (default 1); `isBeforeLast`: whether the last poll is left out, if it is kept separately (default false)
 * @returns shares of the rates, whose sum is 1
 */
export function weighRates(
  history: ChangeHistory,
  prior: ArrayLike<number>,
  into: Float64Array = new Float64Array(gridSize),
  { keep = 1, isBeforeLast = false }: { readonly keep?: number; readonly isBeforeLast?: boolean } = {},
): Float64Array {
  likelihoodsOf(history, into, isBeforeLast);
  let most = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < gridSize; at++) most = Math.max(most, into[at] ?? 0);
  let sum = 0;
  for (let at = 0; at < gridSize; at++) {
    const share = (prior[at] ?? 0) * Math.exp(keep * ((into[at] ?? 0) - most));
    into[at] = share;
    sum += share;
  }
  for (let at = 0; at < gridSize; at++) into[at] = sum > 0 ? (into[at] ?? 0) / sum : (prior[at] ?? 0);
  return into;
}

/** Even if rates stay, what was seen fades by this share a second: to a third in some three years. */
const leastFade = 1 / (1000 * daySeconds);

/**
 * Adds a poll to a history and to its likelihood at each rate of the grid, which is exact where the sums of {@link observe}
 * are approximate. Earlier polls fade with time, the faster the more often the site's rates change.
 *
 * @param hazardPerSecond - how often rates change, see `meanHazard`
 */
export function observeRate(history: ChangeHistory, observation: Observation, hazardPerSecond: number): ChangeHistory {
  const after = observe(history, observation);
  if (after === history) return history;
  const { datedChanges, quietSeconds } = observe({ ...noHistory, falseDates: history.falseDates }, observation);
  const last: LastPoll = {
    intervalSeconds: Math.min(observation.intervalSeconds, 36_500 * daySeconds),
    changed: observation.changed,
    ...(datedChanges > 0 && { quietSeconds }),
  };
  const keep = Math.exp(-(leastFade + hazardPerSecond) * last.intervalSeconds);
  const logs = likelihoodsOf(history, new Float64Array(gridSize), false).map((log) => log * keep);
  return { ...after, evidence: packEvidence(last, logs) };
}

/** How likely it is that a page changed, given the shares of its rate: the mean of `1 - e^(-L t)`. */
export function believedProbability(shares: ArrayLike<number>, elapsedSeconds: number): number {
  let sum = 0;
  for (let at = 0; at < gridSize; at++) {
    const share = shares[at] ?? 0;
    if (share > 0) sum -= share * Math.expm1(-(gridRates[at] ?? 0) * elapsedSeconds);
  }
  return sum;
}

/**
 * How long after its last poll a page is due, in seconds, given the shares of its rate. The probability of a change rises
 * ever more slowly, so Newton's steps from the least interval on never pass the root.
 */
export function believedDueAfter(shares: ArrayLike<number>, minProbability: number): number {
  const { minIntervalSeconds, maxIntervalSeconds } = pollPolicy;
  let seconds = minIntervalSeconds;
  for (let step = 0; step < 100 && seconds < maxIntervalSeconds; step++) {
    let lacking = minProbability;
    let slope = 0;
    for (let at = 0; at < gridSize; at++) {
      const share = shares[at] ?? 0;
      if (!(share > 0)) continue;
      const rate = gridRates[at] ?? 0;
      const left = Math.exp(-rate * seconds);
      lacking -= share * (1 - left);
      slope += share * rate * left;
    }
    const further = lacking / slope;
    if (!(further > 1e-9 * seconds)) break;
    seconds += further;
  }
  return Math.min(maxIntervalSeconds, seconds);
}
