import assert from "node:assert/strict";
import { test } from "node:test";
import { boundShare, boundSilent, planSample } from "../../../../src/crawler/engine/revisit/sample-bounds.ts";
import { fc } from "../../../property.ts";

// Upper ends of one-sided 95 % intervals of Clopper and Pearson: the 0.95 quantile of Beta(found + 1, sample - found).
const rows: ReadonlyArray<readonly [sample: number, found: number, bound: number]> = [
  [0, 0, 1],
  [1, 0, 0.95],
  [1, 1, 1],
  [10, 0, 0.25887],
  [10, 1, 0.39416],
  [20, 5, 0.45558],
  [100, 0, 0.02951],
  [100, 2, 0.06162],
  [7, 7, 1],
];

for (const [sample, found, bound] of rows) {
  test(`of ${sample} that had ${found}, at most ${bound} of all have`, () => {
    assert.ok(Math.abs(boundShare(sample, found) - bound) < 5e-5, String(boundShare(sample, found)));
  });
}

test("of none in a large sample it is the rule of three", () => {
  for (const sample of [100, 1000, 100_000]) {
    const ratio = boundShare(sample, 0) / (3 / sample);
    assert.ok(ratio > 0.98 && ratio < 1, String(ratio));
  }
});

test("a large sample with many is bounded at once", () => {
  const bound = boundShare(100_000, 50_000);
  assert.ok(bound > 0.5 && bound < 0.504, String(bound));
});

test("the bound of silent changes is that of the hypergeometric distribution", () => {
  // Of 10 pages 5 are looked at: with 4 silent ones none is met in C(6,5)/C(10,5) = 1/42, with 3 in 1/12.
  assert.equal(boundSilent(10, 5), 3);
  assert.equal(boundSilent(10, 10), 0);
  assert.equal(boundSilent(10, 0), 10);
  assert.equal(boundSilent(0, 0), 0);
  // The rule of three: no miss in 300 of very many bounds the share to about 1 %.
  assert.ok(Math.abs(boundSilent(1e6, 300) / 1e6 - 0.00994) < 0.0001);
  assert.equal(planSample(10, 3), 6);
  assert.equal(planSample(100, 0), 100);
  assert.equal(planSample(100, 100), 1);
  assert.equal(planSample(0, 3), 0);
});

test("property: a sample that is planned for some silent pages bounds them", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50_000 }), fc.integer({ min: 1, max: 500 }), (pages, silent) => {
      fc.pre(silent <= pages);
      const sample = planSample(pages, silent);
      assert.ok(boundSilent(pages, sample) < silent);
      assert.ok(sample === 1 || boundSilent(pages, sample - 1) >= silent);
    }),
  );
});
