import assert from "node:assert/strict";
import { closeSync, openSync, writeSync } from "node:fs";
import { test } from "node:test";
import { linksFileOf, readGraph } from "../../src/analysis/graph-folder.ts";
import { LinksWriter } from "../../src/analysis/links-writer.ts";
import { computeRanksOnThreads, type ThreadedRankOptions } from "../../src/analysis/rank-threads.ts";
import { SharedArrays } from "../../src/analysis/shared-arrays.ts";
import { computePageRank } from "../../src/graph/page-rank.ts";
import { graphOf, type Link, links } from "../graph/slow-graph.ts";
import { fc } from "../property.ts";
import { makeTempFolder } from "../temp-folder.ts";

test("ranks on one to five threads are those of one loop", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(links, fc.integer({ min: 1, max: 5 }), async (given, threads) => {
      const graph = graphOf(given, 12);
      const expected = computePageRank(graph, { tolerance: 1e-12 });
      const found = await computeRanksOnThreads(graph, { threads, tolerance: 1e-12 });
      for (const [node, rank] of expected.ranks.entries())
        assert.ok(Math.abs(rank - (found.ranks[node] ?? -1)) < 1e-12, `node ${node}`);
      assert.ok(Math.abs(found.ranks.reduce((sum, rank) => sum + rank, 0) - 1) < 1e-12);
    }),
    { numRuns: 5 },
  );
});

/** 5,000 nodes of very different degrees. */
const uneven = graphOf(
  Array.from({ length: 40_000 }, (_, at): Link => [(at * at) % 5000, (at * 7919) % ((at % 5000) + 1)]),
  5000,
);

test("personal ranks, rounds and residual are the same on threads; each round is told", async () => {
  const teleport = new Float64Array(5000).fill(0);
  teleport[17] = 1;
  const expected = computePageRank(uneven, { teleport, maxRounds: 7, tolerance: 0 });
  const told: number[] = [];
  const onRound = (round: number, residual: number): void => {
    assert.ok(residual > 0);
    told.push(round);
  };
  const options = { teleport, maxRounds: 7, tolerance: 0, threads: 3, onRound };
  const { ranks, rounds, residual } = await computeRanksOnThreads(uneven, options);
  assert.deepEqual([rounds, told], [7, [1, 2, 3, 4, 5, 6, 7]]);
  assert.ok(Math.abs(residual - expected.residual) < 1e-12);
  assert.ok(ranks.every((rank, node) => Math.abs(rank - (expected.ranks[node] ?? -1)) < 1e-12));
});

test("a graph that is more than WebAssembly reaches has the same ranks bit for bit", async () => {
  const options = { threads: 2, tolerance: 0, maxRounds: 5 };
  const arrays = new SharedArrays();
  arrays.integers(2 ** 30 - 1);
  arrays.floats(1);
  assert.equal(arrays.memory, undefined);
  const expected = await computeRanksOnThreads(uneven, options);
  const found = await computeRanksOnThreads({ ...uneven, arrays }, options);
  assert.deepEqual(found, expected);
});

test("ranks of a graph that was read can be computed again; those of before stay", async () => {
  using temp = makeTempFolder("read-ranks");
  await writeLarge(temp.path);
  const graph = await readGraph(temp.path);
  const first = await computeRanksOnThreads(graph, { threads: 2 });
  const before = first.ranks.slice();
  await computeRanksOnThreads(graph, { threads: 1, damping: 0.5 });
  assert.deepEqual(first.ranks, before);
  assert.deepEqual(await computeRanksOnThreads(graph, { threads: 2 }), first);
});

test("a graph without nodes has no ranks; wrong options are refused before any thread begins", async () => {
  assert.equal((await computeRanksOnThreads(graphOf([]), { threads: 2 })).ranks.length, 0);
  await assert.rejects(computeRanksOnThreads(uneven, { damping: 1 }), RangeError);
  await assert.rejects(computeRanksOnThreads(uneven, { teleport: Float64Array.of(1) }), RangeError);
});

test("threads end when they are told to", { timeout: 30_000 }, async () => {
  const stop = new AbortController();
  const onRound = (round: number): void => {
    if (round === 1) stop.abort();
  };
  const endless = { tolerance: 0, maxRounds: 1e9, threads: 2, signal: stop.signal, onRound };
  await assert.rejects(computeRanksOnThreads(uneven, endless), { code: "aborted" });
  await assert.rejects(computeRanksOnThreads(uneven, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

/** Node 0 links to all others, which is more than a block; half of them link to none, the rest to eight. */
async function writeLarge(folder: string): Promise<void> {
  const nodes = 300_000;
  using writer = new LinksWriter(folder, nodes);
  for (let to = 1; to < nodes; to++) writer.add(0, to);
  for (let from = 1; from < nodes; from += 2) {
    const to = (from * 7919) % (nodes - 14);
    for (let more = 0; more < 16; more += 2) writer.add(from, to + more);
  }
  await writer.finish(linksFileOf(folder));
}

test("ranks of links that are read from disk in each round are those of links in memory, bit for bit", async () => {
  using temp = makeTempFolder("disk-ranks");
  await writeLarge(temp.path);
  // Nodes without links are in five blocks of one thread, or in three of the second of two.
  for (const threads of [1, 2]) {
    const options = { threads, tolerance: 0, maxRounds: 5 };
    const expected = await computeRanksOnThreads(await readGraph(temp.path), options);
    const found = await computeRanksOnThreads(temp.path, options);
    assert.deepEqual([found.rounds, found.residual], [expected.rounds, expected.residual]);
    assert.deepEqual(found.ranks, expected.ranks);
  }
});

test("where surfers go who follow no link is in memory once, however many threads there are", async () => {
  using temp = makeTempFolder("read-ranks");
  await writeLarge(temp.path);
  const graph = await readGraph(temp.path);
  const sizeBytes = (): number => graph.arrays.memory?.buffer.byteLength ?? 0;
  const grownBy = async (options: ThreadedRankOptions): Promise<number> => {
    const before = sizeBytes();
    await computeRanksOnThreads(graph, { ...options, threads: 3, maxRounds: 1 });
    return sizeBytes() - before;
  };
  const teleport = new Float64Array(graph.nodes).fill(1 / graph.nodes);
  const more = (await grownBy({ teleport })) - (await grownBy({}));
  assert.ok(more >= teleport.byteLength && more < teleport.byteLength + 65_536, `${more} bytes`);
});

test("links that cannot be read to the end are told, and no thread goes on", { timeout: 30_000 }, async () => {
  using temp = makeTempFolder("disk-ranks");
  await writeLarge(temp.path);
  const file = openSync(linksFileOf(temp.path), "r+");
  // The row of node 7 begins behind all links.
  writeSync(file, Uint8Array.of(255, 255, 255, 255), 0, 4, 16 + 4 * 7);
  closeSync(file);
  await assert.rejects(computeRanksOnThreads(temp.path, { threads: 2 }), { code: "io", message: /row of node 6/ });
});
