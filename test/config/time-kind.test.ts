import assert from "node:assert/strict";
import { test } from "node:test";
import { date, parseDuration } from "../../src/config/time-kind.ts";

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

test("a time span has a number and a unit", () => {
  const rows = {
    "1ms": 1,
    "250ms": 250,
    "1.5ms": 2,
    "0.001s": 1,
    "0.5s": 500,
    "1.25s": 1250,
    "90s": 90_000,
    "1.5h": 5_400_000,
    "26h": 93_600_000,
    "2d": 172_800_000,
    "1w": 604_800_000,
    "30m": 1_800_000,
  };
  for (const [text, ms] of Object.entries(rows)) assert.equal(parseDuration(text), ms, text);
  for (const text of ["", "5", "h", "-1h", "1 h", "1H", "1e3s", "1y", ".5h", "1.h", "1.2345s", "1,5h", "1234567890s"]) {
    assert.equal(parseDuration(text), undefined, text);
  }
});
