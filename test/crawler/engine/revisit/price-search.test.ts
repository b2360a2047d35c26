import assert from "node:assert/strict";
import { test } from "node:test";
import {
  freshnessCurve,
  harmonicCurve,
  leastAgeCurve,
  noticedCurve,
  planOptimum,
  proportionalCurve,
  randomFreshnessCurve,
  uniformCurve,
} from "../../../../src/crawler/engine/revisit/optimum.ts";
import { expectedFreshness } from "../../../../src/crawler/engine/revisit/poll-index.ts";
import { type PollCurve, planByPrice } from "../../../../src/crawler/engine/revisit/price-search.ts";
import { fc } from "../../../property.ts";

const isNear = (actual: number, expected: number, tolerance: number, what = ""): void =>
  assert.ok(
    Math.abs(actual - expected) <= tolerance * Math.max(1e-300, Math.abs(expected)),
    `${what} ${actual}, not ${expected}`,
  );
const sum = (values: ArrayLike<number>): number => Array.from(values).reduce((total, value) => total + value, 0);

const pages = fc.array(
  fc.tuple(fc.double({ min: -3, max: 1.5, noNaN: true }), fc.double({ min: 0.1, max: 10, noNaN: true })),
  { minLength: 2, maxLength: 40 },
);
const budgets = fc.double({ min: 0.05, max: 3, noNaN: true });
const columns = (rows: ReadonlyArray<readonly [number, number]>): { ratesPerSecond: number[]; weights: number[] } => ({
  ratesPerSecond: rows.map(([power]) => 10 ** power),
  weights: rows.map(([, weight]) => weight),
});

/** Azar and others' own algorithm: pages are dropped in the order of w / L, the rest share by the square root. */
function azar(rates: readonly number[], weights: readonly number[], budget: number): number[] {
  const order = rates
    .map((_, at) => at)
    .sort((a, b) => (weights[a] ?? 0) / (rates[a] ?? 1) - (weights[b] ?? 0) / (rates[b] ?? 1));
  let roots = rates.reduce((total, rate, at) => total + Math.sqrt(rate * (weights[at] ?? 0)), 0);
  let left = sum(rates);
  const polls = rates.map(() => 0);
  let first = 0;
  for (; first < order.length - 1; first++) {
    const at = order[first] ?? 0;
    const [rate = 0, weight = 0] = [rates[at], weights[at]];
    if (weight / rate > (roots / (budget + left)) ** 2) break;
    roots -= Math.sqrt(rate * weight);
    left -= rate;
  }
  for (const at of order.slice(first)) {
    const [rate = 0, weight = 0] = [rates[at], weights[at]];
    polls[at] = (Math.sqrt(rate * weight) * (budget + left)) / roots - rate;
  }
  return polls;
}

test("property: Azar's policy by price is that of the algorithm by sorting", () => {
  fc.assert(
    fc.property(pages, budgets, (rows, each) => {
      const { ratesPerSecond, weights } = columns(rows);
      const { pollsPerSecond } = planByPrice(randomFreshnessCurve, { ratesPerSecond, weights }, each * rows.length);
      for (const [at, polls] of azar(ratesPerSecond, weights, each * rows.length).entries()) {
        assert.ok(
          Math.abs((pollsPerSecond[at] ?? 0) - polls) < 1e-6 * each * rows.length,
          `${pollsPerSecond[at]} ${polls}`,
        );
      }
    }),
  );
});

/** LambdaCrawl's own bisection on its multiplier. */
function lambda(rates: readonly number[], weights: readonly number[], budget: number): number[] {
  const at = (multiplier: number): number[] =>
    rates.map((rate, page) => (-rate + Math.sqrt(rate * rate + (4 * (weights[page] ?? 0) * rate) / multiplier)) / 2);
  let [low, high] = [1e-12, 1e12];
  for (let step = 0; step < 200; step++) {
    const middle = Math.sqrt(low * high);
    if (sum(at(middle)) > budget) low = middle;
    else high = middle;
  }
  return at(low);
}

