import { changeProbability } from "../../src/crawler/engine/revisit/poll-index.ts";
import { bucketOfRate, newBucket, rateBuckets, rateOfBucket } from "../../src/crawler/engine/revisit/rate-buckets.ts";
import {
  type KnownPages,
  SiteQuota,
  VisitList,
  type VisitPlan,
  type VisitPlanner,
  type VisitWindow,
} from "../../src/crawler/engine/revisit/visit-schedule.ts";
import { type CyclePlan, planCycle } from "./cycle-plan.ts";

/** How a cycle is weighed. */
export interface CyclePlannerOptions {
  /** Periods in a cycle. Default 14. */
  readonly periods?: number;
  /** How long a cycle is, as how often the budget could fetch every page in it; a window at least. Default 2. */
  readonly passes?: number;
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

/** The part of the window's first periods that lies in the window. */
function partsOf(windowSeconds: number, periodSeconds: number, periods: number): number[] {
  const parts: number[] = [];
  for (let t = 0; t < periods && t * periodSeconds < windowSeconds * (1 - 1e-9); t++) {
    parts.push(Math.min(1, windowSeconds / periodSeconds - t));
  }
  return parts;
}

/**
 * The model of Edwards, McCurley and Tomlin as a planner of visits: pages in 255 buckets by their rates; each window is the
 * beginning of a cycle, planned anew from the prices of the last. The cycle has to be long beside the window: what a visit
 * is worth after its end is not counted. Within a bucket the pages polled longest ago go first.
 */
export class CyclePlanner implements VisitPlanner {
  readonly name = "cycle";
  readonly #periods: number;
  readonly #passes: number;
  readonly #earlyWeight: number;
  /** Parts of visits that were planned and not made, by bucket. */
  readonly #carried = new Float64Array(rateBuckets + 1);
  #prices: Float64Array | undefined;

  constructor({ periods = 14, passes = 2, earlyWeight = 1 }: CyclePlannerOptions = {}) {
    this.#periods = periods;
    this.#passes = passes;
    this.#earlyWeight = earlyWeight;
  }

  plan(pages: KnownPages, window: VisitWindow): VisitPlan {
    const list = new VisitList(window.visits);
    const count = pages.polledAtSeconds.length;
    if (window.visits === 0 || count === 0) return list.finish();
    const places = sortByBucket(pages);
    const filled = places.flatMap((own, bucket) => (bucket !== newBucket && own.length > 0 ? [bucket] : []));
    const cycleSeconds = window.seconds * Math.max(1, (this.#passes * count) / window.visits);
    const periodSeconds = cycleSeconds / this.#periods;
    const cycle = filled.length > 0 ? this.#planCycle(pages, window, periodSeconds, places, filled) : undefined;
    const parts = partsOf(window.seconds, periodSeconds, this.#periods);
    const quota = new SiteQuota(pages, window);
    const next = new Uint32Array(places.length);
    for (const [t, part] of parts.entries()) {
      const from = window.fromSeconds + t * periodSeconds;
      const upTo = Math.round(((t + part) * periodSeconds * window.visits) / window.seconds);
      const wanted = this.#wantedVisits(cycle, t, part, filled, upTo - list.length);
      const due = drawPages(places, wanted, next, upTo - list.length).filter((page) => quota.take(page));
      for (const [at, page] of due.entries()) {
        list.add(page, from + ((at + 0.5) * part * periodSeconds) / due.length);
      }
    }
    return list.finish();
  }

  #planCycle(
    pages: KnownPages,
    window: VisitWindow,
    periodSeconds: number,
    places: readonly Uint32Array[],
    filled: readonly number[],
  ): CyclePlan {
    const { ratesPerSecond, weights, polledAtSeconds } = pages;
    const sum = (bucket: number, value: (page: number) => number): number =>
      (places[bucket] ?? new Uint32Array()).reduce((total, page) => total + value(page), 0);
    const count = Float64Array.from(filled, (bucket) => places[bucket]?.length ?? 0);
    const weight = filled.map((bucket, i) => sum(bucket, (page) => weights[page] ?? 0) / (count[i] ?? 1));
    const waiting = places[newBucket]?.length ?? 0;
    const newWeight = waiting > 0 ? sum(newBucket, (page) => weights[page] ?? 0) / waiting : 1;
    const timeWeight = (period: number): number => (period === this.#periods ? 1 : this.#earlyWeight);
    const isStale = (page: number): number =>
      changeProbability(ratesPerSecond[page] ?? 0, window.fromSeconds - (polledAtSeconds[page] ?? 0));
    const facts = {
      periods: this.#periods,
      pages: count,
      obsolete: Float64Array.from(filled, (bucket, i) => Math.min(count[i] ?? 0, sum(bucket, isStale))),
      changed: (_: number, i: number) => changeProbability(rateOfBucket(filled[i] ?? 0), periodSeconds),
      waiting,
      capacity: (window.visits * periodSeconds) / window.seconds,
      oldWeight: (period: number, i: number) => timeWeight(period) * (weight[i] ?? 0),
      newWeight: (period: number) => timeWeight(period) * newWeight,
    };
    const plan = planCycle(facts, this.#prices);
    this.#prices = plan.prices;
    return plan;
  }

  /** Whole visits of each bucket in a part of a period; what is cut off is carried to the next. */
  #wantedVisits(
    cycle: CyclePlan | undefined,
    t: number,
    part: number,
    filled: readonly number[],
    room: number,
  ): Uint32Array {
    const wanted = new Uint32Array(rateBuckets + 1);
    const want = (bucket: number, visits: number): void => {
      const carried = (this.#carried[bucket] ?? 0) + visits;
      wanted[bucket] = Math.floor(carried + 1e-9);
      this.#carried[bucket] = Math.max(0, carried - (wanted[bucket] ?? 0));
    };
    want(newBucket, cycle === undefined ? room : part * (cycle.course.fetchedNew[t] ?? 0));
    for (const [i, bucket] of filled.entries()) {
      want(bucket, part * (cycle?.course.fetched[i * this.#periods + t] ?? 0));
    }
    return wanted;
  }
}

/** The next pages of each bucket, new ones first, none twice, as many as there is room for. */
function drawPages(places: readonly Uint32Array[], wanted: Uint32Array, next: Uint32Array, room: number): number[] {
  const drawn: number[] = [];
  for (const bucket of [newBucket, ...places.keys()].slice(0, -1)) {
    const own = places[bucket] ?? new Uint32Array();
    const most = Math.min(own.length, wanted[bucket] ?? 0);
    for (let k = 0; k < most && drawn.length < room; k++) {
      const place = next[bucket] ?? 0;
      if (bucket === newBucket && place >= own.length) break;
      drawn.push(own[place % own.length] ?? 0);
      next[bucket] = place + 1;
    }
  }
  return drawn;
}
