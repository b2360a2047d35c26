import type { IntervalRule } from "./adaptive-interval.ts";
import { pollsByCurve, pollsByIndex } from "./expected-polls.ts";
import { IntervalCourses } from "./interval-course.ts";
import { expectedAgeSeconds, expectedFreshness } from "./poll-index.ts";
import { type PollPlannerName, pollPlannerOf } from "./poll-planners.ts";
import { type EstimatedPages, posteriorRateAt } from "./rate-posterior.ts";

/** What a planner is expected to do with pages and a budget in the long run, visits spread evenly over the time. */
export interface PlannerForecast {
  readonly planner: PollPlannerName;
  /** Share of the time in which copies are as the pages are, from 0 to 1. */
  readonly freshness: number;
  /** Between these it is with a probability of 0.9, by what is not known of the pages' rates. */
  readonly freshnessRange: readonly [number, number];
  /** How long ago, at a mean instant, pages that are visited became others than their copies, in seconds; 0 without any. */
  readonly ageSeconds: number;
  readonly requestsPerDay: number;
  /** Pages that it never visits. */
  readonly neverVisited: number;
}

/** What a planner comes to with pages of each row of the estimate, and of each true rate. */
interface LongRun {
  readonly freshnessAt: (row: number, at: number) => number;
  /** 0 of pages that are not visited. */
  readonly ageAt: (row: number, at: number) => number;
  readonly requestsPerSecond: number;
  readonly neverVisited: number;
}

const daySeconds = 86_400;
/** Where a search for a budget ends: each page each hour. */
const mostPerPageAndDay = 24;
const leastPerPageAndDay = 1e-6;

function rangeOf(worlds: readonly number[]): readonly [number, number] {
  const sorted = worlds.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  return [at(0.05), at(0.95)];
}

/** Tells what planners are expected to do with pages of which a crawler has a history. */
export class Forecaster {
  readonly #pages: EstimatedPages;
  readonly #random: (planner: PollPlannerName) => () => number;
  readonly #courses = new Map<PollPlannerName, IntervalCourses>();

  /**
   * @param pages - at least one
   * @param random - numbers from 0 to 1, exclusive, the same ones for the same planner
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

  /** The least budget with which a planner is expected to reach a freshness, in requests a day; undefined if none does. */
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
      kind.kind === "rates" ? pollsByCurve(kind.curve, counts, budgetPerSecond) : pollsByIndex(counts, budgetPerSecond),
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
