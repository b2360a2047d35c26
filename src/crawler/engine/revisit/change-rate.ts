/**
 * What is remembered of a page's polls: seven numbers. Of the intervals before undated changes the count, the sum and the
 * sum of squares are kept. That is exact for one or two lengths of interval; if they vary from an hour to a month, the
 * rate is a fifth too high.
 */
export interface ChangeHistory {
  /** Polls, less those that have faded; see {@link observe}. */
  readonly visits: number;
  /** Polls that saw an undated change. */
  readonly changes: number;
  /** Sum of the intervals before those polls, in seconds. */
  readonly changedSeconds: number;
  /** Sum of the squares of those intervals, in seconds squared. */
  readonly changedSquares: number;
  /** Polls that saw a change dated by Last-Modified. */
  readonly datedChanges: number;
  /** Time without a change, in seconds: intervals without one, and the time after a dated one. */
  readonly quietSeconds: number;
  /** How false Last-Modified was: plus 1 for each lie, halved by each truth. From 0.5 on it is not used. */
  readonly falseDates: number;
  /** The likelihoods of rates, see `packEvidence`; left out if only the sums are known. */
  readonly evidence?: readonly number[] | undefined;
}

/** What one poll saw, compared with the poll before. */
export interface Observation {
  /** Since the poll before; ignored if not positive. */
  readonly intervalSeconds: number;
  /** By digest, or by a 304. */
  readonly changed: boolean;
  /** Date of the response minus its Last-Modified; left out if there was none. */
  readonly lastModifiedAgeSeconds?: number | undefined;
}

/**
 * The Gamma distribution of a page's rate before it is polled, as if `changes` changes had been seen in `seconds`. Its mean
 * is `changes / seconds`.
 */
export interface RatePrior {
  /** The shape: its weight against observations. */
  readonly changes: number;
  /** The inverse scale, in seconds. */
  readonly seconds: number;
}

const daySeconds = 86_400;

/** A page of which nothing is known. */
export const noHistory: ChangeHistory = {
  visits: 0,
  changes: 0,
  changedSeconds: 0,
  changedSquares: 0,
  datedChanges: 0,
  quietSeconds: 0,
  falseDates: 0,
};

/**
 * One change in a week. A page that never changes is then polled after 2.5 days, and 1.36 times as late each time (at a
 * probability of 0.3). Less weight adapts sooner, and is misled sooner by a site that is rebuilt as a whole.
 */
export const defaultPrior: RatePrior = { changes: 1, seconds: 7 * daySeconds };

/** Polls that are remembered. */
export const defaultMemoryVisits = 64;

/** Lowest estimate, in changes a second: one change in ten years. */
export const minRate: number = 1 / (3650 * daySeconds);

/** Highest estimate, in changes a second: one change a minute. */
export const maxRate: number = 1 / 60;

const maxIntervalSeconds = 36_500 * daySeconds;
/** A smaller age says nothing: some servers write the present time, and clocks differ. */
const dateSlackSeconds = 60;

const most = 1e15;
const mostSquares = 1e24;

/** A number from 1e-9 on, otherwise 0, so that a damaged row cannot spoil a plan. */
const sane = (value: number, limit = most): number => (value >= 1e-9 ? Math.min(value, limit) : 0);

type Dating = "dated" | "undated" | "lie";

/** Whether Last-Modified agrees with what the poll saw. */
function judgeDate({ changed, intervalSeconds, lastModifiedAgeSeconds: age }: Observation): Dating {
  if (age === undefined || !Number.isFinite(age) || age < dateSlackSeconds) return "undated";
  if (changed) return age <= intervalSeconds + dateSlackSeconds ? "dated" : "lie";
  return age >= intervalSeconds - dateSlackSeconds ? "dated" : "lie";
}

/**
 * Adds a poll to a history. Last-Modified dates the last change if it agrees with what the poll saw. If it moved while the
 * page stayed equal, or stayed while the page changed, it is a lie, and is not used until it was true twice.
 *
 * @param memoryVisits - beyond this many polls each one fades the earlier ones by a share of 1 / memoryVisits
 * @returns the same history if the interval is not positive
 */
