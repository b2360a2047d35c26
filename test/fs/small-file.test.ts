import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readAtMost, readSideFile, writeSideFile, writeTextFile } from "../../src/fs/small-file.ts";
import { makeTempFolder } from "../temp-folder.ts";

test("a text file is replaced only if that is wanted, and nothing is left beside it", async () => {
  using folder = makeTempFolder();
  const file = join(folder.path, "a.prom");
  await writeTextFile(file, "one", { overwrite: false });
  await assert.rejects(writeTextFile(file, "two", { overwrite: false }), { code: "bad-option", hint: /--force/ });
  assert.equal(readFileSync(file, "utf8"), "one");
  await writeTextFile(file, "three", { overwrite: true });
  assert.equal(readFileSync(file, "utf8"), "three");
  assert.equal(statSync(file).mode & 0o444, 0o444);
  await assert.rejects(writeTextFile(join(folder.path, "none/a"), "x", { overwrite: true }), { code: "not-found" });
  assert.deepEqual(readdirSync(folder.path), ["a.prom"]);
});

test("what is read is bounded, whatever size the file claims", async () => {
  using folder = makeTempFolder();
  const file = join(folder.path, "a");
  writeFileSync(file, "0123456789");
  for (const [bytes, text] of [
    [4, "0123"],
    [10, "0123456789"],
    [11, "0123456789"],
  ] as const)
    assert.equal(Buffer.from(await readAtMost(file, bytes, "it")).toString(), text);
  assert.equal((await readAtMost("/dev/zero", 200_000, "it")).length, 200_000);
  const gone = { code: "not-found", message: /read the list .*none/ };
  await assert.rejects(readAtMost(join(folder.path, "none"), 10, "the list"), gone);
});

test("a side file is neither a link nor a device, nor longer than allowed", () => {
  using folder = makeTempFolder();
  const file = join(folder.path, "made/a");
  assert.equal(readSideFile(file, 3), "missing");
  writeSideFile(file, "one");
  assert.deepEqual(readSideFile(file, 3), { text: "one" });
  assert.equal(readSideFile(file, 2), "too-long");
  symlinkSync("a", join(folder.path, "made/link"));
  for (const path of [join(folder.path, "made/link"), folder.path, "/dev/null"])
    assert.equal(readSideFile(path, 3), "no-file");
});
