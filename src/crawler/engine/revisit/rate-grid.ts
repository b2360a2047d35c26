import type { ChangeHistory } from "./change-rate.ts";
import { representIntervals } from "./interval-sums.ts";

const daySeconds = 86_400;
const slowest = 1 / (3650 * daySeconds);
const fastest = 1 / 3600;

/** How many rates a page is thought to have one of. */
export const gridSize = 24;

/** The rates, in changes a second, ascending: from once in ten years to once an hour, each 1.64 times the one before. */
export const gridRates: Float64Array = Float64Array.from(
  { length: gridSize },
  (_, at) => slowest * (fastest / slowest) ** (at / (gridSize - 1)),
);

const logRates = gridRates.map(Math.log);

/** What is thought of a page's rate: how likely each of some rates is. Their sum is 1. */
export interface RateBelief {
  /** Changes a second. */
  readonly rates: Float64Array;
  readonly shares: Float64Array;
}

const finite = (value: number): number => (value > 0 && value < Number.POSITIVE_INFINITY ? value : 0);

/** The last poll of a page, which is kept by itself until the next one. */
export interface LastPoll {
  readonly intervalSeconds: number;
  readonly changed: boolean;
  /** Time without a change before the one that is dated, in seconds. */
  readonly quietSeconds?: number;
}

/** Likelihoods are kept in tenths of a logarithm, down from the largest. */
const steps = 10;
const mostLevel = 300;
const lastNumbers = 3;
const mostSeconds = 1e10;

/** Likelihoods of the rates before the last poll, as logarithms, and that poll, as numbers to be kept. */
export function packEvidence({ intervalSeconds, changed, quietSeconds }: LastPoll, logs: Float64Array): number[] {
  const most = Math.max(...logs);
  const kind = quietSeconds === undefined ? Number(changed) : 2;
  const levels = Array.from(logs, (log) => Math.min(mostLevel, Math.round(steps * (most - log))));
  return [intervalSeconds, kind, quietSeconds ?? 0, ...levels];
}

/** How many numbers evidence is. */
export const evidenceSize: number = lastNumbers + gridSize;

/** A page's last poll, as far as it is kept by itself: numbers that make no sense are none. */
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
 * The logarithm of how likely what was seen of a page is at each rate of the grid, up to a constant: by its evidence, or from the sums that
 * are kept of its polls, `e^(-L T) L^E` for the time without change T and E dated changes, `1 - e^(-L I)` for each change
 * after an interval I.
 *
 * @param isBeforeLast - whether the last poll is left out, where it is kept by itself. Default false
 */
export function likelihoodsOf(history: ChangeHistory, into: Float64Array, isBeforeLast = false): Float64Array {
  const last = lastPollOf(history);
  if (last === undefined) return likelihoodsOfSums(history, into);
  for (let at = 0; at < gridSize; at++) {
    const level = history.evidence?.[lastNumbers + at] ?? 0;
    into[at] = level >= 0 ? -Math.min(mostLevel, level) / steps : 0;
  }
  if (!isBeforeLast) addPoll(last, into);
  return into;
}

function likelihoodsOfSums(history: ChangeHistory, into: Float64Array): Float64Array {
  const changes = finite(history.changes);
  const changedSeconds = finite(history.changedSeconds);
  const quiet = finite(history.quietSeconds);
  const isDated = changes === 0 || changedSeconds === 0;
  const { instant, first, firstCount, second, secondCount } = isDated
    ? { instant: changes, first: 0, firstCount: 0, second: 0, secondCount: 0 }
    : representIntervals(changes, changedSeconds, finite(history.changedSquares));
  const certain = instant + finite(history.datedChanges);
  for (let at = 0; at < gridSize; at++) {
    const rate = gridRates[at] ?? 0;
    let log = -rate * quiet + certain * (logRates[at] ?? 0);
    if (firstCount > 0) log += firstCount * Math.log(-Math.expm1(-rate * first));
    if (secondCount > 0) log += secondCount * Math.log(-Math.expm1(-rate * second));
    into[at] = log;
  }
  return into;
}

/** Of what beliefs are made. */
export interface WeighOptions {
  /** To which power likelihoods are taken: how much of what was seen still holds, from 0 to 1. Default 1. */
  readonly keep?: number;
  /** Whether the last poll is left out, where it is kept by itself. Default false. */
  readonly isBeforeLast?: boolean;
}

/**
 * How likely each rate of the grid is after what was seen of a page (Bayes); see {@link likelihoodsOf}.
 *
 * @param prior - shares of the grid's rates before anything was seen, by {@link RateMixture}
 * @param into - where the shares are written. Default a new array
 * @returns shares of the grid's rates, whose sum is 1
 */
export function weighRates(
  history: ChangeHistory,
  prior: ArrayLike<number>,
  into: Float64Array = new Float64Array(gridSize),
  { keep = 1, isBeforeLast = false }: WeighOptions = {},
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
