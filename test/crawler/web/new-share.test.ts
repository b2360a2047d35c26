import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRandom } from "../../../src/core/random.ts";
import { bucketOfRate, rateBuckets, rateOfBucket } from "../../../src/crawler/engine/revisit/rate-buckets.ts";
import { KnownRates } from "../../../src/crawler/web/known-rates.ts";
import { planNewShare, RequestShares } from "../../../src/crawler/web/new-share.ts";

const daySeconds = 86_400;

function pagesOfRate(pages: number, days: number): Float64Array {
  const counts = new Float64Array(rateBuckets);
  counts[bucketOfRate(1 / (days * daySeconds))] = pages;
  return counts;
}

/** Adds pages of several rates. */
function together(...all: readonly Float64Array[]): Float64Array {
  return Float64Array.from({ length: rateBuckets }, (_, at) => all.reduce((sum, counts) => sum + (counts[at] ?? 0), 0));
}

describe("planNewShare", () => {
  it("gives new pages nine tenths while nothing is known", () => {
    assert.equal(planNewShare(new Float64Array(rateBuckets), 1), 0.9);
  });

  it("gives them less the more known pages there are that stay fresh for longer once they are polled", () => {
    const shares = [1e5, 3e5, 1e6, 3e6].map((pages) => planNewShare(pagesOfRate(pages, 10), 1));
    assert.deepEqual(
      [...shares].sort((a, b) => b - a),
      shares,
    );
    assert.ok(new Set(shares).size >= 3, shares.join(" "));
  });

  it("gives known pages that change too fast to be worth a poll no more than others", () => {
    const slow = pagesOfRate(1e5, 10);
    assert.ok(
      planNewShare(together(slow, pagesOfRate(1e5, 0.05)), 1) >= planNewShare(together(slow, pagesOfRate(1e5, 10)), 1),
    );
  });

  it("leaves a tenth to each", () => {
    assert.equal(planNewShare(pagesOfRate(1e9, 5), 1), 0.1);
    assert.equal(planNewShare(pagesOfRate(1, 1000), 1000), 0.9);
  });

  it("polls known pages as long as a poll keeps a copy fresh for longer than a new page", () => {
    // Pages of one rate L: the price of a poll, g(r) / L, is to be what a new page brings in a day, (1 - e^-L) / L.
    const days = 10;
    const worth = 1 - Math.exp(-1 / days);
    let ratio = 1;
    for (let step = 0; step < 100; step++)
      ratio -= (1 - (1 + ratio) * Math.exp(-ratio) - worth) / (ratio * Math.exp(-ratio));
    const pollsPerSecond = 1 / (ratio * days * daySeconds);
    const share = planNewShare(pagesOfRate(1e5, days), 1);
    assert.ok(Math.abs(share - (1 - 1e5 * pollsPerSecond)) < 0.01, `${share}`);
  });
});

describe("RequestShares", () => {
  it("gives turns so that requests have the given shares", () => {
    const shares = new RequestShares(0.9, () => [], 0);
    let known = 0;
    for (let request = 0; request < 10_000; request++) {
      const isKnown = shares.isTurnOfKnown;
      shares.count(isKnown ? 0 : 1, isKnown ? 1 : 0, request);
      known += isKnown ? 1 : 0;
    }
    assert.ok(Math.abs(known - 1000) < 20, String(known));
  });

  it("plans the share again once a minute, from what is known and done by then", () => {
    let counted = 0;
    const shares = new RequestShares(
      undefined,
      () => {
        counted++;
        return pagesOfRate(1e9, 5);
      },
      0,
    );
    assert.equal(shares.newShare, 0.9);
    for (let second = 1; second < 60; second++) shares.count(1, 0, second * 1000);
    assert.deepEqual([shares.newShare, counted], [0.9, 0]);
    shares.count(1, 0, 60_000);
    assert.deepEqual([shares.newShare, counted], [0.1, 1]);
  });
});

describe("KnownRates", () => {
  it("moves a site to buckets of faster pages when they changed, and of slower ones when not", () => {
    const rates = new KnownRates(createRandom(1));
    const visit = { polled: 10, intervalSeconds: daySeconds };
    let fast = 0;
    let slow = 0;
    for (let day = 0; day < 20; day++) {
      fast = rates.note(0, { ...visit, changed: 9 });
      slow = rates.note(1, { ...visit, changed: 0 });
    }
    assert.ok(fast > bucketOfRate(1 / daySeconds) && slow < bucketOfRate(1 / (30 * daySeconds)), `${fast} ${slow}`);
    const counts = rates.count((site) => (site === 0 ? 7 : 5));
    assert.deepEqual([counts[fast], counts[slow]], [7, 5]);
  });

  it("finds the rate of polls whatever their number, in one visit or in many", () => {
    for (const polled of [5, 100, 1000]) {
      const rates = new KnownRates(createRandom(1));
      let bucket = 0;
      // A page that changes once in thirty days, after sixteen: with a probability of 0.41.
      const seen = { polled, changed: Math.round(0.41 * polled), intervalSeconds: 16 * daySeconds };
      for (let visit = 0; visit < 40; visit++) bucket = rates.note(0, seen);
      const days = 1 / rateOfBucket(bucket) / daySeconds;
      assert.ok(days > 22 && days < 44, `${polled} polls: one change in ${days} days`);
    }
  });
});
