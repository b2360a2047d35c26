import type { IntervalRule } from "./adaptive-interval.ts";
import { expectedAgeSeconds, expectedFreshness } from "./poll-index.ts";
import { posteriorRateAt, posteriorRates } from "./rate-posterior.ts";

/** What a rule of intervals comes to for pages of each rate, in the long run. */
export interface IntervalCourse {
  /** By the place of a rate: polls a second. */
  readonly pollsPerSecond: Float64Array;
  readonly freshness: Float64Array;
  readonly ageSeconds: Float64Array;
}

const settlingVisits = 100;
const countedVisits = 400;

/** Steps of how late all visits are, in seconds: none, then half as late again each time, up to some 70 years. */
const latenesses: readonly number[] = [0, ...Array.from({ length: 39 }, (_, step) => 450 * 1.5 ** step)];

/**
 * What an interval rule does with a budget. Where that is too small, visits are late; those that are due first go first, so that
 * all are equally late in the long run. A page is followed for some hundred visits at each rate and lateness.
 *
 * @see `scheduleVisits`, which is the rule with real pages
 */
export class IntervalCourses {
  readonly #courses: readonly IntervalCourse[];
  /** Polls a second of all pages, by course. */
  readonly #polls: readonly number[];

  /**
   * @param pollsOf - polls a second of all pages, by those of a page of each rate
   * @param random - from 0 to 1, exclusive
   */
  constructor(rule: IntervalRule, pollsOf: (pollsPerSecond: Float64Array) => number, random: () => number) {
    this.#courses = latenesses.map((late) => followRule(rule, late, random));
    this.#polls = this.#courses.map(({ pollsPerSecond }) => pollsOf(pollsPerSecond));
  }

  /** The course at which a budget is spent, or that of visits in time where it need not be. */
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