test("property: LambdaCrawl polls every page, as its own bisection says", () => {
  fc.assert(
    fc.property(pages, budgets, (rows, each) => {
      const { ratesPerSecond, weights } = columns(rows);
      const { pollsPerSecond } = planByPrice(harmonicCurve, { ratesPerSecond, weights }, each * rows.length);
      for (const [at, polls] of lambda(ratesPerSecond, weights, each * rows.length).entries()) {
        isNear(pollsPerSecond[at] ?? 0, polls, 1e-6);
        assert.ok((pollsPerSecond[at] ?? 0) > 0);
      }
    }),
  );
});

/** LambdaCrawl's cost: the harmonic penalty of each page. */
function penalty(
  rates: readonly number[],
  weights: readonly number[],
  polls: ArrayLike<number>,
  noticed: readonly boolean[],
): number {
  return rates.reduce((total, rate, at) => {
    const own = polls[at] ?? 0;
    return total - (weights[at] ?? 0) * Math.log(noticed[at] ? Math.min(1, own / rate) : own / (own + rate));
  }, 0);
}

test("where all pages give notices the shares are LambdaCrawl's, capped one after the other", () => {
  const rates = [0.5, 2, 3, 10];
  const weights = [1, 1, 4, 2];
  // p = R w / (L sum w) = 1.25, 0.31, 0.83, 0.125 of a budget of 5: the first is capped, and 4.5 is left for the others.
  const { pollsPerSecond } = planByPrice(noticedCurve([1, 1, 1, 1]), { ratesPerSecond: rates, weights }, 5);
  const shares = [...pollsPerSecond].map((polls, at) => (polls / (rates[at] ?? 1)).toFixed(6));
  assert.deepEqual(
    shares,
    [1, 4.5 / 14, (4.5 * 4) / 21, 9 / 70].map((share) => share.toFixed(6)),
  );
  const plenty = planByPrice(noticedCurve([1, 1, 1, 1]), { ratesPerSecond: rates, weights }, 50);
  assert.deepEqual([...plenty.pollsPerSecond], rates);
});

test("property: where some pages give notices no shift of polls between two pages is better", () => {
  const rows = fc.array(
    fc.tuple(fc.double({ min: -2, max: 1, noNaN: true }), fc.double({ min: 0.1, max: 5, noNaN: true }), fc.boolean()),
    { minLength: 2, maxLength: 12 },
  );
  fc.assert(
    fc.property(rows, fc.double({ min: 0.05, max: 0.5, noNaN: true }), (found, part) => {
      const rates = found.map(([power]) => 10 ** power);
      const weights = found.map(([, weight]) => weight);
      const noticed = found.map(([, , is]) => is);
      const budget = part * sum(rates);
      const { pollsPerSecond } = planByPrice(noticedCurve(noticed), { ratesPerSecond: rates, weights }, budget);
      isNear(sum(pollsPerSecond), budget, 1e-6);
      const best = penalty(rates, weights, pollsPerSecond, noticed);
      for (let from = 0; from < rates.length; from++) {
        for (let to = 0; to < rates.length; to++) {
          const moved = [...pollsPerSecond];
          const step = 0.01 * (moved[from] ?? 0);
          moved[from] = (moved[from] ?? 0) - step;
          moved[to] = (moved[to] ?? 0) + step;
          assert.ok(penalty(rates, weights, moved, noticed) >= best - 1e-9 * Math.abs(best));
        }
      }
    }),
  );
});

const freshness = (rates: readonly number[], weights: readonly number[], polls: ArrayLike<number>): number =>
  rates.reduce((total, rate, at) => total + (weights[at] ?? 0) * expectedFreshness(rate, polls[at] ?? 0), 0);

test("property: uniform polls beat proportional ones for every mix, and the optimum beats both", () => {
  fc.assert(
    fc.property(pages, budgets, (rows, each) => {
      const { ratesPerSecond } = columns(rows);
      const weights = ratesPerSecond.map(() => 1);
      const of = (curve: PollCurve): number =>
        freshness(
          ratesPerSecond,
          weights,
          planByPrice(curve, { ratesPerSecond, weights }, each * rows.length).pollsPerSecond,
        );
      const uniform = of(uniformCurve);
      assert.ok(uniform >= of(proportionalCurve) * (1 - 1e-9));
      assert.ok(of(freshnessCurve) >= uniform * (1 - 1e-9));
    }),
  );
});

