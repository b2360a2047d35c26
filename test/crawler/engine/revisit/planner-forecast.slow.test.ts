import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRandom } from "../../../../src/core/random.ts";
import { createStormRule, IntervalPlanner } from "../../../../src/crawler/engine/revisit/adaptive-interval.ts";
import { type ChangeHistory, defaultPrior, noHistory } from "../../../../src/crawler/engine/revisit/change-rate.ts";
import { Forecaster } from "../../../../src/crawler/engine/revisit/planner-forecast.ts";
import { type PollPlannerName, pollPlannerNames } from "../../../../src/crawler/engine/revisit/poll-planners.ts";
import { EstimatedPages } from "../../../../src/crawler/engine/revisit/rate-posterior.ts";

const day = 86_400;

/** A page that was polled daily so often that its rate is all but known. */
function knownPage(changesADay: number): ChangeHistory {
  const visits = 40_000;
  const changes = visits * -Math.expm1(-changesADay);
  return {
    ...noHistory,
    visits,
    changes,
    changedSeconds: changes * day,
    changedSquares: changes * day * day,
    quietSeconds: (visits - changes) * day,
  };
}

function pagesOf(histories: readonly ChangeHistory[]): EstimatedPages {
  const pages = new EstimatedPages(40, createRandom(1, "worlds"));
  for (const history of histories) pages.add(history, defaultPrior);
  return pages;
}

const forecasterOf = (pages: EstimatedPages): Forecaster =>
  new Forecaster(pages, (planner) => createRandom(1, planner));
const near = (actual: number, expected: number, tolerance: number, what = ""): void =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what} ${actual}, not ${expected}`);

describe("forecasts of planners", () => {
  // J. Cho, H. Garcia-Molina, 2000: five pages that change 1 to 5 times a day, and five polls.
  const cho = forecasterOf(pagesOf([1, 2, 3, 4, 5].map(knownPage)));

  it("are those of the published example", () => {
    const uniform = cho.forecast("round-robin", 5);
    near(uniform.freshness, 0.365, 0.004, "uniform");
    near(cho.forecast("proportional", 5).freshness, 0.317, 0.004, "proportional");
    const optimum = cho.forecast("optimum", 5);
    near(optimum.freshness, 0.374, 0.004, "optimum");
    assert.equal(optimum.neverVisited, 1);
    near(uniform.requestsPerDay, 5, 1e-6);
    // I (1/2 - 1/r + (1 - e^-r) / r^2) of the five, in days.
    near(uniform.ageSeconds / day, 0.2543, 0.004, "age");
  });

  it("put no other planner before the optimum where rates are known, and the default next to it", () => {
    const pages = pagesOf([...Array.from({ length: 40 }, (_, page) => knownPage(0.002 * 1.2 ** page))]);
    const forecaster = forecasterOf(pages);
    for (const share of [0.01, 0.05, 0.3]) {
      const freshnessOf = (planner: PollPlannerName): number =>
        forecaster.forecast(planner, share * pages.pages).freshness;
      const best = freshnessOf("optimum");
      for (const planner of pollPlannerNames) assert.ok(freshnessOf(planner) <= best + 1e-3, `${planner} at ${share}`);
      // A quarter of a small budget goes to pages that would else wait for longer than 90 days.
      near(freshnessOf("default"), best, 0.03, `default at ${share}`);
    }
  });

  it("spend the budget, but for rules of intervals and a plan that wastes no request", () => {
    const pages = pagesOf([0.01, 0.1, 1].map(knownPage));
    const forecaster = forecasterOf(pages);
    for (const planner of pollPlannerNames) {
      near(forecaster.forecast(planner, 0.02).requestsPerDay, 0.02, 0.002, planner);
      const { requestsPerDay } = forecaster.forecast(planner, 1000);
      if (["default", "index", "nutch", "stormcrawler"].includes(planner)) assert.ok(requestsPerDay < 900, planner);
      else near(requestsPerDay, 1000, 1, planner);
    }
  });

  it("find the budget of a freshness, and say where there is none", () => {
    for (const planner of ["default", "round-robin", "azar", "lambda"] as const) {
      const budget = cho.budgetFor(planner, 0.9);
      assert.ok(budget !== undefined);
      near(cho.forecast(planner, budget).freshness, 0.9, 1e-3, planner);
    }
    // Half way to an hour at best, and twice as long after each visit without a change.
    assert.equal(cho.budgetFor("stormcrawler", 0.999), undefined);
  });

  it("follow an interval rule as its planner does with real pages, in time and late", () => {
    const perDay = [0.02, 0.1, 0.5, 2];
    const forecaster = forecasterOf(pagesOf(perDay.map(knownPage)));
    const ratesPerSecond = perDay.map((rate) => rate / day);
    for (const budget of [40, 2]) {
      const random = createRandom(4, "storm", budget);
      const planner = new IntervalPlanner(createStormRule());
      const polledAtSeconds = new Float64Array(4);
      let [fresh, visits] = [0, 0];
      const window = 10 * day;
      const [windows, settling] = [400, 40];
      for (let at = 0; at < windows; at++) {
        // One visit after the other, so that each rests on what the one before saw.
        const steps = Math.round((budget * window) / day);
        for (let step = 0; step < steps; step++) {
          const seconds = window / steps;
          const fromSeconds = at * window + step * seconds;
          const known = { ratesPerSecond, weights: [1, 1, 1, 1], polledAtSeconds };
          const plan = planner.plan(known, { fromSeconds, seconds, visits: 1 });
          for (const [slot, page] of plan.pages.entries()) {
            const now = plan.atSeconds[slot] ?? 0;
            const interval = now - (polledAtSeconds[page] ?? 0);
            const rate = ratesPerSecond[page] ?? 0;
            polledAtSeconds[page] = now;
            const changed = random() < -Math.expm1(-rate * interval);
            planner.note({ page, atSeconds: now, intervalSeconds: interval, changed });
            if (at < settling) continue;
            visits += 1;
            fresh += -Math.expm1(-rate * interval) / rate;
          }
        }
      }
      const seconds = (windows - settling) * window;
      const told = forecaster.forecast("stormcrawler", budget);
      near(told.freshness, fresh / seconds / 4, 0.02, `freshness at ${budget}`);
      near(told.requestsPerDay / ((visits / seconds) * day), 1, 0.05, `requests at ${budget}`);
    }
  });

  it("are the less sure the less is known", () => {
    const few = { ...noHistory, visits: 4, changes: 1, changedSeconds: 3 * day, changedSquares: 9 * day * day };
    const seen = { ...few, quietSeconds: 9 * day };
    const widthOf = (history: ChangeHistory): number => {
      const pages = pagesOf(Array.from({ length: 20 }, () => history));
      const [low, high] = forecasterOf(pages).forecast("round-robin", 2).freshnessRange;
      return high - low;
    };
    const [unsure, sure] = [widthOf(seen), widthOf(knownPage(0.1))];
    assert.ok(unsure > 0.02 && sure < 0.01, `${unsure} and ${sure}`);
  });
});
