import assert from "node:assert/strict";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { TidemarkError } from "../../../src/core/error.ts";
import { compileGlobs } from "../../../src/exporter/walk/glob-filter.ts";
import { SiteWatch } from "../../../src/exporter/watch/site-watch.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { stranger } from "../walk/walked.ts";
import { ManualTimers } from "./manual-timers.ts";
import { covers, takeTurns, WatchedSite } from "./watched-site.ts";

function write(root: string, ...names: string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), `${name} ${Math.random()}`);
  }
}

test("a change is given after the settle time, and not before", async () => {
  using temp = makeTempFolder();
  write(temp.path, "a/x.html", "b/y.html");
  await using site = await WatchedSite.open(temp.path);
  assert.equal(await site.roundWithin(5000), undefined);
  write(temp.path, "a/x.html");
  assert.equal(await site.roundWithin(500), undefined);
  write(temp.path, "a/x.html");
  assert.equal(await site.roundWithin(500), undefined, "it was not quiet for a second");
  assert.deepEqual(await site.roundWithin(1000), { kind: "folders", folders: ["/a/"], trees: [] });
  assert.equal(await site.roundWithin(5000), undefined);
});

test("a site that never rests is given after ten settle times", async () => {
  using temp = makeTempFolder();
  await using site = await WatchedSite.open(temp.path);
  let rounds = 0;
  for (let step = 0; step < 21; step++) {
    write(temp.path, "x.html");
    if ((await site.roundWithin(500)) !== undefined) rounds += 1;
  }
  assert.equal(rounds, 1);
});

test("what changes while nobody asks is kept for the one who does", async () => {
  using temp = makeTempFolder();
  write(temp.path, "a/x.html");
  await using site = await WatchedSite.open(temp.path);
  write(temp.path, "a/x.html", "z.html");
  await takeTurns();
  site.timers.advance(60_000);
  assert.deepEqual(await site.watch.next(), { kind: "folders", folders: ["/", "/a/"], trees: [] });
});

test("own output, withheld names and excluded folders wake nobody and have no watch", async () => {
  using temp = makeTempFolder();
  write(temp.path, "a/x.html", ".git/objects/1", ".well-known/tidemark/index.gz", "logs/2026/x.log", "WEB-INF/w.xml");
  await using site = await WatchedSite.open(temp.path, {
    exclude: ["logs", "**/*.log"],
    include: ["**", ".well-known/**"],
  });
  assert.deepEqual(site.watch.counts, { folders: 3, watched: 3 });
  write(temp.path, ".git/objects/2", ".well-known/tidemark/a.gz", "logs/2026/y.log", "WEB-INF/z.xml");
  write(temp.path, "a/.x.html.swp", "a/x.html~", "a/4913.tmp", "a/b.log", ".git2/x", "a/.tidemark-1-2.tmp");
  unlinkSync(join(temp.path, "a/x.html~"));
  assert.equal(await site.roundWithin(60_000), undefined);
  write(temp.path, ".well-known/security.txt");
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: ["/.well-known/"], trees: [] });
});

test("a file that takes the URL of a page wakes the watch, also one that is no page", async () => {
  using temp = makeTempFolder();
  write(temp.path, "a/index.html", "a/about.html");
  const servedNames = { indexSegments: ["index.php", "index.html"], cleanUrls: true };
  await using site = await WatchedSite.open(temp.path, { servedNames });
  const round = { kind: "folders", folders: ["/a/"], trees: [] };
  for (const name of ["a/index.php", "a/about"]) {
    write(temp.path, name);
    assert.deepEqual(await site.roundWithin(2000), round, name);
    unlinkSync(join(temp.path, name));
    assert.deepEqual(await site.roundWithin(2000), round, `${name} is gone`);
  }
  write(temp.path, "a/other.php", "a/other");
  assert.equal(await site.roundWithin(60_000), undefined);
});

