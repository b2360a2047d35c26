import assert from "node:assert/strict";
import { test } from "node:test";
import { inDegrees } from "../../src/graph/graph.ts";
import { computePageRank } from "../../src/graph/page-rank.ts";
import { fc } from "../property.ts";
import { graphOf, links, slowPageRank } from "./slow-graph.ts";

const isNear = (actual: ArrayLike<number>, expected: readonly number[], tolerance = 1e-9): void => {
  assert.equal(actual.length, expected.length);
  for (const [at, share] of expected.entries())
    assert.ok(Math.abs((actual[at] ?? -1) - share) <= tolerance, `${at}: ${actual[at]} is not ${share}`);
};

test("a ring has equal ranks, and a star's middle what the formula says", () => {
  isNear(
    computePageRank(
      graphOf([
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 0],
      ]),
    ).ranks,
    [0.25, 0.25, 0.25, 0.25],
  );
  // m = 0.15 / 4 + 0.85 (1 - m), and the leaves share the rest.
  const middle = (0.15 / 4 + 0.85) / 1.85;
  const leaf = (1 - middle) / 3;
  const star = graphOf([
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 0],
    [2, 0],
    [3, 0],
  ]);
  isNear(computePageRank(star, { tolerance: 1e-12 }).ranks, [middle, leaf, leaf, leaf]);
});

test("from a node without links the surfer goes anywhere", () => {
  // 0 -> 1, which is stranded: a = (1 - d + d b) / 2, b = a + d a.
  const [a, b] = [1 / 2.85, 1.85 / 2.85];
  isNear(computePageRank(graphOf([[0, 1]]), { tolerance: 1e-12 }).ranks, [a, b]);
  isNear(computePageRank(graphOf([], 3)).ranks, [1 / 3, 1 / 3, 1 / 3]);
  assert.equal(computePageRank(graphOf([])).ranks.length, 0);
});

test("ranks are those of the definition, and sum to 1", () => {
  fc.assert(
    fc.property(links, fc.double({ min: 0, max: 0.9, noNaN: true }), (given, damping) => {
      const graph = graphOf(given, 12);
      const { ranks, residual } = computePageRank(graph, { damping, tolerance: 1e-12, maxRounds: 1000 });
      isNear(ranks, slowPageRank(12, given, damping), 1e-8);
      assert.ok(Math.abs(ranks.reduce((sum, rank) => sum + rank, 0) - 1) < 1e-12);
      assert.ok(residual <= 1e-12);
    }),
  );
});

/** Shares that sum to 1. */
const shares = fc
  .array(fc.nat(9), { minLength: 12, maxLength: 12 })
  .filter((counts) => counts.some((count) => count > 0))
  .map((counts) => counts.map((count) => count / counts.reduce((sum, one) => sum + one)));

test("personal ranks are those of the definition, also from nodes without links", () => {
  fc.assert(
    fc.property(links, shares, (given, teleport) => {
      const options = { teleport: Float64Array.from(teleport), tolerance: 1e-12, maxRounds: 1000 };
      isNear(computePageRank(graphOf(given, 12), options).ranks, slowPageRank(12, given, 0.85, teleport), 1e-8);
    }),
  );
  // 0 -> 1 -> 0, and 2 that nobody reaches.
  const cycle = graphOf(
    [
      [0, 1],
      [1, 0],
    ],
    3,
  );
  const { ranks } = computePageRank(cycle, { teleport: Float64Array.of(1, 0, 0), tolerance: 1e-12 });
  isNear(ranks, [1 / 1.85, 0.85 / 1.85, 0]);
});

test("where it begins changes the rounds, not the ranks", () => {
  fc.assert(
    fc.property(
      links,
      fc.array(fc.double({ min: 0.01, max: 9, noNaN: true }), { minLength: 12, maxLength: 12 }),
      (given, start) => {
        const graph = graphOf(given, 12);
        const cold = computePageRank(graph, { tolerance: 1e-11 });
        isNear(computePageRank(graph, { tolerance: 1e-11, start }).ranks, [...cold.ranks], 1e-9);
        const warm = computePageRank(graph, { tolerance: 1e-9, start: cold.ranks });
        assert.equal(warm.rounds, 1);
      },
    ),
  );
});

test("without damping everything is equal; rounds are bounded and the residual says what is left", () => {
  const graph = graphOf(
    [
      [0, 1],
      [1, 2],
      [3, 2],
      [2, 0],
    ],
    6,
  );
  isNear(
    computePageRank(graph, { damping: 0 }).ranks,
    Array.from({ length: 6 }, () => 1 / 6),
  );
  const short = computePageRank(graph, { maxRounds: 2 });
  const long = computePageRank(graph, { tolerance: 1e-13 });
  assert.equal(short.rounds, 2);
  const error = short.ranks.reduce((sum, rank, node) => sum + Math.abs(rank - (long.ranks[node] ?? 0)), 0);
  assert.ok(error > 0 && error <= (short.residual * 0.85) / 0.15, `${error} of ${short.residual}`);
});

test("more links to a page do not lower its rank among equals", () => {
  const graph = graphOf([
    [0, 5],
    [1, 5],
    [2, 5],
    [3, 4],
    [4, 0],
    [5, 0],
  ]);
  const { ranks } = computePageRank(graph);
  assert.equal(inDegrees(graph)[5], 3);
  assert.ok((ranks[5] ?? 0) > (ranks[4] ?? 1));
});

test("shares to go to that sum to 1 but for the rounding of very many are taken", () => {
  const graph = graphOf([[0, 1]]);
  const { ranks } = computePageRank(graph, { teleport: Float64Array.of(0.5, 0.5 + 2.3e-9) });
  assert.ok(Math.abs((ranks[0] ?? 0) + (ranks[1] ?? 0) - 1) < 1e-6);
  assert.throws(() => computePageRank(graph, { teleport: Float64Array.of(0.5, 0.501) }), RangeError);
});

test("options out of their range are refused", () => {
  const graph = graphOf([[0, 1]]);
  for (const options of [
    { damping: 1 },
    { damping: -0.1 },
    { tolerance: -1 },
    { maxRounds: 0 },
    { start: [1] },
    { start: [0, 0] },
    { start: [1, -1] },
    { start: [2, -1] },
    { start: [1, Number.NaN] },
    { start: [1, Number.POSITIVE_INFINITY] },
    { teleport: Float64Array.of(1) },
    { teleport: Float64Array.of(1, 1) },
    { teleport: Float64Array.of(2, -1) },
    { teleport: Float64Array.of(Number.NaN, 1) },
  ])
    assert.throws(() => computePageRank(graph, options), RangeError, JSON.stringify(options));
});
