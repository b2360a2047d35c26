import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { writeTextFile } from "../../src/fs/text-file.ts";
import { makeTempFolder } from "../temp-folder.ts";

test("a text file is replaced whole, or not at all, and nothing is left beside it", async () => {
  using folder = makeTempFolder();
  const file = join(folder.path, "a.prom");
  await writeTextFile(file, "one", { overwrite: false });
  await assert.rejects(writeTextFile(file, "two", { overwrite: false }), { code: "bad-option", hint: /--force/ });
  assert.equal(readFileSync(file, "utf8"), "one");
  const { ino } = statSync(file);
  await writeTextFile(file, "three", { overwrite: true });
  assert.equal(readFileSync(file, "utf8"), "three");
  assert.notEqual(statSync(file).ino, ino, "readers of the old file keep it");
  assert.equal(statSync(file).mode & 0o444, 0o444);
  assert.deepEqual(readdirSync(folder.path), ["a.prom"]);
});

test("what cannot be written says so, and leaves nothing", async () => {
  using folder = makeTempFolder();
  await assert.rejects(writeTextFile(join(folder.path, "none/a"), "x", { overwrite: true }), { code: "not-found" });
  mkdirSync(join(folder.path, "taken"));
  writeFileSync(join(folder.path, "taken/b"), "");
  await assert.rejects(writeTextFile(join(folder.path, "taken"), "x", { overwrite: true }));
  assert.deepEqual(readdirSync(folder.path), ["taken"]);
});
