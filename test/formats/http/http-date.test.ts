import assert from "node:assert/strict";
import { test } from "node:test";
import { formatHttpDate, parseHttpDate } from "../../../src/formats/http/http-date.ts";
import { fc } from "../../property.ts";

const now = Date.UTC(2026, 10, 21);

// RFC 9110 section 5.6.7
const dates: readonly (readonly [string, number | undefined])[] = [
  ["Sun, 06 Nov 1994 08:49:37 GMT", 784111777000],
  ["Sunday, 06-Nov-94 08:49:37 GMT", 784111777000],
  ["Sun Nov  6 08:49:37 1994", 784111777000],
  ["sun, 06 nov 1994 08:49:37 gmt ", 784111777000],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ["Saturday, 21-Nov-76 00:00:00 GMT", Date.UTC(2076, 10, 21)],
  ["Saturday, 21-Nov-77 00:00:00 GMT", Date.UTC(1977, 10, 21)],
  ["Sun, 06 Nov 0050 08:49:37 GMT", -60562566623000],
  ["Sat, 31 Dec 2016 23:59:60 GMT", Date.UTC(2017, 0, 1)],
  ["Sun, 31 Feb 1994 08:49:37 GMT", undefined],
  ["Sun, 00 Nov 1994 08:49:37 GMT", undefined],
  ["Sun, 06 Nov 1994 24:00:00 GMT", undefined],
  ["Sun, 06 Nov 1994 08:60:37 GMT", undefined],
  ["Sun, 06 Xyz 1994 08:49:37 GMT", undefined],
  ["Sun, 06 Nov 1994 08:49:37 +0100", undefined],
  ["1994-11-06T08:49:37Z", undefined],
  ["784111777", undefined],
  ["", undefined],
];

for (const [text, expected] of dates) {
  test(`${JSON.stringify(text)} is ${expected}`, () => assert.equal(parseHttpDate(text, now), expected));
}

test("what is written is read back, to the second", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253402300799 }), (seconds) => {
      assert.equal(parseHttpDate(formatHttpDate(seconds * 1000 + 999), now), seconds * 1000);
    }),
  );
});
