import assert from "node:assert/strict";
import { test } from "node:test";
import { inDegrees, targetsOf, transposeGraph } from "../../src/graph/graph.ts";
import { GraphBuilder } from "../../src/graph/graph-builder.ts";
import { fc } from "../property.ts";
import { graphOf, type Link, links, linksOf } from "./slow-graph.ts";

const byPlace = (a: Link, b: Link): number => a[0] - b[0] || a[1] - b[1];

test("a graph has each link once, in order, and nodes without links", () => {
  const graph = graphOf(
    [
      [2, 1],
      [0, 2],
      [2, 0],
      [0, 2],
      [2, 2],
    ],
    5,
  );
  assert.equal(graph.nodes, 5);
  assert.deepEqual([...graph.offsets], [0, 1, 1, 4, 4, 4]);
  assert.deepEqual([...graph.targets], [2, 0, 1, 2]);
  assert.deepEqual([...targetsOf(graph, 2)], [0, 1, 2]);
  assert.deepEqual([...inDegrees(graph)], [1, 1, 2, 0, 0]);
});

test("a graph without nodes is one", () => {
  const graph = graphOf([]);
  assert.deepEqual([graph.nodes, [...graph.offsets], graph.targets.length], [0, [0], 0]);
  assert.equal(transposeGraph(graph).nodes, 0);
});

test("whatever is given, a graph has it sorted and once", () => {
  fc.assert(
    fc.property(links, (given) => {
      const once = [...new Map(given.map((link) => [link.join(), link])).values()].sort(byPlace);
      assert.deepEqual(linksOf(graphOf(given)), once);
    }),
  );
});

test("the order of links is irrelevant", () => {
  fc.assert(
    fc.property(links, fc.infiniteStream(fc.nat()), (given, keys) => {
      const shuffled = given
        .map((link): [number, Link] => [keys.next().value as number, link])
        .sort((a, b) => a[0] - b[0])
        .map(([, link]) => link);
      assert.deepEqual(graphOf(shuffled), graphOf(given));
    }),
  );
});

test("transposed, links run the other way; transposed twice, as before", () => {
  fc.assert(
    fc.property(links, (given) => {
      const graph = graphOf(given);
      const turned = transposeGraph(graph);
      assert.deepEqual(
        linksOf(turned),
        linksOf(graph)
          .map(([from, to]): Link => [to, from])
          .sort(byPlace),
      );
      assert.deepEqual(transposeGraph(turned), graph);
      assert.deepEqual(
        [...inDegrees(turned)],
        [...graph.offsets.slice(1)].map((end, at) => end - (graph.offsets[at] ?? 0)),
      );
    }),
  );
});

test("a builder goes on after it has built, and leaves what it built", () => {
  const builder = new GraphBuilder();
  for (let node = 0; node < 3000; node++) builder.addLink(node, (node * 7) % 3000);
  const first = builder.build();
  const copy = { ...first, offsets: first.offsets.slice(), targets: first.targets.slice() };
  builder.addLink(0, 2999);
  const second = builder.build();
  assert.deepEqual(first, copy);
  assert.equal(second.targets.length, first.targets.length + 1);
  assert.deepEqual([builder.links, builder.nodes], [3001, 3000]);
});

test("what is no node is refused", () => {
  for (const [from, to] of [
    [-1, 0],
    [0, 0.5],
    [0, 2 ** 31],
    [Number.NaN, 0],
  ] as const)
    assert.throws(() => new GraphBuilder().addLink(from, to), RangeError);
});
