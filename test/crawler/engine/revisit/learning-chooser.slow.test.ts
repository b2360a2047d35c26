import assert from "node:assert/strict";
import { test } from "node:test";
import { CrawlerPlanner } from "../../../../lab/planners/crawler-planner.ts";
import { IndexPlanner } from "../../../../lab/planners/index-planner.ts";
import { makePoissonWeb } from "../../../../lab/planners/made-webs.ts";
import { runLeague } from "../../../../lab/planners/run-league.ts";
import { createRandom } from "../../../../src/core/random.ts";
import { type ChangeHistory, noHistory, observe } from "../../../../src/crawler/engine/revisit/change-rate.ts";
import { LearningChooser } from "../../../../src/crawler/engine/revisit/learning-chooser.ts";
import { planOptimum } from "../../../../src/crawler/engine/revisit/optimum.ts";
import type { SeenPage } from "../../../../src/crawler/engine/revisit/poll-choosers.ts";
import { pollPolicy } from "../../../../src/crawler/engine/revisit/poll-policy.ts";
import {
  believedDueAfter,
  believedProbability,
  gridRates,
  gridSize,
  observeRate,
  weighRates,
} from "../../../../src/crawler/engine/revisit/rate-grid.ts";
import {
  defaultShares,
  meanHazard,
  noLearning,
  readLearning,
  type SiteLearning,
} from "../../../../src/crawler/engine/revisit/site-learning.ts";
import { fc } from "../../../property.ts";
import { anyKeptHistory } from "./any-history.ts";
import { checkPlan } from "./check-plan.ts";

const day = 86_400;
const dayMs = 1000 * day;
const now = 1000 * dayMs;

const sumOf = (shares: readonly number[]): number => shares.reduce((sum, share) => sum + share, 0);
const anyHistory: fc.Arbitrary<ChangeHistory> = fc.oneof(
  fc.constant(noHistory),
  fc
    .tuple(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), fc.double({ min: 3600, max: 1e7, noNaN: true }))
    .map(([seen, intervalSeconds]) =>
      seen.reduce((history, changed) => observe(history, { intervalSeconds, changed }), noHistory),
    ),
  anyKeptHistory,
);
const anyPage: fc.Arbitrary<SeenPage> = fc.record({
  path: fc.string({ maxLength: 4 }),
  polledAt: fc.option(fc.integer({ min: now - 300 * dayMs, max: now + dayMs }), { nil: undefined }),
  weight: fc.constantFrom(1, 1, 2),
  history: anyHistory,
});
const anyLearning: fc.Arbitrary<SiteLearning> = fc.oneof(
  fc.constant(noLearning),
  fc
    .record({
      shares: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: gridSize, maxLength: gridSize }),
      pages: fc.integer({ min: 0, max: 1000 }),
      price: fc.double({ min: 1, max: 1e8, noNaN: true }),
    })
    .map(({ shares, ...rest }) =>
      readLearning({ ...rest, shares: shares.map((share) => (share + 1e-9) / sumOf(shares.map((one) => one + 1e-9))) }),
    ),
);

function choose(
  pages: readonly SeenPage[],
  budget: number,
  learning: SiteLearning,
): { plan: ReturnType<LearningChooser["finish"]>; learning: SiteLearning } {
  const chooser = new LearningChooser({ now, budget, perSecond: budget / day, learning });
  for (const page of pages) chooser.add(page);
  return { plan: chooser.finish(), learning: chooser.learning };
}

test("property: a choice holds at most its budget, each page once, none sooner than it may, in any order of arrival", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyPage, { selector: ({ path }) => path, maxLength: 60 }),
      fc.integer({ min: 0, max: 30 }),
      anyLearning,
      (pages, budget, before) => {
        const { plan, learning } = choose(pages, budget, before);
        checkPlan(plan, pages, now, budget);
        assert.deepEqual(choose([...pages].reverse(), budget, before), { plan, learning });
        // What is to be remembered is understood when it is read again.
        const read = readLearning(JSON.parse(JSON.stringify(learning)));
        assert.equal(read.pages, learning.pages);
        assert.ok(Math.abs(sumOf(read.shares) - 1) < 1e-9);
        assert.equal(read.price, learning.price);
      },
    ),
    { numRuns: 300 },
  );
});

test("what is remembered is taken for nothing where it makes no sense, or is of before there were shares", () => {
  const shares = Array.from(defaultShares);
  const good = { shares, pages: 7, price: 1000 };
  assert.equal(readLearning({ ...good, seconds: 5 }).pages, 7);
  const hostile: unknown[] = [
    undefined,
    null,
    "shares",
    17,
    [],
    { seconds: 604_800 },
    { ...good, shares: shares.slice(1) },
    { ...good, shares: [...shares, 0] },
    { ...good, shares: shares.map(() => 0) },
    { ...good, shares: shares.map(() => 1) },
    { ...good, shares: shares.map((share, at) => (at === 3 ? -share : share)) },
    { ...good, shares: shares.map((share, at) => (at === 3 ? null : share)) },
    { ...good, shares: shares.map((share, at) => (at === 3 ? "0.1" : share)) },
    { ...good, shares: { length: gridSize } },
    { ...good, pages: -1 },
    { ...good, pages: "many" },
  ];
  for (const state of hostile) assert.equal(readLearning(state), noLearning, JSON.stringify(state));
  for (const price of [0, -1, 1e300, Number.NaN, null, "12"])
    assert.equal(readLearning({ ...good, price }).price, undefined, `${price}`);
});

