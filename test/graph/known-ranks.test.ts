import assert from "node:assert/strict";
import { test } from "node:test";
import { targetsOf } from "../../src/graph/graph.ts";
import { KnownRanks } from "../../src/graph/known-ranks.ts";
import { computePageRank } from "../../src/graph/page-rank.ts";
import { fc } from "../property.ts";
import { graphOf, type Link, links, slowPageRank } from "./slow-graph.ts";

test("when everything was fetched, the ranks are the graph's", () => {
  fc.assert(
    fc.property(links, (given) => {
      const graph = graphOf(given, 12);
      const known = new KnownRanks(graph, { tolerance: 1e-12 });
      for (let node = 0; node < 12; node++) {
        known.fetch(node);
        if (node % 5 === 0) known.compute();
      }
      known.compute();
      const whole = computePageRank(graph, { tolerance: 1e-12 });
      for (const [node, rank] of whole.ranks.entries()) assert.ok(Math.abs((known.ranks[node] ?? 0) - rank) < 1e-9);
    }),
  );
});

test("of a part, they are those of the graph that is known", () => {
  fc.assert(
    fc.property(links, fc.uniqueArray(fc.nat(11), { minLength: 1, maxLength: 6 }), (given, fetched) => {
      const graph = graphOf(given, 12);
      const known = new KnownRanks(graph, { tolerance: 1e-12 });
      for (const node of fetched) {
        known.fetch(node);
        known.compute();
      }
      // The same part, numbered anew.
      const numbers = new Map<number, number>();
      for (const node of fetched) for (const each of [node, ...targetsOf(graph, node)]) numbers.set(each, numbers.size);
      const order = [...numbers.keys()];
      const place = (node: number): number => order.indexOf(node);
      const part = given.filter(([from]) => fetched.includes(from)).map(([from, to]): Link => [place(from), place(to)]);
      assert.equal(known.known, order.length);
      for (const [at, rank] of slowPageRank(order.length, part, 0.85).entries())
        assert.ok(Math.abs((known.ranks[order[at] ?? -1] ?? 0) - rank) < 1e-9);
      for (let node = 0; node < 12; node++) assert.equal((known.ranks[node] ?? 0) > 0, order.includes(node));
    }),
  );
});

test("a page that was only heard of has no links yet, and nothing is known of nothing", () => {
  const known = new KnownRanks(
    graphOf([
      [0, 1],
      [1, 2],
    ]),
  );
  assert.deepEqual(known.compute(), { residual: 0, rounds: 0 });
  assert.deepEqual([known.hear(1), known.hear(1), known.known], [true, false, 1]);
  known.compute();
  assert.deepEqual([...known.ranks], [0, 1, 0]);
});

test("once ranks are near, few rounds follow", () => {
  const graph = graphOf(Array.from({ length: 4000 }, (_, at): Link => [at % 1000, (at * 617 + 13) % 1000]));
  const known = new KnownRanks(graph);
  for (let node = 0; node < 990; node++) known.fetch(node);
  const cold = known.compute();
  known.fetch(995);
  const warm = known.compute();
  assert.ok(warm.rounds < cold.rounds, `${warm.rounds} of ${cold.rounds}`);
});

test("until ranks are computed again, a new page has what the pages that lead to it give it", () => {
  const known = new KnownRanks(
    graphOf([
      [0, 1],
      [0, 2],
      [1, 2],
      [2, 0],
      [2, 3],
      [3, 4],
    ]),
  );
  known.hear(0, 0.5);
  known.hear(1, 0.5);
  assert.equal(known.fetch(0), 0.25);
  assert.equal(known.fetch(1), 0.75);
  // 0 and 1 were known, yet nothing was computed: a link to them raises them too.
  assert.deepEqual([...known.ranks], [0.5, 0.75, 1, 0, 0]);
  known.compute();
  const before = [...known.ranks];
  const share = known.fetch(2);
  assert.equal(share, (before[2] ?? 0) / 2);
  // 0 has a rank of its own now; 3 is new.
  assert.deepEqual([...known.ranks], [...before.slice(0, 3), share, 0]);
  assert.equal(known.fetch(3), share);
  assert.equal(known.fetch(4), 0);
});
