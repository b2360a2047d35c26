import { pollsByCurve, pollsByDefault } from "./expected-polls.ts";
import { type IntervalCourse, IntervalCourses } from "./interval-course.ts";
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
    const kind = pollPlannerOf(planner);
    const budget = requestsPerDay / daySeconds;
    if (kind.kind === "intervals") return this.#forecastIntervals(planner, this.#coursesOf(planner), budget);
    const { counts } = this.#pages;
    const polls = kind.kind === "default" ? pollsByDefault(counts, budget) : pollsByCurve(kind.curve, counts, budget);
    return this.#forecastPolls(planner, polls);
  }

  /** The least budget with which a planner is expected to reach a freshness, in requests a day; undefined if none does. */
  budgetFor(planner: PollPlannerName, freshness: number): number | undefined {
    const { pages } = this.#pages;
    const reaches = (log: number): boolean => this.forecast(planner, Math.exp(log)).freshness >= freshness;
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

  #coursesOf(planner: PollPlannerName): IntervalCourses {
    const known = this.#courses.get(planner);
    if (known !== undefined) return known;
    const kind = pollPlannerOf(planner);
    if (kind.kind !== "intervals") throw new TypeError(`${planner} keeps no intervals`);
    const made = new IntervalCourses(kind.rule, this.#random(planner));
    this.#courses.set(planner, made);
    return made;
  }

  #forecastIntervals(planner: PollPlannerName, courses: IntervalCourses, budget: number): PlannerForecast {
    const pages = this.#pages;
    const pollsOf = ({ pollsPerSecond }: IntervalCourse): number =>
      pages.pages * pages.meanOf((_, at) => pollsPerSecond[at] ?? 0).mean;
    const course = courses.at(budget, pollsOf);
    const { mean, worlds } = pages.meanOf((_, at) => course.freshness[at] ?? 0);
    return {
      planner,
      freshness: mean,
      freshnessRange: rangeOf(worlds),
      ageSeconds: pages.meanOf((_, at) => course.ageSeconds[at] ?? 0).mean,
      requestsPerDay: Math.min(budget, pollsOf(course)) * daySeconds,
      neverVisited: 0,
    };
  }

  #forecastPolls(planner: PollPlannerName, polls: Float64Array): PlannerForecast {
    const { counts, pages } = this.#pages;
    let requests = 0;
    let neverVisited = 0;
    for (const [row, count] of counts.entries()) {
      requests += count * (polls[row] ?? 0);
      if (!((polls[row] ?? 0) > 0)) neverVisited += count;
    }
    const { mean, worlds } = this.#pages.meanOf((row, at) => expectedFreshness(posteriorRateAt(at), polls[row] ?? 0));
    const aged = this.#pages.meanOf((row, at) =>
      (polls[row] ?? 0) > 0 ? expectedAgeSeconds(posteriorRateAt(at), polls[row] ?? 0) : 0,
    );
    const visited = pages - neverVisited;
    return {
      planner,
      freshness: mean,
      freshnessRange: rangeOf(worlds),
      ageSeconds: visited > 0 ? (aged.mean * pages) / visited : 0,
      requestsPerDay: requests * daySeconds,
      neverVisited,
    };
  }
}
