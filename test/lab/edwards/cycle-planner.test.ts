import assert from "node:assert/strict";
import { test } from "node:test";
import { CyclePlanner, type CyclePlannerOptions } from "../../../lab/edwards/cycle-planner.ts";

const day = 86_400;
const now = 1000 * day;

/** Pages that are alike: how many, changes a day, weight, and days since the last poll of the first and of each further one. */
type Group = readonly [count: number, rate: number, weight: number, days: number, further?: number];

interface Planned {
  readonly pages: readonly number[];
  /** As parts of the window. */
  readonly at: readonly number[];
}

/** Plans one day. */
function planDay(planner: CyclePlanner, groups: readonly Group[], visits: number): Planned {
  const rows = groups.flatMap(([count, rate, weight, days, further = 0]) =>
    Array.from({ length: count }, (_, at) => ({ rate, weight, days: days + at * further })),
  );
  const plan = planner.plan(
    {
      ratesPerSecond: rows.map(({ rate }) => rate / day),
      weights: rows.map(({ weight }) => weight),
      polledAtSeconds: Float64Array.from(rows, ({ days }) => now - days * day),
    },
    { fromSeconds: now, seconds: day, visits },
  );
  return {
    pages: [...plan.pages],
    at: Array.from(plan.atSeconds, (at) => Math.round(((at - now) / day) * 1e6) / 1e6),
  };
}

const planOnce = (groups: readonly Group[], visits: number, options?: CyclePlannerOptions): Planned =>
  planDay(new CyclePlanner(options), groups, visits);

/** The part of the visits that the first of two groups of four pages gets. */
function partOfFirst(a: Group, b: Group): number {
  const { pages } = planOnce([a, b], 4);
  return pages.filter((page) => page < 4).length / pages.length;
}

test("of pages that change at two rates the heavier go first, and of new and known pages too", () => {
  for (const other of [0.05, 0.2, 0.5]) {
    assert.ok(partOfFirst([4, 0.1, 3, 10], [4, other, 1, 10]) === 1, `${other}`);
    assert.ok(partOfFirst([4, 0.1, 1, 10], [4, other, 3, 10]) < 0.5, `${other}`);
  }
  assert.equal(partOfFirst([4, 0.1, 1, 10], [4, 0, 0.5, Number.NaN]), 1);
  assert.equal(partOfFirst([4, 0.1, 1, 10], [4, 0, 1, Number.NaN]), 0);
});

test("where the last period alone counts, pages that soon change again are not polled at the beginning", () => {
  const groups: readonly Group[] = [
    [6, 0.05, 1, 5],
    [6, 3, 1, 5],
  ];
  const cycle = { periods: 4, passes: 1 };
  assert.deepEqual(planOnce(groups, 6, cycle).pages, [6, 7, 8, 9, 10, 11]);
  assert.deepEqual(planOnce(groups, 6, { ...cycle, earlyWeight: 0 }).pages, [0, 1, 2, 3, 4, 5]);
  const withNew: readonly Group[] = [
    [6, 0.5, 1, 50],
    [6, 0, 1, Number.NaN],
  ];
  assert.ok(planOnce(withNew, 6, cycle).pages.includes(6));
  assert.deepEqual(planOnce(withNew, 6, { ...cycle, earlyWeight: 0 }).pages, [0, 1, 2, 3, 4, 5]);
});

test("pages of one rate are polled in turn, the one polled longest ago first, each in the middle of a period", () => {
  const { pages, at } = planOnce([[6, 0.1, 1, 1, 1]], 12);
  assert.deepEqual(pages, [5, 4, 3, 2, 1, 0, 5, 4, 3, 2, 1, 0]);
  const periods = at.map((time) => 14 * time - 0.5);
  assert.ok(new Set(periods.map(Math.round)).size === 12, `${periods}`);
  assert.ok(
    periods.every((period) => Math.abs(period - Math.round(period)) < 1e-3),
    `${periods}`,
  );
});

test("new pages alone have the whole window, each once", () => {
  assert.deepEqual(planOnce([[3, 0, 1, Number.NaN]], 3), { pages: [0, 1, 2], at: [0.214286, 0.5, 0.785714] });
  assert.deepEqual(planOnce([[2, 0, 1, Number.NaN]], 28).pages, [0, 1]);
});

test("what is cut off of a visit is carried to the next window", () => {
  const planner = new CyclePlanner();
  const counts = [1, 2, 3, 4].map(() => planDay(planner, [[7, 0.1, 1, 5]], 2).pages.length);
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    8,
    `${counts}`,
  );
});
