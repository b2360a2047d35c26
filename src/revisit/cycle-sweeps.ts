import {
  type CycleCourse,
  type CycleShares,
  createCourse,
  heldBefore,
  obsoleteUnfetched,
  passPeriod,
  waitingBefore,
} from "./cycle-course.ts";
import type { CycleModel } from "./cycle-model.ts";

/** Shares, and what becomes of the cycle under them. */
export interface SweptPlan {
  readonly shares: CycleShares;
  readonly course: CycleCourse;
}

const mostSweeps = 40;

/** What one more obsolete copy, held page or waiting page at the end of a period costs in what follows. */
class Adjoint {
  /** `[i * T + t - 1]`. */
  readonly obsolete: Float64Array;
  readonly held: Float64Array;
  /** `[t - 1]`. */
  readonly waiting: Float64Array;

  constructor({ periods, buckets }: CycleModel) {
    this.obsolete = new Float64Array(periods * buckets);
    this.held = new Float64Array(periods * buckets);
    this.waiting = new Float64Array(periods);
  }

  compute(model: CycleModel, { old, waiting }: CycleShares, prices: Float64Array): void {
    const { periods, buckets, changed, oldWeight, oldCost, oldFinds, newWeight, newCost, newFinds, shares } = model;
    for (let t = periods; t >= 1; t--) {
      const isLast = t === periods;
      const nextWaiting = isLast ? 0 : (this.waiting[t] ?? 0);
      const price = isLast ? 0 : (prices[t] ?? 0);
      let joined = 0;
      for (let i = 0; i < buckets; i++) {
        const at = i * periods + t - 1;
        const weight = oldWeight[at] ?? 0;
        if (isLast) {
          this.obsolete[at] = weight;
          this.held[at] = 0;
          continue;
        }
        const share = old[at + 1] ?? 0;
        const part = changed[at + 1] ?? 0;
        const kept = (1 - share) * (this.obsolete[at + 1] ?? 0);
        const after = this.held[at + 1] ?? 0;
        joined += (shares[i] ?? 0) * after;
        this.obsolete[at] = weight + (1 - part) * kept;
        this.held[at] =
          part * kept + after + share * ((oldCost[at + 1] ?? 0) * price + (oldFinds[at + 1] ?? 0) * nextWaiting);
      }
      const taken = isLast ? 0 : (waiting[t] ?? 0);
      const found = isLast ? 0 : (newFinds[t] ?? 0);
      this.waiting[t - 1] =
        (newWeight[t - 1] ?? 0) +
        nextWaiting * (1 - taken + taken * found) +
        taken * ((isLast ? 0 : (newCost[t] ?? 0)) * price + joined);
    }
  }
}

/**
 * Fills period t: the objective is linear in what is fetched in one period, so that the best is what gains most for its
 * cost, as far as the capacity goes; one share at most is between 0 and 1.
 *
 * @returns what a little more capacity would gain
 */
function fillPeriod(model: CycleModel, { shares, course }: SweptPlan, adjoint: Adjoint, t: number): number {
  const { periods, buckets, oldCost, oldFinds } = model;
  const gains = new Float64Array(buckets + 1);
  const places = new Uint32Array(buckets + 1);
  const waitingCost = adjoint.waiting[t - 1] ?? 0;
  let candidates = 0;
  let joined = 0;
  for (let i = 0; i < buckets; i++) {
    const at = i * periods + t - 1;
    shares.old[at] = 0;
    joined += (model.shares[i] ?? 0) * (adjoint.held[at] ?? 0);
    const held = heldBefore(model, course, i, t);
    if (held === 0) continue;
    const saved = (obsoleteUnfetched(model, course, i, t) / held) * (adjoint.obsolete[at] ?? 0);
    gains[i] = (saved - (oldFinds[at] ?? 0) * waitingCost) / (oldCost[at] ?? 1);
    if ((gains[i] ?? 0) > 0) places[candidates++] = i;
  }
  shares.waiting[t - 1] = 0;
  gains[buckets] = (waitingCost * (1 - (model.newFinds[t - 1] ?? 0)) - joined) / (model.newCost[t - 1] ?? 1);
  if ((gains[buckets] ?? 0) > 0) places[candidates++] = buckets;
  const order = places.subarray(0, candidates).sort((a, b) => (gains[b] ?? 0) - (gains[a] ?? 0) || a - b);
  let room = model.capacity[t - 1] ?? 0;
  for (const i of order) {
    const isNew = i === buckets;
    const count = isNew ? waitingBefore(model, course, t) : heldBefore(model, course, i, t);
    const cost = count * ((isNew ? model.newCost[t - 1] : oldCost[i * periods + t - 1]) ?? 1);
    const share = cost > room ? room / cost : 1;
    if (isNew) shares.waiting[t - 1] = share;
    else shares.old[i * periods + t - 1] = share;
    if (cost > room) return gains[i] ?? 0;
    room -= cost;
  }
  return 0;
}

/**
 * Makes a plan feasible and better, period by period, until a sweep over all gains next to nothing.
 *
 * @param start - shares to begin with, which may overdraw
 * @param prices - what capacity is worth in later periods, to begin with
 */
export function sweepPeriods(model: CycleModel, start: CycleShares, prices: Float64Array): SweptPlan {
  const { periods } = model;
  const plan = { shares: { old: start.old.slice(), waiting: start.waiting.slice() }, course: createCourse(model) };
  const worth = prices.slice();
  const adjoint = new Adjoint(model);
  let best: SweptPlan | undefined;
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    adjoint.compute(model, plan.shares, worth);
    for (let t = 1; t <= periods; t++) {
      worth[t - 1] = fillPeriod(model, plan, adjoint, t);
      passPeriod(model, plan.shares, plan.course, t);
    }
    const { objective } = plan.course;
    const gained = best === undefined ? Number.POSITIVE_INFINITY : best.course.objective - objective;
    if (gained > 0) best = copyPlan(plan);
    if (!(gained > 1e-7 * objective)) break;
  }
  return best ?? plan;
}

function copyPlan({ shares, course }: SweptPlan): SweptPlan {
  const { held, obsolete, fetched, fetchedNew, waiting, use, objective } = course;
  return {
    shares: { old: shares.old.slice(), waiting: shares.waiting.slice() },
    course: {
      held: held.slice(),
      obsolete: obsolete.slice(),
      fetched: fetched.slice(),
      fetchedNew: fetchedNew.slice(),
      waiting: waiting.slice(),
      use: use.slice(),
      objective,
    },
  };
}