test("an editor's write and rename is seen", async () => {
  using temp = makeTempFolder();
  write(temp.path, "a/x.html");
  await using site = await WatchedSite.open(temp.path);
  write(temp.path, "a/.x.html.new");
  renameSync(join(temp.path, "a/.x.html.new"), join(temp.path, "a/x.html"));
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: ["/a/"], trees: [] });
});

test("of a folder that is renamed both trees are given, and its new place is watched", async () => {
  using temp = makeTempFolder();
  write(temp.path, "a/old/deep/x.html", "b/y.html");
  await using site = await WatchedSite.open(temp.path);
  renameSync(join(temp.path, "a/old"), join(temp.path, "b/new"));
  assert.deepEqual(await site.roundWithin(2000), {
    kind: "folders",
    folders: ["/a/", "/b/"],
    trees: ["/a/old/", "/b/new/"],
  });
  write(temp.path, "b/new/deep/x.html");
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: ["/b/new/deep/"], trees: [] });
  assert.deepEqual(site.watch.counts, { folders: 5, watched: 5 });
});

test("a folder that another takes the place of is watched anew", async () => {
  using temp = makeTempFolder();
  using aside = makeTempFolder();
  write(temp.path, "docs/deep/x.html", "again/x.html", "file/x.html");
  write(aside.path, "docs/deep/x.html");
  await using site = await WatchedSite.open(temp.path);
  renameSync(join(temp.path, "docs"), join(aside.path, "old"));
  renameSync(join(aside.path, "docs"), join(temp.path, "docs"));
  rmSync(join(temp.path, "again"), { recursive: true });
  write(temp.path, "again/x.html");
  rmSync(join(temp.path, "file"), { recursive: true });
  writeFileSync(join(temp.path, "file"), "now a file");
  assert.deepEqual(await site.roundWithin(2000), {
    kind: "folders",
    folders: ["/"],
    trees: ["/again/", "/docs/", "/file/"],
  });
  write(temp.path, "docs/deep/y.html", "again/y.html");
  write(aside.path, "old/deep/y.html");
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: ["/again/", "/docs/deep/"], trees: [] });
});

test("a folder that went and came back is looked at: somebody may have looked while it was gone", async () => {
  using temp = makeTempFolder();
  write(temp.path, "a/x.html");
  await using site = await WatchedSite.open(temp.path);
  renameSync(join(temp.path, "a"), join(temp.path, "b"));
  renameSync(join(temp.path, "b"), join(temp.path, "a"));
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: ["/"], trees: ["/a/"] });
});

test("a folder's new mode asks for all below it, its new times for nothing", async () => {
  using temp = makeTempFolder();
  write(temp.path, "a/b/x.html");
  await using site = await WatchedSite.open(temp.path);
  // Two changes within a tick of the file system's clock cannot be told apart.
  for (const beganMs = Date.now(); Date.now() < beganMs + 100; ) await takeTurns(1);
  utimesSync(join(temp.path, "a"), 1, 1);
  const round = await site.roundWithin(2000);
  assert.ok(!covers(round, "/") && !covers(round, "/a/b/"));
  chmodSync(join(temp.path, "a"), 0o700);
  assert.ok(covers(await site.roundWithin(2000), "/a/b/"));
});

test("folders that are made and filled at once are watched to the bottom", async () => {
  using temp = makeTempFolder();
  await using site = await WatchedSite.open(temp.path);
  for (let at = 0; at < 50; at++) write(temp.path, `n${at}/a/b/c/x.html`);
  const round = await site.roundWithin(2000);
  assert.ok(round?.kind === "folders");
  assert.equal(round.trees.length, 50);
  for (let at = 0; at < 50; at++) write(temp.path, `n${at}/a/b/c/y.html`);
  const next = await site.roundWithin(2000);
  for (let at = 0; at < 50; at++) assert.ok(covers(next, `/n${at}/a/b/c/`), String(at));
  assert.deepEqual(site.watch.counts, { folders: 201, watched: 201 });
});

