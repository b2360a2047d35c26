import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { readText, writeText } from "../analysis/graph-files.ts";
import { makeLinks } from "../bench/graph/made-graph.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { runTidemark, summaryOf } from "./command.ts";
import { requireCached, skipWithoutCached } from "./programs.ts";

const skip = skipWithoutCached("networkx-1");
const nodes = 2000;

interface Found {
  readonly pagerank: readonly number[];
  readonly personal: readonly number[];
  readonly harmonic: readonly number[];
  readonly inDegrees: readonly number[];
  readonly components: readonly number[];
}

/** A column of a table that `graph rank --into` wrote. */
function columnOf(file: string, name: string): number[] {
  const [head = "", ...rows] = readText(file).trimEnd().split("\n");
  const at = head.split("\t").indexOf(name);
  return rows.map((row) => Number(row.split("\t")[at]));
}

function assertNear(found: readonly number[], expected: readonly number[], tolerance: number, what: string): void {
  assert.equal(found.length, expected.length);
  for (const [node, value] of expected.entries())
    assert.ok(
      Math.abs((found[node] ?? Number.NaN) - value) <= tolerance,
      `${what} of ${node}: ${found[node]}, ${value}`,
    );
}

test("ranks, centrality, degrees and components are those of networkx", { skip, timeout: 120_000 }, async () => {
  using temp = makeTempFolder("oracle");
  const lines: string[] = [];
  makeLinks(nodes, 12_000, (from, to) => lines.push(`${from}\t${to}\n`));
  const names = Array.from({ length: nodes }, (_, node) => `${node}\torg.example.h${Math.floor(node / 40)}\n`).join("");
  const lists = [
    "--links",
    writeText(temp.path, "in.gz", lines.join("")),
    "--names",
    writeText(temp.path, "names", names),
  ];
  const folder = join(temp.path, "graph");
  summaryOf(await runTidemark(["graph", "import", folder, ...lists, "--json"]));
  const links = join(temp.path, "links");
  summaryOf(await runTidemark(["graph", "export", folder, "--links", links, "--json"]));
  const near = ["--tolerance", "1e-14", "--rounds", "1000", "--json"];
  const [all, personal] = [join(temp.path, "all.tsv"), join(temp.path, "personal.tsv")];
  summaryOf(await runTidemark(["graph", "rank", folder, "--into", all, "--harmonic", "exact", ...near]));
  summaryOf(await runTidemark(["graph", "rank", folder, "--into", personal, "--site", "h7.example.org", ...near]));
  const stats = summaryOf<{ readonly components: { readonly count: number; readonly largest: readonly number[] } }>(
    await runTidemark(["graph", "stats", folder, "--json"]),
  );

  const python = join(requireCached("networkx-1"), "bin", "python");
  const script = join(repositoryFolder(), "test/interop/graph-oracle.py");
  const site = Array.from({ length: 40 }, (_, at) => 280 + at).join(",");
  const said = execFileSync(python, [script, links, String(nodes), site], { encoding: "utf8", maxBuffer: 1 << 26 });
  const expected = JSON.parse(said) as Found;
  assertNear(columnOf(all, "pagerank"), expected.pagerank, 1e-9, "PageRank");
  assertNear(columnOf(personal, "pagerank"), expected.personal, 1e-9, "personal PageRank");
  assertNear(columnOf(all, "harmonic"), expected.harmonic, 1e-6, "harmonic centrality");
  assert.deepEqual(columnOf(all, "in_degree"), expected.inDegrees);
  assert.equal(stats.components.count, expected.components.length);
  assert.deepEqual(stats.components.largest, expected.components.slice(0, 10));
});
