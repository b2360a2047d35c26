import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { exportGraph } from "../../src/analysis/export-graph.ts";
import { readGraph } from "../../src/analysis/graph-folder.ts";
import { readNames } from "../../src/analysis/node-rows.ts";
import { linksOf } from "../graph/slow-graph.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { importText, readText, writeText } from "./graph-files.ts";

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
  assert.deepEqual(found, linksOf(await readGraph(folder)));
  const sizes = await read(
    `SELECT COUNT(*), MIN(name), MAX(id) FROM read_parquet('${named}') WHERE name = concat('org.example.\u00e9', id)`,
  );
  assert.deepEqual(sizes, [[BigInt(nodes), "org.example.\u00e90", nodes - 1]]);
  const bare = join(temp.path, "bare");
  mkdirSync(bare);
  await exportGraph({ folder: await importText(bare, "", "0\torg.example\n"), links });
  assert.deepEqual(await read(`SELECT COUNT(source + target) FROM read_parquet('${links}')`), [[0n]]);
  const texts = Array.from({ length: 70_000 }, (_, at) => `${at >> 4}\t${at % 7}\tthe text \u00e9${at}\n`);
  writeText(folder, "anchors.tsv.gz", texts.join(""));
  const anchors = join(temp.path, "anchors.parquet");
  await exportGraph({ folder, anchors });
  const rows = `FROM read_parquet('${anchors}') WHERE text = concat('the text \u00e9', 16 * target + file_row_number % 16)`;
  assert.deepEqual(await read(`SELECT COUNT(*) ${rows} AND source = file_row_number % 7`), [[70_000n]]);
  connection.closeSync();
});

test("names of nodes of high numbers are exported and found like all others", async () => {
  using temp = makeTempFolder("high-nodes");
  const [nodes, last] = [70_000_001, 70_000_000];
  writeText(temp.path, "names.txt.gz", `7\torg.example\n${last}\torg.example.www\n`);
  const head = Buffer.alloc(16);
  head.write("tmgraph1");
  head.writeUInt32LE(nodes, 8);
  const links = writeText(temp.path, "links.csr", head);
  // Without links all offsets are 0, which a file with a hole is as well.
  truncateSync(links, 16 + 4 * (nodes + 1) + 4);
  assert.deepEqual([...(await readNames(temp.path, new Set([last])))], [[last, "org.example.www"]]);
  const named = join(temp.path, "names.parquet");
  await exportGraph({ folder: temp.path, names: named });
  const connection = await (await DuckDBInstance.create()).connect();
  const found = await connection.runAndReadAll(`SELECT id, name FROM read_parquet('${named}')`);
  assert.deepEqual(found.getRows(), [
    [7, "org.example"],
    [last, "org.example.www"],
  ]);
  connection.closeSync();
});

test("texts of links are exported as they are, and refused where there are none or they are damaged", async () => {
  using temp = makeTempFolder("anchors");
  const folder = await importText(temp.path, "0 1\n", "1\tb\n");
  const anchors = join(temp.path, "out.tsv");
  await assert.rejects(exportGraph({ folder, anchors }), { code: "bad-option" });
  writeText(folder, "anchors.tsv.gz", "1\t0\tx\n1\t0\n");
  await exportGraph({ folder, anchors });
  assert.equal(readText(anchors), "1\t0\tx\n1\t0\n");
  const message = `${join(folder, "anchors.tsv.gz")}: line 2 is no line of texts.`;
  for (const line of ["1\t0", "2\t0\tx", "1\t99999999999\tx", "\n", `1 ${"0".repeat(3_000_000)}`]) {
    writeText(folder, "anchors.tsv.gz", `1\t0\tx\n${line}\n`);
    await assert.rejects(exportGraph({ folder, anchors: `${anchors}.parquet` }), { code: "state-corrupt", message });
  }
  // Of a line without end only the beginning is read: that the file is cut off is not seen.
  const endless = gzipSync(`1\t0\tx\n${randomBytes(2_000_000).toString("hex")}`).subarray(0, -8);
  writeFileSync(join(folder, "anchors.tsv.gz"), endless);
  await assert.rejects(exportGraph({ folder, anchors: `${anchors}.parquet` }), { code: "state-corrupt", message });
});
