import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { linksFileOf } from "../../src/analysis/graph-folder.ts";
import { describeGraph } from "../../src/analysis/graph-stats.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { importText } from "./graph-files.ts";

const names =
  "0\thttp://a.example/\n1\thttp://a.example/x\n2\torg.b\n3\thttp://c.example/\n4\thttp://a.example:8080/\n";

test("a graph is described by degrees, components, bow tie and hosts", async () => {
  using temp = makeTempFolder();
  // 0 and 1 are the core; 2 leads to it, 3 is led to, 4 links to itself.
  const folder = await importText(temp.path, "0 1\n1 0\n1 3\n2 0\n2 1\n4 4\n", names);
  const stats = await describeGraph(folder, 2);
  assert.deepEqual(stats, {
    nodes: 5,
    links: 6,
    dangling: 1,
    inDegree: {
      mean: 1.2,
      max: 2,
      distribution: [
        { degree: 0, nodes: 1 },
        { degree: 1, nodes: 2 },
        { degree: 2, nodes: 2 },
      ],
      fit: undefined,
    },
    outDegree: {
      mean: 1.2,
      max: 2,
      distribution: [
        { degree: 0, nodes: 1 },
        { degree: 1, nodes: 2 },
        { degree: 2, nodes: 2 },
      ],
      fit: undefined,
    },
    components: { count: 4, largest: [2, 1] },
    bowTie: { core: 2, in: 1, out: 1, tubes: 0, tendrils: 0, apart: 1 },
    hosts: {
      count: 3,
      pairs: 2,
      inside: 3,
      first: [
        { host: "a.example", nodes: 3, incoming: 2, outgoing: 1 },
        { host: "c.example", nodes: 1, incoming: 1, outgoing: 0 },
      ],
    },
    mostLinked: [
      { node: 0, name: "http://a.example/", inDegree: 2 },
      { node: 1, name: "http://a.example/x", inDegree: 2 },
    ],
  });
});

test("nodes without names have no hosts; of some that have none each is a host of its own", async () => {
  using temp = makeTempFolder();
  const { hosts, mostLinked } = await describeGraph(await importText(temp.path, "0 1\n"), 1);
  assert.deepEqual([hosts, mostLinked], [undefined, [{ node: 1, inDegree: 1 }]]);
  using other = makeTempFolder();
  const partly = await describeGraph(await importText(other.path, "0 1\n", "0\torg.a\n3\torg.b\n"), 1);
  assert.deepEqual([partly.hosts?.count, partly.hosts?.first[0]?.host], [4, "node 1"]);
});

test("an empty graph is described, too", async () => {
  using temp = makeTempFolder();
  const stats = await describeGraph(await importText(temp.path, ""), 3);
  assert.deepEqual([stats.nodes, stats.dangling, stats.inDegree.mean, stats.mostLinked], [0, 0, 0, []]);
});

test("a description that is stopped does not read the graph to its end", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, "0 1\n");
  const bytes = readFileSync(linksFileOf(folder));
  writeFileSync(linksFileOf(folder), bytes.fill(1, bytes.length - 4));
  await assert.rejects(describeGraph(folder, 1), { code: "state-corrupt" });
  await assert.rejects(describeGraph(folder, 1, AbortSignal.abort()), { code: "aborted" });
});
