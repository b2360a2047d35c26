import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Interval } from "../../../src/exporter/publish/ledger.ts";
import { countChangesByDay } from "../../../src/exporter/status/site-state.ts";
import { fc } from "../../property.ts";

const day = 86_400;
const today = Date.parse("2026-11-21T12:00:00Z") / 1000;
const midnight = Date.parse("2026-11-21T00:00:00Z") / 1000;

function interval(from: number, to: number, changes: number, tier = 0): Interval {
  const name = { from, to, group: "other", id: "0".repeat(16) };
  return { tier, from, to, merged: false, archives: [{ name, changes, sizeBytes: 100, segment: 0 }] };
}

const countsOf = (intervals: readonly Interval[], days: number) =>
  countChangesByDay(intervals, today, days).map(({ changes }) => changes);

describe("changes by day", () => {
  it("count where they were published, however long ago the publication before was", () => {
    const intervals = [
      interval(midnight - 9 * day, midnight - 2 * day + 60, 5),
      interval(midnight - 2 * day + 60, midnight - 60, 7),
      interval(midnight - 60, midnight + 60, 11),
    ];
    assert.deepEqual(countChangesByDay(intervals, today, 4), [
      { date: "2026-11-18", changes: 0, isEstimate: false },
      { date: "2026-11-19", changes: 5, isEstimate: false },
      { date: "2026-11-20", changes: 7, isEstimate: false },
      { date: "2026-11-21", changes: 11, isEstimate: false },
    ]);
  });

  it("are taken from the finest intervals, and never twice", () => {
    const a = interval(midnight - 2 * day, midnight - day, 3);
    const b = interval(midnight - day, midnight, 4);
    assert.deepEqual(countsOf([a, b, interval(a.from, b.to, 6, 1)], 3), [0, 3, 4]);
  });

  it("of merged publications are spread over the days between, and said to be estimates", () => {
    const merged = interval(midnight - 3 * day - 1, midnight - 1, 9, 1);
    const days = countChangesByDay([merged], today, 5);
    assert.deepEqual(
      days.map(({ changes, isEstimate }) => [changes, isEstimate]),
      [
        [0, false],
        [3, true],
        [3, true],
        [3, true],
        [0, false],
      ],
    );
  });

  it("are none where there are no intervals, or only old ones", () => {
    assert.deepEqual(countsOf([], 2), [0, 0]);
    assert.deepEqual(countsOf([interval(1000, 2000, 5), interval(0, 1000, 5, 3)], 2), [0, 0]);
  });

  it("are all there in a window that is wide enough", () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 * day }), fc.nat(1000), fc.nat(3)), { maxLength: 20 });
    fc.assert(
      fc.property(steps, (list) => {
        let to = today;
        const intervals = list.map(([length, changes, tier]) => {
          const made = interval(to - length, to, changes, tier);
          to -= length;
          return made;
        });
        const counts = countsOf(intervals, 110);
        assert.equal(
          counts.reduce((sum, count) => sum + count, 0),
          list.reduce((sum, [, changes]) => sum + changes, 0),
        );
        assert.ok(counts.every((count) => Number.isInteger(count) && count >= 0));
      }),
    );
  });
});
