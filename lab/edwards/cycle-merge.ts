import type { CycleShares } from "./cycle-course.ts";
import type { CycleModel } from "./cycle-model.ts";

/** Sums or means of neighbours: `[i * width + k]` of each bucket, weighed by its pages or summed. */
function mergeRows(model: CycleModel, by: number, width: number, rows: Float64Array, isSum: boolean): Float64Array {
  const { buckets, pages } = model;
  const merged = new Float64Array(Math.ceil(buckets / by) * width);
  for (let from = 0; from < buckets; from += by) {
    const to = Math.min(buckets, from + by);
    let total = 0;
    for (let i = from; i < to; i++) total += pages[i] ?? 0;
    for (let i = from; i < to; i++) {
      const weight = isSum ? 1 : total > 0 ? (pages[i] ?? 0) / total : 1 / (to - from);
      for (let k = 0; k < width; k++) {
        const at = (from / by) * width + k;
        merged[at] = (merged[at] ?? 0) + weight * (rows[i * width + k] ?? 0);
      }
    }
  }
  return merged;
}

/** A cycle in which each `by` neighbouring buckets are one: what it costs to plan falls as much. */
export function mergeBuckets(model: CycleModel, by: number): CycleModel {
  const means = (rows: Float64Array): Float64Array => mergeRows(model, by, model.periods, rows, false);
  const sums = (rows: Float64Array): Float64Array => mergeRows(model, by, 1, rows, true);
  return {
    ...model,
    buckets: Math.ceil(model.buckets / by),
    pages: sums(model.pages),
    obsolete: sums(model.obsolete),
    shares: sums(model.shares),
    changed: means(model.changed),
    oldCost: means(model.oldCost),
    oldWeight: means(model.oldWeight),
    oldFinds: means(model.oldFinds),
  };
}

/** Shares of buckets that were put together, for each of them: all are fetched alike. */
export function spreadShares({ periods, buckets }: CycleModel, by: number, { old, waiting }: CycleShares): CycleShares {
  const spread = new Float64Array(buckets * periods);
  for (let i = 0; i < buckets; i++) {
    const from = Math.floor(i / by) * periods;
    spread.set(old.subarray(from, from + periods), i * periods);
  }
  return { old: spread, waiting };
}
