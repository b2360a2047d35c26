import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkCycle } from "../../../lab/edwards/cycle-check.ts";
import { cycleParameters } from "../../../lab/edwards/cycle-parameters.ts";
import { planCycle } from "../../../lab/edwards/cycle-plan.ts";
import { changeRateOf, defaultCycleWorld, publishedCycle } from "../../../lab/edwards/published-cycle.ts";
import type { Experiment } from "../../../lab/experiment/experiment.ts";
import { readParameters } from "../../../lab/experiment/parameter.ts";
import { judgePublished } from "../../../lab/experiment/published.ts";
import { experiments } from "../../../lab/experiments.ts";
import { createLabPorts } from "../../../lab/program/lab-ports.ts";
import { nearestWord } from "../../../src/config/nearest-word.ts";
import type { LabRow } from "../../../src/core/lab-result.ts";

const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((total, value) => total + value, 0);

async function runAll({ points, run, parameters }: Experiment): Promise<LabRow[]> {
  const values = readParameters(parameters, new Map(), "quick", nearestWord);
  const context = { seed: 1, ports: createLabPorts(""), onProgress: () => undefined };
  const rows: LabRow[] = [];
  for (const point of points(values)) rows.push(...(await run(point, values, context)));
  return rows;
}

describe("the published numbers", () => {
  for (const experiment of experiments.filter(({ name }) =>
    ["cycle", "cycle-crawls", "cycle-obsolete", "refresh", "estimators", "signals"].includes(name),
  )) {
    it(`of ${experiment.name} are met, or it is known why not`, async () => {
      const rows = await runAll(experiment);
      for (const number of experiment.published) {
        const { verdict, ours } = judgePublished(number, rows);
        const isKnown = verdict === "met" || (number.explanation !== undefined && verdict === "explained");
        assert.ok(isKnown, `${number.name}: ${ours}`);
      }
    });
  }
});

describe("publishedCycle", () => {
  it("has the pages that the paper says: 2 million a bucket, or 3 and 1 million in version 2", () => {
    const first = publishedCycle({ strategy: 1 }).pages;
    assert.ok(Array.from(first).every((pages) => pages === 2e6));
    const second = Array.from(publishedCycle({ strategy: 1, version: 2 }).pages);
    assert.equal(second.filter((pages) => pages === 3e6).length, 127);
    assert.equal(second.filter((pages) => pages === 1e6).length, 128);
    assert.ok(Math.abs(sum(publishedCycle({ strategy: 1, buckets: 1024 }).pages) / 510e6 - 1) < 1e-9);
  });

  it("reads lifetimes off the paper's Table 2, and halves rates in version 3", () => {
    const world = { ...defaultCycleWorld, rates: "lifetimes", buckets: 100 };
    // Of 100 buckets the 60th from below lies at a share of 0.405 from above: a lifetime of a little over 100 days.
    assert.ok(Math.abs(changeRateOf(world, 1, 59) - 1 / 102) < 5e-4, `${changeRateOf(world, 1, 59)}`);
    assert.ok(changeRateOf(world, 1, 99) > 0.4 && changeRateOf(world, 1, 0) < 1 / 500);
    assert.equal(changeRateOf(world, 3, 59), changeRateOf(world, 1, 59) / 2);
    for (let bucket = 1; bucket < 100; bucket++) {
      assert.ok(changeRateOf(world, 1, bucket) > changeRateOf(world, 1, bucket - 1));
    }
  });

  it("takes every parameter: each one that is given other than its default gives another plan", () => {
    const small = { periods: 5, buckets: 16 };
    const objectiveOf = (given: object, run: { strategy: 1 | 2 | 3; version?: 1 | 2 | 3 }): number =>
      planCycle(publishedCycle({ ...small, ...given, ...run })).course.objective;
    const others: Readonly<Record<string, number | string>> = { periods: 6, buckets: 20, rates: "lifetimes" };
    for (const [name, parameter] of Object.entries(cycleParameters)) {
      const version = name === "slower" ? 3 : name === "tails" || name === "middle" ? 2 : 1;
      const run = { strategy: name === "weight2" ? 2 : name === "weight3" ? 3 : 1, version } as const;
      const base = name === "days" ? { rates: "lifetimes" } : {};
      const other = others[name] ?? 0.8 * Number(parameter.default) + 0.05;
      assert.notEqual(objectiveOf({ ...base, [name]: other }, run), objectiveOf(base, run), name);
    }
  });
});

describe("checkCycle", () => {
  const facts = publishedCycle({ strategy: 3, periods: 5, buckets: 16 });

  it("finds nothing in a plan, and what was done to one", () => {
    const plan = planCycle(facts);
    assert.ok(checkCycle(facts, plan).violation < 1e-9);
    for (const name of ["fetched", "fetchedNew", "obsolete", "held", "waiting"] as const) {
      const spoilt = plan.course[name].slice();
      // The period before the last, of the fastest bucket where there are buckets.
      const at = spoilt.length - 2;
      spoilt[at] = (spoilt[at] ?? 0) * 1.01 + 1e4;
      const { violation } = checkCycle(facts, { ...plan, course: { ...plan.course, [name]: spoilt } });
      assert.ok(violation > 1e-5, `${name}: ${violation}`);
    }
    const course = { ...plan.course, objective: plan.course.objective * 1.001 };
    assert.ok(checkCycle(facts, { ...plan, course }).violation > 1e-4);
    assert.equal(
      checkCycle(facts, { ...plan, course: { ...plan.course, fetched: new Float64Array() } }).violation,
      Number.POSITIVE_INFINITY,
    );
  });
});
