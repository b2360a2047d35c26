import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readText, writeText } from "../../analysis/graph-files.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { runProgram } from "../run-program.ts";

const golden = join(repositoryFolder(), "fixtures/graph/v1");
const lists = ["--links", join(golden, "links.txt"), "--names", join(golden, "names.txt")];

test("graph import and export say what they read and wrote", async () => {
  using temp = makeTempFolder();
  const folder = join(temp.path, "graph");
  const imported = await runProgram("graph", "import", folder, ...lists);
  assert.deepEqual(imported, { code: 0, stdout: "4 nodes, 4 names; 5 links from 5 lines\n", stderr: "" });
  const out = join(temp.path, "links");
  const exported = await runProgram("graph", "export", folder, "--links", out, "--json");
  assert.deepEqual(JSON.parse(exported.stdout), { event: "summary", nodes: 4, links: 5 });
  assert.equal(readText(out), readText(join(golden, "links.txt")));
});

test("graph import --crawl takes what a crawl of the Web kept", async () => {
  using temp = makeTempFolder();
  mkdirSync(join(temp.path, "links"));
  writeText(join(temp.path, "links"), "20261125-000001.tsv.gz", "7\thttp://a.example/\thttp://b.example/ B\n");
  const folder = join(temp.path, "graph");
  const imported = await runProgram("graph", "import", folder, "--crawl", temp.path);
  assert.deepEqual(imported, {
    code: 0,
    stdout: `2 URLs, 1 of them requested; 1 link, 1 text of links\nvisits are in ${join(folder, "visits.tsv")}\n`,
    stderr: "",
  });
  const anchors = join(temp.path, "anchors.tsv");
  const exported = await runProgram("graph", "export", folder, "--anchors", anchors);
  assert.deepEqual([exported.code, exported.stderr, readText(anchors)], [0, "", "1\t0\tB\n"]);
  const both = await runProgram("graph", "import", join(temp.path, "other"), "--crawl", temp.path, ...lists);
  assert.deepEqual([both.code, /--crawl stands instead of --links and --names/.test(both.stderr)], [2, true]);
});

test("graph rank shows the first nodes, and writes the table and the list of work", async () => {
  using temp = makeTempFolder();
  const folder = join(temp.path, "graph");
  await runProgram("graph", "import", folder, ...lists);
  const [table, work] = [join(temp.path, "ranks.tsv"), join(temp.path, "work.tsv")];
  const words = ["--into", table, "--work", work, "--harmonic", "exact", "--top", "2", "--threads", "2"];
  const { code, stdout, stderr } = await runProgram("graph", "rank", folder, ...words);
  assert.deepEqual([code, stderr], [0, ""]);
  const lines = stdout.split("\n");
  assert.match(lines[0] ?? "", /^4 nodes, 5 links; \d+ rounds in .* s, the last moved \d\.\de-\d+$/);
  assert.deepEqual(lines.slice(1, 4), [
    "4 nodes to crawl next, 4 of them new",
    "",
    "PageRank  in  out  harmonic  node  name",
  ]);
  assert.match(lines[4] ?? "", /^ {2}0\.\d{4} {3}2 {4}2 {7}2\.0 {5}0 {2}com\.example$/);
  assert.equal(readText(table).split("\n").length, 6);
  assert.match(readText(work), /^node\tname\tkind\tpriority\n0\tcom\.example\tnew\t2\n/);
  const told = await runProgram("graph", "rank", folder, "--site", "example.org", "--top", "1", "--json");
  const summary = JSON.parse(told.stdout);
  assert.deepEqual([summary.event, summary.nodes, summary.top[0].name], ["summary", 4, "org.example"]);
});

