import assert from "node:assert/strict";
import { test } from "node:test";
import { crawlPriorities, listWork, type NodeFacts } from "../../src/graph/crawl-priority.ts";
import { targetsOf } from "../../src/graph/graph.ts";
import { fc } from "../property.ts";
import { changesOf, graphOf, links } from "./slow-graph.ts";

const never = Number.NaN;

test("change is that of Equation 4.2: links of either visit that not both had", () => {
  fc.assert(
    fc.property(links, links, (before, after) => {
      const [previous, latest] = [graphOf(before, 12), graphOf(after, 12)];
      const changes = changesOf(previous, latest);
      for (let node = 0; node < 12; node++) {
        const [old, now] = [new Set(targetsOf(previous, node)), new Set(targetsOf(latest, node))];
        const either = new Set([...old, ...now]).size;
        const both = [...old].filter((target) => now.has(target)).length;
        assert.equal(changes[node], either === 0 ? 1 : 1 - both / either);
      }
    }),
  );
});

test("a node that the graph before did not have changed wholly; without links before and after, too", () => {
  assert.deepEqual([...changesOf(graphOf([[0, 1]]), graphOf([[2, 0]], 4))], [1, 1, 1, 1]);
});

/** Nodes 0 and 1 are new; 2 and 3 were visited twice, 4 once. */
const facts: NodeFacts = {
  inDegrees: Uint32Array.of(5, 9, 10, 2, 1),
  outDegrees: Uint32Array.of(0, 0, 20, 8, 3),
  visitedAt: Float64Array.of(never, never, 1000, 500, 0),
  changes: Float64Array.of(never, never, 0.5, 0.1, never),
};

test("priorities are those of Equations 4.3 and 4.4; one visit has the mean change of the others", () => {
  const found = [...crawlPriorities(facts, 2000, 10_000)];
  // I; I; 0.5 * 0.1 * 30; 0.1 * 0.15 * 10; 0.3 * 0.2 * 4.
  for (const [node, value] of [5, 9, 1.5, 0.15, 0.24].entries())
    assert.ok(Math.abs((found[node] ?? -1) - value) < 1e-12, `node ${node}: ${found[node]}`);
  const once = { ...facts, changes: new Float64Array(5).fill(never) };
  assert.equal(crawlPriorities(once, 2000, 10_000)[4], 0.2 * 4);
  assert.equal(crawlPriorities(facts, 500, 10_000)[2], 0, "a visit in the future has no age");
});

const isNew = Uint8Array.of(1, 1, 0, 0, 0);

test("the list has each kind by its priority, and both spread over it", () => {
  const priorities = crawlPriorities(facts, 2000, 10_000);
  const work = listWork(priorities, isNew, { count: 4, newShare: 0.5 });
  assert.deepEqual([...work], [1, 2, 0, 4]);
  assert.deepEqual([...listWork(priorities, isNew, { count: 99 })], [1, 0, 2, 4, 3]);
});

test("any beginning of the list has a tenth of old nodes, while there are both", () => {
  const nodes = 2000;
  const half = new Uint8Array(nodes).map((_, node) => node % 2);
  const equal = new Float64Array(nodes).fill(1);
  const work = listWork(equal, half, { count: 1000 });
  for (let length = 10; length <= 1000; length += 10)
    assert.equal(work.slice(0, length).filter((node) => half[node] === 0).length, length / 10);
  assert.ok(listWork(equal, half, { count: 1000, newShare: 0 }).every((node) => half[node] === 0));
  assert.ok(listWork(equal, half, { count: 1000, newShare: 1 }).every((node) => half[node] === 1));
});

test("of each kind the first come, as if all had been sorted", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 60 }), fc.nat(60), fc.constantFrom(0, 1), (given, count, newShare) => {
      const priorities = Float64Array.from(given, (value) => value >> 1);
      const kinds = Uint8Array.from(given, (value) => value & 1);
      const sorted = (kind: number): number[] =>
        given
          .flatMap((value, node) => ((value & 1) === kind ? [node] : []))
          .sort((a, b) => (priorities[b] ?? 0) - (priorities[a] ?? 0) || a - b);
      const expected = [...sorted(newShare), ...sorted(1 - newShare)].slice(0, count);
      assert.deepEqual([...listWork(priorities, kinds, { count, newShare })], expected);
    }),
  );
});
