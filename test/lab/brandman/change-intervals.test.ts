import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { drawIntervals, inputOf, intervalBars, intervalInputs } from "../../../lab/brandman/change-intervals.ts";
import { createRandom } from "../../../src/core/random.ts";

describe("drawIntervals", () => {
  for (const input of intervalInputs) {
    it(`gives each bar of ${input.name} its share to a page, and each page an interval of its bar`, () => {
      const intervals = drawIntervals(input, 10_000, 365, createRandom(1));
      assert.equal(intervals.length, 10_000);
      const sorted = intervals.toSorted();
      let at = 0;
      for (const [bar, { fromDays, toDays }] of intervalBars.entries()) {
        const count = Math.round((input.shares[bar] ?? 0) * 10_000);
        for (const interval of sorted.subarray(at, at + count)) {
          assert.ok(interval >= fromDays && interval <= toDays);
          if (input.within === "end") assert.equal(interval, toDays);
        }
        at += count;
      }
      assert.equal(at, 10_000);
      assert.notDeepEqual([...intervals.subarray(0, 100)], [...sorted.subarray(0, 100)]);
    });
  }

  it("changes as often as MATHS says: 0.259 a page and day at bar ends, 0.31 within bars", () => {
    const rate = (name: string): number =>
      drawIntervals(inputOf(name), 100_000, 365, createRandom(2)).reduce((sum, days) => sum + 1 / days, 0) / 100_000;
    assert.ok(Math.abs(rate("cho") - 0.259) < 0.001);
    assert.ok(Math.abs(rate("cho-spread") - 0.311) < 0.003);
    assert.ok(Math.abs(rate("four-sites") - 0.229) < 0.001);
  });

  it("knows no other input", () => {
    assert.throws(() => inputOf("nobody"), RangeError);
  });
});
