import assert from "node:assert/strict";
import { test } from "node:test";
import { boundCycle } from "../../../lab/edwards/cycle-bound.ts";
import { CycleDual } from "../../../lab/edwards/cycle-dual.ts";
import { fillRoom } from "../../../lab/edwards/cycle-knapsack.ts";
import { mergeBuckets, spreadShares } from "../../../lab/edwards/cycle-merge.ts";
import { createCycle } from "../../../lab/edwards/cycle-model.ts";
import { anyCycle, anyPricedCycle } from "../../crawler/engine/revisit/any-cycle.ts";
import { fc } from "../../property.ts";

const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((total, value) => total + value, 0);
const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));

test("property: the bound that keeps one row is that of the dual with all choices", () => {
  fc.assert(
    fc.property(anyPricedCycle, ({ facts, prices }) => {
      const model = createCycle(facts);
      const [quick, whole] = [boundCycle(model, prices), new CycleDual(model).evaluate(prices, 0)];
      assert.ok(isNear(quick, whole), `${quick}, not ${whole}`);
    }),
    { numRuns: 500 },
  );
});

test("property: room is filled as by whoever sorts what there is", () => {
  const anyThing = fc.record({
    gain: fc.oneof(fc.constantFrom(1, 2, 3), fc.double({ min: 1e-3, max: 10, noNaN: true })),
    cost: fc.double({ min: 1e-3, max: 10, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(anyThing, { maxLength: 60 }), fc.double({ min: 0, max: 200, noNaN: true }), (things, room) => {
      const taken = new Map<number, number>();
      const price = fillRoom(
        {
          gains: Float64Array.from(things, ({ gain }) => gain),
          costs: Float64Array.from(things, ({ cost }) => cost),
          places: Uint32Array.from(things, (_, at) => at),
          count: things.length,
        },
        room,
        (place, share) => taken.set(place, share),
      );
      const sorted = things.map((thing, place) => ({ ...thing, place }));
      sorted.sort((a, b) => b.gain - a.gain || a.place - b.place);
      let left = room;
      let last = 0;
      for (const { place, cost, gain } of sorted) {
        const share = Math.min(1, left / cost);
        assert.ok(Math.abs((taken.get(place) ?? 0) - share) < 1e-6, `${taken.get(place)}, not ${share}`);
        if (last === 0 && share < 1) last = gain;
        left = Math.max(0, left - cost);
      }
      // Where the room ends with a thing, sums in another order may say either.
      if (Math.abs(left) > 1e-9 || room === 0) assert.equal(price, last);
    }),
    { numRuns: 500 },
  );
});

test("property: neighbours put together hold what they hold, and are as one where there are none", () => {
  fc.assert(
    fc.property(anyCycle, fc.integer({ min: 1, max: 5 }), (facts, by) => {
      const model = createCycle(facts);
      const merged = mergeBuckets(model, by);
      assert.equal(merged.buckets, Math.ceil(model.buckets / by));
      for (const rows of ["pages", "obsolete", "shares"] as const)
        assert.ok(isNear(sum(merged[rows]), sum(model[rows])), rows);
      for (const rows of ["changed", "oldCost", "oldWeight", "oldFinds"] as const)
        merged[rows].forEach((mean, at) => {
          const [from, t] = [Math.floor(at / model.periods) * by, at % model.periods];
          const pages = Array.from(model.pages.subarray(from, from + by));
          const shares = sum(pages) > 0 ? pages : pages.map(() => 1);
          const weighed = shares.map((share, i) => share * (model[rows][(from + i) * model.periods + t] ?? 0));
          assert.ok(isNear(mean * sum(shares), sum(weighed)), `${rows} of bucket ${from / by}`);
        });
      if (by === 1) assert.deepEqual(merged, model);
      const old = Float64Array.from({ length: merged.buckets * model.periods }, (_, at) => at);
      const spread = spreadShares(model, by, { old, waiting: new Float64Array(model.periods) }).old;
      spread.forEach((share, at) => {
        const [i, t] = [Math.floor(at / model.periods), at % model.periods];
        assert.equal(share, Math.floor(i / by) * model.periods + t);
      });
    }),
    { numRuns: 200 },
  );
});
