import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseFeedDate } from "../../../src/formats/sitemap/feed-reader.ts";

describe("parseFeedDate", () => {
  const rows: ReadonlyArray<readonly [text: string, iso: string | undefined]> = [
    // RFC 822 section 5.1, with the years of RFC 5322 section 4.3.
    ["Sat, 07 Sep 02 00:00:01 GMT", "2002-09-07T00:00:01Z"],
    ["7 Sep 49 00:00 Z", "2049-09-07T00:00:00Z"],
    ["Thu, 7 Sep 99 00:00:00 UT", "1999-09-07T00:00:00Z"],
    ["1 Jan 2026 1:02:03 +0130", "2025-12-31T23:32:03Z"],
    ["Tue, 24 November 2026 08:00:00 EST", "2026-11-24T13:00:00Z"],
    ["  Tue,  24 Nov 2026\t08:00:00 pdt ", "2026-11-24T15:00:00Z"],
    // RFC 3339.
    ["2026-11-24T08:00:00+01:00", "2026-11-24T07:00:00Z"],
    ["24 Nov 2026 08:00:00", undefined],
    ["24 Foo 2026 08:00:00 GMT", undefined],
    ["32 Jan 2026 08:00:00 GMT", undefined],
    ["24 Nov 2026 25:00:00 GMT", undefined],
    [`24 Nov 2026 08:00:00 GMT${" ".repeat(41)}`, undefined],
    ["", undefined],
  ];
  for (const [text, iso] of rows)
    it(`reads ${JSON.stringify(text)} as ${iso}`, () =>
      assert.equal(parseFeedDate(text), iso === undefined ? undefined : Date.parse(iso) / 1000));
});
