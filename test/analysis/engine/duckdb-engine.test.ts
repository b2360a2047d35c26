import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DuckDbEngine } from "../../../src/analysis/engine/duckdb-engine.ts";
import { graphScript } from "../../../src/analysis/engine/graph-sql.ts";
import { pathLiteral } from "../../../src/analysis/engine/literal.ts";
import { SparkEngine } from "../../../src/analysis/engine/spark-engine.ts";
import { computeByEngine } from "../../../src/analysis/engine-columns.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { importText } from "../graph-files.ts";
import { describeEngine } from "./engine-contract.ts";

describeEngine("DuckDB", () => new DuckDbEngine());

const scriptOptions = {
  ...{ nodes: 2, links: "/a", previous: "/b", visits: "/c" },
  ...{ damping: 0.85, rounds: 1, nowSeconds: 1, crawlSeconds: 1 },
};
const script = graphScript(scriptOptions);

test("without its package DuckDB says how to install it", async () => {
  const engine = new DuckDbEngine(() => Promise.reject(new Error("Cannot find package '@duckdb/node-api'")));
  await assert.rejects(engine.run(script, "/nowhere").next(), {
    code: "not-found",
    hint: /npm install @duckdb\/node-api/,
  });
});

test("without its program Spark says how to install it", async () => {
  using temp = makeTempFolder();
  const engine = new SparkEngine({ program: "no-such-spark-sql", master: "local", partitions: 1 });
  await assert.rejects(engine.run(script, temp.path).next(), { code: "not-found", hint: /pip install pyspark/ });
});

test("Spark's program and the folder for its files may be relative paths", async () => {
  using temp = makeTempFolder();
  await importText(temp.path, "0 1\n");
  const program = join(temp.path, "spark-sql");
  const rows = "0\\t0\\t1\\t0.4\\t0\\n1\\t1\\t0\\t0.6\\t1\\n";
  writeFileSync(program, `#!/bin/sh\ntest -f "$3" || exit 3\nmkdir rows\nprintf '${rows}' >rows/part-0\n`, {
    mode: 0o755,
  });
  const engine = new SparkEngine({ program: "./spark-sql", master: "local", partitions: 1 });
  const before = process.cwd();
  process.chdir(temp.path);
  try {
    const graph = { ...options, folder: "graph", nodes: 2, signal: undefined, scratch: "." };
    assert.deepEqual([...(await computeByEngine(engine, graph)).ranks], [0.4, 0.6]);
  } finally {
    process.chdir(before);
  }
});

test("a program that fails is told with its own words", async () => {
  using temp = makeTempFolder();
  const engine = new SparkEngine({ program: "false", master: "local", partitions: 1 });
  await assert.rejects(engine.run(script, temp.path).next(), {
    code: "io",
    message: /ended with code 1: it said nothing/,
  });
});

const options = {
  ...{ damping: 0.85, rounds: 1, nowSeconds: 1, crawlSeconds: 1, previous: undefined, scratch: undefined },
  visits: { latest: Float64Array.of(Number.NaN, Number.NaN), earlier: Float64Array.of(Number.NaN, Number.NaN) },
};

for (const [what, rows, message] of [
  ["fewer nodes", [[0, 1, 1, 0.5, 1]], /gave 1 of 2 nodes/],
  ["a node that is none", [[2, 1, 1, 0.5, 1]], /gave a node 2 of 2/],
  ["no node", [[null, 1, 1, 0.5, 1]], /gave a node -1 of 2/],
] as const) {
  test(`an engine that gives ${what} is not believed`, async () => {
    using temp = makeTempFolder();
    const folder = await importText(temp.path, "0 1\n");
    async function* run(): AsyncGenerator<ReadonlyArray<number | null>, void, void> {
      yield* rows;
    }
    const computed = computeByEngine({ run }, { ...options, folder, nodes: 2, signal: undefined });
    await assert.rejects(computed, { code: "io", message });
  });
}

test("an engine is stopped", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, "0 1\n");
  const signal = AbortSignal.abort();
  const computed = computeByEngine(new DuckDbEngine(), { ...options, folder, nodes: 2, signal });
  await assert.rejects(
    computed,
    (error: Error & { code?: string }) => error.name === "AbortError" || error.code === "aborted",
  );
});

test("paths with what the dialects write differently are refused, and a missing folder is told", async () => {
  assert.equal(pathLiteral("/a b/c"), "'/a b/c'");
  for (const path of ["/it's", "/a\\b"]) assert.throws(() => pathLiteral(path), { code: "bad-option" });
  using temp = makeTempFolder();
  const engine = new DuckDbEngine();
  const apostrophe = graphScript({ ...scriptOptions, links: "/it's" });
  await assert.rejects(engine.run(apostrophe, temp.path).next(), { code: "bad-option", hint: /--scratch/ });
  const folder = await importText(temp.path, "0 1\n");
  const scratch = `${temp.path}/none`;
  const computed = computeByEngine(new DuckDbEngine(), { ...options, folder, nodes: 2, scratch, signal: undefined });
  await assert.rejects(computed, { code: "not-found" });
});