test("graph rank --engine duckdb gives the same ranks and list of work", async () => {
  using temp = makeTempFolder();
  const folder = join(temp.path, "graph");
  await runProgram("graph", "import", folder, ...lists);
  const visits = writeText(temp.path, "visits", "0\t1700000000\t1600000000\n2\t1750000000\n");
  const tables = await Promise.all(
    [
      ["--tolerance", "0", "--rounds", "9"],
      ["--engine", "duckdb", "--rounds", "9"],
    ].map(async (words, at) => {
      const [into, work] = [join(temp.path, `ranks-${at}`), join(temp.path, `work-${at}`)];
      const options = ["--into", into, "--work", work, "--visits", visits, "--previous", folder, "--now", "2026-01-01"];
      const { code, stderr } = await runProgram("graph", "rank", folder, ...options, ...words);
      assert.deepEqual([code, stderr], [0, ""]);
      return readText(into) + readText(work);
    }),
  );
  const rounded = tables.map((table) => table.replace(/\d+\.\d+/g, (number) => Number(number).toPrecision(10)));
  assert.equal(rounded[0], rounded[1]);
});

test("graph stats tells what a graph is like, also as a page", async () => {
  using temp = makeTempFolder();
  const folder = join(temp.path, "graph");
  await runProgram("graph", "import", folder, ...lists);
  const page = join(temp.path, "page.html");
  const { code, stdout } = await runProgram("graph", "stats", folder, "--html", page, "--top", "1");
  assert.equal(code, 0);
  assert.equal(
    stdout,
    [
      "4 nodes, 5 links; 25.0 % of nodes have no links",
      "in-degree   mean 1.25, highest 2; no power law",
      "out-degree  mean 1.25, highest 2; no power law",
      "3 strong components, the largest of 2 nodes",
      "bow tie: core 50.0 %, in 25.0 %, out 25.0 %, tubes 0.0 %, tendrils 0.0 %, apart 0.0 %",
      "4 hosts, 5 pairs of them with links; 0.0 % of links stay in their host",
      "",
      "host         nodes  from others  to others",
      "example.com      1            2          2",
      "",
      "in  most linked",
      " 2  com.example",
      "",
    ].join("\n"),
  );
  assert.ok(readText(page).includes("<h1>The graph in graph</h1>"));
  const told = JSON.parse((await runProgram("graph", "stats", folder, "--json")).stdout);
  assert.deepEqual([told.event, told.bowTie.core, told.hosts.count], ["summary", 2, 4]);
});

test("graph import refuses a list with file and line", async () => {
  using temp = makeTempFolder();
  const links = writeText(temp.path, "links", "0 1\n1 one\n");
  const { code, stderr } = await runProgram("graph", "import", join(temp.path, "graph"), "--links", links);
  assert.equal(code, 2);
  assert.ok(stderr.includes(`${links}: line 2 is not made of whole numbers.`), stderr);
});

const wrong: ReadonlyArray<readonly [readonly string[], RegExp]> = [
  [["draw", "dir"], /There is no action "draw"\.\n {2}There are import, export, rank, stats\./],
  [["import", "dir"], /--links is missing: from which list\?/],
  [["export", "dir"], /--links is missing: to which file\?/],
  [["import"], /dir is missing/],
  [["rank", "dir", "--links", "x"], /--links is not for graph rank/],
  [["export", "dir", "--links", "x", "--site", "x"], /--site is not for graph export/],
  [["rank", "dir", "--master", "local"], /--master is for --engine spark only/],
  [["rank", "dir", "--engine", "duckdb", "--spark-sql", "x"], /--spark-sql is for --engine spark only/],
  [["rank", "dir", "--scratch", "x"], /--scratch has no effect without --engine/],
  [["rank", "dir", "--engine", "duckdb", "--site", "a.example"], /--site is not for --engine/],
  [["rank", "dir", "--engine", "spark", "--threads", "2"], /--threads is not for --engine/],
  [["rank", "dir", "--engine", "duckdb", "--memory", "2"], /--memory is not for --engine/],
  [["rank", "dir", "--harmonic", "exact", "--memory", "2"], /--memory is not for --harmonic/],
  [["rank", "dir", "--engine", "hive"], /--engine "hive": not one of duckdb, spark/],
  [["rank", "dir", "--count", "5"], /--count has no effect without --work/],
  [["rank", "dir", "--damping", "1"], /--damping "1": not a number from 0 to 0\.999999/],
];

for (const [words, message] of wrong) {
  test(`graph ${words.join(" ")} is refused`, async () => {
    const { code, stderr } = await runProgram("graph", ...words);
    assert.equal(code, 2);
    assert.match(stderr, message);
  });
}
