import assert from "node:assert/strict";
import { test } from "node:test";
import { IndexPlanner } from "../../../lab/planners/index-planner.ts";
import { LearningPlanner } from "../../../lab/planners/learning-planner.ts";
import { makePoissonWeb } from "../../../lab/planners/made-webs.ts";
import { type LeagueTrial, runLeague } from "../../../lab/planners/run-league.ts";
import { createRandom } from "../../../src/core/random.ts";
import { type ChangeHistory, noHistory, observe } from "../../../src/crawler/engine/revisit/change-rate.ts";
import { LearnedValue } from "../../../src/crawler/engine/revisit/learned-value.ts";
import { planOptimum } from "../../../src/crawler/engine/revisit/optimum.ts";
import { pollValue } from "../../../src/crawler/engine/revisit/poll-index.ts";
import { gridRates, gridSize, weighRates } from "../../../src/crawler/engine/revisit/rate-grid.ts";
import { defaultShares, RateMixture } from "../../../src/crawler/engine/revisit/site-learning.ts";
import type { KnownPages } from "../../../src/crawler/engine/revisit/visit-schedule.ts";
import { anyKeptHistory } from "../../crawler/engine/revisit/any-history.ts";
import { fc } from "../../property.ts";

const day = 86_400;
const sumOf = (shares: ArrayLike<number>): number => Array.from(shares).reduce((sum, share) => sum + share, 0);
const meanOf = (shares: ArrayLike<number>): number =>
  Array.from(shares).reduce((sum, share, at) => sum + share * (gridRates[at] ?? 0), 0);

/** The history of a page that was visited at equal intervals, by what each visit saw. */
function historyOf(intervalSeconds: number, changes: readonly boolean[]): ChangeHistory {
  return changes.reduce((history, changed) => observe(history, { intervalSeconds, changed }), noHistory);
}

test("property: what is believed of a rate sums up to one, whatever was seen or is kept", () => {
  fc.assert(
    fc.property(anyKeptHistory, (history) => {
      const belief = weighRates(history, defaultShares);
      assert.ok(Math.abs(sumOf(belief) - 1) < 1e-9, `${sumOf(belief)}`);
      assert.ok(belief.every((share) => share >= 0));
    }),
  );
});

test("property: a page that changed more often is believed to change more often", () => {
  const anyVisits = fc.array(fc.boolean(), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(anyVisits, fc.double({ min: 3600, max: 1e7, noNaN: true }), (seen, interval) => {
      const less = weighRates(historyOf(interval, [...seen, false]), defaultShares);
      const more = weighRates(historyOf(interval, [...seen, true]), defaultShares);
      assert.ok(meanOf(more) > meanOf(less));
    }),
  );
});

test("a page that always changed and one that never did are told apart", () => {
  const always = weighRates(historyOf(7 * day, new Array(8).fill(true)), defaultShares);
  const never = weighRates(historyOf(7 * day, new Array(8).fill(false)), defaultShares);
  const slow = (shares: Float64Array): number => sumOf(shares.filter((_, at) => (gridRates[at] ?? 0) < 1 / (14 * day)));
  assert.ok(slow(always) < 0.05 && slow(never) > 0.9, `${slow(always)} ${slow(never)}`);
});

test("dates say more than the sight of a change", () => {
  const dated = observe(noHistory, { intervalSeconds: 30 * day, changed: true, lastModifiedAgeSeconds: 29 * day });
  const undated = observe(noHistory, { intervalSeconds: 30 * day, changed: true });
  assert.ok(meanOf(weighRates(dated, defaultShares)) < meanOf(weighRates(undated, defaultShares)));
});

