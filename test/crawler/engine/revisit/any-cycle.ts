import type { CycleFacts } from "../../../../lab/edwards/cycle-model.ts";
import { fc } from "../../../property.ts";

const share = fc.double({ min: 0, max: 1, noNaN: true });
const price = fc.double({ min: 0, max: 3, noNaN: true });

/** How large a cycle may be. */
export interface CycleSizes {
  readonly mostPeriods: number;
  readonly leastBuckets: number;
  readonly mostBuckets: number;
}

/** Any cycle of these sizes, with a bucket more that is not empty. */
export const anyCycleOf = ({ mostPeriods, leastBuckets, mostBuckets }: CycleSizes): fc.Arbitrary<CycleFacts> =>
  fc.integer({ min: 1, max: mostPeriods }).chain((periods) =>
    fc
      .array(
        fc.record({
          pages: fc.oneof(fc.constant(0), fc.double({ min: 1e-3, max: 100, noNaN: true })),
          stale: share,
          a: share,
          c: fc.double({ min: 0.2, max: 5, noNaN: true }),
          w: fc.double({ min: 0, max: 3, noNaN: true }),
        }),
        { minLength: leastBuckets, maxLength: mostBuckets },
      )
      .chain((buckets) =>
        fc.record({
          periods: fc.constant(periods),
          pages: fc.constant([...buckets.map(({ pages }) => pages), 1]),
          obsolete: fc.constant([...buckets.map(({ pages, stale }) => pages * stale), 0]),
          changed: fc.constant((t: number, i: number) => (buckets[i]?.a ?? 0.5) / (1 + (t % 3))),
          waiting: fc.double({ min: 0, max: 50, noNaN: true }),
          arrivals: fc.double({ min: 0, max: 10, noNaN: true }),
          capacity: fc.double({ min: 0.1, max: 300, noNaN: true }),
          oldCost: fc.constant((_t: number, i: number) => buckets[i]?.c ?? 1),
          newCost: fc.double({ min: 0.2, max: 5, noNaN: true }),
          oldWeight: fc.constant((t: number, i: number) => (buckets[i]?.w ?? 1) * (t % 2)),
          newWeight: fc.double({ min: 0, max: 3, noNaN: true }),
          oldFinds: fc.double({ min: 0, max: 0.3, noNaN: true }),
          newFinds: fc.double({ min: 0, max: 0.9, noNaN: true }),
        }),
      ),
  );

export const anyCycle: fc.Arbitrary<CycleFacts> = anyCycleOf({ mostPeriods: 7, leastBuckets: 1, mostBuckets: 12 });

/** A cycle, and prices of its periods' capacity. */
export const anyPricedCycle: fc.Arbitrary<{ readonly facts: CycleFacts; readonly prices: Float64Array }> =
  anyCycle.chain((facts) =>
    fc
      .array(price, { minLength: facts.periods, maxLength: facts.periods })
      .map((prices) => ({ facts, prices: Float64Array.from(prices) })),
  );
