import assert from "node:assert/strict";
import { test } from "node:test";
import { createRandom } from "../../src/core/random.ts";
import { countDegrees, fitPowerLaw, hurwitzZeta } from "../../src/graph/degree-distribution.ts";

test("degrees are counted, and rise", () => {
  assert.deepEqual(countDegrees(Uint32Array.of(3, 0, 1, 3, 0, 3)), [
    { degree: 0, nodes: 2 },
    { degree: 1, nodes: 1 },
    { degree: 3, nodes: 3 },
  ]);
  assert.deepEqual(countDegrees(new Uint32Array(0)), []);
});

// Riemann's at 2, 3 and 1.5, as NIST's Digital Library of Mathematical Functions has them (25.6.1), and sums of them less their first terms.
for (const [s, from, value] of [
  [2, 1, Math.PI ** 2 / 6],
  [4, 1, Math.PI ** 4 / 90],
  [3, 1, 1.2020569031595942],
  [2, 3, Math.PI ** 2 / 6 - 1.25],
  [4, 11, Math.PI ** 4 / 90 - [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].reduce((sum, k) => sum + k ** -4, 0)],
] as const) {
  test(`the zeta function at ${s} from ${from}`, () => {
    const found = hurwitzZeta(s, from);
    assert.ok(Math.abs(found / value - 1) < 1e-9, `${found} is not ${value}`);
  });
}

/** Degrees drawn from a power law from a degree on, by the inverse of its cumulative distribution. */
function draw(exponent: number, from: number, nodes: number): number[] {
  const random = createRandom(7);
  const all = hurwitzZeta(exponent, from);
  return Array.from({ length: nodes }, () => {
    const left = random() * all;
    let [low, high] = [from, from + 1];
    while (hurwitzZeta(exponent, high) > left) high *= 2;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (hurwitzZeta(exponent, middle) > left) low = middle;
      else high = middle;
    }
    return low;
  });
}

test("the exponent of a power law is found again, within its error", () => {
  const fit = fitPowerLaw(countDegrees(Uint32Array.from(draw(2.3, 1, 20_000))));
  assert.ok(fit !== undefined);
  assert.ok(Math.abs(fit.exponent - 2.3) < (5 * 1.3) / Math.sqrt(fit.nodes), `${fit.exponent}`);
  assert.ok(fit.range[0] <= 3 && fit.distance < 0.02, JSON.stringify(fit));
});

test("the range begins where the law does", () => {
  const below = Array.from({ length: 30_000 }, (_, at) => 1 + (at % 11));
  const fit = fitPowerLaw(countDegrees(Uint32Array.from([...below, ...draw(2.5, 12, 10_000)])));
  assert.ok(fit !== undefined && fit.range[0] >= 11 && fit.range[0] <= 20, JSON.stringify(fit));
  assert.ok(Math.abs(fit.exponent - 2.5) < 0.1, JSON.stringify(fit));
});

test("degrees around a mean have no law", () => {
  const random = createRandom(3);
  const tosses = () => Array.from({ length: 20 }, () => Number(random() < 0.5)).reduce((sum, one) => sum + one);
  assert.equal(fitPowerLaw(countDegrees(Uint32Array.from({ length: 5000 }, () => tosses() + 1))), undefined);
});

test("few nodes, or all of one degree, have no law", () => {
  assert.equal(fitPowerLaw([]), undefined);
  assert.equal(fitPowerLaw([{ degree: 1, nodes: 1000 }]), undefined);
  assert.equal(
    fitPowerLaw([
      { degree: 1, nodes: 20 },
      { degree: 2, nodes: 20 },
    ]),
    undefined,
  );
});

test("the distance of a law counts over degrees that no node has, too", () => {
  const hundreds = Array.from({ length: 40 }, (_, at) => ({
    degree: 100 * (at + 1),
    nodes: Math.round(5000 / (at + 1) ** 1.5),
  }));
  assert.equal(fitPowerLaw(hundreds), undefined);
  const odd = Array.from({ length: 400 }, (_, at) => ({
    degree: 2 * at + 11,
    nodes: Math.max(1, Math.round(1e6 * (2 * at + 11) ** -2.5)),
  }));
  const fit = fitPowerLaw(odd);
  assert.ok(fit !== undefined);
  const { exponent, range, nodes } = fit;
  const countOf = new Map(odd.map((one) => [one.degree, one.nodes]));
  let [below, distance] = [0, 0];
  for (let degree = range[0]; degree <= range[1]; degree++) {
    below += countOf.get(degree) ?? 0;
    const law = 1 - hurwitzZeta(exponent, degree + 1) / hurwitzZeta(exponent, range[0]);
    distance = Math.max(distance, Math.abs(below / nodes - law));
  }
  assert.ok(Math.abs(fit.distance - distance) < 1e-9, `${fit.distance} is not ${distance}`);
});
