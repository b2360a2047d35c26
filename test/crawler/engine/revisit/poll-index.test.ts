import assert from "node:assert/strict";
import { test } from "node:test";
import { leastAgeCurve, planOptimum } from "../../../../src/crawler/engine/revisit/optimum.ts";
import {
  changeProbability,
  changesAtAge,
  expectedAgeSeconds,
  expectedFreshness,
  pollValue,
  secondsUntilProbability,
  secondsUntilValue,
} from "../../../../src/crawler/engine/revisit/poll-index.ts";
import { planByPrice } from "../../../../src/crawler/engine/revisit/price-search.ts";
import { fc } from "../../../property.ts";

const isNear = (actual: number, expected: number, tolerance: number): void =>
  assert.ok(Math.abs(actual - expected) <= tolerance * Math.abs(expected), `${actual} is not ${expected}`);

test("the value of a poll is (w / L) (1 - (1 + L t) e^(-L t))", () => {
  isNear(pollValue(2, 1), 0.5 * (1 - 3 * Math.exp(-2)), 1e-14);
  isNear(pollValue(0.25, 8, 3), 12 * (1 - 3 * Math.exp(-2)), 1e-14);
  // Near 0 it is w L t^2 / 2, where the formula itself would give noise.
  isNear(pollValue(1e-9, 1), 0.5e-9, 1e-8);
  isNear(pollValue(1e-150, 1e-20), 5e-191, 1e-12);
  assert.equal(pollValue(4, Number.POSITIVE_INFINITY), 0.25);
  assert.equal(pollValue(4, 1e300), 0.25);
  for (const [rate, elapsed, weight] of [
    [0, 1, 1],
    [1, 0, 1],
    [1, 1, 0],
    [-1, 1, 1],
    [1, -1, 1],
    [Number.NaN, 1, 1],
    [1, Number.NaN, 1],
    [1e-300, 1e-300, 1],
  ] as const) {
    assert.equal(pollValue(rate, elapsed, weight), 0);
  }
});

const rates = fc.double({ min: 1e-10, max: 1, noNaN: true });
const times = fc.double({ min: 1e-3, max: 1e10, noNaN: true });

test("property: the value rises with time, never above w / L, and has an inverse", () => {
  fc.assert(
    fc.property(rates, times, fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (rate, elapsed, weight) => {
      const value = pollValue(rate, elapsed, weight);
      assert.ok(value >= 0 && value <= (weight / rate) * (1 + 1e-15));
      assert.ok(pollValue(rate, elapsed * 1.001, weight) >= value);
      const x = rate * elapsed;
      // Beyond some 20 expected changes the value is all but constant, and its inverse means nothing.
      if (x < 20) isNear(secondsUntilValue(value, rate, weight), elapsed, 1e-12 + 1e-15 * Math.exp(x));
    }),
    { numRuns: 2000 },
  );
});

test("a value that a page never has is reached never", () => {
  assert.equal(secondsUntilValue(1, 1), Number.POSITIVE_INFINITY);
  assert.equal(secondsUntilValue(2, 1), Number.POSITIVE_INFINITY);
  assert.equal(secondsUntilValue(1, 0), Number.POSITIVE_INFINITY);
  assert.equal(secondsUntilValue(0, 1), 0);
  assert.equal(secondsUntilValue(Number.NaN, 1), 0);
  assert.ok(secondsUntilValue(1 - 1e-12, 1) > 20);
});

test("property: the probability of a change and its inverse", () => {
  fc.assert(
    fc.property(rates, fc.double({ min: 1e-9, max: 0.999, noNaN: true }), (rate, probability) => {
      isNear(changeProbability(rate, secondsUntilProbability(probability, rate)), probability, 1e-9);
    }),
  );
  assert.equal(secondsUntilProbability(1, 1), Number.POSITIVE_INFINITY);
  assert.equal(secondsUntilProbability(0.5, 0), Number.POSITIVE_INFINITY);
  assert.equal(changeProbability(1, Number.POSITIVE_INFINITY), 1);
  assert.equal(changeProbability(Number.NaN, 1), 0);
});

test("freshness and age near the ends", () => {
  assert.equal(expectedFreshness(0, 1), 1);
  assert.equal(expectedFreshness(1, 0), 0);
  isNear(expectedFreshness(1, 1), 1 - Math.exp(-1), 1e-14);
  isNear(expectedFreshness(1e-12, 1), 1 - 5e-13, 1e-15);
  // The series: 1 - r/2 + r^2/6 - r^3/24 + r^4/120.
  for (const r of [0.099, 0.05, 1e-2, 1e-3, 1e-5, 1e-7, 2e-8, 9e-9, 1e-10])
    isNear(
      expectedFreshness(r, 1),
      1 - r / 2 + r ** 2 / 6 - r ** 3 / 24 + r ** 4 / 120 - r ** 5 / 720,
      1e-8 * r + 1e-15,
    );
  assert.equal(expectedAgeSeconds(0, 1), 0);
  assert.equal(expectedAgeSeconds(1, 0), Number.POSITIVE_INFINITY);
  isNear(expectedAgeSeconds(1, 1), 0.5 - Math.exp(-1), 1e-14);
  // The two ways to compute it agree where one gives way to the other.
  isNear(expectedAgeSeconds(0.0099999, 1), expectedAgeSeconds(0.0100001, 1), 1e-4);
});

