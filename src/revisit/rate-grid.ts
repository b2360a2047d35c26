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

/**
 * How likely each rate of the grid is after what was seen of a page (Bayes), from the sums that are kept of its polls:
 * `e^(-L T) L^E` for the time without change T and E dated changes, `1 - e^(-L I)` for each change after an interval I.
 *
 * @param prior - shares of the grid's rates before anything was seen, by {@link RateMixture}
 * @param into - where the shares are written. Default a new array
 * @returns shares of the grid's rates, whose sum is 1
 */
export function weighRates(
  history: ChangeHistory,
  prior: ArrayLike<number>,
  into: Float64Array = new Float64Array(gridSize),
): Float64Array {
  const changes = finite(history.changes);
  const changedSeconds = finite(history.changedSeconds);
  const quiet = finite(history.quietSeconds);
  const isDated = changes === 0 || changedSeconds === 0;
  const { instant, first, firstCount, second, secondCount } = isDated
    ? { instant: changes, first: 0, firstCount: 0, second: 0, secondCount: 0 }
    : representIntervals(changes, changedSeconds, finite(history.changedSquares));
  const certain = instant + finite(history.datedChanges);
  let most = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < gridSize; at++) {
    const rate = gridRates[at] ?? 0;
    let log = -rate * quiet + certain * (logRates[at] ?? 0);
    if (firstCount > 0) log += firstCount * Math.log(-Math.expm1(-rate * first));
    if (secondCount > 0) log += secondCount * Math.log(-Math.expm1(-rate * second));
    into[at] = log;
    if (log > most) most = log;
  }
  let sum = 0;
  for (let at = 0; at < gridSize; at++) {
    const share = (prior[at] ?? 0) * Math.exp((into[at] ?? 0) - most);
    into[at] = share;
    sum += share;
  }
  for (let at = 0; at < gridSize; at++) into[at] = sum > 0 ? (into[at] ?? 0) / sum : (prior[at] ?? 0);
  return into;
}
