import assert from "node:assert/strict";
import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { makeFolder, makeMissingFolder } from "../../src/fs/folder.ts";
import { makeTempFolder } from "../temp-folder.ts";

const umask = process.umask();
afterEach(() => process.umask(umask));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("a folder and those above it are made, also behind a link, and one that is there is left as it is", () => {
  using temp = makeTempFolder();
  mkdirSync(join(temp.path, "there"));
  symlinkSync("there", join(temp.path, "link"));
  makeMissingFolder(join(temp.path, "link/a/b"));
  makeMissingFolder(join(temp.path, "link/a/b"));
  makeMissingFolder(join(temp.path, "link"));
  assert.ok(statSync(join(temp.path, "there/a/b")).isDirectory());
});

for (const [name, error] of Object.entries({ "file/a": "ENOTDIR", "file/a/b": "ENOTDIR", file: "EEXIST" }))
  test(`of a file where a folder is wanted it is told what the system said of making one: ${name}`, () => {
    using temp = makeTempFolder();
    writeFileSync(join(temp.path, "file"), "");
    assert.throws(() => makeMissingFolder(join(temp.path, name)), { code: error, syscall: "mkdir" });
  });

test("folders are made so that the server may enter, and those of others are left alone", () => {
  for (const mask of [0o022, 0o077]) {
    using folder = makeTempFolder();
    mkdirSync(join(folder.path, "old"), { mode: 0o750 });
    process.umask(mask);
    const before = modeOf(join(folder.path, "old"));
    makeFolder(join(folder.path, "old/new/newer"), 0o755);
    assert.equal(modeOf(join(folder.path, "old")), before);
    assert.equal(modeOf(join(folder.path, "old/new")), 0o755);
    assert.equal(modeOf(join(folder.path, "old/new/newer")), 0o755);
    makeFolder(join(folder.path, "old/new/newer"), 0o700);
    assert.equal(modeOf(join(folder.path, "old/new/newer")), 0o755);
  }
});

test("a folder in the place of which a file stands says so", () => {
  using folder = makeTempFolder();
  writeFileSync(join(folder.path, "file"), "");
  assert.throws(() => makeFolder(join(folder.path, "file"), 0o755), { code: "not-a-folder" });
  assert.throws(() => makeFolder(join(folder.path, "file/below"), 0o755), { code: "not-a-folder" });
});
