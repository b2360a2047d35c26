import assert from "node:assert/strict";
import { test } from "node:test";
import { type CycleFacts, type CycleModel, createCycle } from "../../../lab/edwards/cycle-model.ts";
import { planCycle } from "../../../lab/edwards/cycle-plan.ts";
import { type PublishedCycle, publishedCycle } from "../../../lab/edwards/published-cycle.ts";
import { LinearProgram } from "../../crawler/engine/revisit/linear-program.ts";
import { fewer } from "../../long-run.ts";

// The published cycle with few buckets and periods, and its counts in millions, which a solver likes better.
const small = (cycle: PublishedCycle): CycleFacts => {
  const facts = publishedCycle({ periods: 8, buckets: 24, ...cycle });
  const inMillions = (values: ArrayLike<number>): Float64Array => Float64Array.from(values, (value) => value / 1e6);
  return {
    ...facts,
    pages: inMillions(facts.pages),
    obsolete: inMillions(facts.obsolete),
    capacity: 52,
    waiting: 3,
    arrivals: 1,
    newFinds: 0.1,
    newCost: 1.5,
  };
};

/**
 * The relaxation whose dual gives the bound: a page of a bucket goes from fetch to fetch, each page by itself, as a flow;
 * linear, and solved by someone else's code.
 */
async function solveRelaxation(model: CycleModel): Promise<number> {
  const { periods, buckets } = model;
  const program = new LinearProgram();
  const capacity: Array<Array<readonly [number, number]>> = Array.from({ length: periods + 1 }, () => []);
  const finds: Array<Array<readonly [number, number]>> = Array.from({ length: periods + 1 }, () => []);
  const taken = [-1];
  const waiting = [-1];
  for (let t = 1; t <= periods; t++) {
    taken.push(program.addColumn(0, 0, Number.POSITIVE_INFINITY));
    waiting.push(program.addColumn(model.newWeight[t - 1] ?? 0, 0, Number.POSITIVE_INFINITY));
    capacity[t]?.push([model.newCost[t - 1] ?? 0, taken[t] ?? 0]);
  }
  for (let i = 0; i < buckets; i++) {
    const balance: Array<Array<readonly [number, number]>> = Array.from({ length: periods + 1 }, () => []);
    for (let s = 0; s <= periods; s++) {
      let fresh = s === 0 ? 1 - (model.obsolete[i] ?? 0) / (model.pages[i] ?? 1) : 1;
      let cost = 0;
      for (let u = s + 1; u <= periods + 1; u++) {
        const flow = program.addColumn(cost, 0, Number.POSITIVE_INFINITY);
        balance[s]?.push([1, flow]);
        if (u > periods) break;
        const k = i * periods + u - 1;
        balance[u]?.push([-1, flow]);
        capacity[u]?.push([model.oldCost[k] ?? 0, flow]);
        finds[u]?.push([-(model.oldFinds[k] ?? 0), flow]);
        fresh *= 1 - (model.changed[k] ?? 0);
        cost += (model.oldWeight[k] ?? 0) * (1 - fresh);
      }
    }
    program.addRow(balance[0] ?? [], "=", model.pages[i] ?? 0);
    for (let s = 1; s <= periods; s++) {
      program.addRow([...(balance[s] ?? []), [-(model.shares[i] ?? 0), taken[s] ?? 0]], "=", 0);
    }
  }
  for (let t = 1; t <= periods; t++) {
    program.addRow(capacity[t] ?? [], "<=", model.capacity[t - 1] ?? 0);
    const before = waiting[t - 1] ?? -1;
    const start = t === 1 ? model.waiting : 0;
    const came = model.arrivals[t - 1] ?? 0;
    const previous: ReadonlyArray<readonly [number, number]> = t === 1 ? [] : [[-1, before]];
    const own: readonly [number, number] = [1 - (model.newFinds[t - 1] ?? 0), taken[t] ?? 0];
    program.addRow([[1, waiting[t] ?? 0], ...previous, own, ...(finds[t] ?? [])], "=", start + came);
    program.addRow([[1, taken[t] ?? 0], ...previous], "<=", start);
  }
  return (await program.solve()).objective;
}

/** A point of the paper's own variables, by shares of buckets and of waiting pages. */
interface Point {
  readonly old: Float64Array;
  readonly taken: Float64Array;
}

