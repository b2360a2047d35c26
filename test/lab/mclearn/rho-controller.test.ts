import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { advertisedRho, bangBangRho, fixedRho } from "../../../lab/mclearn/rho-controller.ts";
import {
  estimateFreshness,
  findBestRho,
  modelRho,
  type OperationSeen,
  type SharingController,
  type SharingSituation,
  sweepFreshness,
} from "../../../src/share/engine/model-rho.ts";

const situation: SharingSituation = { pages: 1e6, changesPerSecond: 4.9651e-6, peers: 63 };
const poll = (fresh: number): OperationSeen => ({ kind: "poll", seconds: 3.2, fresh, records: 0 });
const merge = (records: number): OperationSeen => ({
  kind: "merge",
  seconds: 3.2 * (1 + records / 1000),
  fresh: records / 10,
  records,
});

function planAfter<State>(
  controller: SharingController<State>,
  seen: readonly OperationSeen[],
  at: SharingSituation = situation,
) {
  const state = seen.reduce((before, one) => controller.observe(before, one), controller.first);
  return controller.plan(state, at)[0];
}

describe("controllers of rho", () => {
  it("a fixed one never changes", () => {
    assert.deepEqual(planAfter(fixedRho(0.3), [poll(1), merge(1000)]), { rho: 0.3, peers: 63 });
  });

  it("bang-bang is the crawler's own: high if a poll brings more new events than a merge, and it keeps 30 % of the past", () => {
    assert.equal(planAfter(bangBangRho, [poll(1)]).rho, 0.9);
    assert.equal(planAfter(bangBangRho, [poll(1), merge(100)]).rho, 0.1);
    // A merge that brought 10 is worth 3 and 0.9 after merges that brought nothing; a poll is worth 1.
    assert.equal(planAfter(bangBangRho, [poll(1), merge(100), merge(0)]).rho, 0.1);
    assert.equal(planAfter(bangBangRho, [poll(1), merge(100), merge(0), merge(0)]).rho, 0.9);
  });

  it("ours follows few peers until it has seen costs, and where records cost much", () => {
    assert.deepEqual(planAfter(modelRho(), []), { rho: 0.8, peers: 4 });
    const seen = Array.from({ length: 20 }, (_, at) => (at % 5 === 0 ? merge(10_000) : poll(1)));
    const plan = planAfter(modelRho(), seen);
    assert.ok(plan.peers <= 8 && plan.rho > 0.8 && plan.rho < 1, JSON.stringify(plan));
    assert.deepEqual(planAfter(modelRho(), seen, { ...situation, peers: 0 }), { rho: 1, peers: 0 });
  });

  it("ours plans anew as soon as the number of peers changes", () => {
    const model = modelRho();
    const [plan, state] = model.plan(model.first, situation);
    assert.equal(plan.peers, 4);
    assert.equal(model.plan(state, { ...situation, peers: 1 })[0].peers, 1);
  });

  it("the advertised one polls more where its peers poll less", () => {
    const seen = Array.from({ length: 20 }, (_, at) => (at % 5 === 0 ? merge(10_000) : poll(1)));
    const alone = planAfter(modelRho(), seen).rho;
    assert.ok(planAfter(advertisedRho(), seen, { ...situation, peersRho: 0.1 }).rho > alone);
    assert.ok(planAfter(advertisedRho(), seen, { ...situation, peersRho: 0.99 }).rho < alone);
    assert.equal(planAfter(advertisedRho(), seen).rho, alone);
  });

  it("leave the state that they are given as it was", () => {
    const model = modelRho();
    const before = JSON.stringify(model.first);
    model.plan(model.observe(model.first, poll(1)), situation);
    assert.equal(JSON.stringify(model.first), before);
  });
});

describe("the mean field", () => {
  const of = (crawlers: number, rho: number, slots: number, followed = crawlers - 1, pages = 1e6): number => {
    const speed = Math.min(1, slots / crawlers);
    return estimateFreshness({
      crawlers,
      followed,
      rho,
      pages,
      changesPerSecond: 4.9651 / pages,
      pollSeconds: 1 / speed,
      mergeSeconds: 1 / speed,
      recordSeconds: 1 / (1000 * speed),
    });
  };

  it("has the baseline of 0.2 at 4.965e-6 changes a page and second, the root of (1 - e^-x) / x = 0.2", () => {
    assert.ok(Math.abs(sweepFreshness(1, 4.9651) - 0.2) < 1e-5);
    assert.ok(Math.abs(of(1, 1, Number.POSITIVE_INFINITY) - 0.2) < 1e-4);
    assert.ok(Math.abs(of(64, 1, Number.POSITIVE_INFINITY) - 0.2) < 1e-4);
  });

  for (const [crawlers, rho, freshness] of [
    [2, 0.95, 0.309],
    [8, 0.95, 0.618],
    [64, 0.85, 0.585],
    [64, 0.3, 0.414],
    [128, 0.85, 0.224],
    [256, 0.3, 0.058],
    [256, 0.85, 0.053],
  ] as const)
    it(`gives ${freshness} for ${crawlers} crawlers with rho of ${rho} and contention`, () => {
      assert.ok(Math.abs(of(crawlers, rho, 20) - freshness) < 0.006, `${of(crawlers, rho, 20)}`);
    });

  it("gives 0 where nobody polls, and falls where more crawlers repeat to each other what they know", () => {
    assert.equal(of(64, 0, 20), 0);
    assert.ok(of(256, 0.85, 20, 8) > 10 * of(256, 0.85, 20));
  });

  for (const [crawlers, changes] of [
    [2, 5],
    [8, 0.5],
    [64, 9],
    [64, 64],
    [64, 200],
    [512, 30],
  ] as const)
    it(`is exact for ${crawlers} crawlers that know at once, and ${changes} changes a sweep`, () => {
      const steps = 200_000;
      let sum = 0;
      for (let step = 0; step < steps; step++) {
        const age = (step + 0.5) / steps;
        sum += (crawlers * (1 - age) ** (crawlers - 1) * Math.exp(-changes * age)) / steps;
      }
      assert.ok(Math.abs(sweepFreshness(crawlers, changes) - sum) < 1e-6, `${sum}`);
    });

  it("golden section finds the top", () => {
    assert.ok(Math.abs(findBestRho((rho) => -((rho - 0.7) ** 2)) - 0.7) < 0.01);
  });
});
