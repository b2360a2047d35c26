import assert from "node:assert/strict";
import { test } from "node:test";
import { formatNumber, formatRange } from "../../src/report/figure-text.ts";

test("numbers have three digits that count", () => {
  const texts = [0, 0.27, 0.123456, 1234.5, 1e6, -0.05].map((value) => formatNumber(value));
  assert.deepEqual(texts, ["0", "0.27", "0.123", "1,230", "1,000,000", "-0.05"]);
  assert.deepEqual([formatNumber(0.0016, "percent"), formatNumber(1, "percent")], ["0.16 %", "100 %"]);
});

test("ranges name their unit once, and one number where both ends are equal", () => {
  assert.equal(formatRange([0.22, 0.28], "percent"), "22 to 28 %");
  assert.equal(formatRange([4, 4], "number"), "4");
});
