import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TidemarkError } from "../../../src/core/error.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { listenIn } from "../../unix-socket.ts";
import { stranger, walkAll } from "./walked.ts";

test("permission bits decide what a reader may read, also for an exporter who may read all", async () => {
  using folder = makeTempFolder();
  const modes = { "all.html": 0o644, "group.html": 0o640, "owner.html": 0o600, "odd.html": 0o004, "none.html": 0 };
  for (const [name, mode] of Object.entries(modes)) {
    writeFileSync(join(folder.path, name), "");
    chmodSync(join(folder.path, name), mode);
  }
  for (const [name, mode] of [
    ["open", 0o755],
    ["enter-only", 0o711],
    ["list-only", 0o744],
    ["closed", 0o700],
  ] as const) {
    mkdirSync(join(folder.path, name));
    writeFileSync(join(folder.path, name, "page.html"), "");
    chmodSync(join(folder.path, name), mode);
  }
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  const seenBy = async (reader: { uid: number; gids: ReadonlySet<number> }) => {
    const { paths, withheld } = await walkAll(folder.path, { reader });
    for (const rule of Object.values(withheld)) assert.equal(rule, "unreadable");
    return paths.map((path) => path.slice(1));
  };
  assert.deepEqual(await seenBy(stranger), ["all.html", "enter-only/page.html", "odd.html", "open/page.html"]);
  // POSIX.1 section 4.7: the owner's bits decide for the owner, even where others may more.
  assert.ok(!(await seenBy({ uid: uid === 0 ? -1 : uid, gids: new Set([gid]) })).includes("odd.html"));
  assert.ok((await seenBy({ uid: -1, gids: new Set([gid]) })).includes("group.html"));
  assert.ok(!(await seenBy({ uid: -1, gids: new Set([gid]) })).includes("owner.html"));
  assert.equal((await seenBy({ uid: 0, gids: new Set() })).length, uid === 0 ? 9 : 5);
});

test("pipes, sockets and devices are no pages", async () => {
  using folder = makeTempFolder();
  execFileSync("mkfifo", [join(folder.path, "pipe.html")]);
  const server = await listenIn(folder.path, "socket.html");
  try {
    symlinkSync("pipe.html", join(folder.path, "link-to-pipe.html"));
    const { paths, withheld } = await walkAll(folder.path);
    assert.deepEqual(paths, []);
    assert.deepEqual(withheld, {
      "/link-to-pipe.html": "not-a-file",
      "/pipe.html": "not-a-file",
      "/socket.html": "not-a-file",
    });
  } finally {
    server.close();
  }
});

test("a folder that vanishes on the way is not there, and no gap", async () => {
  using folder = makeTempFolder();
  for (const name of ["a", "b", "c"]) {
    mkdirSync(join(folder.path, name));
    writeFileSync(join(folder.path, name, "page.html"), "");
  }
  let batches = 0;
  const { paths, gaps, errors } = await walkAll(folder.path, {
    batchSize: 1,
    onBatch: () => {
      if (batches++ === 0) rmSync(join(folder.path, "b"), { recursive: true });
    },
  });
  assert.deepEqual(paths, ["/a/page.html", "/c/page.html"]);
  assert.deepEqual(gaps, []);
  assert.deepEqual(errors, {});
});

test("a folder whose place a link out of the root took is a gap, and the link is not followed", async () => {
  using folder = makeTempFolder();
  const docroot = join(folder.path, "site");
  for (const name of ["site/a", "site/b", "secret"]) {
    mkdirSync(join(folder.path, name), { recursive: true });
    writeFileSync(join(folder.path, name, `${name.replace("/", "-")}.html`), "");
  }
  let batches = 0;
  const { paths, gaps, errors } = await walkAll(docroot, {
    batchSize: 1,
    onBatch: () => {
      if (batches++ > 0) return;
      rmSync(join(docroot, "b"), { recursive: true });
      symlinkSync("../secret", join(docroot, "b"));
    },
  });
  assert.deepEqual(paths, ["/a/site-a.html"]);
  assert.deepEqual(gaps, ["/b/"]);
  assert.deepEqual(errors, { "/b/": "ELOOP" });
});

test("what is too deep for the system is a gap, not a deletion", async () => {
  using folder = makeTempFolder();
  const deep = (levels: number): string => Array.from({ length: levels }, () => "n".repeat(230)).join("/");
  const docroot = join(folder.path, deep(10));
  mkdirSync(docroot, { recursive: true });
  mkdirSync(join(folder.path, "second", deep(8)), { recursive: true });
  writeFileSync(join(folder.path, "second", deep(8), "page.html"), "");
  writeFileSync(join(docroot, "z.html"), "");
  renameSync(join(folder.path, "second"), join(docroot, "second"));
  const { paths, gaps, errors } = await walkAll(docroot);
  renameSync(join(docroot, "second"), join(folder.path, "second"));
  assert.deepEqual(paths, ["/z.html"]);
  assert.deepEqual(Object.values(errors), ["ENAMETOOLONG"]);
  const gap = `/second/${deep(8)}`;
  assert.deepEqual(gaps, [gap, `${gap}/`], "whether it was a file or a folder");
});

test("a path longer than is published is held back", async () => {
  using folder = makeTempFolder();
  const name = "é".repeat(120);
  mkdirSync(join(folder.path, name, name), { recursive: true });
  writeFileSync(join(folder.path, name, name, `${name}.html`), "");
  writeFileSync(join(folder.path, "short.html"), "");
  const { paths, withheld } = await walkAll(folder.path);
  assert.deepEqual(paths, ["/short.html"]);
  assert.deepEqual(Object.values(withheld), ["name-too-long"]);
});

test("a root that is removed or replaced while it is read is no empty site", async () => {
  for (const replace of [false, true]) {
    using folder = makeTempFolder();
    const docroot = join(folder.path, "site");
    mkdirSync(join(docroot, "d"), { recursive: true });
    writeFileSync(join(docroot, "a.html"), "");
    writeFileSync(join(docroot, "d/b.html"), "");
    let batches = 0;
    const walk = walkAll(docroot, {
      batchSize: 1,
      onBatch: () => {
        if (batches++ > 0) return;
        renameSync(docroot, `${docroot}.old`);
        if (replace) mkdirSync(docroot);
      },
    });
    await assert.rejects(walk, (error) => error instanceof TidemarkError && error.code === "not-found");
  }
});

test("a root that is missing or a file is an error that says so", async () => {
  using folder = makeTempFolder();
  writeFileSync(join(folder.path, "file"), "");
  await assert.rejects(walkAll(join(folder.path, "none")), { code: "not-found" });
  await assert.rejects(walkAll(join(folder.path, "file")), { code: "not-a-folder" });
});

test("times before 1970 and far beyond are held within what can be remembered", async () => {
  using folder = makeTempFolder();
  writeFileSync(join(folder.path, "old.html"), "");
  writeFileSync(join(folder.path, "young.html"), "");
  utimesSync(join(folder.path, "old.html"), new Date(-86_400_000), new Date(-86_400_000));
  utimesSync(join(folder.path, "young.html"), 9_500_000_000, 9_500_000_000);
  const { files } = await walkAll(folder.path);
  assert.equal(files[0]?.mtimeUs, 0);
  assert.equal(files[1]?.mtimeUs, Number.MAX_SAFE_INTEGER);
});
