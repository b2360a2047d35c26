import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { importInto } from "../../src/analysis/begun-import.ts";
import { namesFileOf, ownFilesOf, readGraph } from "../../src/analysis/graph-folder.ts";
import { importCrawl } from "../../src/analysis/import-crawl.ts";
import { importGraph } from "../../src/analysis/import-graph.ts";
import { linksOf } from "../graph/slow-graph.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { importText, readText, writeText } from "./graph-files.ts";

function writeCrawl(folder: string): string {
  mkdirSync(join(folder, "links"), { recursive: true });
  writeText(join(folder, "links"), "20261125-000001.tsv.gz", "7\thttp://a.example/\thttp://b.example/\n");
  return folder;
}

/** What a kill leaves of an import that had written all but its links. @returns the graph's folder */
async function leaveKilled(folder: string): Promise<string> {
  const [into, killed] = [join(folder, "whole"), join(folder, "killed")];
  await importInto(into, [], async (target) => {
    for (const file of ownFilesOf(into).filter((one) => one !== target)) {
      mkdirSync(dirname(file), { recursive: true });
      writeText(dirname(file), basename(file), "old");
    }
    cpSync(into, killed, { recursive: true });
  });
  rmSync(join(killed, ".tidemark.lock"));
  return killed;
}

for (const name of ["names.txt.gz", "anchors.tsv.gz", "visits.tsv", "previous/notes.txt", "dangling"]) {
  test(`an import leaves a folder alone that has ${name} of somebody else`, async () => {
    using temp = makeTempFolder();
    const into = join(temp.path, "graph");
    const isLink = name === "dangling";
    mkdirSync(dirname(join(into, name)), { recursive: true });
    if (isLink) symlinkSync("nowhere", namesFileOf(into));
    else writeText(into, name, "mine");
    const before = readdirSync(into, { recursive: true });
    const refusal = { code: "bad-option", message: /is there already, and a graph would replace it/ };
    const links = writeText(temp.path, "links.txt", "0 1\n");
    await assert.rejects(importGraph({ into, links }), refusal);
    await assert.rejects(importCrawl({ into, crawl: writeCrawl(temp.path) }), refusal);
    assert.deepEqual(readdirSync(into, { recursive: true }), before);
    if (!isLink) assert.equal(readText(join(into, name)), "mine");
  });
}

test("an import that was killed is run again, and takes away what it had written, but nothing of others", async () => {
  using temp = makeTempFolder();
  const into = await leaveKilled(temp.path);
  assert.ok(existsSync(namesFileOf(into)));
  writeText(join(into, "previous"), "notes.txt", "mine");
  const links = writeText(temp.path, "links.txt", "0 1\n");
  await importGraph({ into, links });
  assert.deepEqual(linksOf(await readGraph(into)), [[0, 1]]);
  assert.deepEqual(readdirSync(into, { recursive: true }).sort(), ["links.csr", "previous", "previous/notes.txt"]);
});

test("a folder of links that was killed is made of a crawl, without the graph before", async () => {
  using temp = makeTempFolder();
  const into = await leaveKilled(temp.path);
  await importCrawl({ into, crawl: writeCrawl(temp.path) });
  assert.deepEqual(readdirSync(into).sort(), ["links.csr", "names.txt.gz", "visits.tsv"]);
  assert.equal(readText(join(into, "visits.tsv")), "0\t7\n");
});

test("an import whose lists are not there removes nothing", async () => {
  using temp = makeTempFolder();
  const into = await leaveKilled(temp.path);
  const before = readdirSync(into, { recursive: true });
  const [links, none] = [writeText(temp.path, "links.txt", "0 1\n"), join(temp.path, "none")];
  await assert.rejects(importGraph({ into, links, names: none }), { code: "not-found" });
  await assert.rejects(importGraph({ into, links: none }), { code: "not-found" });
  await assert.rejects(importCrawl({ into, crawl: none }), { code: "not-found" });
  assert.deepEqual(readdirSync(into, { recursive: true }), before);
});

test("an import that fails leaves the folder as it was", async () => {
  using temp = makeTempFolder();
  await assert.rejects(importText(temp.path, "0 x\n", "0\ta\n"), { code: "bad-option" });
  assert.deepEqual(readdirSync(join(temp.path, "graph")), []);
});
