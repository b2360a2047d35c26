import assert from "node:assert/strict";
import { chownSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import {
  createDurably,
  removeTemporaries,
  renameDurably,
  renameSynced,
  temporaryName,
  writeDurably,
} from "../../src/fs/durable-file.ts";
import { syncFolder } from "../../src/fs/file-sync.ts";
import { makeTempFolder } from "../temp-folder.ts";

const umask = process.umask();
afterEach(() => process.umask(umask));

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("a file appears whole, with the mode and time asked for, whatever the umask", async () => {
  for (const mask of [0o022, 0o077, 0o777, 0]) {
    using folder = makeTempFolder();
    process.umask(mask);
    const path = join(folder.path, "a");
    await writeDurably(path, Buffer.from("one"));
    assert.equal(modeOf(path), 0o644);
    const { ino } = statSync(path);
    await writeDurably(path, Buffer.from("two"), { mode: 0o640, mtimeSeconds: 1_000_000_000 });
    assert.notEqual(statSync(path).ino, ino, "who reads the old file keeps it");
    assert.equal(modeOf(path), 0o640);
    assert.equal(statSync(path).mtimeMs, 1_000_000_000_000);
    assert.equal(readFileSync(path, "utf8"), "two");
    assert.deepEqual(readdirSync(folder.path), ["a"]);
  }
});

test("a file is made only where nothing has its name", async () => {
  using folder = makeTempFolder();
  process.umask(0o077);
  const path = join(folder.path, "a");
  assert.equal(await createDurably(path, Buffer.from("one")), true);
  assert.equal(await createDurably(path, Buffer.from("two")), false);
  assert.deepEqual([readFileSync(path, "utf8"), modeOf(path)], ["one", 0o644]);
  symlinkSync("/nonexistent/file", join(folder.path, "link"));
  assert.equal(await createDurably(join(folder.path, "link"), Buffer.from("two")), false);
  assert.deepEqual(readdirSync(folder.path).sort(), ["a", "link"]);
  await assert.rejects(createDurably(join(folder.path, "none/a"), Buffer.from("one")), { code: "not-found" });
});

test("a file that cannot be written leaves the old one and nothing beside it", async () => {
  using folder = makeTempFolder();
  mkdirSync(join(folder.path, "a"));
  writeFileSync(join(folder.path, "a/b"), "");
  await assert.rejects(writeDurably(join(folder.path, "a"), Buffer.from("x")), { code: "io" });
  await assert.rejects(writeDurably(join(folder.path, "none/a"), Buffer.from("x")), { code: "not-found" });
  await assert.rejects(writeDurably(join(folder.path, "a/b/c"), Buffer.from("x")), { code: "not-a-folder" });
  assert.deepEqual(readdirSync(folder.path), ["a"]);
});

test("a file is given to its former owner where that is allowed", async () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "a");
  const owner = process.getuid?.() === 0 ? { uid: 12_345, gid: 23_456 } : { uid: 0, gid: 0 };
  await writeDurably(path, Buffer.from("x"), { owner, mode: 0o640 });
  const { uid, gid } = statSync(path);
  assert.deepEqual(
    { uid, gid },
    process.getuid?.() === 0 ? owner : { uid: process.getuid?.(), gid: process.getgid?.() },
  );
  assert.equal(modeOf(path), 0o640);
  if (process.getuid?.() === 0) chownSync(path, 0, 0);
});

test("only what a killed run left half-written is removed", async () => {
  using folder = makeTempFolder();
  const own = temporaryName(join(folder.path, "index.gz"));
  const others = [".tidemark-x-1.tmp", "tidemark-1-1.tmp", ".tidemark-1-1.tmp.html", ".tidemark", "index.gz"];
  for (const path of [own, ...others.map((name) => join(folder.path, name))]) writeFileSync(path, "");
  symlinkSync("index.gz", join(folder.path, ".tidemark-7-7.tmp"));
  await removeTemporaries(folder.path);
  assert.deepEqual(readdirSync(folder.path).sort(), [...others].sort());
  await removeTemporaries(join(folder.path, "none"));
});

test("a folder can be synced, and one that is not there is an error", async () => {
  using folder = makeTempFolder();
  await syncFolder(folder.path);
  await assert.rejects(syncFolder(join(folder.path, "none")), { code: "not-found" });
});

test("what a killed process of the same number left stops nobody: in a container each has the number of the last", async () => {
  using folder = makeTempFolder();
  for (let serial = 0; serial < 100; serial++)
    writeFileSync(join(folder.path, `.tidemark-${process.pid}-${serial}.tmp`), "");
  await writeDurably(join(folder.path, "a"), "new");
  assert.equal(readFileSync(join(folder.path, "a"), "utf8"), "new");
  assert.equal(await createDurably(join(folder.path, "b"), "new"), true);
});

test("as the user's own a file is readable as the umask says", async () => {
  using folder = makeTempFolder();
  process.umask(0o077);
  await writeDurably(join(folder.path, "a"), "x", { mode: "user" });
  assert.equal(modeOf(join(folder.path, "a")), 0o600);
});

test("a file that was written in pieces takes its name whole, and stays where it was if it cannot", async () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "a");
  const temporary = temporaryName(path);
  writeFileSync(temporary, "new", { mode: 0o600 });
  await renameDurably(temporary, path, 0o644);
  assert.deepEqual([readFileSync(path, "utf8"), modeOf(path), readdirSync(folder.path)], ["new", 0o644, ["a"]]);
  mkdirSync(join(folder.path, "taken/in"), { recursive: true });
  await assert.rejects(renameDurably(path, join(folder.path, "taken")), { code: "io" });
  assert.throws(() => renameSynced(path, join(folder.path, "taken")), { code: "io", message: /write .*taken: / });
  assert.equal(readFileSync(path, "utf8"), "new");
  renameSynced(path, join(folder.path, "b"));
  assert.equal(readFileSync(join(folder.path, "b"), "utf8"), "new");
});
