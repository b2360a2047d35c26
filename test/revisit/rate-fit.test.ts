import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BucketedPages,
  bucketOfRate,
  changedShare,
  datedRate,
  defaultPrior,
  estimateRate,
  fitRate,
  maxRate,
  minRate,
  naiveRate,
  newBucket,
  noHistory,
  observe,
  type RateEstimate,
  rateBuckets,
  rateOf,
  rateOfBucket,
  rateOfChanges,
  rateOfFeed,
} from "../../src/revisit/index.ts";
import { createRandom, type Random } from "../interop/random.ts";
import { fc } from "../property.ts";

const day = 86_400;
const isNear = (actual: number, expected: number, tolerance: number, what = ""): void =>
  assert.ok(Math.abs(actual / expected - 1) <= tolerance, `${what} ${actual} is not ${expected} by ${tolerance}`);
const exponential = (random: Random): number => -Math.log1p(-random.next());

// Mean ratio to the truth for n = 20 visits and L I = 0.1, 1, 3; those whose bias is corrected are in change-rate.test.ts.
for (const [dated, expected] of [
  [false, [0.953, 0.632, 0.317]],
  [true, [1.03, 1.035, 1.048]],
] as const) {
  test(`the bias of the ${dated ? "likeliest rate of dated changes" : "naive estimate"} is as published`, () => {
    const random = createRandom(17);
    const runs = 20_000;
    for (const [at, x] of [0.1, 1, 3].entries()) {
      let sum = 0;
      let squares = 0;
      for (let run = 0; run < runs; run++) {
        let changes = 0;
        let quiet = 0;
        for (let visit = 0; visit < 20; visit++) {
          const since = exponential(random) / x;
          if (since < 1) changes += 1;
          quiet += Math.min(1, since);
        }
        const ratio = (dated ? datedRate(changes, quiet) : naiveRate(20, changes, 1)) / x;
        sum += ratio;
        squares += ratio * ratio;
      }
      const mean = sum / runs;
      const error = Math.sqrt((squares / runs - mean * mean) / runs);
      assert.ok(Math.abs(mean - (expected[at] ?? 0)) < 4 * error + 0.001, `L I = ${x}: ${mean} +- ${error}`);
    }
  });
}

test("the fit of irregular visits solves the equation, also where all or none saw a change", () => {
  const intervals = [day, 5 * day, 2 * day, 0.5 * day];
  const changed = [true, false, true, false];
  const { ratePerSecond: rate } = fitRate(intervals, changed, 0);
  const left = [day, 2 * day].reduce((sum, interval) => sum + interval / Math.expm1(rate * interval), 0);
  isNear(left, 5.5 * day, 1e-9);
  const all = fitRate([day, day], [1, 1]);
  const x = all.ratePerSecond * day;
  isNear((2 * day) / Math.expm1(x) + day / 2 / Math.expm1(x / 2), day / 2, 1e-9);
  const none = fitRate([day, day], [0, 0]);
  isNear(day / 2 / Math.expm1((none.ratePerSecond * day) / 2), 2.5 * day, 1e-9);
  assert.equal(fitRate([day], [true], 0).ratePerSecond, maxRate);
  assert.deepEqual(fitRate([], [], 0), { ratePerSecond: minRate, low: 0, high: maxRate });
  isNear(fitRate([3 * day], [false], 0).high, 1 / day, 1e-9);
});

/** The newest ten entries of a feed. */
function newestDates(random: Random, rate: number, now: number): number[] {
  const dates: number[] = [];
  for (let at = now; dates.length < 10; ) {
    at -= exponential(random) / rate;
    dates.push(at);
  }
  return dates;
}

/** How often the truth lies between the bounds. */
function coverage(estimate: (random: Random, rate: number) => RateEstimate, rate: number, runs = 1500): number {
  const random = createRandom(23);
  let hits = 0;
  for (let run = 0; run < runs; run++) {
    const { low, high, ratePerSecond } = estimate(random, rate);
    assert.ok(low <= ratePerSecond && ratePerSecond <= high * (1 + 1e-12));
    if (low <= rate && rate <= high) hits += 1;
  }
  return hits / runs;
}

