import assert from "node:assert/strict";
import { test } from "node:test";
import { date } from "../../src/config/date.ts";

test("a date is read, whatever the zone of the machine", () => {
  for (const [text, iso] of [
    ["2026-11-20", "2026-11-20T00:00:00.000Z"],
    ["2026-11-20T02:03", "2026-11-20T02:03:00.000Z"],
    ["2026-11-20T02:03:04", "2026-11-20T02:03:04.000Z"],
    ["2026-11-20T02:03:04.5Z", "2026-11-20T02:03:04.500Z"],
    ["2026-11-20T02:03+02:00", "2026-11-20T00:03:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ] as const)
    assert.equal(new Date(date.parseText(text) ?? Number.NaN).toISOString(), iso);
});
