import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ChangeHistory,
  defaultMemoryVisits,
  defaultPrior,
  maxRate,
  minRate,
  noHistory,
  type Observation,
  observe,
  rateOf,
  SitePrior,
} from "../../../../src/crawler/engine/revisit/change-rate.ts";
import { createRandom, type Random } from "../../../interop/random.ts";
import { fc } from "../../../property.ts";
import { anyKeptHistory, anyKeptNumber as hostile } from "./any-history.ts";

const day = 86_400;
const endless = 1e9;

const isNear = (actual: number, expected: number, tolerance: number, what = ""): void =>
  assert.ok(Math.abs(actual / expected - 1) <= tolerance, `${what} ${actual} is not ${expected} by ${tolerance}`);

/** A poll of a Poisson page after an interval, with the true time since its last change. */
function pollPoisson(random: Random, rate: number, intervalSeconds: number): Observation {
  const quiet = -Math.log1p(-random.next()) / rate;
  return quiet < intervalSeconds
    ? { intervalSeconds, changed: true, lastModifiedAgeSeconds: quiet }
    : { intervalSeconds, changed: false, lastModifiedAgeSeconds: 2 * intervalSeconds };
}

function regular(visits: number, changes: number, intervalSeconds: number): ChangeHistory {
  let history = noHistory;
  for (let at = 0; at < visits; at++) history = observe(history, { intervalSeconds, changed: at < changes }, endless);
  return history;
}

test("without a prior, equal intervals give Cho and Garcia-Molina's -ln((n - X + 0.5) / (n + 0.5)) / I", () => {
  for (const [n, x] of [
    [20, 2],
    [20, 19],
    [20, 20],
    [1, 1],
    [7, 3],
  ] as const) {
    isNear(rateOf(regular(n, x, 2 * day)), -Math.log((n - x + 0.5) / (n + 0.5)) / (2 * day), 1e-9, `${x} of ${n}`);
  }
  assert.equal(rateOf(regular(20, 0, day)), minRate);
  assert.equal(rateOf(noHistory), minRate);
});

test("without a prior, dated changes give ((X - 1) - X / (n ln(1 - X / n))) / T", () => {
  let history = noHistory;
  const ages = [100, 200, 300, undefined, undefined, undefined, undefined, undefined];
  for (const age of ages) {
    const dated = age === undefined ? {} : { lastModifiedAgeSeconds: age };
    history = observe(history, { intervalSeconds: 1000, changed: age !== undefined, ...dated });
  }
  isNear(rateOf(history), (2 - 3 / (8 * Math.log(1 - 3 / 8))) / (600 + 5000), 1e-9);
});

// Mean ratio of the estimate to the truth for n = 20 polls and L I = 0.1, 1, 3, by 4,000 runs each; the known means of
// the two estimators. The tolerance is four times the standard error of the mean.
for (const [dated, expected] of [
  [false, [1.002, 1.001, 0.95]],
  [true, [1.003, 1.004, 1.005]],
] as const) {
  test(`the estimator's bias is as published, ${dated ? "with" : "without"} dates`, () => {
    const random = createRandom(7);
    for (const [at, x] of [0.1, 1, 3].entries()) {
      const intervalSeconds = 30 * day;
      const rate = x / intervalSeconds;
      const runs = 4000;
      let sum = 0;
      let squares = 0;
      for (let run = 0; run < runs; run++) {
        let history = noHistory;
        for (let visit = 0; visit < 20; visit++) {
          const poll = pollPoisson(random, rate, intervalSeconds);
          history = observe(history, dated ? poll : { ...poll, lastModifiedAgeSeconds: undefined }, endless);
        }
        // No change in 20 polls counts as the formula's 0, not as the lowest rate.
        const ratio = rateOf(history) === minRate ? 0 : rateOf(history) / rate;
        sum += ratio;
        squares += ratio * ratio;
      }
      const mean = sum / runs;
      const error = Math.sqrt((squares / runs - mean * mean) / runs);
      assert.ok(Math.abs(mean - (expected[at] ?? 0)) < 4 * error + 0.002, `L I = ${x}: ${mean} +- ${error}`);
    }
  });
}

test("property: over many polls at irregular intervals the rate is found, with dates and without", () => {
  fc.assert(
    fc.property(fc.integer(), fc.double({ min: -1.3, max: 0.3, noNaN: true }), fc.boolean(), (seed, power, dated) => {
      const random = createRandom(seed);
      const rate = 10 ** power / day;
      let history = noHistory;
      for (let visit = 0; visit < 6000; visit++) {
        const poll = pollPoisson(random, rate, day * (0.2 + 2 * random.next()));
        history = observe(history, dated ? poll : { ...poll, lastModifiedAgeSeconds: undefined }, endless);
      }
      // About five standard errors at the least informative of these rates.
      isNear(rateOf(history, defaultPrior), rate, 0.3);
      isNear(rateOf(history), rate, 0.3);
    }),
    { numRuns: 40 },
  );
});

test("two kinds of intervals are solved exactly, others near the likeliest rate", () => {
  const solve = (changed: readonly number[], quiet: number): number => {
    let low = 1e-12;
    let high = 1;
    for (let step = 0; step < 200; step++) {
      const rate = (low + high) / 2;
      const left = 1 / rate + changed.reduce((sum, interval) => sum + interval / Math.expm1(rate * interval), 0);
      if (left > quiet + 7 * day) low = rate;
      else high = rate;
    }
    return low;
  };
  const rateAfter = (changed: readonly number[], quiet: number): number => {
    let history = observe(noHistory, { intervalSeconds: quiet, changed: false });
    for (const intervalSeconds of changed) history = observe(history, { intervalSeconds, changed: true });
    return rateOf(history, defaultPrior);
  };
  isNear(rateAfter([day, 5 * day], 3 * day), solve([day, 5 * day], 3 * day), 1e-9);
  const mixed = [day / 24, day, 2 * day, 3 * day, 9 * day, 30 * day];
  isNear(rateAfter(mixed, 4 * day), solve(mixed, 4 * day), 0.22);
});

