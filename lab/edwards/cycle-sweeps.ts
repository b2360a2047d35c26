import { type CycleCourse, type CycleShares, createCourse, passPeriod } from "./cycle-course.ts";
import { fillRoom } from "./cycle-knapsack.ts";
import type { CycleModel } from "./cycle-model.ts";

/** Shares, and what becomes of the cycle under them. */
export interface SweptPlan {
  readonly shares: CycleShares;
  readonly course: CycleCourse;
}

const mostSweeps = 40;

/** Rows of buckets as rows of periods, or the other way round. */
function transpose(rows: Float64Array, width: number): Float64Array {
  const height = rows.length / width;
  const turned = new Float64Array(rows.length);
  for (let i = 0; i < height; i++) {
    for (let k = 0; k < width; k++) turned[k * height + i] = rows[i * width + k] ?? 0;
  }
  return turned;
}

/**
 * A plan that is made better period by period. Whatever is of a bucket and a period lies at `[(t - 1) B + i]`: one period
 * after the other is gone through, and what is not beside each other in memory takes many times as long to read.
 */
class Sweep {
  readonly old: Float64Array;
  /** `[t - 1]`. */
  readonly taken: Float64Array;
  objective = Number.POSITIVE_INFINITY;
  readonly #model: CycleModel;
  readonly #changed: Float64Array;
  readonly #oldWeight: Float64Array;
  readonly #oldCost: Float64Array;
  readonly #oldFinds: Float64Array;
  /** What capacity is worth, `[t - 1]`. */
  readonly #prices: Float64Array;
  /** What one more obsolete copy at the end of a period costs in what follows. */
  readonly #obsoleteWorth: Float64Array;
  /** What one more held page costs, by bucket; and by period what one more does that joins the buckets. */
  readonly #heldWorth: Float64Array;
  readonly #joinedWorth: Float64Array;
  readonly #waitingWorth: Float64Array;
  /** Where a course stands that is followed: pages held, those that are obsolete, and those if none is fetched. */
  readonly #held: Float64Array;
  readonly #obsolete: Float64Array;
  readonly #unfetched: Float64Array;
  readonly #gains: Float64Array;
  readonly #costs: Float64Array;
  readonly #places: Uint32Array;

  constructor(model: CycleModel, start: CycleShares, prices: Float64Array) {
    const { periods, buckets } = model;
    this.#model = model;
    this.#changed = transpose(model.changed, periods);
    this.#oldWeight = transpose(model.oldWeight, periods);
    this.#oldCost = transpose(model.oldCost, periods);
    this.#oldFinds = transpose(model.oldFinds, periods);
    this.old = transpose(start.old, periods);
    this.taken = start.waiting.slice();
    this.#prices = prices.slice();
    this.#obsoleteWorth = new Float64Array(periods * buckets);
    this.#heldWorth = new Float64Array(buckets);
    this.#joinedWorth = new Float64Array(periods);
    this.#waitingWorth = new Float64Array(periods);
    this.#held = new Float64Array(buckets);
    this.#obsolete = new Float64Array(buckets);
    this.#unfetched = new Float64Array(buckets);
    this.#gains = new Float64Array(buckets + 1);
    this.#costs = new Float64Array(buckets + 1);
    this.#places = new Uint32Array(buckets + 1);
  }

  /** Goes once through all periods; {@link objective} is that of the plan it makes. */
  run(): void {
    this.#weighEnd();
    for (let t = this.#model.periods - 1; t >= 1; t--) this.#weigh(t);
    this.#held.set(this.#model.pages);
    this.#obsolete.set(this.#model.obsolete);
    this.objective = 0;
    let waiting = this.#model.waiting;
    for (let t = 1; t <= this.#model.periods; t++) {
      this.#fill(t, waiting);
      waiting = this.#pass(t, waiting);
    }
  }

  #weighEnd(): void {
    const { periods, buckets, newWeight } = this.#model;
    const last = (periods - 1) * buckets;
    this.#heldWorth.fill(0);
    this.#joinedWorth[periods - 1] = 0;
    this.#waitingWorth[periods - 1] = newWeight[periods - 1] ?? 0;
    this.#obsoleteWorth.set(this.#oldWeight.subarray(last, last + buckets), last);
  }

