import type { IntervalRule } from "./adaptive-interval.ts";
import { freshnessCurve } from "./optimum.ts";
import { expectedAgeSeconds, expectedFreshness } from "./poll-index.ts";
import { type PollPlannerName, pollPlannerOf } from "./poll-planners.ts";
import { dueAfterSeconds, pollPolicy } from "./poll-policy.ts";
import { type PollCurve, planByPrice } from "./price-search.ts";
import { bucketRows, rateBuckets } from "./rate-buckets.ts";
import { type EstimatedPages, posteriorRateAt, posteriorRates } from "./rate-posterior.ts";

/**
 * Polls a second of a page of each row in the long run by `index` and by the crawler's own plan: the optimum's rates, but no
 * page more often than while it is almost certainly unchanged, and a quarter of the budget for pages that would otherwise
 * wait longer than the longest interval. What the crawler's own plan learns beyond the estimated rates is left out.
 *
 * @param counts - pages by the row of their estimated rate
 */
function pollsByIndex(counts: ArrayLike<number>, budgetPerSecond: number): Float64Array {
  const rows = bucketRows(counts);
  const most = Float64Array.from(
    rows.ratesPerSecond,
    (rate) => 1 / dueAfterSeconds(rate, pollPolicy.minBudgetedProbability),
  );
  const least = 1 / pollPolicy.maxIntervalSeconds;
  let pages = 0;
  for (let row = 0; row < rateBuckets; row++) pages += counts[row] ?? 0;
  let floor = Math.min(least, budgetPerSecond / 4 / Math.max(1, pages));
  let polls: Float64Array = new Float64Array(rateBuckets);
  // Each of the waiting pages gets more if they are fewer; which ones they are settles in a few rounds.
  for (let round = 0; round < 6; round++) {
    const atLeast = floor;
    const curve: PollCurve = (price, rate, weight, row) =>
      Math.min(most[row] ?? 0, Math.max(atLeast, freshnessCurve(price, rate, weight, row)));
    polls = planByPrice(curve, rows, budgetPerSecond).pollsPerSecond;
    let waiting = 0;
    for (let row = 0; row < rateBuckets; row++) if ((polls[row] ?? 0) <= atLeast) waiting += counts[row] ?? 0;
    floor = waiting === 0 ? atLeast : Math.min(least, budgetPerSecond / 4 / waiting);
    if (Math.abs(floor - atLeast) <= 1e-6 * atLeast) break;
  }
  return polls;
}

/** Result of an interval rule for pages of each rate, in the long run. */
interface IntervalCourse {
  /** By the index of a rate: polls a second. */
  readonly pollsPerSecond: Float64Array;
  readonly freshness: Float64Array;
  readonly ageSeconds: Float64Array;
}

const settlingVisits = 100;
const countedVisits = 400;

/** How late all visits are, in seconds: not at all, then 50 % later each step, up to some 70 years. */
const latenesses: readonly number[] = [0, ...Array.from({ length: 39 }, (_, step) => 450 * 1.5 ** step)];

/**
 * What an interval rule does with a budget. If that is too small, visits are late, in the long run all equally, because those
 * that are due first go first. A page is followed for some hundred visits at each rate and lateness.
 *
 * @see `scheduleVisits`, which is the rule with real pages
 */
class IntervalCourses {
  readonly #courses: readonly IntervalCourse[];
  /** Polls a second of all pages, by course. */
  readonly #polls: readonly number[];

  /**
   * @param pollsOf - polls a second of all pages, from those of a page of each rate
   * @param random - from 0 to 1, exclusive
   */
  constructor(rule: IntervalRule, pollsOf: (pollsPerSecond: Float64Array) => number, random: () => number) {
    this.#courses = latenesses.map((late) => followRule(rule, late, random));
    this.#polls = this.#courses.map(({ pollsPerSecond }) => pollsOf(pollsPerSecond));
  }

