import assert from "node:assert/strict";
import { test } from "node:test";
import { planSharedPoll } from "../../../../src/crawler/engine/revisit/shared-polls.ts";
import { fc } from "../../../property.ts";

const now = 1_800_000_000_000;

test("a crawler that polls alone sees the time of a poll as it was", () => {
  assert.equal(planSharedPoll("/a", now - 1000, now, undefined), now - 1000);
});

test("a crawler among others sees a time since a poll as 0.5 to 1.5 times as long, always the same", () => {
  fc.assert(
    fc.property(fc.webPath(), fc.nat(2 ** 32 - 1), fc.integer({ min: 2, max: 1e9 }), (path, seed, elapsedMs) => {
      const seen = now - planSharedPoll(path, now - elapsedMs, now, seed);
      assert.ok(seen >= Math.floor(0.5 * elapsedMs) && seen <= Math.ceil(1.5 * elapsedMs));
      assert.equal(planSharedPoll(path, now - elapsedMs, now, seed), now - seen);
    }),
  );
});

test("a poll in the future, of a clock that was set back, is a poll of now", () => {
  assert.equal(planSharedPoll("/a", now + 1000, now, 1), now);
});

// 100 pages that were polled in the same second.
const firstOf = (seed: number): string => {
  const paths = Array.from({ length: 100 }, (_, page) => `/p${page}.html`);
  const seen = paths.map((path) => [planSharedPoll(path, now - 3_600_000, now, seed), path] as const);
  return seen.reduce((first, other) => (other[0] < first[0] ? other : first))[1];
};

test("crawlers rarely take the same page for the oldest", () => {
  const firsts = new Set(Array.from({ length: 100 }, (_, seed) => firstOf(seed)));
  // Of 100 pages, 100 crawlers that choose at random choose 63.
  assert.ok(firsts.size >= 50, `${firsts.size} pages`);
});

test("the mean of the factors is 1", () => {
  const factors = Array.from({ length: 10_000 }, (_, page) => (now - planSharedPoll(`/${page}`, 0, now, 7)) / now);
  const mean = factors.reduce((sum, factor) => sum + factor, 0) / factors.length;
  assert.ok(Math.abs(mean - 1) < 0.01, `${mean}`);
});
