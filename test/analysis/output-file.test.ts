import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createReadStream, lstatSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { exportGraph } from "../../src/analysis/export-graph.ts";
import { linksFileOf, ownFilesOf, readGraph } from "../../src/analysis/graph-folder.ts";
import { rankGraph } from "../../src/analysis/rank-graph.ts";
import { linksOf } from "../graph/slow-graph.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { importText, readText, writeText } from "./graph-files.ts";

const work = (file: string) => ({ file, count: 1, nowSeconds: 0 });

test("an output goes to where a symbolic link leads, and the link stays", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, "0 1\n");
  const file = writeText(temp.path, "list", "before");
  const link = join(temp.path, "link");
  symlinkSync(file, link);
  await exportGraph({ folder, links: link });
  assert.equal(readText(file), "0\t1\n");
  assert.ok(lstatSync(link).isSymbolicLink());
});

test("a device and a pipe are written to, not replaced", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, "0 1\n");
  // A link, lest code that is wrong takes away the machine's own.
  const device = join(temp.path, "null");
  symlinkSync("/dev/null", device);
  await exportGraph({ folder, links: device });
  await rankGraph({ folder, threads: 1, work: work(device) });
  assert.ok(lstatSync(device).isSymbolicLink());
  const pipe = join(temp.path, "pipe");
  execFileSync("mkfifo", [pipe]);
  const [read] = await Promise.all([text(createReadStream(pipe)), exportGraph({ folder, links: pipe })]);
  assert.equal(read, "0\t1\n");
  assert.ok(lstatSync(pipe).isFIFO());
});

test("a folder and a link that leads nowhere are refused before anything is written", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, "0 1\n", "0\ta\n1\tb\n");
  const [other, link, names] = [join(temp.path, "folder"), join(temp.path, "link"), join(temp.path, "out")];
  mkdirSync(other);
  symlinkSync("nowhere", link);
  const before = readdirSync(temp.path);
  await assert.rejects(exportGraph({ folder, names, links: other }), { code: "bad-option", message: /is no file/ });
  await assert.rejects(exportGraph({ folder, links: names, names: link }), {
    code: "bad-option",
    message: /is a symbolic link that leads nowhere/,
  });
  assert.deepEqual(readdirSync(temp.path), before);
});

test("an output is no file of the graph, nor of the one before, whether it is there or not, by any path", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, "0 1\n", "0\ta\n1\tb\n");
  const [alias, link] = [join(temp.path, "alias"), join(temp.path, "link")];
  symlinkSync(folder, alias);
  symlinkSync(linksFileOf(folder), link);
  mkdirSync(join(folder, "previous"));
  const before = readdirSync(folder);
  for (const file of [...ownFilesOf(folder), ...ownFilesOf(alias), link]) {
    const refusal = { code: "bad-option", message: /is a file of the graph itself/ };
    await assert.rejects(exportGraph({ folder, links: file }), refusal, basename(file));
    await assert.rejects(rankGraph({ folder, into: file }), refusal, basename(file));
    const ofPrevious = { ...work(file), previous: folder };
    await assert.rejects(rankGraph({ folder: join(temp.path, "other"), work: ofPrevious }), refusal, basename(file));
  }
  assert.deepEqual(readdirSync(folder), before);
  assert.deepEqual(linksOf(await readGraph(folder)), [[0, 1]]);
});

test("one file is not two outputs, nor an output and a list of visits", async () => {
  using temp = makeTempFolder();
  const folder = await importText(temp.path, "0 1\n", "0\ta\n1\tb\n");
  const file = join(temp.path, "list");
  const same = `${temp.path}/./list`;
  const refusal = { code: "bad-option", message: /list is given twice/ };
  await assert.rejects(exportGraph({ folder, links: file, names: same }), refusal);
  await assert.rejects(rankGraph({ folder, into: file, work: work(same) }), refusal);
  writeText(temp.path, "list", "0\t1\n");
  await assert.rejects(rankGraph({ folder, work: { ...work(same), visits: file } }), refusal);
  assert.equal(readText(file), "0\t1\n");
});