  /** What one more at the end of period t costs in what follows, from the same of t + 1. */
  #weigh(t: number): void {
    const { buckets, newWeight, newCost, newFinds, shares } = this.#model;
    const price = this.#prices[t] ?? 0;
    const nextWaiting = this.#waitingWorth[t] ?? 0;
    const worth = this.#obsoleteWorth;
    const heldWorth = this.#heldWorth;
    const from = (t - 1) * buckets;
    const next = t * buckets;
    let joined = 0;
    for (let i = 0; i < buckets; i++) {
      const share = this.old[next + i] ?? 0;
      const part = this.#changed[next + i] ?? 0;
      const kept = (1 - share) * (worth[next + i] ?? 0);
      const spent = (this.#oldCost[next + i] ?? 0) * price + (this.#oldFinds[next + i] ?? 0) * nextWaiting;
      worth[from + i] = (this.#oldWeight[from + i] ?? 0) + (1 - part) * kept;
      const held = part * kept + (heldWorth[i] ?? 0) + share * spent;
      heldWorth[i] = held;
      joined += (shares[i] ?? 0) * held;
    }
    const taken = this.taken[t] ?? 0;
    this.#waitingWorth[t - 1] =
      (newWeight[t - 1] ?? 0) +
      nextWaiting * (1 - taken + taken * (newFinds[t] ?? 0)) +
      taken * ((newCost[t] ?? 0) * price + (this.#joinedWorth[t] ?? 0));
    this.#joinedWorth[t - 1] = joined;
  }

  /**
   * Fills period t: the objective is linear in what is fetched in one period, so that the best is what gains most for its
   * cost, as far as the capacity goes.
   */
  #fill(t: number, waiting: number): void {
    const { buckets, newFinds, newCost, capacity } = this.#model;
    const gains = this.#gains;
    const costs = this.#costs;
    const places = this.#places;
    const worth = this.#waitingWorth[t - 1] ?? 0;
    const from = (t - 1) * buckets;
    let count = 0;
    for (let i = 0; i < buckets; i++) {
      const held = this.#held[i] ?? 0;
      const part = this.#changed[from + i] ?? 0;
      const unfetched = (1 - part) * (this.#obsolete[i] ?? 0) + part * held;
      this.old[from + i] = 0;
      this.#unfetched[i] = unfetched;
      if (held === 0) continue;
      const cost = this.#oldCost[from + i] ?? 1;
      const saved = (unfetched / held) * (this.#obsoleteWorth[from + i] ?? 0);
      const gain = (saved - (this.#oldFinds[from + i] ?? 0) * worth) / cost;
      if (!(gain > 0)) continue;
      gains[i] = gain;
      costs[i] = held * cost;
      places[count++] = i;
    }
    const newGain = (worth * (1 - (newFinds[t - 1] ?? 0)) - (this.#joinedWorth[t - 1] ?? 0)) / (newCost[t - 1] ?? 1);
    this.taken[t - 1] = 0;
    if (newGain > 0) {
      gains[buckets] = newGain;
      costs[buckets] = waiting * (newCost[t - 1] ?? 1);
      places[count++] = buckets;
    }
    this.#prices[t - 1] = fillRoom({ gains, costs, places, count }, capacity[t - 1] ?? 0, (place, share) => {
      if (place === buckets) this.taken[t - 1] = share;
      else this.old[from + place] = share;
    });
  }

  /** Moves the course through period t, once it is filled. @returns the pages that wait at its end */
  #pass(t: number, before: number): number {
    const { buckets, shares, newFinds, arrivals, newWeight } = this.#model;
    const taken = before * (this.taken[t - 1] ?? 0);
    const from = (t - 1) * buckets;
    let waiting = before + ((newFinds[t - 1] ?? 0) - 1) * taken + (arrivals[t - 1] ?? 0);
    let weighed = 0;
    for (let i = 0; i < buckets; i++) {
      const held = this.#held[i] ?? 0;
      const share = this.old[from + i] ?? 0;
      const obsolete = (1 - share) * (this.#unfetched[i] ?? 0);
      this.#obsolete[i] = obsolete;
      this.#held[i] = held + (shares[i] ?? 0) * taken;
      waiting += held * share * (this.#oldFinds[from + i] ?? 0);
      weighed += obsolete * (this.#oldWeight[from + i] ?? 0);
    }
    this.objective += weighed + waiting * (newWeight[t - 1] ?? 0);
    return waiting;
  }
}

/**
 * Makes a plan feasible and better, period by period, until a sweep over all gains next to nothing.
 *
 * @param start - shares to begin with, which may overdraw
 * @param prices - what capacity is worth in later periods, to begin with
 * @param leastGain - what a sweep has to gain, of the whole, for another one to follow
 */
export function sweepPeriods(
  model: CycleModel,
  start: CycleShares,
  prices: Float64Array,
  leastGain: number,
): CycleShares {
  const { buckets } = model;
  const sweep = new Sweep(model, start, prices);
  const best = { objective: Number.POSITIVE_INFINITY, old: sweep.old.slice(), taken: sweep.taken.slice() };
  for (let round = 0; round < mostSweeps; round++) {
    sweep.run();
    const gained = best.objective - sweep.objective;
    if (gained > 0) {
      best.objective = sweep.objective;
      best.old.set(sweep.old);
      best.taken.set(sweep.taken);
    }
    if (!(gained > leastGain * sweep.objective)) break;
  }
  return { old: transpose(best.old, buckets), waiting: best.taken };
}

/** What becomes of a cycle under a plan that keeps to its capacity. */
export function followShares(model: CycleModel, shares: CycleShares): SweptPlan {
  const course = createCourse(model);
  for (let t = 1; t <= model.periods; t++) passPeriod(model, shares, course, t);
  return { shares, course };
}
