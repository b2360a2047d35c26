import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { bytesPerSlice, FileDigester } from "../../../src/exporter/digest/file-digest.ts";
import type { ScannedFile } from "../../../src/exporter/walk/scanned-file.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const scanned = (location: string): ScannedFile => ({
  path: "/a.html",
  location,
  sizeBytes: 0,
  mtimeUs: 0,
  ctimeUs: 0,
  mediaType: "text/html",
});

/** Runs `act` after the read of this number, counted over all attempts, and forgets about it. */
function afterRead(act: (read: number) => void): Disposable {
  const original = fs.readSync;
  let reads = 0;
  fs.readSync = ((...args: Parameters<typeof fs.readSync>) => {
    const length = original(...args);
    reads += 1;
    act(reads);
    return length;
  }) as typeof fs.readSync;
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      fs.readSync = original;
      syncBuiltinESMExports();
    },
  };
}

test("the digest is the beginning of the SHA-256 of the bytes, with the status that belongs to them", () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "a.html");
  for (const sizeBytes of [0, 1, 7, 8, 9, 100_000]) {
    const content = Buffer.alloc(sizeBytes, "abc");
    writeFileSync(path, content);
    utimesSync(path, 1_000_000_000.5, 1_000_000_000.5);
    const result = new FileDigester({ bufferBytes: 8 }).digest(scanned(path));
    assert.ok(result.kind === "digested");
    assert.equal(result.digest, createHash("sha256").update(content).digest().subarray(0, 8).toString("base64url"));
    assert.equal(result.sizeBytes, sizeBytes);
    assert.equal(result.mtimeUs, 1_000_000_000_500_000);
    assert.equal(result.ctimeUs, Math.floor(statSync(path).ctimeMs * 1000));
  }
});

for (const [what, before, after, setsTime] of [
  ["is written to", "old old old old!", "new new new new!", false],
  ["grows and is given its old time", "12345678", "12345678 and more", true],
] as const) {
  test(`a file that ${what} once while it is read is read again`, () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "a.html");
    writeFileSync(path, before);
    utimesSync(path, 1_000_000_000, 1_000_000_000);
    using _hook = afterRead((read) => {
      if (read !== 1) return;
      writeFileSync(path, after);
      if (setsTime) utimesSync(path, 1_000_000_000, 1_000_000_000);
    });
    const result = new FileDigester({ bufferBytes: 4 }).digest(scanned(path));
    assert.ok(result.kind === "digested");
    assert.equal(result.digest, createHash("sha256").update(after).digest().subarray(0, 8).toString("base64url"));
    assert.equal(result.sizeBytes, after.length);
  });
}

test("a page that asks not to be indexed is seen in small reads, and again when it is read again", () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "a.html");
  const noindex = "<head><meta name=robots content=noindex>";
  const digester = new FileDigester({ bufferBytes: 16, findsNoindex: true });
  writeFileSync(path, noindex);
  assert.deepEqual(digester.digest(scanned(path)), { kind: "noindex" });
  assert.equal(new FileDigester({ bufferBytes: 16 }).digest(scanned(path)).kind, "digested", "nobody asked");
  assert.equal(digester.digest({ ...scanned(path), mediaType: "text/plain" }).kind, "digested", "no HTML");
  writeFileSync(path, `<script src="a.js"/>${noindex}`);
  const asXml = { ...scanned(path), mediaType: "application/xhtml+xml" };
  assert.deepEqual(digester.digest(asXml), { kind: "noindex" }, "an empty script of XHTML");
  writeFileSync(path, "<p>welcome");
  // The only read of the first attempt has been looked at; then the page becomes another.
  using _hook = afterRead((read) => {
    if (read === 1) writeFileSync(path, noindex);
  });
  assert.deepEqual(digester.digest(scanned(path)), { kind: "noindex" });
});

test("a file that is written to each time is unstable", () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "a.html");
  writeFileSync(path, "0");
  using _hook = afterRead((read) => writeFileSync(path, "x".repeat(read + 1)));
  assert.deepEqual(new FileDigester({ bufferBytes: 4 }).digest(scanned(path)), { kind: "unstable" });
});

test("what is no file any more has vanished, and a pipe does not block", () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "a.html");
  const digester = new FileDigester();
  assert.deepEqual(digester.digest(scanned(path)), { kind: "vanished" });
  assert.deepEqual(digester.digest(scanned(join(path, "below"))), { kind: "vanished" });
  mkdirSync(path);
  assert.deepEqual(digester.digest(scanned(path)), { kind: "vanished" });
  rmSync(path, { recursive: true });
  execFileSync("mkfifo", [path]);
  assert.deepEqual(digester.digest(scanned(path)), { kind: "vanished" });
});

test("a file without permission is unreadable", { skip: process.getuid?.() === 0 && "root may read all" }, () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "a.html");
  writeFileSync(path, "");
  chmodSync(path, 0);
  const result = new FileDigester().digest(scanned(path));
  assert.ok(result.kind === "unreadable" && result.code === "EACCES");
});

test("a file that has other bytes than its size says is unstable", { skip: !existsSync("/proc/self/stat") }, () => {
  assert.deepEqual(new FileDigester().digest(scanned("/proc/self/stat")), { kind: "unstable" });
});

test("a link that took the file's place is not followed, and unreadable with the system's word for it", () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "a.html");
  symlinkSync("/etc/passwd", path);
  const result = new FileDigester().digest(scanned(path));
  assert.ok(result.kind === "unreadable" && result.code === "ELOOP");
});

test("a large file is read in turns, and a turn may end it", async () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "a.html");
  writeFileSync(path, "");
  truncateSync(path, 2.5 * bytesPerSlice);
  const digester = new FileDigester();
  let turns = 0;
  const inTurns = await digester.digestInSlices(scanned(path), async () => {
    turns += 1;
  });
  assert.equal(turns, 2);
  assert.deepEqual(inTurns, digester.digest(scanned(path)));
  const openFiles = () => readdirSync("/proc/self/fd").length;
  const before = openFiles();
  const stopped = digester.digestInSlices(scanned(path), () => Promise.reject(new Error("stop")));
  await assert.rejects(stopped, /stop/);
  assert.equal(openFiles(), before);
});
