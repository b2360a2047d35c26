import { type CycleFacts, type CyclePlan, planCycle } from "../../revisit/index.ts";
import { type CycleStrategy, type CycleVersion, type CycleWorld, publishedCycle } from "./published-cycle.ts";

/** A run of the paper's. */
export interface CycleRun {
  /** As points are named: `1-v1`. */
  readonly name: string;
  readonly strategy: CycleStrategy;
  readonly version: CycleVersion;
}

const runOf = (strategy: CycleStrategy, version: CycleVersion): CycleRun => ({
  name: `${strategy}-v${version}`,
  strategy,
  version,
});

/** Experiment 1: the strategies. */
export const strategyRuns: readonly CycleRun[] = [runOf(1, 1), runOf(2, 1), runOf(3, 1)];

/** Experiments 1 and 2: those of Tables 3 and 4. */
export const tableRuns: readonly CycleRun[] = [...strategyRuns, runOf(1, 2), runOf(3, 2)];

/** Experiment 3: at two rates of change. */
export const trendRuns: readonly CycleRun[] = [runOf(1, 1), runOf(1, 3)];

/** A run that was planned. */
export interface PlannedCycle {
  readonly facts: CycleFacts;
  readonly plan: CyclePlan;
}

/** Plans a run. */
export function planRun({ strategy, version }: CycleRun, world: CycleWorld): PlannedCycle {
  const facts = publishedCycle({ ...world, strategy, version });
  return { facts, plan: planCycle(facts) };
}

/** How often a page of each bucket is fetched in the cycle, in the mean. */
export function countFetches({ periods, buckets, shares }: CyclePlan): Float64Array {
  return Float64Array.from({ length: buckets }, (_, bucket) =>
    shares.old.subarray(bucket * periods, (bucket + 1) * periods).reduce((sum, share) => sum + share, 0),
  );
}

/** A period's numbers of all buckets. */
export interface PeriodTotals {
  readonly obsolete: number;
  readonly pages: number;
  /** Fetches of held pages. */
  readonly fetched: number;
}

/** Sums buckets up. @param period - from 1 */
export function sumPeriod({ periods, buckets, course }: CyclePlan, period: number): PeriodTotals {
  const sum = (values: Float64Array): number => {
    let total = 0;
    for (let bucket = 0; bucket < buckets; bucket++) total += values[bucket * periods + period - 1] ?? 0;
    return total;
  };
  return { obsolete: sum(course.obsolete), pages: sum(course.held), fetched: sum(course.fetched) };
}