test("a folder whose name is not UTF-8 is watched", async () => {
  using temp = makeTempFolder();
  const folder = Buffer.concat([Buffer.from(`${temp.path}/caf`), Buffer.from([0xe9])]);
  mkdirSync(folder);
  mkdirSync(Buffer.concat([folder, Buffer.from("/\\a#?")]));
  await using site = await WatchedSite.open(temp.path);
  writeFileSync(Buffer.concat([folder, Buffer.from("/x.html")]), "x");
  writeFileSync(Buffer.concat([folder, Buffer.from("/\\a#?/x.html")]), "x");
  assert.deepEqual(await site.roundWithin(2000), {
    kind: "folders",
    folders: ["/caf%E9/", "/caf%E9/%5Ca%23%3F/"],
    trees: [],
  });
});

test("what links lead to is watched under the link's path too", async () => {
  using temp = makeTempFolder();
  using outside = makeTempFolder();
  write(temp.path, "v1/deep/x.html", "v2/y.html", "shared/page.html", "p/x.html", ".git/x");
  symlinkSync("v1", join(temp.path, "current"));
  symlinkSync("../shared/page.html", join(temp.path, "p/page.html"));
  symlinkSync("..", join(temp.path, "p/loop"));
  symlinkSync("../.git", join(temp.path, "p/git"));
  symlinkSync("../later.html", join(temp.path, "p/later.html"));
  symlinkSync(outside.path, join(temp.path, "p/outside"));
  await using site = await WatchedSite.open(temp.path);
  write(temp.path, "v1/deep/x.html", ".git/x");
  write(outside.path, "x.html");
  const folders = ["/current/deep/", "/v1/deep/"];
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders, trees: [] });
  write(temp.path, "shared/page.html");
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: ["/p/", "/shared/"], trees: [] });
  unlinkSync(join(temp.path, "current"));
  symlinkSync("v2", join(temp.path, "current"));
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: ["/"], trees: ["/current/"] });
  write(temp.path, "v2/y.html", "v1/deep/x.html");
  assert.deepEqual(await site.roundWithin(2000), {
    kind: "folders",
    folders: ["/current/", "/v1/deep/", "/v2/"],
    trees: [],
  });
  write(temp.path, "later.html");
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: ["/", "/p/"], trees: [] });
  rmSync(join(temp.path, "v2"), { recursive: true });
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: ["/"], trees: ["/current/", "/v2/"] });
});

test("a root that is removed asks for scans until it is back, and is then watched", async () => {
  using temp = makeTempFolder();
  const docroot = join(temp.path, "site");
  write(docroot, "a/x.html");
  await using site = await WatchedSite.open(docroot, { fallbackRescanMs: 20_000 });
  rmSync(docroot, { recursive: true });
  const scan = { kind: "scan", reason: "root-changed" } as const;
  assert.deepEqual(await site.roundWithin(5000), scan);
  assert.deepEqual(site.warningCodes, ["root-missing"]);
  assert.equal(await site.roundWithin(15_000), undefined);
  assert.deepEqual(await site.roundWithin(10_000), scan);
  write(docroot, "a/x.html");
  assert.deepEqual(await site.roundWithin(12_000), scan);
  assert.deepEqual(site.warningCodes, ["root-missing", "root-replaced"]);
  write(docroot, "a/x.html");
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: ["/a/"], trees: [] });
});

test("a root that is a link is followed when it leads elsewhere", async () => {
  using temp = makeTempFolder();
  write(temp.path, "v1/x.html", "v2/a/x.html");
  symlinkSync("v1", join(temp.path, "next"));
  renameSync(join(temp.path, "next"), join(temp.path, "current"));
  await using site = await WatchedSite.open(join(temp.path, "current"));
  symlinkSync("v2", join(temp.path, "next"));
  renameSync(join(temp.path, "next"), join(temp.path, "current"));
  assert.deepEqual(await site.roundWithin(12_000), { kind: "scan", reason: "root-changed" });
  write(temp.path, "v2/a/x.html", "v1/x.html");
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: ["/a/"], trees: [] });
});

