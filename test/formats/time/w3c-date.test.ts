import assert from "node:assert/strict";
import { test } from "node:test";
import { formatW3cDate, parseW3cDate, W3cDateWriter } from "../../../src/formats/time/w3c-date.ts";
import { fc } from "../../property.ts";

// W3C NOTE-datetime, its own examples first; then what sites write.
const dates: readonly (readonly [string, number | undefined])[] = [
  ["1997", 852076800],
  ["1997-07", 867715200],
  ["1997-07-16", 869011200],
  ["1997-07-16T19:20+01:00", 869077200],
  ["1997-07-16T19:20:30+01:00", 869077230],
  ["1997-07-16T19:20:30.45+01:00", 869077230],
  ["2004-12-23T18:00:15+00:00", 1103824815],
  ["2005-01-01T00:00:00Z", 1104537600],
  ["2005-01-01T00:00:00z", 1104537600],
  ["2005-01-01 00:00:00 UTC", 1104537600],
  ["2005-01-01T00:00:00", 1104537600],
  ["2005-01-01T01:00:00+0100", 1104537600],
  ["2005-01-01T01:00:00+01", 1104537600],
  ["2004-12-31T20:30:00-03:30", 1104537600],
  ["2004-12-31T24:00:00Z", 1104537600],
  ["2016-12-31T23:59:60Z", 1483228800],
  ["2024-02-29", 1709164800],
  ["1970-01-01", 0],
  ["9999-12-31T23:59:59Z", 253402300799],
  ["9999-12-31T23:59:59-01:00", undefined],
  ["1969-12-31", undefined],
  ["1970-01-01T00:00:00+01:00", undefined],
  ["2023-02-29", undefined],
  ["2023-13-01", undefined],
  ["2023-00-01", undefined],
  ["2023-01-00", undefined],
  ["2023-01-01T24:00:01Z", undefined],
  ["2023-01-01T25:00:00Z", undefined],
  ["2023-01-01T00:60:00Z", undefined],
  ["2023-01-01T00:00:61Z", undefined],
  ["2023-01-01T00:00:00+15:00", undefined],
  ["2023-01-01T00:00:00+01:60", undefined],
  ["2023-1-1", undefined],
  ["01/02/2023", undefined],
  ["Sun, 06 Nov 1994 08:49:37 GMT", undefined],
  ["2023-01-01T", undefined],
  ["", undefined],
  ["0", undefined],
];

for (const [text, expected] of dates) {
  test(`${JSON.stringify(text)} is ${expected}`, () => assert.equal(parseW3cDate(text), expected));
}

test("what is written is read back", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253402300799 }), (seconds) => {
      const text = formatW3cDate(seconds);
      assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.equal(parseW3cDate(text), seconds);
    }),
  );
  for (const wrong of [-1, 0.5, Number.NaN, 253402300800]) assert.throws(() => formatW3cDate(wrong), RangeError);
});

test("one writer of many dates writes each as it is written alone", () => {
  const writer = new W3cDateWriter();
  const near = fc.integer({ min: 0, max: 400_000 });
  fc.assert(
    fc.property(fc.array(fc.oneof(near, fc.integer({ min: 0, max: 253402300799 }))), (times) => {
      for (const seconds of times) assert.equal(writer.format(seconds), formatW3cDate(seconds));
    }),
  );
  for (const wrong of [-1, 0.5, Number.NaN, 253402300800]) {
    assert.throws(() => writer.format(wrong), RangeError);
    assert.throws(() => new W3cDateWriter().format(wrong), RangeError);
    writer.format(0);
    assert.throws(() => writer.format(wrong), RangeError);
  }
  assert.equal(writer.format(86_399), "1970-01-01T23:59:59Z");
});
