import assert from "node:assert/strict";
import { test } from "node:test";
import { computeHarmonic, estimateHarmonic } from "../../src/graph/harmonic.ts";
import { fc } from "../property.ts";
import { graphOf, type Link, links, slowDistances } from "./slow-graph.ts";

function slowHarmonic(nodes: number, given: readonly Link[]): number[] {
  const distances = slowDistances(nodes, given);
  return Array.from({ length: nodes }, (_, to) =>
    distances.reduce((sum, row, from) => sum + (from === to ? 0 : 1 / (row[to] ?? Number.NaN)), 0),
  );
}

test("harmonic centrality is that of the definition", async () => {
  await fc.assert(
    fc.asyncProperty(links, async (given) => {
      const found = await computeHarmonic(graphOf(given, 12));
      for (const [node, value] of slowHarmonic(12, given).entries())
        assert.ok(Math.abs((found[node] ?? -1) - value) < 1e-9, `node ${node}`);
    }),
  );
  assert.equal((await computeHarmonic(graphOf([]))).length, 0);
});

/** A ring of nodes with some links across. */
function ring(nodes: number): Link[] {
  const across = Array.from({ length: nodes / 2 }, (_, at): Link => [(at * 7919) % nodes, (at * at * 31) % nodes]);
  return [...Array.from({ length: nodes }, (_, at): Link => [at, (at + 1) % nodes]), ...across];
}

test("more than one word of sources: a ring of 100 nodes", async () => {
  const plain = Array.from({ length: 100 }, (_, at): Link => [at, (at + 1) % 100]);
  const expected = Array.from({ length: 99 }, (_, at) => 1 / (at + 1)).reduce((sum, one) => sum + one);
  for (const value of await computeHarmonic(graphOf(plain))) assert.ok(Math.abs(value - expected) < 1e-9);
});

test("the estimate is within its error of what is exact", async () => {
  const graph = graphOf(ring(2000));
  const exact = await computeHarmonic(graph);
  const errors = [...(await estimateHarmonic(graph))].map((value, node) => value / (exact[node] ?? 0) - 1);
  const deviation = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);
  assert.ok(deviation < 1.04 / Math.sqrt(128) && deviation > 0, `deviation ${deviation}`);
  assert.ok(errors.every((error) => Math.abs(error) < 0.4));
});

test("the estimate of small graphs is nearly exact: counters that are nearly empty count", async () => {
  // 20 leaves link to a middle, which links to nothing.
  const star = graphOf(Array.from({ length: 20 }, (_, leaf): Link => [leaf, 20]));
  const found = await estimateHarmonic(star);
  assert.ok(Math.abs((found[20] ?? 0) - 20) < 3, `${found[20]}`);
  assert.ok([...found.subarray(0, 20)].every((value) => value === 0));
});

test("harmonic centrality pauses after each round, and ends if it is told to then", async () => {
  const graph = graphOf(ring(200));
  for (const compute of [computeHarmonic, estimateHarmonic]) {
    let pauses = 0;
    const stop = async (): Promise<void> => {
      if (++pauses === 3) throw new RangeError("stopped");
    };
    await assert.rejects(compute(graph, stop), { message: "stopped" });
    assert.equal(pauses, 3);
  }
});
