import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { boundMean } from "../../../lab/planners/confidence.ts";
import { takeHistoryWeb } from "../../../lab/planners/history-web.ts";
import { gatherWeb } from "../../../lab/planners/league-web.ts";
import { fiveBarRates, makeBurstyWeb, makePoissonWeb, makeWorkingWeb } from "../../../lab/planners/made-webs.ts";
import { RatePlanner, ratePolicies } from "../../../lab/planners/rate-planner.ts";
import { runLeague } from "../../../lab/planners/run-league.ts";
import { createRandom } from "../../../src/core/random.ts";
import type { SeenVisit, VisitPlanner } from "../../../src/crawler/engine/revisit/visit-schedule.ts";

const day = 86_400;

describe("the league of planners", () => {
  it("counts for how long copies are as their pages, and tells planners what visits saw", () => {
    // Visited in the middle of each day; changed at 1.25 and 1.75 days, and at 3 days; the second page is born after a day.
    const web = gatherWeb(
      Float64Array.of(0, day),
      [[1.25 * day, 1.75 * day, 3 * day], []],
      Float64Array.of(1 / day, 0),
    );
    const seen: SeenVisit[] = [];
    const planner: VisitPlanner = {
      name: "first page",
      plan: (_, { fromSeconds, seconds, visits }) => ({
        pages: new Uint32Array(visits),
        atSeconds: new Float64Array(visits).fill(fromSeconds + seconds / 2),
      }),
      note: (visit) => seen.push(visit),
    };
    const trial = { seconds: 4 * day, countFromSeconds: day, windowSeconds: day, budgetAt: () => 1 / day };
    const { freshness, visits, allowed } = runLeague(planner, web, { ...trial, isLearned: false, isDated: true });
    // Fresh from 1 to 1.25, from 1.5 to 1.75, from 2.5 to 3 and from 3.5 on, of three days; the other page never was.
    assert.ok(Math.abs(freshness - 1.5 / 6) < 1e-9, `${freshness}`);
    assert.deepEqual([visits, allowed], [3, 3]);
    assert.deepEqual(
      seen.map(({ changed }) => changed),
      [false, true, true, true],
    );
    assert.equal(seen[2]?.modifiedAtSeconds, 1.75 * day);
  });

  it("has webs that change as often as they say, by chance, in bursts and in working hours", () => {
    const seconds = 300 * day;
    const expected = fiveBarRates(500).reduce((sum, rate) => sum + rate * seconds, 0);
    for (const [name, make] of Object.entries({ makePoissonWeb, makeBurstyWeb, makeWorkingWeb })) {
      const { changes } = make(500, seconds, createRandom(1, name));
      assert.ok(Math.abs(changes.length / expected - 1) < 0.06, `${name}: ${changes.length} ${expected}`);
    }
    const { changes } = makeWorkingWeb(200, seconds, createRandom(2));
    for (const at of changes) {
      assert.ok(Math.floor(at / day) % 7 < 5 && at % day >= 9 * 3600 && at % day <= 17 * 3600, `${at}`);
    }
  });

  it("takes of a history the pages that are there at its end, with what happened to them in the last days", () => {
    const events = [
      { time: 0, path: "old", sizeBytes: 1 },
      { time: 10, path: "gone", sizeBytes: 1 },
      { time: 20, path: "old", sizeBytes: 2 },
      { time: 60, path: "new", sizeBytes: 1 },
      { time: 70, path: "old", sizeBytes: 3 },
      { time: 80, path: "gone", sizeBytes: undefined },
      { time: 99, path: "new", sizeBytes: 2 },
    ];
    const web = takeHistoryWeb(events, 50, 1, () => 0);
    assert.deepEqual([...web.bornAt], [0, 10]);
    assert.deepEqual([...web.changes], [20, 49]);
    assert.deepEqual([...web.starts], [0, 1, 2]);
  });

  it("spends another budget from the middle on", () => {
    const web = makePoissonWeb(50, 40 * day, createRandom(1));
    const planner = new RatePlanner("uniform", ratePolicies.uniform);
    const trial = { seconds: 40 * day, countFromSeconds: 0, windowSeconds: day, isLearned: false };
    const { visits } = runLeague(planner, web, { ...trial, budgetAt: (at) => (at < 20 * day ? 2 : 6) / day });
    assert.equal(visits, 20 * 2 + 20 * 6);
  });

  it("bounds a mean as Student does", () => {
    const { mean, low, high } = boundMean([1, 2, 3]);
    assert.equal(mean, 2);
    // 4.303 / sqrt(3), from tables.
    assert.ok(Math.abs(high - mean - 2.4843) < 1e-3 && Math.abs(mean - low - 2.4843) < 1e-3);
    assert.deepEqual(boundMean([5]), { mean: 5, low: 5, high: 5 });
  });
});
