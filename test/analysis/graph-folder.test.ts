import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { test } from "node:test";
import { blockBytes, LinksFile, linksFileOf, linksHeadBytes, readGraph } from "../../src/analysis/graph-folder.ts";
import { LinksWriter } from "../../src/analysis/links-writer.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { abortAfter } from "./abort-after.ts";

/** Offsets of two blocks, and targets of three. */
async function writeBlocks(folder: string): Promise<void> {
  const nodes = 300_000;
  using writer = new LinksWriter(folder, nodes);
  for (let node = 0; node < nodes; node++) for (const to of [0, 1]) writer.add(node, to);
  await writer.finish(linksFileOf(folder));
}

test("reading a graph can be stopped at each block: of offsets, of targets, and of rows that are checked", async () => {
  using temp = makeTempFolder("blocks");
  await writeBlocks(temp.path);
  for (let turns = 1; turns <= 2 + 3 + 2; turns++)
    await assert.rejects(readGraph(temp.path, abortAfter(turns)), { code: "aborted" }, `after ${turns}`);
  assert.equal((await readGraph(temp.path, new AbortController().signal)).nodes, 300_000);
});

test("reading checked blocks can be stopped at each block", async () => {
  using temp = makeTempFolder("blocks");
  await writeBlocks(temp.path);
  using file = new LinksFile(temp.path);
  const readBlocks = async (turns: number): Promise<void> => {
    for await (const _ of file.checkedBlocks(abortAfter(turns)));
  };
  for (let turns = 1; turns <= 2 + 3; turns++)
    await assert.rejects(readBlocks(turns), { code: "aborted" }, `after ${turns}`);
});

test("reading that is to stop reads one block at most", async () => {
  using temp = makeTempFolder("blocks");
  await writeBlocks(temp.path);
  using file = new LinksFile(temp.path);
  truncateSync(linksFileOf(temp.path), linksHeadBytes + blockBytes);
  const stopped = AbortSignal.abort();
  await assert.rejects(file.readGraph(stopped), { code: "aborted" });
  await assert.rejects(file.checkedBlocks(stopped).next(), { code: "aborted" });
  await assert.rejects(file.readGraph(undefined), { code: "state-corrupt", message: /cut off/ });
});
