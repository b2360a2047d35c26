import assert from "node:assert/strict";
import { test } from "node:test";
import { simulateCycles } from "../../../lab/cho/signal-cycles.ts";
import {
  effectiveSeconds,
  effectiveUntilValue,
  isSignalling,
  signalledCycle,
  signalledValue,
} from "../../../lab/planners/signalled-index.ts";
import { createRandom } from "../../../src/core/random.ts";
import { pollValue } from "../../../src/crawler/engine/revisit/poll-index.ts";
import { fc } from "../../property.ts";

const isNear = (actual: number, expected: number, tolerance: number, what = ""): void =>
  assert.ok(Math.abs(actual / expected - 1) <= tolerance, `${what} ${actual} is not ${expected} by ${tolerance}`);

// Rates of changes, recall, rate of false signals, bound.
const rows: ReadonlyArray<readonly [number, number, number, number]> = [
  [1, 0.5, 0.3, 1.5],
  [1, 0.5, 0.3, 4],
  [0.2, 0.8, 0.05, 20],
  [3, 0.3, 1, 2],
  [1, 0.9, 0.01, 30],
];

for (const [ratePerSecond, recall, falsePerSecond, bound] of rows) {
  test(`psi and W are what a simulation gives for L = ${ratePerSecond}, recall ${recall}, false ${falsePerSecond}, up to ${bound}`, () => {
    const page = { ratePerSecond, recall, falsePerSecond };
    const { cycleSeconds, freshSeconds } = signalledCycle(page, bound);
    const simulated = simulateCycles(page, bound, 200_000, createRandom(31, "signals"));
    isNear(cycleSeconds, simulated.cycleSeconds, 0.01, "psi");
    isNear(freshSeconds, simulated.freshSeconds, 0.01, "W");
  });
}

test("without signals, or with ones that say nothing, the value is that of a poll", () => {
  for (const [recall, falsePerSecond] of [
    [0, 0],
    [0, 5],
    [0.01, 5],
  ] as const) {
    const page = { ratePerSecond: 1, recall, falsePerSecond };
    assert.equal(isSignalling(page), false);
    assert.equal(signalledValue(page, 2, 3), pollValue(1, 2, 3));
    assert.equal(effectiveSeconds(page, 2, 7), 2);
  }
  // Near that, the formula itself comes to the same.
  isNear(signalledValue({ ratePerSecond: 1, recall: 1e-6, falsePerSecond: 1e-9 }, 2), pollValue(1, 2), 1e-4);
});

test("signals that are never false: before one by the formula, after one all there is", () => {
  const page = { ratePerSecond: 2, recall: 0.6, falsePerSecond: 0 };
  assert.equal(effectiveSeconds(page, 0.5, 1), Number.POSITIVE_INFINITY);
  assert.equal(signalledValue(page, Number.POSITIVE_INFINITY, 3), 1.5);
  const t = 0.7;
  const [alpha, gamma] = [0.8, 1.2];
  const expected = -Math.expm1(-2 * t) / 2 - (Math.exp(-alpha * t) * -Math.expm1(-gamma * t)) / gamma;
  isNear(signalledValue(page, t), expected, 1e-12);
  const all = { ratePerSecond: 2, recall: 1, falsePerSecond: 0 };
  assert.ok(signalledValue(all, 100) < 1e-5 && signalledValue(all, effectiveSeconds(all, 1, 1)) === 0.5);
});

test("property: the value rises with time and signals, never above w / L, and has an inverse", () => {
  const page = fc.record({
    ratePerSecond: fc.double({ min: 1e-3, max: 10, noNaN: true }),
    recall: fc.double({ min: 0, max: 1, noNaN: true }),
    falsePerSecond: fc.oneof(fc.constant(0), fc.double({ min: 1e-4, max: 3, noNaN: true })),
  });
  fc.assert(
    fc.property(
      page,
      fc.double({ min: 1e-3, max: 12, noNaN: true }),
      fc.integer({ min: 0, max: 3 }),
      (own, x, signals) => {
        const effective = effectiveSeconds(own, x / own.ratePerSecond, signals);
        const value = signalledValue(own, effective, 2);
        assert.ok(value >= 0 && value <= (2 / own.ratePerSecond) * (1 + 1e-12), `${value}`);
        // Of what is next to nothing the difference of two times is noise.
        assert.ok(signalledValue(own, effective * 1.05, 2) >= value * (1 - 1e-9) - 1e-12 / own.ratePerSecond);
        const back = effectiveUntilValue(value * 0.9, own, 2);
        if (value * own.ratePerSecond > 1e-5 && back < Number.POSITIVE_INFINITY)
          isNear(signalledValue(own, back, 2), value * 0.9, 1e-6);
      },
    ),
    { numRuns: 500 },
  );
  assert.equal(effectiveUntilValue(0, { ratePerSecond: 1, recall: 0.5, falsePerSecond: 0.1 }), 0);
  assert.equal(
    effectiveUntilValue(1, { ratePerSecond: 1, recall: 0.5, falsePerSecond: 0.1 }),
    Number.POSITIVE_INFINITY,
  );
});