  /** The course that spends a budget, or that of punctual visits if they need less. */
  at(budgetPerSecond: number): IntervalCourse {
    const found = this.#polls.findIndex((polls) => polls <= budgetPerSecond);
    const later = found < 0 ? this.#courses.length - 1 : found;
    const low = this.#courses[later];
    const high = this.#courses[later - 1];
    if (low === undefined) throw new RangeError("there is no course");
    if (high === undefined || found < 0) return low;
    const [fewer = 0, more = 0] = [this.#polls[later], this.#polls[later - 1]];
    return mix(low, high, more > fewer ? (budgetPerSecond - fewer) / (more - fewer) : 0);
  }
}

function mix(low: IntervalCourse, high: IntervalCourse, share: number): IntervalCourse {
  const between = (a: Float64Array, b: Float64Array): Float64Array =>
    a.map((value, at) => (1 - share) * value + share * (b[at] ?? 0));
  return {
    pollsPerSecond: between(low.pollsPerSecond, high.pollsPerSecond),
    freshness: between(low.freshness, high.freshness),
    ageSeconds: between(low.ageSeconds, high.ageSeconds),
  };
}

function followRule(rule: IntervalRule, lateSeconds: number, random: () => number): IntervalCourse {
  const course = {
    pollsPerSecond: new Float64Array(posteriorRates),
    freshness: new Float64Array(posteriorRates),
    ageSeconds: new Float64Array(posteriorRates),
  };
  for (let at = 0; at < posteriorRates; at++) {
    const rate = posteriorRateAt(at);
    let kept = { intervalSeconds: rule.firstSeconds, waitSeconds: rule.firstSeconds };
    let [seconds, fresh, aged] = [0, 0, 0];
    for (let visit = 0; visit < settlingVisits + countedVisits; visit++) {
      const waited = kept.waitSeconds + lateSeconds;
      const changed = random() < -Math.expm1(-rate * waited);
      if (visit >= settlingVisits) {
        seconds += waited;
        fresh += waited * expectedFreshness(rate, 1 / waited);
        aged += waited * expectedAgeSeconds(rate, 1 / waited);
      }
      kept = rule.adapt(kept.intervalSeconds, { page: 0, atSeconds: 0, intervalSeconds: waited, changed });
    }
    course.pollsPerSecond[at] = countedVisits / seconds;
    course.freshness[at] = fresh / seconds;
    course.ageSeconds[at] = aged / seconds;
  }
  return course;
}

/** Expected result of a planner in the long run, with visits spread evenly. */
export interface PlannerForecast {
  readonly planner: PollPlannerName;
  /** Share of the time in which copies are up to date, from 0 to 1. */
  readonly freshness: number;
  /** 90 % interval, by the uncertainty of the pages' rates. */
  readonly freshnessRange: readonly [number, number];
  /** Mean age of the copies of visited pages, in seconds; 0 if there are none. */
  readonly ageSeconds: number;
  readonly requestsPerDay: number;
  /** Pages that are never visited. */
  readonly neverVisited: number;
}

/** Result of a planner for pages of each row of the estimate, and of each true rate. */
interface LongRun {
  readonly freshnessAt: (row: number, at: number) => number;
  /** 0 for pages that are not visited. */
  readonly ageAt: (row: number, at: number) => number;
  readonly requestsPerSecond: number;
  readonly neverVisited: number;
}

const daySeconds = 86_400;
/** Bounds of the search for a budget; the upper one is each page each hour. */
const mostPerPageAndDay = 24;
const leastPerPageAndDay = 1e-6;

function rangeOf(worlds: readonly number[]): readonly [number, number] {
  const sorted = worlds.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  return [at(0.05), at(0.95)];
}

/** Forecasts the results of planners for pages whose history is known. */
export class Forecaster {
  readonly #pages: EstimatedPages;
  readonly #random: (planner: PollPlannerName) => () => number;
  readonly #courses = new Map<PollPlannerName, IntervalCourses>();