test("too many folders are a scan", async () => {
  using temp = makeTempFolder();
  for (let at = 0; at < 12; at++) write(temp.path, `f${at}/x.html`);
  await using site = await WatchedSite.open(temp.path, { maxDirtyFolders: 10 });
  for (let at = 0; at < 12; at++) write(temp.path, `f${at}/x.html`);
  assert.deepEqual(await site.roundWithin(2000), { kind: "scan", reason: "too-many" });
  write(temp.path, "f3/x.html");
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: ["/f3/"], trees: [] });
});

test("everything is looked at once a day", async () => {
  using temp = makeTempFolder();
  await using site = await WatchedSite.open(temp.path, { rescanMs: 30_000 });
  assert.equal(await site.roundWithin(29_000), undefined);
  assert.deepEqual(await site.roundWithin(1000), { kind: "scan", reason: "rescan" });
  assert.equal(await site.roundWithin(29_000), undefined);
});

test("a round that was not published is part of a later one", async () => {
  using temp = makeTempFolder();
  write(temp.path, "a/x.html", "b/x.html");
  await using site = await WatchedSite.open(temp.path);
  write(temp.path, "a/x.html", "c/x.html");
  const round = await site.roundWithin(2000);
  assert.ok(round !== undefined);
  site.watch.giveBack(round);
  write(temp.path, "b/x.html");
  const next = { kind: "folders", folders: ["/", "/a/", "/b/"], trees: ["/c/"] } as const;
  assert.deepEqual(await site.roundWithin(2000), next);
  site.watch.giveBack({ kind: "scan", reason: "start" });
  assert.equal(await site.roundWithin(500), undefined);
  assert.deepEqual(await site.roundWithin(1000), { kind: "scan", reason: "start" });
  assert.equal(await site.roundWithin(60_000), undefined);
});

test("a watch ends by its signal and leaves no timer", async () => {
  using temp = makeTempFolder();
  const stop = new AbortController();
  await using site = await WatchedSite.open(temp.path, { signal: stop.signal });
  const next = site.watch.next();
  stop.abort();
  assert.equal(await next, undefined);
  assert.equal(await site.watch.next(), undefined);
  write(temp.path, "x.html");
  await takeTurns();
  assert.equal(site.timers.waiting, 0);
  assert.deepEqual(site.watch.counts, { folders: 0, watched: 0 });
});

test("a root that is not there is refused", async () => {
  using temp = makeTempFolder();
  await using watch = new SiteWatch({
    docroot: join(temp.path, "none"),
    globs: await compileGlobs([], []),
    reader: stranger,
    judgePath: () => undefined,
    timers: new ManualTimers(),
    onEvent: () => undefined,
  });
  await assert.rejects(watch.start(), (error) => error instanceof TidemarkError && error.code === "not-found");
});

test("the first round is asked for when the watches stand: what changes meanwhile is in it or in the next", async () => {
  using temp = makeTempFolder();
  for (let at = 0; at < 600; at++) write(temp.path, `f${at % 20}/g${at}/x.html`);
  const timers = new ManualTimers();
  await using watch = new SiteWatch({
    docroot: temp.path,
    globs: await compileGlobs([], []),
    reader: stranger,
    judgePath: () => undefined,
    settleMs: 1000,
    timers,
    onEvent: () => undefined,
  });
  const started = watch.start();
  // While the watches are set up, the tree grows behind and before the place that was reached.
  for (let at = 0; at < 600; at += 20) write(temp.path, `f${at % 20}/new${at}/deep/x.html`);
  await started;
  assert.deepEqual(await watch.next(), { kind: "scan", reason: "start" });
  for (let at = 0; at < 600; at += 20) write(temp.path, `f${at % 20}/new${at}/deep/y.html`);
  const next = watch.next();
  await takeTurns();
  timers.advance(2000);
  const round = await next;
  for (let at = 0; at < 600; at += 20) assert.ok(covers(round, `/f${at % 20}/new${at}/deep/`));
});