test("shares that leave no room for what pages do are given up", () => {
  const shares = new Array(gridSize).fill(0);
  shares[0] = 1;
  const lively = [true, true, true, true, true, true].reduce(
    (history, changed) => observe(history, { intervalSeconds: day, changed }),
    noHistory,
  );
  const pages = Array.from({ length: 50 }, (_, at) => ({ path: `${at}`, polledAt: now - dayMs, history: lively }));
  let learning: SiteLearning = readLearning({ shares, pages: 50, price: 1000 });
  for (let visit = 0; visit < 12; visit++) learning = choose(pages, 5, learning).learning;
  const fast = sumOf(learning.shares.filter((_, at) => (gridRates[at] ?? 0) > 1 / (3 * day)));
  assert.ok(fast > 0.7, `${fast}`);
});

test("a visit that goes on after a break leaves what is thought of the site as it is", () => {
  const pages = Array.from({ length: 100 }, (_, at) => ({
    path: `${at}`,
    polledAt: now - 9 * dayMs,
    history: noHistory,
  }));
  const before = choose(pages, 10, noLearning).learning;
  const seen = observe(noHistory, { intervalSeconds: day, changed: true });
  const rest = pages.slice(0, 20).map((page) => ({ ...page, history: seen }));
  const { learning } = choose(rest, 10, before);
  assert.deepEqual(learning, { ...before, pages: 50 });
  // A site of which most is gone is believed in the end.
  const later = choose(rest, 10, choose(rest, 10, learning).learning).learning;
  assert.equal(later.pages, 20);
  assert.notDeepEqual(later.shares, before.shares);
});

test("pages that nothing is known of are asked for in turn, those never asked for first, and a quarter is for known ones", () => {
  const waiting = (path: string, days: number): SeenPage => ({ path, polledAt: now - days * dayMs });
  const known = [waiting("a", 3), waiting("b", 9), waiting("c", 5), waiting("d", 7)];
  const pathsOf = (pages: readonly SeenPage[], budget: number): string =>
    choose(pages, budget, noLearning)
      .plan.polls.map(({ path }) => path)
      .join(" ");
  assert.equal(pathsOf(known, 3), "b d c");
  const fresh = [..."zyxw"].map((path) => ({ path, polledAt: undefined }));
  assert.equal(pathsOf([...known, ...fresh], 4), "w x y b");
});

test("property: a page is due when its change is as likely as it must be, within the bounds", () => {
  fc.assert(
    fc.property(anyHistory, fc.double({ min: 0.001, max: 0.6, noNaN: true }), (history, probability) => {
      const belief = weighRates(history, defaultShares);
      const { minIntervalSeconds, maxIntervalSeconds } = pollPolicy;
      const after = believedDueAfter(belief, probability);
      assert.ok(after >= minIntervalSeconds && after <= maxIntervalSeconds);
      if (after < maxIntervalSeconds) assert.ok(believedProbability(belief, after * (1 + 1e-6)) >= probability);
      if (after > minIntervalSeconds) assert.ok(believedProbability(belief, after * (1 - 1e-6)) <= probability);
    }),
  );
});

test("what a visit is worth follows the budget, also where that changes", () => {
  const pages = 300;
  const web = makePoissonWeb(pages, 500 * day, createRandom(3, "price"));
  const random = createRandom(5, "visits");
  const rates = web.ratesPerSecond;
  const histories: ChangeHistory[] = new Array(pages).fill(noHistory);
  const polledAt = new Float64Array(pages);
  let learning: SiteLearning = noLearning;
  const live = (from: number, to: number, budget: number): number => {
    for (let today = from; today < to; today++) {
      const chooser = new LearningChooser({ now: today * dayMs, budget, perSecond: budget / day, learning });
      for (let page = 0; page < pages; page++)
        chooser.add({ path: `${page}`, polledAt: polledAt[page], history: histories[page] ?? noHistory });
      for (const { path } of chooser.finish().polls) {
        const page = Number(path);
        const intervalSeconds = today * day - (polledAt[page] ?? 0) / 1000;
        const changed = random() < -Math.expm1(-(rates[page] ?? 0) * intervalSeconds);
        const hazard = meanHazard(learning.scores ?? []);
        histories[page] = observeRate(histories[page] ?? noHistory, { intervalSeconds, changed }, hazard);
        // A request takes time.
        polledAt[page] = today * dayMs + 1;
      }
      learning = chooser.learning;
    }
    return learning.price ?? Number.NaN;
  };
  const priceAt = (budget: number): number => planOptimum(rates, new Float64Array(pages).fill(1), budget / day).price;
  const [first, more, less] = [live(1, 300, 10), live(300, 400, 40), live(400, 500, 10)];
  const ratio = first / priceAt(10);
  assert.ok(ratio > 0.6 && ratio < 1.4, `${ratio}`);
  assert.ok(more < 0.6 * first, `${more} after ${first}`);
  assert.ok(less > 0.6 * first && less < 1.4 * first, `${less} after ${first}`);
});

test("the crawler's own plan is ahead of rates that are estimated one by one", () => {
  const trial = {
    seconds: 600 * day,
    countFromSeconds: 360 * day,
    windowSeconds: 2 * day,
    budgetAt: () => 400 / 30 / day,
    isLearned: true,
  };
  let [own, estimated] = [0, 0];
  for (const seed of [1, 2]) {
    const web = makePoissonWeb(400, trial.seconds, createRandom(seed, "learning"));
    own += runLeague(new CrawlerPlanner(), web, trial).freshness / 2;
    estimated += runLeague(new IndexPlanner(), web, trial).freshness / 2;
  }
  assert.ok(own > estimated + 0.005, `${own} ${estimated}`);
});
