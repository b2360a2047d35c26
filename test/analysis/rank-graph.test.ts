import assert from "node:assert/strict";
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { harmonicWays, rankGraph } from "../../src/analysis/rank-graph.ts";
import { computeHarmonic } from "../../src/graph/harmonic.ts";
import { computePageRank } from "../../src/graph/page-rank.ts";
import { graphOf, type Link } from "../graph/slow-graph.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { abortAfter } from "./abort-after.ts";
import { formatLinks, importText, readText, writeText } from "./graph-files.ts";

const links: readonly Link[] = [
  [0, 1],
  [1, 2],
  [2, 0],
  [2, 1],
  [4, 1],
];
const graph = graphOf(links, 5);
const names = "0\torg.example\n1\torg.example.www\n2\tcom.example\n4\thttp://a.example/x?y\n";

test("a table has each node's name, degrees and ranks", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, formatLinks(graph), names);
  const into = join(temp.path, "ranks.tsv.gz");
  const summary = await rankGraph({ folder, into, harmonic: "exact", threads: 2, tolerance: 1e-12, top: 2 });
  const { ranks } = computePageRank(graph, { tolerance: 1e-12 });
  const rows = readText(into)
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  assert.deepEqual(rows[0], ["node", "name", "in_degree", "out_degree", "pagerank", "harmonic"]);
  assert.deepEqual(
    rows.slice(1).map((row) => row.slice(0, 4)),
    [
      ["0", "org.example", "1", "1"],
      ["1", "org.example.www", "3", "1"],
      ["2", "com.example", "1", "2"],
      ["3", "", "0", "0"],
      ["4", "http://a.example/x?y", "0", "1"],
    ],
  );
  const harmonic = await computeHarmonic(graph);
  for (const [node, row] of rows.slice(1).entries()) {
    assert.ok(Math.abs(Number(row[4]) - (ranks[node] ?? -1)) < 1e-12);
    assert.equal(Number(row[5]), harmonic[node]);
  }
  assert.deepEqual(
    summary.top.map(({ node, name, inDegree, outDegree }) => [node, name, inDegree, outDegree]),
    [
      [1, "org.example.www", 3, 1],
      [2, "com.example", 1, 2],
    ],
  );
  assert.deepEqual([summary.nodes, summary.links], [5, 5]);
});

test("without names there is no such column", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, "0 1\n");
  const into = join(temp.path, "ranks.tsv");
  const summary = await rankGraph({ folder, into });
  assert.match(readText(into), /^node\tin_degree\tout_degree\tpagerank\n0\t0\t1\t0\.35\d+\n1\t1\t0\t0\.64\d+\n$/);
  assert.equal("name" in (summary.top[0] ?? {}), false);
  await assert.rejects(rankGraph({ folder, sites: ["example.org"] }), { code: "bad-option", message: /have no names/ });
});

test("ranks as seen from a site are those of its hosts", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, formatLinks(graph), names);
  const { top } = await rankGraph({ folder, sites: ["A.Example"], tolerance: 1e-12, top: 5 });
  const { ranks } = computePageRank(graph, { teleport: Float64Array.of(0, 0, 0, 0, 1), tolerance: 1e-12 });
  for (const { node, pageRank } of top) assert.ok(Math.abs(pageRank - (ranks[node] ?? -1)) < 1e-12);
  assert.equal(top.at(-1)?.node, 3);
  await assert.rejects(rankGraph({ folder, sites: ["none.example"] }), {
    code: "bad-option",
    message: /No node belongs/,
  });
});

test("the list of work has new nodes by in-degree, and old ones by change, age and degrees", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, formatLinks(graph), names);
  const before = makeTempFolder();
  const previous = await importText(before.path, "2 0\n2 3\n1 2\n");
  // Node 2 had 0 and 3, now 0 and 1: C = 2/3. Node 1 did not change. Node 0 was visited once: the mean, 1/3.
  const visits = writeText(temp.path, "visits.gz", "2\t1000\t500\n1\t1000\t500\n0\t0\n");
  const file = join(temp.path, "work.tsv");
  const work = { file, visits, previous, count: 5, newShare: 0.5, nowSeconds: 2000, crawlSeconds: 1000 };
  const summary = await rankGraph({ folder, work });
  before[Symbol.dispose]();
  assert.deepEqual(summary.work, { nodes: 5, newNodes: 2 });
  const rows = readText(file).split("\n");
  assert.equal(rows[0], "node\tname\tkind\tpriority");
  assert.deepEqual(
    rows.slice(1, 6).map((row) => row.split("\t").slice(0, 3)),
    [
      ["3", "", "new"],
      ["2", "com.example", "old"],
      ["4", "http://a.example/x?y", "new"],
      ["0", "org.example", "old"],
      ["1", "org.example.www", "old"],
    ],
  );
  const priorities = rows.slice(1, 6).map((row) => Number(row.split("\t")[3]));
  for (const [at, value] of [0, 2, 0, 4 / 3, 0].entries()) assert.ok(Math.abs((priorities[at] ?? -1) - value) < 1e-12);
});