export function observe(
  history: ChangeHistory,
  observation: Observation,
  memoryVisits: number = defaultMemoryVisits,
): ChangeHistory {
  const interval = sane(observation.intervalSeconds, maxIntervalSeconds);
  if (interval === 0) return history;
  const dating = judgeDate(observation);
  const falseDates = sane(history.falseDates, 64);
  const isDated = observation.changed && dating === "dated" && falseDates < 0.5;
  const isUndated = observation.changed && !isDated;
  const visits = sane(history.visits);
  const keep = visits + 1 > memoryVisits ? Math.max(0, memoryVisits - 1) / visits : 1;
  const quiet = isDated ? Math.min(interval, observation.lastModifiedAgeSeconds ?? interval) : interval;
  return {
    visits: visits * keep + 1,
    changes: sane(history.changes) * keep + (isUndated ? 1 : 0),
    changedSeconds: sane(history.changedSeconds) * keep + (isUndated ? interval : 0),
    changedSquares: sane(history.changedSquares, mostSquares) * keep + (isUndated ? interval * interval : 0),
    datedChanges: sane(history.datedChanges) * keep + (isDated ? 1 : 0),
    quietSeconds: sane(history.quietSeconds) * keep + (isUndated ? 0 : quiet),
    falseDates: dating === "lie" ? falseDates + 1 : dating === "dated" ? falseDates / 2 : falseDates,
  };
}

/**
 * Solves `sure + sum of L I / (e^(L I) - 1) = quiet L` for the rate L. The left side less the right one is convex and
 * falls, and it is not negative where this starts, so that Newton's steps never pass the root.
 */
function solveRate(sure: number, intervals: Intervals, quiet: number): number {
  const { first, firstCount, second, secondCount } = intervals;
  const certain = sure + intervals.instant;
  const count = certain + firstCount + secondCount;
  let rate = count / (quiet + (first * firstCount + second * secondCount) / 2);
  for (let step = 0; step < 100 && rate < maxRate; step++) {
    const [a, aSlope] = bernoulli(rate * first);
    const [b, bSlope] = bernoulli(rate * second);
    const excess = certain + firstCount * a + secondCount * b - quiet * rate;
    const slope = firstCount * first * aSlope + secondCount * second * bSlope - quiet;
    const next = rate - excess / slope;
    if (!(next > rate * (1 + 1e-12))) break;
    rate = next;
  }
  return rate;
}

/** Dated changes, less the bias of their count: `(X - 1) - X / (n ln(1 - X / n))`. */
function correctDatedChanges(changes: number, visits: number): number {
  if (changes === 0) return 0;
  if (changes >= visits) return Math.max(0, changes - 1);
  return Math.max(0, changes - 1 - changes / (visits * Math.log1p(-changes / visits)));
}

/**
 * Estimates how often a page changes, as a Poisson process, from polls at any intervals: the L that solves
 *
 *     a + E + sum over undated changes of L I / (e^(L I) - 1) = (b + T) L
 *
 * with E dated changes, T the time without a change, and the prior's a changes in b seconds. It is the mode of the
 * posterior of ln L; with dated changes only, it is its mean (a + E) / (b + T).
 *
 * Without a prior it is the estimator whose bias is reduced: `-ln((n - X + 0.5) / (n + 0.5)) / I` for X changes in n
 * equal intervals I, and `((X - 1) - X / (n ln(1 - X / n))) / T` where all are dated; 0 changes give {@link minRate}.
 *
 * @param prior - left out for none
 * @returns changes a second, from {@link minRate} to {@link maxRate}; never NaN, whatever the history holds
 * @see J. Cho, H. Garcia-Molina, "Estimating Frequency of Change", ACM TOIT 3(3), 2003
 */
export function rateOf(history: ChangeHistory, prior?: RatePrior): number {
  const visits = sane(history.visits);
  const changes = sane(history.changes);
  const dated = sane(history.datedChanges);
  let sure = dated;
  let quiet = sane(history.quietSeconds);
  if (prior === undefined) {
    sure = correctDatedChanges(dated, visits - changes);
    // Half a visit without a change, as in the estimator's 0.5.
    if (changes > 0) quiet += sane(history.changedSeconds) / changes / 2;
  } else {
    sure += sane(prior.changes);
    quiet += sane(prior.seconds);
  }
  if (sure + changes === 0) return minRate;
  if (quiet === 0) return maxRate;
  return Math.min(maxRate, Math.max(minRate, solveRate(sure, representIntervals(history), quiet)));
}

