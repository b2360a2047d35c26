import { type CyclePlan, planCycle } from "./cycle-plan.ts";
import type { KnownPages, VisitPlan, VisitPlanner, VisitWindow } from "./known-pages.ts";
import { changeProbability } from "./poll-index.ts";
import { bucketOfRate, newBucket, rateBuckets, rateOfBucket } from "./rate-buckets.ts";
import { SiteQuota, VisitList } from "./visit-schedule.ts";

/** How a cycle is weighed. */
export interface CyclePlannerOptions {
  /** Periods in a window. Default 14. */
  readonly periods?: number;
  /** What an obsolete copy weighs in each period but the last, which weighs 1: 1, 0, 0.01 are the paper's strategies. Default 1. */
  readonly earlyWeight?: number;
}

/** Places of pages by their buckets, the one polled longest ago first. */
function sortByBucket(pages: KnownPages): readonly Uint32Array[] {
  const { polledAtSeconds, ratesPerSecond } = pages;
  const byAge = Uint32Array.from({ length: polledAtSeconds.length }, (_, page) => page);
  byAge.sort((a, b) => (polledAtSeconds[a] ?? 0) - (polledAtSeconds[b] ?? 0) || a - b);
  const places: number[][] = Array.from({ length: rateBuckets + 1 }, () => []);
  for (const page of byAge) {
    const isNew = Number.isNaN(polledAtSeconds[page]);
    places[isNew ? newBucket : bucketOfRate(ratesPerSecond[page] ?? 0)]?.push(page);
  }
  return places.map((list) => Uint32Array.from(list));
}

/**
 * The model of Edwards, McCurley and Tomlin as a planner of visits: pages in 255 buckets by their rates, a window as a
 * cycle, planned anew each time from the prices of the last. Within a bucket the pages polled longest ago go first.
 */
export class CyclePlanner implements VisitPlanner {
  readonly name = "cycle";
  readonly #periods: number;
  readonly #earlyWeight: number;
  #prices: Float64Array | undefined;

  constructor({ periods = 14, earlyWeight = 1 }: CyclePlannerOptions = {}) {
    this.#periods = periods;
    this.#earlyWeight = earlyWeight;
  }

  plan(pages: KnownPages, window: VisitWindow): VisitPlan {
    const places = sortByBucket(pages);
    const list = new VisitList(window.visits);
    const filled = places.flatMap((own, bucket) => (bucket !== newBucket && own.length > 0 ? [bucket] : []));
    if (window.visits === 0) return list.finish();
    const cycle = filled.length > 0 ? this.#planCycle(pages, window, places, filled) : undefined;
    const quota = new SiteQuota(pages, window);
    const next = new Uint32Array(places.length);
    let spent = 0;
    for (let t = 1; t <= this.#periods; t++) {
      // Whole visits by rounding up to here, so that what is cut off a period goes to the next.
      const upTo = Math.round((window.visits * t) / this.#periods);
      const due = this.#listDue(cycle, t, places, filled, next, upTo - spent);
      const allowed = due.filter((page) => quota.take(page));
      for (const [at, page] of allowed.entries()) {
        list.add(page, window.fromSeconds + ((t - 1 + (at + 0.5) / allowed.length) * window.seconds) / this.#periods);
      }
      spent += allowed.length;
    }
    return list.finish();
  }

  #planCycle(
    pages: KnownPages,
    window: VisitWindow,
    places: readonly Uint32Array[],
    filled: readonly number[],
  ): CyclePlan {
    const { ratesPerSecond, weights, polledAtSeconds } = pages;
    const periodSeconds = window.seconds / this.#periods;
    const sum = (bucket: number, value: (page: number) => number): number =>
      (places[bucket] ?? new Uint32Array()).reduce((total, page) => total + value(page), 0);
    const count = Float64Array.from(filled, (bucket) => places[bucket]?.length ?? 0);
    const weight = filled.map((bucket, i) => sum(bucket, (page) => weights[page] ?? 0) / (count[i] ?? 1));
    const waiting = places[newBucket]?.length ?? 0;
    const newWeight = waiting > 0 ? sum(newBucket, (page) => weights[page] ?? 0) / waiting : 1;
    const timeWeight = (period: number): number => (period === this.#periods ? 1 : this.#earlyWeight);
    const plan = planCycle(
      {
        periods: this.#periods,
        pages: count,
        obsolete: Float64Array.from(filled, (bucket) =>
          sum(bucket, (page) =>
            changeProbability(ratesPerSecond[page] ?? 0, window.fromSeconds - (polledAtSeconds[page] ?? 0)),
          ),
        ),
        changed: (_, i) => changeProbability(rateOfBucket(filled[i] ?? 0), periodSeconds),
        waiting,
        capacity: window.visits / this.#periods,
        oldWeight: (period, i) => timeWeight(period) * (weight[i] ?? 0),
        newWeight: (period) => timeWeight(period) * newWeight,
      },
      this.#prices,
    );
    this.#prices = plan.prices;
    return plan;
  }

  /** The pages of a period, as the shares say, each bucket from its oldest on; `room` at most. */
  #listDue(
    cycle: CyclePlan | undefined,
    period: number,
    places: readonly Uint32Array[],
    filled: readonly number[],
    next: Uint32Array,
    room: number,
  ): number[] {
    const due: number[] = [];
    const fresh = places[newBucket] ?? new Uint32Array();
    const wanted = cycle === undefined ? room : Math.round(cycle.course.fetchedNew[period - 1] ?? 0);
    const take = (bucket: number, own: Uint32Array, most: number, wraps: boolean): void => {
      for (let k = 0; k < most && due.length < room; k++) {
        const place = next[bucket] ?? 0;
        if (place >= own.length && !wraps) return;
        due.push(own[place % own.length] ?? 0);
        next[bucket] = place + 1;
      }
    };
    take(newBucket, fresh, wanted, false);
    for (const [i, bucket] of filled.entries()) {
      const x = cycle?.course.fetched[i * (cycle?.periods ?? 1) + period - 1] ?? 0;
      const own = places[bucket] ?? new Uint32Array();
      // No page twice in a period.
      take(bucket, own, Math.min(own.length, Math.round(x)), true);
    }
    return due;
  }
}
