import assert from "node:assert/strict";
import { test } from "node:test";
import type { Interval } from "../../../src/exporter/publish/ledger.ts";
import {
  compareIntervals,
  findCompleteFrom,
  isBaseDue,
  planChain,
  planMerge,
  planRetention,
} from "../../../src/exporter/publish/tiers.ts";
import { fc } from "../../property.ts";

// DESIGN.md section 3.2, and not what the code says.
const keptPerTier = 16;
const keptSeconds = 400 * 86_400;

let serial = 0;

function makeInterval(tier: number, from: number, to: number, sizeBytes: number): Interval {
  serial += 1;
  const name = { from, to, group: "other", id: serial.toString(16).padStart(16, "0") };
  return { tier, from, to, merged: false, archives: [{ name, changes: 1, sizeBytes, segment: 0 }] };
}

const sizeOf = (chain: readonly Interval[]) =>
  chain.reduce((sum, interval) => sum + (interval.archives[0]?.sizeBytes ?? 0) + 1, 0);

/** Publishes once: appends, carries, and keeps what is to be kept, as an export does. */
function publish(intervals: readonly Interval[], from: number, to: number, base: number, sizeBytes: number) {
  let carried: readonly Interval[] = [...intervals, makeInterval(0, from, to, sizeBytes)];
  for (let pair = planMerge(carried); pair !== undefined; pair = planMerge(carried)) {
    const [older, newer] = pair;
    assert.equal(older.to, newer.from);
    assert.equal(older.tier, newer.tier);
    const merger = makeInterval(older.tier + 1, older.from, newer.to, Math.ceil(0.9 * sizeOf([older, newer])));
    carried = [
      ...carried.map((interval) =>
        interval === older || interval === newer ? { ...interval, merged: true } : interval,
      ),
      merger,
    ].sort(compareIntervals);
  }
  return { carried, ...planRetention(carried, base, to) };
}

/** All ends that chains from `from` reach, the slow and obvious way. */
function reachableFrom(intervals: readonly Interval[], from: number): Set<number> {
  const reached = new Set([from]);
  for (let size = 0; size !== reached.size; ) {
    size = reached.size;
    for (const interval of intervals) if (reached.has(interval.from)) reached.add(interval.to);
  }
  return reached;
}

const publications = fc.array(
  fc.record({
    gapSeconds: fc.oneof(
      fc.constant(86_400),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 60 * 86_400 }),
      { arbitrary: fc.constant(500 * 86_400), weight: 1 },
    ),
    sizeBytes: fc.integer({ min: 1, max: 100_000 }),
    newBase: fc.integer({ min: 0, max: 40 }).map((dice) => dice === 0),
  }),
  { minLength: 1, maxLength: 200 },
);