test("error bars hold the truth about as often as they say, of visits, histories, archives and feeds", () => {
  const visit = (random: Random, rate: number): readonly [number, boolean] => {
    const interval = day * (0.2 + 2 * random.next());
    return [interval, exponential(random) < rate * interval];
  };
  const rows: ReadonlyArray<readonly [string, (random: Random, rate: number) => RateEstimate]> = [
    [
      "visits",
      (random, rate) => {
        const visits = Array.from({ length: 40 }, () => visit(random, rate));
        return fitRate(
          visits.map(([interval]) => interval),
          visits.map(([, changed]) => changed),
        );
      },
    ],
    [
      "history",
      (random, rate) => {
        let history = noHistory;
        for (let at = 0; at < 40; at++) {
          const [intervalSeconds, changed] = visit(random, rate);
          history = observe(history, { intervalSeconds, changed });
        }
        const estimate = estimateRate(history, defaultPrior);
        assert.equal(estimate.ratePerSecond, rateOf(history, defaultPrior));
        return estimate;
      },
    ],
    [
      "archives",
      (random, rate) => {
        let changes = 0;
        for (let at = exponential(random) / rate; at < 30 * day; at += exponential(random) / rate) changes += 1;
        return rateOfChanges(changes, 30 * day);
      },
    ],
    [
      "feed",
      (random, rate) => {
        return rateOfFeed(newestDates(random, rate, 0), 0);
      },
    ],
  ];
  for (const [name, estimate] of rows) {
    const held = coverage(estimate, 0.5 / day);
    assert.ok(held > 0.92 && held < 0.99, `${name}: ${held}`);
  }
});

test("a feed that drops its oldest entries tells the rate without bias", () => {
  const random = createRandom(5);
  let sum = 0;
  const runs = 20_000;
  for (let run = 0; run < runs; run++) {
    sum += rateOfFeed(newestDates(random, 1 / day, 1e6), 1e6).ratePerSecond * day;
  }
  isNear(sum / runs, 1, 0.01);
  isNear(rateOfFeed([5, 50, 500, 2e9], 1000, 0).ratePerSecond, 3 / 1000, 1e-9);
  assert.equal(rateOfFeed([5], 1000).ratePerSecond, minRate);
  assert.equal(rateOfFeed([], 1000).high, Number.POSITIVE_INFINITY);
  assert.equal(rateOfChanges(0, day).low, 0);
  // The exact bounds of 10 events: 4.80 and 18.39.
  isNear(rateOfChanges(10, day).low * day, 4.8, 0.01);
  isNear(rateOfChanges(10, day).high * day, 18.39, 0.01);
});

test("255 buckets go from once in ten years to each quarter of an hour, 5 % apart, and the last byte is for new pages", () => {
  isNear(rateOfBucket(0), 1 / (3650 * day), 1e-9);
  isNear(rateOfBucket(254), 1 / 900, 1e-9);
  isNear(rateOfBucket(100) / rateOfBucket(99), 1.0516, 1e-3);
  for (let bucket = 0; bucket < rateBuckets; bucket++) assert.equal(bucketOfRate(rateOfBucket(bucket)), bucket);
  for (const [rate, bucket] of [
    [0, 0],
    [Number.NaN, 0],
    [-1, 0],
    [1, 254],
    [Number.POSITIVE_INFINITY, 254],
  ] as const) {
    assert.equal(bucketOfRate(rate), bucket);
  }
  isNear(changedShare(254, 900), 1 - Math.exp(-1), 1e-9);
});

test("by what visits see, a page's byte comes to the bucket of its rate, from above and from below", () => {
  const random = createRandom(9);
  for (const rate of [0.02 / day, 1 / day, 5 / day]) {
    for (const start of [0, 254]) {
      const pages = new BucketedPages(new Uint8Array([start]));
      let sum = 0;
      for (let visit = 0; visit < 6000; visit++) {
        const interval = day * (0.5 + random.next());
        pages.note(0, exponential(random) < rate * interval, interval, random.next());
        if (visit >= 2000) sum += pages.bytes[0] ?? 0;
      }
      const mean = sum / 4000;
      assert.ok(Math.abs(mean - bucketOfRate(rate)) < 6, `${rate * day}: ${mean}, not ${bucketOfRate(rate)}`);
    }
  }
});

test("property: a byte stays a bucket, new pages stay new, and pages are counted", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 50 }),
      fc.array(fc.tuple(fc.boolean(), fc.double(), fc.double({ min: 0, max: 0.999, noNaN: true })), { maxLength: 30 }),
      (bytes, visits) => {
        const pages = new BucketedPages(bytes.slice());
        for (const [changed, interval, chance] of visits) pages.note(0, changed, interval, chance);
        assert.equal(pages.bytes[0] === newBucket, bytes[0] === newBucket);
        const counts = pages.count();
        assert.equal(counts.length, 256);
        assert.equal(
          counts.reduce((sum, count) => sum + count, 0),
          bytes.length,
        );
        assert.equal(counts[newBucket], bytes.filter((byte) => byte === newBucket).length);
      },
    ),
  );
});
