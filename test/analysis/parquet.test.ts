import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { exportGraph } from "../../src/analysis/export-graph.ts";
import { readGraph } from "../../src/analysis/graph-folder.ts";
import { linksOf } from "../graph/slow-graph.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { importText } from "./graph-files.ts";

test("an export to Parquet is what DuckDB reads of it, over several groups of rows", { timeout: 60_000 }, async () => {
  using temp = makeTempFolder("parquet");
  const nodes = 70_000;
  const lines = Array.from({ length: 300_000 }, (_, at) => `${(at * 17) % nodes}\t${(at * at) % nodes}\n`);
  const names = Array.from({ length: nodes }, (_, node) => `${node}\torg.example.\u00e9${node}\n`);
  const folder = await importText(temp.path, lines.join(""), names.join(""));
  const [links, named] = [join(temp.path, "links.parquet"), join(temp.path, "names.parquet")];
  await exportGraph({ folder, links, names: named });
  const connection = await (await DuckDBInstance.create()).connect();
  const read = async (sql: string): Promise<unknown[][]> => (await connection.runAndReadAll(sql)).getRows();
  const found = await read(`SELECT source, target FROM read_parquet('${links}')`);
  assert.deepEqual(found, linksOf(readGraph(folder)));
  const sizes = await read(
    `SELECT COUNT(*), MIN(name), MAX(id) FROM read_parquet('${named}') WHERE name = concat('org.example.\u00e9', id)`,
  );
  assert.deepEqual(sizes, [[BigInt(nodes), "org.example.\u00e90", nodes - 1]]);
  const bare = join(temp.path, "bare");
  mkdirSync(bare);
  await exportGraph({ folder: await importText(bare, "", "0\torg.example\n"), links });
  assert.deepEqual(await read(`SELECT COUNT(source + target) FROM read_parquet('${links}')`), [[0n]]);
  connection.closeSync();
});
