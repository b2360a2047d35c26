import type { Values } from "../experiment/parameter.ts";
import type { CycleFacts } from "./cycle-model.ts";
import { cycleParameters } from "./cycle-parameters.ts";

/** The three weightings of the paper: all periods alike, the last alone, and the last above all. */
export type CycleStrategy = 1 | 2 | 3;

/** How the pages lie in the buckets: equally, or more of the fastest and slowest; 3 is 1 with half the rates. */
export type CycleVersion = 1 | 2 | 3;

/** What a cycle of the paper is made from: the values of its parameters. */
export type CycleWorld = Values<typeof cycleParameters>;

/** Why no number of the paper comes out to its last digit. */
export const notPrinted: string =
  "The paper prints neither change rates, capacity, costs nor weights. Round numbers stand for them, one reconstruction of several: its " +
  "results come out within a tenth, not to the last digit.";

/** How far a reconstruction of inputs that are not printed may be off. */
export function tenthAround(value: number): readonly [number, number] {
  return [value * 0.9, value * 1.1];
}

/** Round numbers with which the objectives of the paper come out: a reconstruction, not its data. */
export const defaultCycleWorld: CycleWorld = Object.fromEntries(
  Object.entries(cycleParameters).map(([name, parameter]) => [name, parameter.default]),
) as CycleWorld;

/** The paper's Table 2: cumulative probability, and mean lifetime in days. */
const lifetimes: ReadonlyArray<readonly [share: number, days: number]> = [
  [0, 1],
  [0.12, 10],
  [0.4, 100],
  [1, 600],
];

/** The lifetime that a share of pages falls short of, evenly in the logarithm between the rows of the table. */
function lifetimeAt(share: number): number {
  const above = Math.max(
    1,
    lifetimes.findIndex(([end]) => end >= share),
  );
  const [from, short] = lifetimes[above - 1] ?? [0, 1];
  const [to, long] = lifetimes[above] ?? [1, 600];
  return short * (long / short) ** ((share - from) / (to - from));
}

/** Which run of the paper's is meant. */
export interface PublishedCycle extends Partial<CycleWorld> {
  readonly strategy: CycleStrategy;
  readonly version?: CycleVersion;
}

/** Share of the pages of a bucket that change in a period; buckets go from the slowest, 0, to the fastest. */
export function changeRateOf(world: CycleWorld, version: CycleVersion, bucket: number): number {
  const place = (bucket + 0.5) / world.buckets;
  const rate =
    world.rates === "lifetimes"
      ? -Math.expm1(-world.days / lifetimeAt(1 - place))
      : world.slowest + world.spread * place ** world.exponent;
  return Math.min(1, rate * (version === 3 ? world.slower : 1));
}

/** The facts of a run of the paper's, as far as they can be known. */
export function publishedCycle({ strategy, version = 1, ...given }: PublishedCycle): CycleFacts {
  const world = { ...defaultCycleWorld, ...given };
  const { periods, buckets } = world;
  const each = world.pages / buckets;
  const held = (bucket: number): number => {
    if (version !== 2) return each;
    // Of 255 buckets 63 and 64 are its quarters.
    const place = (bucket + 0.5) / buckets;
    return each * (place < 0.249 || place > 0.75 ? world.tails : world.middle);
  };
  const pages = Float64Array.from({ length: buckets }, (_, bucket) => held(bucket));
  const rates = pages.map((_, bucket) => changeRateOf(world, version, bucket));
  const early = [world.weight1, world.weight2, world.weight3][strategy - 1] ?? 1;
  const weight = (period: number): number => (period === periods ? 1 : early);
  return {
    periods,
    pages,
    obsolete: pages.map((count, bucket) => count * (1 - (1 - (rates[bucket] ?? 0)) ** world.stale)),
    changed: (_, bucket) => rates[bucket] ?? 0,
    waiting: world.waiting,
    arrivals: world.arrivals,
    capacity: world.capacity,
    oldCost: world.oldcost,
    newCost: world.newcost,
    oldFinds: world.oldfinds,
    newFinds: world.newfinds,
    oldWeight: weight,
    newWeight: (period) => weight(period) * world.newweight,
  };
}
