import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCompactTime, maxEpochSeconds, parseCompactTime } from "../../src/core/time.ts";
import { fc } from "../property.ts";

test("the beginning, the first second, a leap day and the last second have their names", () => {
  assert.equal(formatCompactTime(0), "0");
  assert.equal(formatCompactTime(1), "19700101T000001Z");
  assert.equal(formatCompactTime(1_709_251_199), "20240229T235959Z");
  assert.equal(formatCompactTime(maxEpochSeconds), "99991231T235959Z");
});

test("any second is read as it was written", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: maxEpochSeconds }), (seconds) => {
      assert.equal(parseCompactTime(formatCompactTime(seconds)), seconds);
    }),
  );
});

test("a time that the form cannot write is a mistake of the caller", () => {
  for (const seconds of [-1, 0.5, maxEpochSeconds + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => formatCompactTime(seconds), RangeError);
  }
});

test("what is no such time is not read", () => {
  const texts = ["", "00", "20260229T000000Z", "20261301T000000Z", "20260101T240000Z", "20260101T000060Z"];
  for (const text of [...texts, "20260101T000000", "2026-01-01T00:00:00Z", "19700101T000000Z", "19691231T235959Z"]) {
    assert.equal(parseCompactTime(text), undefined, text);
  }
});