test("a page with few polls has a sane rate, and one that stays equal a lower one each time", () => {
  isNear(rateOf(noHistory, defaultPrior), 1 / (7 * day), 1e-9);
  isNear(rateOf(observe(noHistory, { intervalSeconds: 7 * day, changed: false }), defaultPrior), 1 / (14 * day), 1e-9);
  const changed = rateOf(observe(noHistory, { intervalSeconds: 60, changed: true }), defaultPrior);
  isNear(changed, 2 / (7 * day), 0.01);
});

test("a Last-Modified that lies is not used until it was true twice", () => {
  const age = (intervalSeconds: number, changed: boolean, lastModifiedAgeSeconds: number): Observation => ({
    intervalSeconds,
    changed,
    lastModifiedAgeSeconds,
  });
  const dated = observe(noHistory, age(day, true, 3600));
  assert.deepEqual([dated.datedChanges, dated.quietSeconds, dated.changes], [1, 3600, 0]);
  // It moved over an equal page; it stayed over a changed one; it is the time of the answer, or ahead of it.
  assert.equal(observe(noHistory, age(day, false, 3600)).falseDates, 1);
  assert.equal(observe(noHistory, age(day, true, 30 * day)).falseDates, 1);
  for (const now of [0, -5, Number.NaN]) {
    const history = observe(noHistory, age(day, true, now));
    assert.deepEqual([history.changes, history.datedChanges, history.falseDates], [1, 0, 0]);
  }
  let history = observe(dated, age(day, false, 3600));
  const uses = (): boolean => observe(history, age(day, true, 3600)).datedChanges > history.datedChanges;
  assert.equal(uses(), false);
  history = observe(history, age(day, false, 2 * day));
  assert.equal(uses(), false);
  history = observe(history, age(day, false, 3 * day));
  assert.equal(uses(), true);
});

test("older polls fade: a page that was rewritten daily and then left is slow after twice the memory", () => {
  let history = noHistory;
  for (let visit = 0; visit < 500; visit++) history = observe(history, { intervalSeconds: day, changed: true });
  isNear(history.visits, defaultMemoryVisits, 1e-9);
  const fast = rateOf(history, defaultPrior);
  for (let visit = 0; visit < 128; visit++) history = observe(history, { intervalSeconds: day, changed: false });
  const slow = rateOf(history, defaultPrior);
  assert.ok(fast > 1 / day && slow < 1 / (5 * day), `${fast * day} ${slow * day}`);
});

test("property: whatever was stored and seen, a rate is a rate", () => {
  const poll = fc.record({
    intervalSeconds: hostile,
    changed: fc.boolean(),
    lastModifiedAgeSeconds: fc.option(hostile, { nil: undefined }),
  });
  const prior = fc.option(fc.record({ changes: hostile, seconds: hostile }), { nil: undefined });
  fc.assert(
    fc.property(anyKeptHistory, fc.array(poll, { maxLength: 5 }), prior, (start, polls, given) => {
      let history: ChangeHistory = start;
      for (const observation of polls) history = observe(history, observation);
      const rate = rateOf(history, given);
      assert.ok(rate >= minRate && rate <= maxRate, `${rate}`);
      if (polls.some(({ intervalSeconds }) => intervalSeconds >= 1e-9)) {
        for (const value of Object.values(history))
          assert.ok(value >= 0 && Number.isFinite(value), JSON.stringify(history));
      }
    }),
    { numRuns: 2000 },
  );
});

test("property: one more change raises the rate, one more equal page lowers it", () => {
  const interval = fc.double({ min: 60, max: 400 * day, noNaN: true });
  const polls = fc.array(fc.tuple(interval, fc.boolean()), { maxLength: 30 });
  fc.assert(
    fc.property(polls, interval, (seen, intervalSeconds) => {
      let history = noHistory;
      for (const [seconds, changed] of seen) history = observe(history, { intervalSeconds: seconds, changed });
      const before = rateOf(history, defaultPrior);
      const equal = rateOf(observe(history, { intervalSeconds, changed: false }), defaultPrior);
      const changed = rateOf(observe(history, { intervalSeconds, changed: true }), defaultPrior);
      assert.ok(equal <= before * (1 + 1e-9), `${equal} > ${before}`);
      assert.ok(changed >= equal, `${changed} < ${equal}`);
    }),
  );
});

test("a site's prior comes near to the mean rate of its pages", () => {
  const random = createRandom(3);
  const rates = Array.from({ length: 3000 }, (_, at) => (at % 2 === 0 ? 1 : 0.02) / day);
  const histories = rates.map((rate) => {
    let history = noHistory;
    for (let visit = 0; visit < 8; visit++) history = observe(history, pollPoisson(random, rate, day));
    return history;
  });
  let prior = defaultPrior;
  for (let step = 0; step < 20; step++) {
    const fit = new SitePrior(prior);
    for (const history of histories) fit.add(history);
    prior = fit.prior;
  }
  isNear(prior.changes / prior.seconds, 0.51 / day, 0.1);
  const none = new SitePrior();
  none.add(noHistory);
  assert.deepEqual(none.prior, defaultPrior);
});