  /**
   * @param pages - at least one
   * @param random - numbers from 0 to 1, exclusive; the same for the same planner
   */
  constructor(pages: EstimatedPages, random: (planner: PollPlannerName) => () => number) {
    this.#pages = pages;
    this.#random = random;
  }

  /** @param requestsPerDay - the budget, above 0 */
  forecast(planner: PollPlannerName, requestsPerDay: number): PlannerForecast {
    const { freshnessAt, ageAt, requestsPerSecond, neverVisited } = this.#course(planner, requestsPerDay / daySeconds);
    const { pages } = this.#pages;
    const visited = pages - neverVisited;
    return {
      planner,
      freshness: this.#pages.meanOf(freshnessAt),
      freshnessRange: rangeOf(this.#pages.meansOf(freshnessAt)),
      ageSeconds: visited > 0 ? (this.#pages.meanOf(ageAt) * pages) / visited : 0,
      requestsPerDay: requestsPerSecond * daySeconds,
      neverVisited,
    };
  }

  /** The freshness of {@link forecast} alone. */
  freshnessOf(planner: PollPlannerName, requestsPerDay: number): number {
    return this.#pages.meanOf(this.#course(planner, requestsPerDay / daySeconds).freshnessAt);
  }

  /** The least budget that is expected to reach a freshness, in requests a day; undefined if there is none. */
  budgetFor(planner: PollPlannerName, freshness: number): number | undefined {
    const { pages } = this.#pages;
    const reaches = (log: number): boolean => this.freshnessOf(planner, Math.exp(log)) >= freshness;
    let low = Math.log(pages * leastPerPageAndDay);
    let high = Math.log(pages * mostPerPageAndDay);
    if (!reaches(high)) return undefined;
    if (reaches(low)) return this.forecast(planner, Math.exp(low)).requestsPerDay;
    while (high - low > 1e-4) {
      const middle = (low + high) / 2;
      if (reaches(middle)) high = middle;
      else low = middle;
    }
    return Math.exp(high);
  }

  #course(planner: PollPlannerName, budgetPerSecond: number): LongRun {
    const kind = pollPlannerOf(planner);
    if (kind.kind === "intervals") return this.#followIntervals(planner, kind.rule, budgetPerSecond);
    const { counts } = this.#pages;
    return this.#followPolls(
      kind.kind === "rates"
        ? planByPrice(kind.curve, bucketRows(counts), budgetPerSecond).pollsPerSecond
        : pollsByIndex(counts, budgetPerSecond),
    );
  }

  #followIntervals(planner: PollPlannerName, rule: IntervalRule, budgetPerSecond: number): LongRun {
    const pages = this.#pages;
    const pollsOf = (polls: Float64Array): number => pages.pages * pages.meanOf((_, at) => polls[at] ?? 0);
    const courses = this.#courses.get(planner) ?? new IntervalCourses(rule, pollsOf, this.#random(planner));
    this.#courses.set(planner, courses);
    const course = courses.at(budgetPerSecond);
    return {
      freshnessAt: (_, at) => course.freshness[at] ?? 0,
      ageAt: (_, at) => course.ageSeconds[at] ?? 0,
      requestsPerSecond: Math.min(budgetPerSecond, pollsOf(course.pollsPerSecond)),
      neverVisited: 0,
    };
  }

  #followPolls(polls: Float64Array): LongRun {
    let requestsPerSecond = 0;
    let neverVisited = 0;
    for (const [row, count] of this.#pages.counts.entries()) {
      requestsPerSecond += count * (polls[row] ?? 0);
      if (!((polls[row] ?? 0) > 0)) neverVisited += count;
    }
    return {
      freshnessAt: (row, at) => expectedFreshness(posteriorRateAt(at), polls[row] ?? 0),
      ageAt: (row, at) => ((polls[row] ?? 0) > 0 ? expectedAgeSeconds(posteriorRateAt(at), polls[row] ?? 0) : 0),
      requestsPerSecond,
      neverVisited,
    };
  }
}
