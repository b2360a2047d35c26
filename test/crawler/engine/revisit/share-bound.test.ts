import assert from "node:assert/strict";
import { test } from "node:test";
import { boundShare } from "../../../../src/crawler/engine/revisit/sample-bounds.ts";

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