test("the rates of a site are found from pages that each say little", () => {
  const random = createRandom(4, "mixture");
  const mixture = new RateMixture();
  const histories = Array.from({ length: 2000 }, (_, page) => {
    const rate = page % 4 === 0 ? 1 / (2 * day) : 1 / (200 * day);
    const seen = Array.from({ length: 6 }, () => random() < -Math.expm1(-rate * 4 * day));
    return historyOf(4 * day, seen);
  });
  const beliefs: Float64Array[] = [];
  for (let round = 0; round < 30; round++) {
    for (const [page, history] of histories.entries()) {
      const belief = weighRates(history, mixture.shares);
      mixture.count(belief, beliefs[page]);
      beliefs[page] = belief;
    }
    assert.ok(Math.abs(sumOf(mixture.shares) - 1) < 1e-6, `${sumOf(mixture.shares)}`);
  }
  assert.equal(mixture.pages, 2000);
  const fast = sumOf(mixture.shares.filter((_, at) => (gridRates[at] ?? 0) > 1 / (20 * day)));
  assert.ok(Math.abs(fast - 0.25) < 0.03, `${fast}`);
});

test("property: of a rate that is known a visit is worth what the index says, and teaches nothing", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: gridSize - 1 }),
      fc.double({ min: 60, max: 1e8, noNaN: true }),
      fc.double({ min: 60, max: 1e7, noNaN: true }),
      (at, seconds, price) => {
        const sure = new Float64Array(gridSize);
        sure[at] = 1;
        const index = pollValue(gridRates[at] ?? 0, seconds);
        const value = new LearnedValue(150 * day).valueOf(price, seconds, sure);
        assert.ok(Math.abs(value - index) <= 1e-6 * index, `${value} ${index}`);
      },
    ),
  );
});

test("a visit is worth more where it teaches what to do, and no more where it teaches nothing", () => {
  const torn = new Float64Array(gridSize);
  torn[10] = 0.5;
  torn[18] = 0.5;
  const plain = new LearnedValue(0);
  const curious = new LearnedValue(150 * day);
  const price = 3 * day;
  const taught = (seconds: number): number =>
    curious.valueOf(price, seconds, torn) - plain.valueOf(price, seconds, torn);
  assert.ok(taught(3 * day) > 3 * day, `${taught(3 * day)}`);
  // After three years either page has changed.
  assert.ok(taught(1000 * day) < 0.1 * day, `${taught(1000 * day)}`);
});

test("pages that nothing is known of are visited in turn, those never fetched first", () => {
  const pages: KnownPages = {
    ratesPerSecond: new Float64Array(4),
    weights: new Float64Array(4).fill(1),
    polledAtSeconds: Float64Array.of(-2 * day, -3 * day, Number.NaN, -day),
  };
  const plan = new LearningPlanner().plan(pages, { fromSeconds: 0, seconds: day, visits: 3 });
  assert.deepEqual([...plan.pages], [2, 1, 0]);
});

const trial: LeagueTrial = {
  seconds: 600 * day,
  countFromSeconds: 360 * day,
  windowSeconds: 2 * day,
  budgetAt: () => 400 / 30 / day,
  isLearned: true,
};

test("learned rates come to 96 % of what is possible with known ones, ahead of rates that are estimated one by one", () => {
  let [learning, estimated, best] = [0, 0, 0];
  for (const seed of [1, 2]) {
    const web = makePoissonWeb(400, trial.seconds, createRandom(seed, "learning"));
    learning += runLeague(new LearningPlanner(), web, trial).freshness;
    estimated += runLeague(new IndexPlanner(), web, trial).freshness;
    best += runLeague(new IndexPlanner(), web, { ...trial, isLearned: false }).freshness;
  }
  assert.ok(learning / best > 0.96, `${learning / best}`);
  assert.ok(learning > estimated + 0.01, `${learning} ${estimated}`);
});

test("what visits are worth follows the budget", () => {
  const web = makePoissonWeb(400, trial.seconds, createRandom(3, "price"));
  const priceAt = (factor: number): number => {
    const planner = new LearningPlanner();
    runLeague(planner, web, { ...trial, budgetAt: (at) => trial.budgetAt(at) * factor });
    const ones = new Float64Array(400).fill(1);
    return planner.price / planOptimum(web.ratesPerSecond, ones, trial.budgetAt(0) * factor).price;
  };
  for (const factor of [1, 4])
    assert.ok(priceAt(factor) > 0.6 && priceAt(factor) < 1.4, `${factor}: ${priceAt(factor)}`);
});