interface Course {
  readonly objective: number;
  readonly held: Float64Array;
  readonly unfetched: Float64Array;
  readonly waiting: Float64Array;
  readonly overdraft: number;
}

/** The paper's equations as they are. */
function follow(model: CycleModel, { old, taken }: Point): Course {
  const { periods, buckets } = model;
  const held = new Float64Array(buckets * periods);
  const unfetched = new Float64Array(buckets * periods);
  const waiting = new Float64Array(periods + 1);
  waiting[0] = model.waiting;
  const b = Float64Array.from(model.pages);
  const y = Float64Array.from(model.obsolete);
  let objective = 0;
  let overdraft = 0;
  for (let t = 0; t < periods; t++) {
    const z = (taken[t] ?? 0) * (waiting[t] ?? 0);
    let use = z * (model.newCost[t] ?? 0);
    let left = (waiting[t] ?? 0) + ((model.newFinds[t] ?? 0) - 1) * z + (model.arrivals[t] ?? 0);
    for (let i = 0; i < buckets; i++) {
      const k = i * periods + t;
      const a = model.changed[k] ?? 0;
      const x = (old[k] ?? 0) * (b[i] ?? 0);
      use += x * (model.oldCost[k] ?? 0);
      left += x * (model.oldFinds[k] ?? 0);
      held[k] = b[i] ?? 0;
      unfetched[k] = (1 - a) * (y[i] ?? 0) + a * (b[i] ?? 0);
      y[i] = (1 - (old[k] ?? 0)) * (unfetched[k] ?? 0);
      b[i] = (b[i] ?? 0) + (model.shares[i] ?? 0) * z;
      objective += (model.oldWeight[k] ?? 0) * (y[i] ?? 0);
    }
    waiting[t + 1] = left;
    objective += left * (model.newWeight[t] ?? 0);
    overdraft = Math.max(overdraft, use / (model.capacity[t] ?? 1) - 1);
  }
  return { objective, held, unfetched, waiting, overdraft };
}

/** The linear program around a point: changes of shares within a trust region, all else by the equations' derivatives. */
async function improve(model: CycleModel, point: Point, radius: number): Promise<Point> {
  const { periods, buckets } = model;
  const { held, unfetched, waiting } = follow(model, point);
  const program = new LinearProgram();
  const free = Number.POSITIVE_INFINITY;
  const column = (share: number): number =>
    program.addColumn(0, Math.max(0, share - radius), Math.min(1, share + radius));
  const share = Array.from(point.old, column);
  const taken = Array.from(point.taken, column);
  // Changes of y, b and n against the point, free in sign.
  const y = Array.from(point.old, (_, k) => program.addColumn(model.oldWeight[k] ?? 0, -free, free));
  const n = Array.from(point.taken, (_, t) => program.addColumn(model.newWeight[t] ?? 0, -free, free));
  const grown = Array.from(point.taken, () => program.addColumn(0, -free, free));
  for (let t = 0; t < periods; t++) {
    const g = point.taken[t] ?? 0;
    const before = waiting[t] ?? 0;
    const nBefore = n[t - 1] ?? -1;
    const link = (factor: number): ReadonlyArray<readonly [number, number]> => (t === 0 ? [] : [[factor, nBefore]]);
    const z: ReadonlyArray<readonly [number, number]> = [[before, taken[t] ?? 0], ...link(g)];
    const scaled = (factor: number): ReadonlyArray<readonly [number, number]> =>
      z.map(([c, at]) => [c * factor, at] as const);
    const zShift = before * g;
    const previous: ReadonlyArray<readonly [number, number]> = t === 0 ? [] : [[-1, grown[t - 1] ?? 0]];
    program.addRow([[1, grown[t] ?? 0], ...previous, ...scaled(-1)], "=", -zShift);
    const use: Array<readonly [number, number]> = [...scaled(model.newCost[t] ?? 0)];
    const found: Array<readonly [number, number]> = [];
    let foundShift = 0;
    for (let i = 0; i < buckets; i++) {
      const k = i * periods + t;
      const f = point.old[k] ?? 0;
      const p = model.shares[i] ?? 0;
      const x: ReadonlyArray<readonly [number, number]> = [
        [held[k] ?? 0, share[k] ?? 0],
        ...(t === 0 ? [] : [[f * p, grown[t - 1] ?? 0] as const]),
      ];
      use.push(...x.map(([c, at]) => [c * (model.oldCost[k] ?? 0), at] as const));
      found.push(...x.map(([c, at]) => [-c * (model.oldFinds[k] ?? 0), at] as const));
      foundShift += f * (held[k] ?? 0) * (model.oldFinds[k] ?? 0);
      const a = model.changed[k] ?? 0;
      const terms: Array<readonly [number, number]> = [
        [1, y[k] ?? 0],
        [unfetched[k] ?? 0, share[k] ?? 0],
      ];
      if (t > 0) terms.push([-(1 - f) * (1 - a), y[k - 1] ?? 0], [-(1 - f) * a * p, grown[t - 1] ?? 0]);
      program.addRow(terms, "=", f * (unfetched[k] ?? 0));
    }
    program.addRow(use, "<=", model.capacity[t] ?? 0);
    const kept = 1 - (model.newFinds[t] ?? 0);
    program.addRow([[1, n[t] ?? 0], ...link(-1), ...scaled(kept), ...found], "=", kept * zShift - foundShift);
  }
  const { values } = await program.solve();
  const pick = (columns: readonly number[]): Float64Array => Float64Array.from(columns, (at) => values[at] ?? 0);
  return { old: pick(share), taken: pick(taken) };
}