test("over any history the chains that are promised are there, and not much more", () => {
  fc.assert(
    fc.property(publications, (history) => {
      let intervals: readonly Interval[] = [];
      let at = 1_000_000_000;
      let base = at;
      const moments = [at];
      for (const { gapSeconds, sizeBytes, newBase } of history) {
        const from = at;
        at += gapSeconds;
        moments.push(at);
        if (newBase) base = at;
        const { carried, kept, dropped } = publish(intervals, from, at, base, sizeBytes);
        intervals = kept;
        assert.equal(kept.length + dropped.length, carried.length);
        assert.deepEqual([...kept].sort(compareIntervals), kept);
        assert.ok(planMerge(kept) === undefined, "the carry is at its end");

        const chain = planChain(kept, base, at);
        assert.ok(chain !== undefined, "the base leads to now");
        const beyond = kept.filter((interval) => !chain.includes(interval));
        for (const tier of new Set(kept.map((interval) => interval.tier))) {
          const ofTier = beyond.filter((interval) => interval.tier === tier);
          assert.ok(ofTier.length <= keptPerTier, `${ofTier.length} of tier ${tier}`);
          assert.ok(ofTier.every((interval) => interval.to > at - keptSeconds));
        }
        assert.ok(chain.length <= 2 * Math.log2(moments.length) + keptPerTier, `a chain of ${chain.length}`);

        const recent = moments.slice(-keptPerTier - 1).filter((moment) => moment > at - keptSeconds);
        for (const moment of recent) assert.ok(planChain(kept, moment, at) !== undefined, "recent cursors can follow");

        const completeFrom = findCompleteFrom(kept, at);
        assert.ok(completeFrom <= base);
        assert.ok(reachableFrom(kept, completeFrom).has(at), "there is a chain from complete-from");
        for (const interval of kept) {
          assert.ok(interval.from >= completeFrom, "nothing is listed that is not complete");
          assert.ok(reachableFrom(kept, interval.from).has(at), "no interval is a dead end");
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("a year of daily publications keeps few intervals", () => {
  let intervals: readonly Interval[] = [];
  for (let day = 1; day <= 730; day++)
    intervals = publish(intervals, day * 86_400, (day + 1) * 86_400, 86_400, 1000).kept;
  assert.ok(intervals.length <= 150, `${intervals.length} intervals`);
  assert.equal(intervals.filter(({ tier }) => tier === 0).length, keptPerTier);
});

test("a chain costs the least that any chain costs", () => {
  const arbitraryIntervals = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 50 })),
    { minLength: 6, maxLength: 24 },
  );
  fc.assert(
    fc.property(
      arbitraryIntervals,
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: 3, max: 8 }),
      (drawn, from, to) => {
        const intervals = drawn.map(([start, length, size]) => makeInterval(0, start, start + length, size));
        const cheapest = (at: number): number =>
          at === to
            ? 0
            : Math.min(
                Number.POSITIVE_INFINITY,
                ...intervals.filter((i) => i.from === at && i.to <= to).map((i) => sizeOf([i]) + cheapest(i.to)),
              );
        const chain = planChain(intervals, from, to);
        assert.equal(chain === undefined ? Number.POSITIVE_INFINITY : sizeOf(chain), cheapest(from));
        for (const [at, interval] of (chain ?? []).entries())
          assert.equal(interval.from, at === 0 ? from : chain?.[at - 1]?.to);
      },
    ),
  );
});

test("merging waits for two neighbours of one tier", () => {
  const a = makeInterval(0, 1, 2, 1);
  const b = makeInterval(0, 2, 3, 1);
  const c = makeInterval(0, 4, 5, 1);
  assert.equal(planMerge([]), undefined);
  assert.equal(planMerge([a]), undefined);
  assert.deepEqual(planMerge([a, b]), [a, b]);
  assert.equal(planMerge([a, c]), undefined, "there is a hole between them");
  assert.equal(planMerge([{ ...a, merged: true }, b]), undefined);
  assert.equal(planMerge([a, { ...b, tier: 1 }]), undefined);
});

test("complete-from is now where nothing leads on, and a dead end does not count", () => {
  assert.equal(findCompleteFrom([], 9), 9);
  assert.equal(findCompleteFrom([makeInterval(0, 1, 2, 1), makeInterval(0, 3, 9, 1)], 9), 3);
  assert.equal(findCompleteFrom([makeInterval(0, 1, 3, 1), makeInterval(0, 3, 9, 1)], 9), 1);
});

test("a base is due when as much has changed as there is", () => {
  for (const [changes, pages, segmentSize, due] of [
    [99, 100, 400, false],
    [100, 100, 400, true],
    [249, 10, 2000, false],
    [250, 10, 2000, true],
    [0, 0, 2000, false],
    [1, 0, 1, true],
  ] as const)
    assert.equal(isBaseDue(changes, pages, segmentSize), due);
});

test("what leads nowhere is dropped, however young", () => {
  const [a, b, d, e] = [
    makeInterval(0, 10, 11, 1),
    makeInterval(1, 10, 12, 1),
    makeInterval(0, 13, 14, 1),
    makeInterval(1, 12, 14, 1),
  ];
  assert.deepEqual(planRetention([a, b, d], 13, 14).kept, [d], "the interval (12, 13] is lost");
  assert.deepEqual(planRetention([a, b, d, e], 13, 14).kept, [b, d, e]);
});
