import type { CycleFacts } from "./cycle-model.ts";
import { type CyclePlan, planCycle } from "./cycle-plan.ts";
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

/** How often the pages of a bucket are fetched in a cycle. */
export interface FetchCount {
  readonly mean: number;
  /** Shares of its pages that are fetched never, and once. */
  readonly never: number;
  readonly once: number;
}

/** Counts the fetches of each bucket. Which of its pages a share is, is left to chance in each period. */
export function countFetches({ periods, buckets, shares }: CyclePlan): FetchCount[] {
  return Array.from({ length: buckets }, (_, bucket) => {
    let [mean, never, once] = [0, 1, 0];
    for (const share of shares.old.subarray(bucket * periods, (bucket + 1) * periods)) {
      mean += share;
      once = once * (1 - share) + never * share;
      never *= 1 - share;
    }
    return { mean, never, once };
  });
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