test("a row that stands for many pages is as many rows", () => {
  const rates = [1, 1, 1, 0.1, 0.1, 5];
  const one = planOptimum(
    rates,
    rates.map(() => 1),
    4,
  );
  const counted = planOptimum([1, 0.1, 5], [1, 1, 1], 4, { counts: [3, 2, 1] });
  isNear(counted.price, one.price, 1e-9);
  isNear(counted.pollsPerSecond[0] ?? 0, one.pollsPerSecond[2] ?? 0, 1e-9);
  isNear(counted.pollsPerSecond[1] ?? 0, one.pollsPerSecond[3] ?? 0, 1e-9);
});

const curves: ReadonlyArray<readonly [string, PollCurve]> = [
  ["uniform", uniformCurve],
  ["proportional", proportionalCurve],
  ["freshness", freshnessCurve],
  ["least age", leastAgeCurve],
  ["random freshness", randomFreshnessCurve],
  ["harmonic", harmonicCurve],
];

for (const [name, curve] of curves) {
  test(`property: ${name}: the budget is spent, no site above its limit, and a site below it at the price of all`, () => {
    fc.assert(
      fc.property(
        pages,
        budgets,
        fc.array(fc.double({ min: 0.01, max: 20, noNaN: true }), { minLength: 3, maxLength: 3 }),
        (rows, each, limits) => {
          const sites = rows.map((_, at) => at % 4);
          const siteLimitsPerSecond = [...limits, Number.POSITIVE_INFINITY];
          const budget = each * rows.length;
          const { pollsPerSecond, price } = planByPrice(
            curve,
            { ...columns(rows), sites, siteLimitsPerSecond },
            budget,
          );
          const bySite = [0, 0, 0, 0];
          for (const [at, polls] of pollsPerSecond.entries()) bySite[at % 4] = (bySite[at % 4] ?? 0) + polls;
          for (const [site, polls] of bySite.entries())
            assert.ok(polls <= (siteLimitsPerSecond[site] ?? 0) * (1 + 1e-9), `${polls}`);
          const capped = bySite.every((polls, site) => polls >= (siteLimitsPerSecond[site] ?? 0) * 0.97);
          if (rows.length > 3 && name !== "freshness") isNear(sum(bySite), budget, 1e-6, "sum");
          // Polls at equal intervals begin with a jump, in which a limit may lie: the site then stays below it.
          if (price === 0 || capped || name === "freshness") return;
          const { ratesPerSecond, weights } = columns(rows);
          for (const [at, polls] of pollsPerSecond.entries()) {
            if ((bySite[at % 4] ?? 0) >= (siteLimitsPerSecond[at % 4] ?? 0) * 0.97) continue;
            const free = curve(price, ratesPerSecond[at] ?? 0, weights[at] ?? 0, at);
            if (polls > (ratesPerSecond[at] ?? 0) / 20) isNear(polls, free, 1e-5, "free");
          }
        },
      ),
      { numRuns: 100 },
    );
  });
}

test("sites that are full leave a part of the budget; one that allows nothing gets nothing; one without a limit is refused", () => {
  const rows = { ratesPerSecond: [1, 1, 1], weights: [1, 1, 1], sites: [0, 1, 1] };
  const full = planByPrice(uniformCurve, { ...rows, siteLimitsPerSecond: [0, 0.5] }, 9);
  assert.equal(full.pollsPerSecond[0], 0);
  isNear(sum(full.pollsPerSecond), 0.5, 1e-9);
  assert.throws(() => planByPrice(uniformCurve, { ...rows, siteLimitsPerSecond: [1] }, 9), RangeError);
  assert.throws(() => planByPrice(uniformCurve, rows, Number.NaN), RangeError);
});

test("very many rows begin with a sample, and come to the same", () => {
  const count = 80_000;
  const rates = Float64Array.from({ length: count }, (_, at) => 10 ** (-3 + (4 * ((at * 7919) % count)) / count));
  const weights = new Float64Array(count).fill(1);
  const { pollsPerSecond, price } = planOptimum(rates, weights, count / 10);
  isNear(sum(pollsPerSecond), count / 10, 1e-9);
  const again = planByPrice(freshnessCurve, { ratesPerSecond: rates, weights }, count / 10, price * 3);
  isNear(again.price, price, 1e-7);
});
