import assert from "node:assert/strict";
import { test } from "node:test";
import { formatNumber } from "../../src/report/figure-text.ts";

test("numbers have three digits that count", () => {
  const texts = [0, 0.27, 0.123456, 1234.5, 1e6, -0.05].map((value) => formatNumber(value));
  assert.deepEqual(texts, ["0", "0.27", "0.123", "1,230", "1,000,000", "-0.05"]);
  assert.deepEqual([formatNumber(0.0016, "percent"), formatNumber(1, "percent")], ["0.16 %", "100 %"]);
  assert.equal(formatNumber(32.59217, "number", 6), "32.5922");
});
