import assert from "node:assert/strict";
import { test } from "node:test";
import { datedRate, naiveRate } from "../../../../lab/cho/estimator-experiment.ts";
import {
  BucketedPages,
  bucketOfRate,
  newBucket,
  rateBuckets,
  rateOfBucket,
} from "../../../../src/crawler/engine/revisit/rate-buckets.ts";
import { createRandom, type Random } from "../../../interop/random.ts";
import { fc } from "../../../property.ts";

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
