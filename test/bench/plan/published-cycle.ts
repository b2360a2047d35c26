import type { CycleFacts } from "../../../src/revisit/index.ts";

/** The three weightings of the paper: all periods alike, the last alone, and the last above all. */
export type CycleStrategy = 1 | 2 | 3;

/** How the pages lie in the buckets: equally, or more of the fastest and slowest; 3 is 1 with half the rates. */
export type CycleVersion = 1 | 2 | 3;

/** What may be varied beside strategy and version. */
export interface PublishedCycle {
  readonly strategy: CycleStrategy;
  readonly version?: CycleVersion;
  readonly periods?: number;
  readonly buckets?: number;
}

/**
 * The cycle of the experiments, as far as it can be known: rates, costs and finds are not published, and these are round
 * numbers that give the published objectives. With other than 255 buckets the same pages are cut finer or coarser.
 */
export function publishedCycle({ strategy, version = 1, periods = 14, buckets = 255 }: PublishedCycle): CycleFacts {
  const place = (i: number): number => (i + 0.5) / buckets;
  const held = (i: number): number => (version !== 2 ? 2e6 : place(i) < 0.249 || place(i) > 0.75 ? 3e6 : 1e6);
  const pages = Float64Array.from({ length: buckets }, (_, i) => (held(i) * 255) / buckets);
  const rate = (i: number): number => (0.0058 + 0.1042 * place(i) ** 9) * (version === 3 ? 0.5 : 1);
  const weight = (period: number): number => (strategy === 1 || period === periods ? 1 : strategy === 2 ? 0 : 0.01);
  return {
    periods,
    pages,
    obsolete: pages.map((count, i) => count * rate(i)),
    changed: (_, i) => rate(i),
    capacity: 52e6,
    oldFinds: 0.0185,
    oldWeight: weight,
    newWeight: weight,
  };
}
