import type { CycleModel } from "./cycle-model.ts";

/** What is fetched: a share of each bucket in each period, and of the pages that wait. */
export interface CycleShares {
  /** `x_it / b_i,t-1`, at `[i * T + t - 1]`, from 0 to 1. */
  readonly old: Float64Array;
  /** `z_t / n_t-1`, at `[t - 1]`. */
  readonly waiting: Float64Array;
}

/** What becomes of a cycle under a plan; letters as in the paper. */
export interface CycleCourse {
  /** Pages held in each bucket at the end of a period (b_it), `[i * T + t - 1]`. */
  readonly held: Float64Array;
  /** Held pages that are obsolete at the end of a period (y_it). */
  readonly obsolete: Float64Array;
  /** Held pages that are fetched (x_it). */
  readonly fetched: Float64Array;
  /** New pages that are fetched (z_t), `[t - 1]`. */
  readonly fetchedNew: Float64Array;
  /** Pages that wait at the end of a period (n_t). */
  readonly waiting: Float64Array;
  /** What is spent in a period. */
  readonly use: Float64Array;
  /** The weighted sum of obsolete copies and waiting pages, of all periods. */
  objective: number;
}

/** A course with nothing in it yet. */
export function createCourse({ periods, buckets }: CycleModel): CycleCourse {
  const byBucket = (): Float64Array => new Float64Array(periods * buckets);
  const byPeriod = (): Float64Array => new Float64Array(periods);
  return {
    held: byBucket(),
    obsolete: byBucket(),
    fetched: byBucket(),
    fetchedNew: byPeriod(),
    waiting: byPeriod(),
    use: byPeriod(),
    objective: 0,
  };
}

/** What is held of a bucket when period t (from 1) begins. */
export function heldBefore(model: CycleModel, course: CycleCourse, i: number, t: number): number {
  return (t > 1 ? course.held[i * model.periods + t - 2] : model.pages[i]) ?? 0;
}

/** What of a bucket would be obsolete at the end of period t if nothing of it were fetched. */
export function obsoleteUnfetched(model: CycleModel, course: CycleCourse, i: number, t: number): number {
  const { periods, changed, obsolete } = model;
  const at = i * periods + t - 1;
  const before = (t > 1 ? course.obsolete[at - 1] : obsolete[i]) ?? 0;
  const part = changed[at] ?? 0;
  return (1 - part) * before + part * heldBefore(model, course, i, t);
}

/** Pages that wait when period t begins. */
export function waitingBefore(model: CycleModel, course: CycleCourse, t: number): number {
  return (t > 1 ? course.waiting[t - 2] : model.waiting) ?? 0;
}

/** Moves a course through period t by the equations 1 to 4 of the paper; shares of t must be set. */
export function passPeriod(model: CycleModel, shares: CycleShares, course: CycleCourse, t: number): void {
  const { periods, buckets, oldCost, oldFinds, oldWeight } = model;
  const before = waitingBefore(model, course, t);
  const taken = before * (shares.waiting[t - 1] ?? 0);
  let use = taken * (model.newCost[t - 1] ?? 0);
  let waiting = before + ((model.newFinds[t - 1] ?? 0) - 1) * taken + (model.arrivals[t - 1] ?? 0);
  let weighed = 0;
  for (let i = 0; i < buckets; i++) {
    const at = i * periods + t - 1;
    const held = heldBefore(model, course, i, t);
    const share = shares.old[at] ?? 0;
    const x = held * share;
    const y = (1 - share) * obsoleteUnfetched(model, course, i, t);
    course.fetched[at] = x;
    course.obsolete[at] = y;
    course.held[at] = held + (model.shares[i] ?? 0) * taken;
    use += x * (oldCost[at] ?? 0);
    waiting += x * (oldFinds[at] ?? 0);
    weighed += y * (oldWeight[at] ?? 0);
  }
  course.fetchedNew[t - 1] = taken;
  course.waiting[t - 1] = waiting;
  course.use[t - 1] = use;
  if (t === 1) course.objective = 0;
  course.objective += weighed + waiting * (model.newWeight[t - 1] ?? 0);
}
