import assert from "node:assert/strict";
import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeMissingFolder } from "../../src/fs/missing-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";

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
