import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  QueueGauge,
  type WatchFolder,
  type WatchListener,
  watchFolder,
} from "../../../src/exporter/watch/system-watch.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { covers, takeTurns, WatchedSite } from "./watched-site.ts";

/** The machine's own watches, of which there are only so many, and which can be made to die. */
class ScarceWatches {
  readonly #code: string;
  readonly #listeners = new Map<string, WatchListener>();
  limit: number;
  standing = 0;

  constructor(limit: number, code = "ENOSPC") {
    this.limit = limit;
    this.#code = code;
  }

  readonly watchFolder: WatchFolder = (location, listener) => {
    if (this.standing >= this.limit) throw Object.assign(new Error(`${this.#code}: limit`), { code: this.#code });
    const stop = watchFolder(location, listener);
    this.#listeners.set(String(location), listener);
    this.standing += 1;
    return () => {
      stop();
      this.standing -= 1;
    };
  };

  kill(location: string): void {
    this.#listeners.get(location)?.onFailure(Object.assign(new Error("EIO: it died"), { code: "EIO" }));
  }
}

function fill(root: string, folders: number): void {
  for (let at = 0; at < folders; at++) {
    mkdirSync(join(root, `f${at}`), { recursive: true });
    writeFileSync(join(root, `f${at}/x.html`), "x");
  }
}

test("at the limit of watches it says which sysctl, keeps what stands, and scans until there are enough", async () => {
  using temp = makeTempFolder();
  fill(temp.path, 9);
  const watches = new ScarceWatches(5);
  await using site = await WatchedSite.open(temp.path, {
    watchFolder: watches.watchFolder,
    fallbackRescanMs: 60_000,
  });
  assert.deepEqual(site.watch.counts, { folders: 10, watched: 5 });
  assert.deepEqual(site.warningCodes, ["inotify-watches"]);
  const { message } = site.warnings[0] ?? { message: "" };
  const [, current, needed] = /max_user_watches is (\d+) and (\d+) are needed/.exec(message) ?? [];
  assert.equal(Number(needed) - Number(current), 5);
  assert.match(message, /^5 of 10 folders .* sysctl fs\.inotify\.max_user_watches=\d+ .* every 60 s\.$/);
  for (let at = 0; at < 9; at++) writeFileSync(join(temp.path, `f${at}/x.html`), "y");
  const round = await site.roundWithin(2000);
  assert.ok(round?.kind === "folders" && round.folders.length === 4, "those that stand are told");
  assert.deepEqual(await site.roundWithin(60_000), { kind: "scan", reason: "watcher-failed" });
  assert.deepEqual(site.warningCodes, ["inotify-watches"], "it is said once");
  watches.limit = 100;
  assert.deepEqual(await site.roundWithin(61_000), { kind: "scan", reason: "watcher-failed" });
  assert.deepEqual(site.watch.counts, { folders: 10, watched: 10 });
  for (let at = 0; at < 9; at++) writeFileSync(join(temp.path, `f${at}/x.html`), "z");
  const healed = await site.roundWithin(2000);
  assert.ok(healed?.kind === "folders" && healed.folders.length === 9);
  assert.equal(await site.roundWithin(600_000), undefined, "no more scans but the daily one");
});

test("a limit that is reached by new folders is told as well", async () => {
  using temp = makeTempFolder();
  fill(temp.path, 3);
  const watches = new ScarceWatches(5);
  await using site = await WatchedSite.open(temp.path, { watchFolder: watches.watchFolder, fallbackRescanMs: 60_000 });
  assert.deepEqual(site.warningCodes, []);
  fill(temp.path, 6);
  assert.equal((await site.roundWithin(2000))?.kind, "folders");
  assert.deepEqual(site.warningCodes, ["inotify-watches"]);
  assert.deepEqual(await site.roundWithin(60_000), { kind: "scan", reason: "watcher-failed" });
  rmSync(join(temp.path, "f4"), { recursive: true });
  rmSync(join(temp.path, "f5"), { recursive: true });
  assert.equal((await site.roundWithin(2000))?.kind, "folders");
  assert.deepEqual(await site.roundWithin(60_000), { kind: "scan", reason: "watcher-failed" });
  assert.deepEqual(site.watch.counts, { folders: 5, watched: 5 });
  assert.equal(await site.roundWithin(600_000), undefined);
});

test("without any watch at all the site is scanned", async () => {
  using temp = makeTempFolder();
  fill(temp.path, 3);
  const { watchFolder } = new ScarceWatches(0, "EMFILE");
  await using site = await WatchedSite.open(temp.path, { watchFolder, fallbackRescanMs: 60_000 });
  assert.deepEqual(site.warningCodes, ["inotify-instances"]);
  assert.match(site.warnings[0]?.message ?? "", /4 of 4 folders .*fs\.inotify\.max_user_instances=\d+/);
  assert.equal(await site.roundWithin(59_000), undefined);
  assert.deepEqual(await site.roundWithin(1000), { kind: "scan", reason: "watcher-failed" });
});

test("a watch that dies is made again, and its folder is looked at meanwhile", async () => {
  using temp = makeTempFolder();
  fill(temp.path, 3);
  const watches = new ScarceWatches(100);
  await using site = await WatchedSite.open(temp.path, { watchFolder: watches.watchFolder, fallbackRescanMs: 60_000 });
  watches.kill(join(temp.path, "f1"));
  assert.deepEqual(site.watch.counts, { folders: 4, watched: 3 });
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: [], trees: ["/f1/"] });
  assert.deepEqual(site.warningCodes, ["watch-failed"]);
  assert.deepEqual(await site.roundWithin(60_000), { kind: "scan", reason: "watcher-failed" });
  writeFileSync(join(temp.path, "f1/x.html"), "y");
  assert.deepEqual(await site.roundWithin(2000), { kind: "folders", folders: ["/f1/"], trees: [] });
  assert.equal(await site.roundWithin(600_000), undefined);
});

test("after about as many events at once as the queue holds everything is looked at, and watched anew", async () => {
  using temp = makeTempFolder();
  fill(temp.path, 3);
  await using site = await WatchedSite.open(temp.path, { gauge: new QueueGauge(100) });
  for (let at = 0; at < 20; at++) writeFileSync(join(temp.path, `f1/${at}.html`), "x");
  assert.equal((await site.roundWithin(2000))?.kind, "folders", "each writes three events at most");
  for (let at = 0; at < 90; at++) writeFileSync(join(temp.path, `f1/${at}.html`), "x");
  assert.deepEqual(await site.roundWithin(2000), { kind: "scan", reason: "overflow" });
  assert.deepEqual(site.warningCodes, ["watch-overflow"]);
  assert.equal(await site.roundWithin(60_000), undefined);
});

test("the kernel's own queue overflows without a word, and that is noticed", {
  skip: process.platform !== "linux",
}, async () => {
  using temp = makeTempFolder();
  fill(temp.path, 2);
  await using site = await WatchedSite.open(temp.path);
  // No turn of the event loop in here: nothing is read from the queue.
  for (let at = 0; at < 9000; at++) writeFileSync(join(temp.path, `f0/${at}.html`), "x");
  mkdirSync(join(temp.path, "f1/lost"));
  assert.deepEqual(await site.roundWithin(3000), { kind: "scan", reason: "overflow" });
  writeFileSync(join(temp.path, "f1/lost/x.html"), "x");
  assert.ok(covers(await site.roundWithin(2000), "/f1/lost/"), "the folder whose making was lost is watched");
  await takeTurns();
});
