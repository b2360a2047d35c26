import { bernoulli, type Intervals, representIntervals } from "./interval-sums.ts";

/**
 * What is remembered of a page's polls: seven numbers, whatever their count. Of changes whose instant is not known
 * the intervals' count, sum and sum of squares are kept, which is the likelihood to the second order: exact for one or
 * two lengths of interval, and near for others (where they run from an hour to a month, the rate is a fifth too high).
 */
export interface ChangeHistory {
  /** Polls, less what is forgotten; at most the memory that {@link observe} was given. */
  readonly visits: number;
  /** Polls that saw a change and not when it was. */
  readonly changes: number;
  /** Sum of the intervals before those polls, in seconds. */
  readonly changedSeconds: number;
  /** Sum of the squares of those intervals, in seconds squared. */
  readonly changedSquares: number;
  /** Polls that saw a change and, by Last-Modified, its instant. */
  readonly datedChanges: number;
  /** Time in which the page did not change, in seconds: intervals without a change, and those after a dated one. */
  readonly quietSeconds: number;
  /** How much the page's Last-Modified has lied: 1 more for each lie, half for each truth. From 0.5 it is not used. */
  readonly falseDates: number;
  /** What was seen as likelihoods of rates, by `packEvidence`; left out where only the sums are known. */
  readonly evidence?: readonly number[] | undefined;
}

/** What one poll saw, beside the poll before it. */
export interface Observation {
  /** Time since the poll before, in seconds. One that is not positive tells nothing. */
  readonly intervalSeconds: number;
  /** Whether the page is another than then, by its digest or by a 304. */
  readonly changed: boolean;
  /** Date of the answer less its Last-Modified, in seconds; left out if there was none. */
  readonly lastModifiedAgeSeconds?: number | undefined;
}

/**
 * What is thought of a page before it is polled: a Gamma distribution of its rate, as if `changes` changes had been
 * seen in `seconds`. Its mean is `changes / seconds`.
 */
export interface RatePrior {
  /** The shape: more weighs more against what is observed. */
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
 * One change in a week. Polled when a change is as likely as 0.3, a page that stays equal is asked after 2.5 days, and 1.36
 * times as late each time. Less weight follows pages sooner, and is misled sooner by a site that is built anew as a whole.
 */
export const defaultPrior: RatePrior = { changes: 1, seconds: 7 * daySeconds };

/** Polls that are remembered: a page that was rewritten weekly and then left is known as such after about as many. */
export const defaultMemoryVisits = 64;

/** The lowest rate that is ever estimated, in changes a second: one change in ten years. */
export const minRate: number = 1 / (3650 * daySeconds);

/** The highest rate that is ever estimated, in changes a second: one change a minute. */
export const maxRate: number = 1 / 60;

const maxIntervalSeconds = 36_500 * daySeconds;
/** An age below it is that of a server that writes the present time, or of its clock. */
const dateSlackSeconds = 60;

const most = 1e15;
/** Of the sum of squares, which is in other units. */
const mostSquares = 1e24;

/** A number from 1e-9 up, or 0 for what is none, so that a damaged row cannot poison a plan. */
const sane = (value: number, limit = most): number => (value >= 1e-9 ? Math.min(value, limit) : 0);

type Dating = "dated" | "undated" | "lie";

/** Whether Last-Modified agrees with what the poll saw. */
function judgeDate({ changed, intervalSeconds, lastModifiedAgeSeconds: age }: Observation): Dating {
  if (age === undefined || !Number.isFinite(age) || age < dateSlackSeconds) return "undated";
  if (changed) return age <= intervalSeconds + dateSlackSeconds ? "dated" : "lie";
  return age >= intervalSeconds - dateSlackSeconds ? "dated" : "lie";
}

/**
 * Adds a poll to a history. Last-Modified dates the last change where it agrees with what the poll saw; one that moved
 * over an equal page, or stayed over another, is a lie, and the page's dates are not used until they were true twice.
 *
 * @param memoryVisits - polls after which older ones fade, each poll by a further share of 1 / memoryVisits
 * @returns a new history; the same one if the interval is not positive
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
  const changedSeconds = sane(history.changedSeconds);
  const dated = sane(history.datedChanges);
  const intervals =
    changes > 0 && changedSeconds > 0
      ? representIntervals(changes, changedSeconds, sane(history.changedSquares, mostSquares))
      : { instant: changes, first: 0, firstCount: 0, second: 0, secondCount: 0 };
  let sure = dated;
  let quiet = sane(history.quietSeconds);
  if (prior === undefined) {
    sure = correctDatedChanges(dated, visits - changes);
    // Half a visit without a change, as in the estimator's 0.5.
    if (changes > 0) quiet += changedSeconds / changes / 2;
  } else {
    sure += sane(prior.changes);
    quiet += sane(prior.seconds);
  }
  if (sure + changes === 0) return minRate;
  if (quiet === 0) return maxRate;
  return Math.min(maxRate, Math.max(minRate, solveRate(sure, intervals, quiet)));
}

/** Pages of a site that the default prior is worth when a site's own is fitted. */
const defaultPriorPages = 20;

/**
 * Fits the prior of a site to its pages, of which each is added once: a step of expectation and maximisation for the
 * mean of a Gamma distribution of given shape. Added again with the prior that it gave, the pages bring it nearer to
 * the likeliest one. O(1) memory.
 */
export class SitePrior {
  readonly #prior: RatePrior;
  #pages = defaultPriorPages;
  #rates = (defaultPriorPages * defaultPrior.changes) / defaultPrior.seconds;

  /** @param prior - the one before; {@link defaultPrior} for a new site */
  constructor(prior: RatePrior = defaultPrior) {
    this.#prior = prior;
  }

  /**
   * Adds a page; one that was never polled twice tells nothing.
   *
   * @returns its rate by the prior of before, in changes a second
   */
  add(history: ChangeHistory): number {
    const rate = rateOf(history, this.#prior);
    if (!(history.visits > 0)) return rate;
    this.#pages += 1;
    this.#rates += rate;
    return rate;
  }

  /** The site's prior, by the pages that were added; the default one counts as 20 of them. */
  get prior(): RatePrior {
    const mean = this.#rates / this.#pages;
    return { changes: defaultPrior.changes, seconds: defaultPrior.changes / mean };
  }
}
