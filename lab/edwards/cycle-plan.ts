import { boundCycle } from "./cycle-bound.ts";
import type { CycleCourse, CycleShares } from "./cycle-course.ts";
import { CycleDual } from "./cycle-dual.ts";
import { mergeBuckets, spreadShares } from "./cycle-merge.ts";
import { type CycleFacts, type CycleModel, createCycle } from "./cycle-model.ts";
import { ascendPrices, type Effort } from "./cycle-prices.ts";
import { roundSchedules, type Steepness } from "./cycle-rounding.ts";
import { followShares, type SweptPlan, sweepPeriods } from "./cycle-sweeps.ts";

/** A plan of a cycle, what becomes of the cycle under it, and how good it is. */
export interface CyclePlan {
  readonly periods: number;
  readonly buckets: number;
  /** The weights for the queues: of each bucket, and of the pages that wait, the share to fetch. */
  readonly shares: CycleShares;
  readonly course: CycleCourse;
  /** No plan of this cycle has a lower objective. */
  readonly bound: number;
  /** What one more unit of capacity is worth in a period, `[t - 1]`; they start the next planning. */
  readonly prices: Float64Array;
  /** Evaluations of the dual that it took; those of fewer buckets count less. */
  readonly evaluations: number;
}

/** How a plan is rounded, and from which prices: each way finds the best plans of some cycles. */
const attempts: ReadonlyArray<readonly [Steepness, from: "prices" | "smoothPrices"]> = [
  [{ first: 0.05, growth: 1.5, passes: 18 }, "prices"],
  [{ first: 0.05, growth: 1.5, passes: 18 }, "smoothPrices"],
  [{ first: 0.01, growth: 1.35, passes: 24 }, "prices"],
  [{ first: 0.05, growth: 1.2, passes: 40 }, "prices"],
];
/** What comes within so much of the bound needs no other attempt; and where attempts cost more. */
const nearEnough = 1.004;
const nearEnoughOfMany = 1.013;
const manyChoices = 5e5;
/** Sweeps end that gain less than so much of the objective; and of all buckets, where neighbours were put together. */
const leastGain = 1e-7;
const leastGainOfAll = 1e-5;

/** Of more buckets than these neighbours are put together to find prices and schedules. */
const mostPlanned = 512;
/** Buckets are planned one by one where neighbours have so little in common that a plan is so far from its bound. */
const tooFar = 1.02;

/**
 * The way to prices: temperatures of the smoothed minimum, as parts of the largest weight, and by how many buckets at most
 * the dual is taken for it. Neighbours put together have nearly the prices of all, so that these have little left to do.
 */
const stages: ReadonlyArray<readonly [temperature: number, buckets: number, effort: Effort]> = [
  [3e-3, 16, { leastGain: 1e-5, patience: 3 }],
  [1e-3, 16, { leastGain: 1e-5, patience: 3 }],
  [3e-4, 64, { leastGain: 1e-5, patience: 3 }],
  [1e-4, 64, { leastGain: 1e-5, patience: 3 }],
  [1e-4, Number.POSITIVE_INFINITY, { leastGain: 1e-4, patience: 1 }],
];
/** What is left of the stages where prices of a like cycle are known; the first of them gives the smooth prices. */
const lastStages = 3;

/** Prices of the periods' capacity. */
interface CyclePrices {
  readonly prices: Float64Array;
  /** Those of a higher temperature, at which schedules are mixed more. */
  readonly smoothPrices: Float64Array;
  readonly evaluations: number;
}

function solveDual(dual: CycleDual, start: ArrayLike<number> | undefined): CyclePrices {
  const { model } = dual;
  const { periods, buckets, unit } = model;
  const prices = Float64Array.from({ length: periods }, (_, t) => Math.max(0, start?.[t] ?? 0.05 * unit));
  let smoothPrices = prices;
  const duals = new Map([[1, dual]]);
  let evaluations = 1;
  for (const [at, [temperature, most, effort]] of stages.entries()) {
    const left = stages.length - at;
    if (start !== undefined && left > lastStages) continue;
    const by = Math.max(1, Math.ceil(buckets / most));
    const merged = duals.get(by) ?? new CycleDual(mergeBuckets(model, by));
    duals.set(by, merged);
    evaluations += (ascendPrices(merged, prices, temperature * unit, effort) * merged.model.buckets) / buckets;
    if (left === lastStages) smoothPrices = prices.slice();
  }
  return { prices, smoothPrices, evaluations };
}

/** A plan of a model, and what proves how good it is. */
interface Found extends CyclePrices {
  readonly plan: SweptPlan;
  readonly bound: number;
}

/** Plans each bucket by itself. */
function planEach(model: CycleModel, start: ArrayLike<number> | undefined): Found {
  const dual = new CycleDual(model);
  const found = solveDual(dual, start);
  const bound = boundCycle(model, found.prices);
  const isMany = model.buckets * model.periods ** 2 > manyChoices;
  let best: SweptPlan | undefined;
  for (const [steepness, from] of attempts) {
    const prices = found[from];
    const swept = sweepPeriods(model, roundSchedules(dual, prices, steepness), prices, leastGain);
    const plan = followShares(model, swept);
    if (best === undefined || plan.course.objective < best.course.objective) best = plan;
    if (best.course.objective <= (isMany ? nearEnoughOfMany : nearEnough) * bound) break;
  }
  if (best === undefined) throw new TypeError("no plan was tried");
  return { ...found, bound, plan: best };
}

/** Plans few buckets of neighbours put together, and makes the plan better for each. */
function planNeighbours(model: CycleModel, by: number, start: ArrayLike<number> | undefined): Found {
  const found = planEach(mergeBuckets(model, by), start);
  const { prices } = found;
  const spread = spreadShares(model, by, found.plan.shares);
  const plan = followShares(model, sweepPeriods(model, spread, prices, leastGainOfAll));
  return { ...found, bound: boundCycle(model, prices), plan };
}

/**
 * Plans a crawler's cycle: how many pages of each bucket, and how many new ones, to fetch in each period, so that the
 * weighted sum of obsolete copies and waiting pages is least. It is not convex; but for given prices of capacity each page's
 * best schedule is found exactly, which gives a lower bound (weak duality), and whole schedules near it give a plan.
 *
 * Of more than 512 buckets neighbours are planned together first, so that they had better lie by their rates.
 *
 * @param start - prices of a like cycle
 * @throws RangeError if a number of the facts cannot be
 * @see J. Edwards, K. McCurley, J. Tomlin, "An Adaptive Model for Optimizing Performance of an Incremental Web Crawler",
 * WWW10, 2001, sections 4 and 5
 */
export function planCycle(facts: CycleFacts, start?: ArrayLike<number>): CyclePlan {
  const model = createCycle(facts);
  const { periods, buckets } = model;
  const by = Math.ceil(buckets / mostPlanned);
  let found = by > 1 ? planNeighbours(model, by, start) : planEach(model, start);
  if (by > 1 && found.plan.course.objective > tooFar * found.bound) found = planEach(model, found.prices);
  const { plan, bound, prices, evaluations } = found;
  return { periods, buckets, shares: plan.shares, course: plan.course, bound, prices, evaluations };
}
