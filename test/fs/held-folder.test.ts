import assert from "node:assert/strict";
import {
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TidemarkError } from "../../src/core/error.ts";
import type { ExportEvent } from "../../src/core/export-event.ts";
import { writeDurably } from "../../src/fs/durable-file.ts";
import { HeldFolder, shownPath } from "../../src/fs/held-folder.ts";
import { TestSite } from "../exporter/publish/test-site.ts";
import { makeTempFolder } from "../temp-folder.ts";

const isRoot = process.getuid?.() === 0;

function isRefused(error: unknown): boolean {
  return error instanceof TidemarkError && error.code === "not-a-folder" && /document root/.test(error.hint ?? "");
}

test("nothing is written through a link out of the document root, wherever on the way it is", async () => {
  for (const name of [".well-known", ".well-known/tidemark"]) {
    using site = new TestSite();
    site.write("a.html", "a");
    const outside = join(site.folder, "outside");
    mkdirSync(outside);
    if (name !== ".well-known") mkdirSync(join(site.docroot, ".well-known"));
    symlinkSync(outside, join(site.docroot, name));
    await assert.rejects(site.export({ resourceSync: true }), isRefused);
    assert.deepEqual(readdirSync(outside), []);
    assert.deepEqual(readdirSync(site.folder).sort(), ["outside", "site"], "no state either");
  }
});

test("a link that stays in the document root is followed", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  site.write("own/known/security.txt", "mailto:x");
  symlinkSync("own/known", join(site.docroot, ".well-known"));
  await site.export({ resourceSync: true });
  assert.ok(lstatSync(join(site.docroot, ".well-known")).isSymbolicLink());
  assert.deepEqual(readdirSync(join(site.docroot, "own/known")).sort(), ["resourcesync", "security.txt", "tidemark"]);
  site.write("a.html", "b");
  assert.equal((await site.export({ resourceSync: true })).summary.updated, 1);
});

test("a folder that is exchanged for a link while an export runs leads nowhere else", async () => {
  using site = new TestSite();
  for (let at = 0; at < 20; at++) site.write(`${at}.html`, `${at}`);
  await site.export();
  const outside = join(site.folder, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "robots.txt"), "# another's\n");
  const exchanges = [
    () => {
      renameSync(site.publishedFolder, join(site.docroot, ".well-known/moved"));
      symlinkSync(outside, site.publishedFolder);
    },
    () => {
      renameSync(join(site.docroot, "robots.txt"), join(site.docroot, "robots.old.txt"));
      symlinkSync(join(outside, "robots.txt"), join(site.docroot, "robots.txt"));
    },
  ];
  for (const [round, exchange] of exchanges.entries()) {
    for (let at = 0; at < 20; at++) site.write(`${at}.html`, `new ${at} in ${round}`);
    let seen = 0;
    const onEvent = (event: ExportEvent): void => {
      if (event.event === "page" && seen++ === 0) exchange();
    };
    // A robots.txt that leads out of the root by now is refused.
    await site.export({ onEvent }).catch((error) => assert.ok(error instanceof TidemarkError && round === 1));
    assert.ok(seen > 0);
    assert.deepEqual(readdirSync(outside), ["robots.txt"]);
    assert.equal(readFileSync(join(outside, "robots.txt"), "utf8"), "# another's\n");
    await assert.rejects(site.export(), TidemarkError);
    assert.deepEqual(readdirSync(outside), ["robots.txt"]);
    rmSync(site.publishedFolder, { recursive: true });
  }
});

test("what is held is written to by whatever name it has, and messages say the name", async () => {
  using temp = makeTempFolder();
  using folder = HeldFolder.open(temp.path, ["a", "b"]);
  assert.equal(shownPath(join(folder.path, "x")), join(temp.path, "a/b/x"));
  renameSync(join(temp.path, "a"), join(temp.path, "c"));
  mkdirSync(join(temp.path, "elsewhere/b"), { recursive: true });
  symlinkSync("elsewhere", join(temp.path, "a"));
  await writeDurably(join(folder.path, "x"), Buffer.from("x"));
  assert.deepEqual(readdirSync(join(temp.path, "c/b")), ["x"]);
  assert.deepEqual(readdirSync(join(temp.path, "elsewhere/b")), []);
  await assert.rejects(writeDurably(join(folder.path, "no/such"), Buffer.from("x")), {
    message: new RegExp(`${join(temp.path, "c/b/no/such")}`),
  });
  assert.equal(statSync(join(temp.path, "c/b")).mode & 0o777, 0o755);
});

test("a way of links without an end, or to a file, is refused", () => {
  using temp = makeTempFolder();
  symlinkSync("b", join(temp.path, "a"));
  symlinkSync("a", join(temp.path, "b"));
  writeFileSync(join(temp.path, "file"), "");
  for (const names of [["a"], ["file"], ["file", "x"]]) {
    assert.throws(() => HeldFolder.open(temp.path, names), TidemarkError);
  }
  assert.deepEqual(readdirSync(temp.path).sort(), ["a", "b", "file"]);
});

test("an export of an empty document root leaves nothing behind", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  await site.export();
  const kept = join(site.folder, "unmounted");
  renameSync(site.docroot, kept);
  mkdirSync(site.docroot);
  const states = readdirSync(site.stateDir).sort();
  await assert.rejects(site.export({ resourceSync: true }), /nothing was changed/);
  assert.deepEqual(readdirSync(site.docroot), []);
  assert.deepEqual(readdirSync(site.stateDir).sort(), states);
  rmSync(site.docroot, { recursive: true });
  renameSync(kept, site.docroot);
  assert.equal((await site.export()).summary.published, false);
});

test("an export that is stopped before it wrote anything leaves nothing behind", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  await assert.rejects(site.export({ signal: AbortSignal.abort() }), { code: "aborted" });
  assert.deepEqual(readdirSync(site.docroot), ["a.html"]);
  assert.deepEqual(readdirSync(site.folder), ["site"]);
});

test("what root makes belongs to the owner of the document root", {
  skip: isRoot ? false : "only as root",
}, async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  site.write("sub/robots.txt", "# ours\n");
  chownSync(site.docroot, 12_345, 23_456);
  const options = { resourceDump: true, sitemap: true };
  await site.export(options);
  site.write("a.html", "b");
  await site.export(options);
  for (const folder of [site.stateDir, join(site.docroot, ".well-known"), site.publishedFolder]) {
    for (const name of [".", ...readdirSync(folder)]) {
      const { uid, gid } = statSync(join(folder, name));
      assert.deepEqual([uid, gid], [12_345, 23_456], join(folder, name));
    }
  }
  const robots = statSync(join(site.docroot, "robots.txt"));
  assert.deepEqual([robots.uid, robots.gid], [12_345, 23_456]);
  assert.match(readFileSync(join(site.docroot, "robots.txt"), "utf8"), /Archive-Index/);
});