/** Takes off what a step of the linear program overdrew in the true equations. */
function repair(model: CycleModel, { old, taken }: Point): Point {
  const fixed = { old: old.slice(), taken: taken.slice() };
  for (let t = 0; t < model.periods; t++) {
    const { held, waiting } = follow(model, fixed);
    let use = (fixed.taken[t] ?? 0) * (waiting[t] ?? 0) * (model.newCost[t] ?? 0);
    for (let i = 0; i < model.buckets; i++) {
      const k = i * model.periods + t;
      use += (fixed.old[k] ?? 0) * (held[k] ?? 0) * (model.oldCost[k] ?? 0);
    }
    const factor = Math.min(1, (model.capacity[t] ?? 0) / use);
    fixed.taken[t] = (fixed.taken[t] ?? 0) * factor;
    for (let i = 0; i < model.buckets; i++) {
      const k = i * model.periods + t;
      fixed.old[k] = (fixed.old[k] ?? 0) * factor;
    }
  }
  return fixed;
}

/** Successive linear programs from a point, as a general solver goes about it. @returns the best objective */
async function solveSuccessively(model: CycleModel, start: Point): Promise<number> {
  let point = repair(model, start);
  let { objective } = follow(model, point);
  let radius = 0.3;
  for (let round = 0; round < 25 && radius > 1e-3; round++) {
    const next = repair(model, await improve(model, point, radius));
    const course = follow(model, next);
    assert.ok(course.overdraft <= 1e-9);
    if (course.objective < objective * (1 - 1e-7)) {
      point = next;
      objective = course.objective;
      radius = Math.min(0.5, radius * 1.5);
    } else radius /= 3;
  }
  return objective;
}

for (const strategy of fewer([1, 2, 3] as const, 3)) {
  test(`HiGHS agrees about strategy ${strategy}: the bound is that of the relaxation, and no plan of its own is much better`, async () => {
    const facts = small({ strategy });
    const model = createCycle(facts);
    const plan = planCycle(facts);
    const relaxed = await solveRelaxation(model);
    assert.ok(plan.bound <= relaxed * (1 + 1e-6), `${plan.bound} is above ${relaxed}`);
    assert.ok(plan.bound >= relaxed * 0.997, `${plan.bound} is far below ${relaxed}`);
    const { objective } = plan.course;
    const gap = objective / plan.bound - 1;
    const ours = { old: plan.shares.old, taken: plan.shares.waiting };
    assert.ok(Math.abs(follow(model, ours).objective / objective - 1) < 1e-9);
    // From our plan, and from the same share of everything.
    const even = model.capacity[0] ?? 0;
    const total = model.pages.reduce((sum, count) => sum + count, 0);
    const uniform = { old: model.changed.map(() => even / total), taken: model.newCost.map(() => 0.5) };
    for (const start of [ours, uniform]) {
      const theirs = await solveSuccessively(model, start);
      assert.ok(theirs >= plan.bound * (1 - 1e-9), `${theirs} is below the bound ${plan.bound}`);
      assert.ok(
        theirs >= objective * (1 - gap) * (1 - 1e-9),
        `${theirs} is better than ${objective} by more than ${gap}`,
      );
    }
    assert.ok(gap < 0.06, `${gap}`);
  });
}
