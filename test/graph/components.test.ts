import assert from "node:assert/strict";
import { test } from "node:test";
import { findBowTie, findStrongComponents } from "../../src/graph/components.ts";
import { countGroupLinks } from "../../src/graph/group-links.ts";
import { fc } from "../property.ts";
import { graphOf, type Link, links, slowDistances } from "./slow-graph.ts";

test("two nodes are in one component if, and only if, each reaches the other", () => {
  fc.assert(
    fc.property(links, (given) => {
      const distances = slowDistances(12, given);
      const reaches = (from: number, to: number): boolean =>
        (distances[from]?.[to] ?? Number.NaN) < Number.POSITIVE_INFINITY;
      const { componentOf, sizes } = findStrongComponents(graphOf(given, 12));
      for (let a = 0; a < 12; a++)
        for (let b = 0; b < 12; b++)
          assert.equal(componentOf[a] === componentOf[b], reaches(a, b) && reaches(b, a), `${a} and ${b}`);
      for (const [component, size] of sizes.entries())
        assert.equal(size, componentOf.filter((one) => one === component).length);
    }),
  );
});

test("the bow tie is that of its definition", () => {
  fc.assert(
    fc.property(links, (given) => {
      const graph = graphOf(given, 12);
      const components = findStrongComponents(graph);
      const { sizes, componentOf } = components;
      const core = sizes.indexOf(Math.max(...sizes));
      const distances = slowDistances(12, given);
      const both = slowDistances(12, [...given, ...given.map(([from, to]): Link => [to, from])]);
      const isReached = (rows: number[][], from: number, to: number): boolean =>
        (rows[from]?.[to] ?? Number.NaN) < Number.POSITIVE_INFINITY;
      const nodes = [...componentOf.keys()];
      const inCore = nodes.filter((node) => componentOf[node] === core);
      const leadsIn = (node: number): boolean => inCore.some((one) => isReached(distances, node, one));
      const isLedTo = (node: number): boolean => inCore.some((one) => isReached(distances, one, node));
      const expected = { core: 0, in: 0, out: 0, tubes: 0, tendrils: 0, apart: 0 };
      for (const node of nodes) {
        if (inCore.includes(node)) expected.core++;
        else if (leadsIn(node)) expected.in++;
        else if (isLedTo(node)) expected.out++;
        else if (
          nodes.some((one) => leadsIn(one) && isReached(distances, one, node)) &&
          nodes.some((one) => isLedTo(one) && isReached(distances, node, one))
        )
          expected.tubes++;
        else if (inCore.some((one) => isReached(both, one, node))) expected.tendrils++;
        else expected.apart++;
      }
      assert.deepEqual(findBowTie(graph, components), expected);
    }),
  );
});

test("a path of 300,000 nodes, and one that turns at each, take no stack and no time", { timeout: 20_000 }, () => {
  const length = 300_000;
  const path = graphOf(Array.from({ length: length - 1 }, (_, at): Link => [at, at + 1]));
  const components = findStrongComponents(path);
  assert.equal(components.sizes.length, length);
  assert.equal(findBowTie(path, components).core, 1);
  const turning = graphOf(
    Array.from({ length: length - 1 }, (_, at): Link => (at % 2 === 0 ? [at, at + 1] : [at + 1, at])),
  );
  const { apart } = findBowTie(turning, findStrongComponents(turning));
  assert.equal(apart, 0);
});

test("a graph without nodes has no components", () => {
  const components = findStrongComponents(graphOf([]));
  assert.equal(components.sizes.length, 0);
  assert.deepEqual(findBowTie(graphOf([]), components), { core: 0, in: 0, out: 0, tubes: 0, tendrils: 0, apart: 0 });
});

test("links between groups are counted, and each pair of groups once", () => {
  const groupOf = Array.from({ length: 12 }, (_, node) => (node * 5) % 4);
  fc.assert(
    fc.property(links, (given) => {
      const different = new Map(given.map((link) => [String(link), link]));
      const pairs = [...different.values()].map(([from, to]) => [groupOf[from] ?? 0, groupOf[to] ?? 0] as const);
      const across = pairs.filter(([from, to]) => from !== to);
      const found = countGroupLinks(graphOf(given, 12), Uint32Array.from(groupOf), 4);
      assert.equal(found.inside, pairs.length - across.length);
      assert.equal(found.pairs, new Set(across.map(String)).size);
      for (let group = 0; group < 4; group++) {
        assert.equal(found.sizes[group], 3);
        assert.equal(found.outgoing[group], across.filter(([from]) => from === group).length);
        assert.equal(found.incoming[group], across.filter(([, to]) => to === group).length);
      }
    }),
  );
});