test("the optimum for changes 1 to 5 times a day and 5 polls a day is Cho and Garcia-Molina's", () => {
  const rate = [1, 2, 3, 4, 5];
  const { pollsPerSecond, price } = planOptimum(rate, [1, 1, 1, 1, 1], 5);
  assert.deepEqual(
    [...pollsPerSecond].map((polls) => polls.toFixed(2)),
    ["1.15", "1.36", "1.35", "1.14", "0.00"],
  );
  const freshness = (polls: readonly number[]): number =>
    polls.reduce((sum, f, at) => sum + expectedFreshness(rate[at] ?? 0, f), 0) / 5;
  assert.equal(freshness([...pollsPerSecond]).toFixed(3), "0.374");
  assert.equal(freshness([1, 1, 1, 1, 1]).toFixed(3), "0.365");
  assert.equal(freshness(rate.map((value) => value / 3)).toFixed(3), "0.317");
  isNear(pollValue(2, 1 / (pollsPerSecond[1] ?? 0)), price, 1e-9);
});

test("on the histogram of 1999, a poll a page and month: freshness 0.573, 0.129 and 0.616, ages 5.61, 406 and 4.30 days", () => {
  const bars = [1, 1 / 7, 1 / 30, 1 / 120, 1 / 365];
  const share = [0.23, 0.15, 0.16, 0.16, 0.3];
  // The polls of a bar are those of its pages: f = F / share, so that the weight of a bar's rate is its share.
  const mean = (f: (rate: number, polls: number) => number, polls: readonly number[]): number =>
    bars.reduce((sum, rate, at) => sum + (share[at] ?? 0) * f(rate, polls[at] ?? 0), 0);
  const total = bars.reduce((sum, rate, at) => sum + rate * (share[at] ?? 0), 0);
  const uniform = bars.map(() => 1 / 30);
  const proportional = bars.map((rate) => rate / total / 30);
  assert.equal(mean(expectedFreshness, uniform).toFixed(3), "0.573");
  assert.equal(mean(expectedFreshness, proportional).toFixed(3), "0.129");
  assert.equal(mean(expectedAgeSeconds, uniform).toFixed(2), "5.61");
  assert.equal(mean(expectedAgeSeconds, proportional).toFixed(0), "406");
  const pages = share.flatMap((part, at) => new Array<number>(Math.round(part * 100)).fill(bars[at] ?? 0));
  const { pollsPerSecond } = planOptimum(pages, new Array<number>(100).fill(1), 100 / 30);
  const best = pages.reduce((sum, rate, at) => sum + expectedFreshness(rate, pollsPerSecond[at] ?? 0), 0) / 100;
  assert.equal(best.toFixed(3), "0.616");
  const ages = planByPrice(leastAgeCurve, { ratesPerSecond: bars, weights: share.map(() => 1), counts: share }, 1 / 30);
  assert.equal(mean(expectedAgeSeconds, [...ages.pollsPerSecond]).toFixed(2), "4.30");
});

