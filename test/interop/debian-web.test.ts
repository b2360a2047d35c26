import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readText } from "../analysis/graph-files.ts";
import { crawlDocuments } from "../bench/debian-web/document-crawl.ts";
import { sitesOf } from "../bench/debian-web/documents.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { requireCached, skipWithout, skipWithoutCached } from "./programs.ts";

const skip = skipWithout("nginx") || skipWithoutCached("docs-1");

test("from a crawl of two packages' documentation to a graph, its page, ranks and a list of what to crawl next", {
  skip,
  timeout: 180_000,
}, async () => {
  using temp = makeTempFolder("debian-web");
  const share = join(requireCached("docs-1"), "usr", "share");
  const steps = await crawlDocuments(
    sitesOf(["python3.11-doc", "postgresql-doc-15"], () => share),
    temp.path,
  );
  assert.deepEqual(
    steps.map(({ command }) => command),
    ["crawl --web", "graph import", "graph stats", "graph rank"],
  );
  const rowsOf = (name: string): string[][] =>
    readText(join(temp.path, name))
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
  const visited = rowsOf(join("graph", "visits.tsv"));
  assert.ok(visited.length > 1500, `${visited.length} pages`);
  const [head, ...ranks] = rowsOf("ranks.tsv.gz");
  assert.deepEqual(head, ["node", "name", "in_degree", "out_degree", "pagerank"]);
  assert.ok(ranks.length > visited.length, "other sites are known, though not crawled");
  const sum = ranks.reduce((all, row) => all + Number(row[4]), 0);
  assert.ok(Math.abs(sum - 1) < 1e-9, `ranks sum to ${sum}`);
  const work = rowsOf("next.tsv").slice(1);
  assert.equal(work.length, 1000);
  const isVisited = new Set(visited.map(([node]) => node));
  for (const [node = "", name, kind] of work) assert.equal(kind === "old", isVisited.has(node), name);
  assert.ok(work.filter(([, , kind]) => kind === "new").length > 500);
  assert.match(readText(join(temp.path, "graph.html")), /postgresql-doc-15\.docs\.example/);
});
