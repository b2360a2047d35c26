import assert from "node:assert/strict";
import { test } from "node:test";
import { asRounded } from "../../../lab/experiment/published.ts";
import { formatOurs, formatTolerance } from "../../../lab/program/tolerance-text.ts";

const tolerances: ReadonlyArray<readonly [string, "number" | "percent", readonly [number, number], string]> = [
  ["0.62", "number", asRounded(0.62, 0.01).range, "within 0.005 of 0.62"],
  ["32.592", "number", asRounded(32.592, 0.001).range, "within 0.0005 of 32.592"],
  ["around 23 %", "percent", asRounded(0.23, 0.01).range, "within 0.5 points of 23 %"],
  ["up to 25 %", "percent", asRounded(0.25, 0.01, 0.0045).range, "within 1.4 points of 25 %"],
  ["1,000", "number", [900, 1100], "within 100 of 1,000"],
  ["close to random", "percent", [-0.05, 0.05], "within 5 points of 0 %"],
  ["about a fifth", "number", [0.15, 0.25], "from 0.15 to 0.25"],
  ["12 %", "percent", [0.07350769230769232, 0.16805373134328358], "from 7.35 to 16.8 %"],
  ["more than 30 %", "percent", [0.295, 1], "at least 29.5 %"],
  ["22", "number", [0, 22], "at most 22"],
  ["a small difference", "percent", [0, 0.05], "at most 5 %"],
  ["0", "number", [0, 1e-6], "at most 0.000001"],
  ["18 of 18", "number", [18, 18], "exactly 18"],
  ["each", "percent", [1, 1], "exactly 100 %"],
];
for (const [theirs, format, tolerance, text] of tolerances)
  test(`the tolerance of ${JSON.stringify(theirs)} is ${text}`, () => {
    assert.equal(formatTolerance({ theirs, format, tolerance }), text);
  });

test("ours has the digits by which it is judged", () => {
  const text = (ours: number, tolerance: readonly [number, number], format: "number" | "percent" = "number") =>
    formatOurs(ours, { theirs: "", format, tolerance });
  assert.equal(text(32.59217, [32.5915, 32.5925]), "32.5922");
  assert.equal(text(0.61873, [0.615, 0.625]), "0.619");
  assert.equal(text(401.53, [350, 450]), "402");
  assert.equal(text(0.22961, [0.225, 0.235], "percent"), "23 %");
  assert.equal(text(0, [0, 1e-6]), "0");
  assert.equal(text(18, [18, 18]), "18");
});