test("property: no plan of the same budget has a lower age than the least age", () => {
  fc.assert(
    fc.property(somePages, fc.double({ min: 0.01, max: 10, noNaN: true }), (pages, budget) => {
      const ratesPerSecond = pages.map(([power]) => 10 ** power);
      const weights = pages.map(([, weight]) => weight);
      const { pollsPerSecond } = planByPrice(leastAgeCurve, { ratesPerSecond, weights }, budget);
      isNear(
        pollsPerSecond.reduce((sum, polls) => sum + polls, 0),
        budget,
        1e-9,
      );
      const age = (polls: ArrayLike<number>): number =>
        ratesPerSecond.reduce(
          (sum, rate, at) => sum + (weights[at] ?? 0) * expectedAgeSeconds(rate, polls[at] ?? 0),
          0,
        );
      const least = age(pollsPerSecond);
      // Some polls of one page are given to the next.
      for (let at = 0; at + 1 < ratesPerSecond.length; at++) {
        for (const part of [0.02, -0.02]) {
          const other = pollsPerSecond.slice();
          const moved = part * Math.min(other[at] ?? 0, other[at + 1] ?? 0);
          other[at] = (other[at] ?? 0) - moved;
          other[at + 1] = (other[at + 1] ?? 0) + moved;
          assert.ok(age(other) >= least * (1 - 1e-9), `${at}: ${age(other)} ${least}`);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("the expected changes at which a poll takes so much off a page's age, over all magnitudes", () => {
  for (const x of [1e-6, 1e-3, 0.1, 0.49, 0.51, 1, 3, 30, 1e4]) {
    const part = x < 0.01 ? x ** 3 / 3 - x ** 4 / 8 : (x * x) / 2 - 1 + (1 + x) * Math.exp(-x);
    isNear(changesAtAge(part), x, 1e-9 + (x < 0.2 ? 1e-9 / x : 0));
  }
  assert.equal(changesAtAge(0), 0);
  assert.equal(changesAtAge(Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY);
});

const onePage = fc.tuple(fc.double({ min: -3, max: 1, noNaN: true }), fc.double({ min: 0.1, max: 10, noNaN: true }));
const somePages = fc.array(onePage, { minLength: 5, maxLength: 40 });
// Fewer pages than these that are worth a poll leave steps so coarse that no plan with a constant pace comes near.
const fewestPolled = 30;
const manyPages = fc.array(onePage, { minLength: 45, maxLength: 60 });

test("property: the optimum spends the budget, all polled pages at one price, and is beaten by no uniform plan", () => {
  fc.assert(
    fc.property(somePages, fc.double({ min: 0.01, max: 2, noNaN: true }), (pages, budgetPerPage) => {
      const rate = pages.map(([power]) => 10 ** power);
      const weight = pages.map(([, w]) => w);
      const budget = budgetPerPage * pages.length;
      const { pollsPerSecond, price } = planOptimum(rate, weight, budget);
      isNear(
        pollsPerSecond.reduce((sum, polls) => sum + polls, 0),
        budget,
        1e-6,
      );
      let best = 0;
      let uniform = 0;
      for (const [at, polls] of pollsPerSecond.entries()) {
        const [l = 0, w = 0] = [rate[at], weight[at]];
        best += w * expectedFreshness(l, polls);
        uniform += w * expectedFreshness(l, budgetPerPage);
        if (polls > l / 20) isNear(pollValue(l, 1 / polls, w), price, 1e-6);
        if (polls === 0) assert.ok(w / l <= price * (1 + 1e-9));
      }
      assert.ok(best >= uniform * (1 - 1e-9), `${best} < ${uniform}`);
    }),
    { numRuns: 200 },
  );
});

test("pages that never change, weigh nothing or are none get no polls", () => {
  assert.deepEqual([...planOptimum([0, 1, Number.NaN], [1, 0, 1], 1).pollsPerSecond], [0, 0, 0]);
  assert.deepEqual([...planOptimum([], [], 1).pollsPerSecond], []);
  assert.throws(() => planOptimum([1], [1], 0), RangeError);
});

test("property: polling the most valuable page each time comes near to the optimum", () => {
  fc.assert(
    fc.property(manyPages, fc.double({ min: 0.1, max: 1, noNaN: true }), (pages, budgetPerPage) => {
      const rate = pages.map(([power]) => 10 ** power);
      const weight = pages.map(([, w]) => w);
      const step = 1 / (budgetPerPage * pages.length);
      const { pollsPerSecond } = planOptimum(rate, weight, 1 / step);
      fc.pre(pollsPerSecond.filter((polls) => polls > 0).length >= fewestPolled);
      const polledAt = pages.map(() => 0);
      let fresh = 0;
      const rounds = 200 * pages.length;
      const countFrom = rounds / 2;
      for (let round = 1; round <= rounds; round++) {
        const now = round * step;
        let best = -1;
        let bestValue = -1;
        for (let at = 0; at < pages.length; at++) {
          const value = pollValue(rate[at] ?? 0, now - (polledAt[at] ?? 0), weight[at]);
          if (value > bestValue) [best, bestValue] = [at, value];
        }
        // Expected freshness over the last step, page by page: the integral of e^(-L t).
        if (round > countFrom) {
          for (let at = 0; at < pages.length; at++) {
            const [l = 0, w = 0, since = 0] = [rate[at], weight[at], polledAt[at]];
            fresh += (w * (Math.exp(-l * (now - step - since)) - Math.exp(-l * (now - since)))) / l;
          }
        }
        polledAt[best] = now;
      }
      const greedy = fresh / ((rounds - countFrom) * step);
      const optimum = pollsPerSecond.reduce(
        (sum, polls, at) => sum + (weight[at] ?? 0) * expectedFreshness(rate[at] ?? 0, polls),
        0,
      );
      isNear(greedy, optimum, 0.01);
    }),
    { numRuns: 15 },
  );
});