for (const [text, line] of [
  ["0\t1\n0\tyesterday\n", 2],
  ["7\t1\n", 1],
  ["0\t1\tx\n", 1],
  ["0\n", 1],
] as const) {
  test(`a list of visits is refused by file and line: ${JSON.stringify(text)}`, async () => {
    using temp = makeTempFolder();
    const folder = await importText(temp.path, formatLinks(graph));
    const work = {
      file: join(temp.path, "work"),
      visits: writeText(temp.path, "visits", text),
      count: 1,
      nowSeconds: 1,
    };
    await assert.rejects(rankGraph({ folder, work }), {
      code: "bad-option",
      message: new RegExp(`visits: line ${line} `),
    });
  });
}

test("a graph that stays on disk has the same ranks and list of work", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, formatLinks(graph), names);
  using before = makeTempFolder();
  const previous = await importText(before.path, "2 0\n2 3\n1 2\n6 0\n");
  const visits = writeText(temp.path, "visits", "2\t1000\t500\n1\t1000\t500\n0\t0\n4\t0\t0\n");
  const written = [];
  for (const linksBytes of [undefined, 0]) {
    const [into, file] = [join(temp.path, "ranks"), join(temp.path, "work")];
    const work = { file, visits, previous, count: 5, nowSeconds: 2000, crawlSeconds: 1000 };
    await rankGraph({ folder, into, work, sites: ["example.org"], ...(linksBytes === 0 && { linksBytes }) });
    written.push(readText(into) + readText(file));
  }
  assert.equal(written[1], written[0]);
  const file = join(folder, "links.csr");
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(1, bytes.length - 4));
  await assert.rejects(rankGraph({ folder, linksBytes: 0 }), { code: "state-corrupt", message: /checksum/ });
});

test("both ways of harmonic centrality are there, and a table that cannot be written is told", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, formatLinks(graph));
  for (const harmonic of harmonicWays) {
    const { top } = await rankGraph({ folder, harmonic, top: 1 });
    assert.ok(Math.abs((top[0]?.harmonic ?? 0) - 3) < 0.5, `${harmonic}: ${top[0]?.harmonic}`);
  }
  await assert.rejects(rankGraph({ folder, into: join(temp.path, "no", "ranks") }), { code: "not-found" });
  await assert.rejects(rankGraph({ folder: join(temp.path, "none") }), { code: "not-found" });
});

test("an estimate of more nodes than Node has counters for is refused before anything is computed", async () => {
  using temp = makeTempFolder();
  const nodes = 33_554_433;
  const head = Buffer.alloc(16);
  head.write("tmgraph1");
  head.writeUInt32LE(nodes, 8);
  truncateSync(writeText(temp.path, "links.csr", head), 16 + 4 * (nodes + 1) + 4);
  const ranked = rankGraph({ folder: temp.path, harmonic: "estimate" });
  await assert.rejects(ranked, { code: "bad-option", message: /too many nodes for an estimate: 33554433/ });
});

for (const linksBytes of [Number.POSITIVE_INFINITY, 0])
  test(`ranks that are stopped do not read the graph to its end, with links ${linksBytes === 0 ? "on disk" : "in memory"}`, async () => {
    using temp = makeTempFolder();
    const folder = await importText(temp.path, formatLinks(graph));
    const file = join(folder, "links.csr");
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(1, bytes.length - 4));
    await assert.rejects(rankGraph({ folder, linksBytes, signal: AbortSignal.abort() }), { code: "aborted" });
  });

test("a search for the nodes of sites is stopped", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, formatLinks(graph), names);
  const stop = new AbortController();
  const sites = Object.defineProperty(["none"], 0, {
    get: () => {
      stop.abort();
      return "none.example";
    },
  });
  await assert.rejects(rankGraph({ folder, sites, signal: stop.signal }), { code: "aborted" });
});

test("a comparison with the graph of the visits before is stopped while that one is checked, and while both are read", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, formatLinks(graph));
  using other = makeTempFolder();
  const before = await importText(other.path, "2 0\n2 3\n1 2\n");
  using third = makeTempFolder();
  const bytes = readFileSync(join(before, "links.csr"));
  writeText(third.path, "links.csr", bytes.fill(1, bytes.length - 4));
  const into = join(temp.path, "ranks");
  // A block of offsets and one of targets, with a checksum that is not reached; then a block of both graphs.
  for (const [turns, previous] of [
    [1, third.path],
    [2, third.path],
    [3, before],
  ] as const) {
    const stop = new AbortController();
    const work = {
      ...{ file: join(temp.path, "work"), count: 1, nowSeconds: 1 },
      get previous(): string {
        abortAfter(turns).addEventListener("abort", () => stop.abort());
        return previous;
      },
    };
    await assert.rejects(rankGraph({ folder, into, work, signal: stop.signal }), { code: "aborted" });
    assert.equal(existsSync(into), false, `after ${turns}`);
  }
});