/** Weight of the default prior, in pages. */
const defaultPriorPages = 20;

/**
 * Fits the prior of a site to its pages, each added once: one step of expectation maximisation for the mean of a Gamma
 * distribution of given shape. Repeated with the new prior it approaches the most likely one. O(1) memory.
 */
export class SitePrior {
  readonly #prior: RatePrior;
  #pages = defaultPriorPages;
  #rates = (defaultPriorPages * defaultPrior.changes) / defaultPrior.seconds;

  /** @param prior - the previous one; {@link defaultPrior} for a new site */
  constructor(prior: RatePrior = defaultPrior) {
    this.#prior = prior;
  }

  /**
   * Adds a page; without effect if it was not polled twice.
   *
   * @returns its rate by the previous prior, in changes a second
   */
  add(history: ChangeHistory): number {
    const rate = rateOf(history, this.#prior);
    if (!(history.visits > 0)) return rate;
    this.#pages += 1;
    this.#rates += rate;
    return rate;
  }

  /** The prior fitted to the added pages. */
  get prior(): RatePrior {
    const mean = this.#rates / this.#pages;
    return { changes: defaultPrior.changes, seconds: defaultPrior.changes / mean };
  }
}

/** Two lengths of interval that stand for those of the undated changes: same count, sum and, if possible, sum of squares. */
interface Intervals {
  /** Changes after an interval so short that only their count matters. */
  readonly instant: number;
  readonly first: number;
  readonly firstCount: number;
  readonly second: number;
  readonly secondCount: number;
}

function representIntervals(history: ChangeHistory): Intervals {
  const count = sane(history.changes);
  const sum = sane(history.changedSeconds);
  if (count === 0 || sum === 0) return { instant: count, first: 0, firstCount: 0, second: 0, secondCount: 0 };
  const mean = sum / count;
  const variance = Math.max(0, sane(history.changedSquares, mostSquares) / count - mean * mean);
  const deviation = Math.sqrt(variance);
  if (!(deviation < mean)) {
    const far = count * (mean / (mean + variance / mean));
    return { instant: count - far, first: mean + variance / mean, firstCount: far, second: 0, secondCount: 0 };
  }
  const half = count / 2;
  return { instant: 0, first: mean - deviation, firstCount: half, second: mean + deviation, secondCount: half };
}

const logChanged = (expected: number): number => Math.log(-Math.expm1(-Math.max(1e-300, expected)));

/**
 * The logarithms of how likely a history is at each of some rates, up to a constant: `L^E e^(-L T)` for E dated changes
 * and the time T without a change, and `1 - e^(-L I)` for each undated change after an interval I.
 *
 * @param prior - is counted as if it had been seen
 * @param logRates - the logarithms of the rates
 */
export function weighHistory(
  history: ChangeHistory,
  prior: RatePrior,
  rates: Float64Array,
  logRates: Float64Array,
  into: Float64Array,
): void {
  const { instant, first, firstCount, second, secondCount } = representIntervals(history);
  const sure = sane(history.datedChanges) + prior.changes + instant;
  const quiet = sane(history.quietSeconds) + prior.seconds;
  for (let at = 0; at < rates.length; at++) {
    const rate = rates[at] as number;
    let log = sure * (logRates[at] as number) - quiet * rate;
    if (firstCount > 0) log += firstCount * logChanged(rate * first);
    if (secondCount > 0) log += secondCount * logChanged(rate * second);
    into[at] = log;
  }
}

/** x / (e^x - 1), and its derivative by x. */
export function bernoulli(x: number): readonly [number, number] {
  if (x < 1e-5) return [1 - x / 2, -0.5 + x / 6];
  if (x > 500) return [0, 0];
  const grown = Math.expm1(x);
  return [x / grown, (grown - x * (grown + 1)) / (grown * grown)];
}
