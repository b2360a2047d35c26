import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { UrlQueue } from "../../src/storage/queue/url-queue.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type CommandResult, runTidemark, summaryOf } from "./command.ts";
import { listLeftovers, listTemporaryFiles } from "./leftovers.ts";
import { skipWithout } from "./programs.ts";
import { exported, ServedSite } from "./served-site.ts";
import { mountSmallDisk, skipWithoutMount } from "./small-disk.ts";

const skip = skipWithoutMount() || skipWithout("nginx");

/** The command says that the disk is full, what it was doing and what to do, and ends with 4. */
function assertDiskFull(result: CommandResult): void {
  assert.equal(result.exitCode, 4, result.stderr + result.stdout.slice(-500));
  const last = result.events.at(-1);
  assert.deepEqual([last?.event, last?.code], ["error", "disk-full"]);
  assert.match(String(last?.hint), /space/i);
  assert.match(result.stderr, /ENOSPC|no space|disk is full/i);
}

for (const [full, roomsKiB] of [
  ["document root", [0, 4, 8]],
  ["state", [0, 4, 16]],
] as const)
  test(`an export that finds the disk of the ${full} full leaves the old set or a whole new one, and heals`, {
    skip,
  }, async () => {
    using disk = mountSmallDisk(8192);
    const place = full === "state" ? { state: join(disk.path, "state") } : { docroot: disk.path };
    await using site = await ServedSite.open({ pages: 500, seed: 3, ...place });
    const more = ["--exclude", "filler.tmp"];
    const args = [...site.exportArguments, ...more];
    disk.leave(0);
    assertDiskFull(await runTidemark(args));
    assert.equal(existsSync(join(site.docroot, "robots.txt")), false);
    disk.leave(4096);
    await site.export(...more);
    for (const roomKiB of roomsKiB) {
      disk.leave(2048);
      site.change(0.2);
      const before = await site.read();
      disk.leave(roomKiB);
      const result = await runTidemark(args);
      const during = await site.read(before);
      if (result.exitCode !== 0) {
        assertDiskFull(result);
        const leftovers = listLeftovers(site.docroot, (name) => name === "filler.tmp" || name.length === 1);
        assert.deepEqual(leftovers, []);
      }
      if (roomKiB === 0 && full === "document root") assert.equal(during.index.publication, before.index.publication);
      disk.leave(2048);
      await site.export(...more);
      const healed = await site.read(before, during);
      assert.equal(healed.index.epoch, before.index.epoch);
    }
    await site.crawl();
    assert.deepEqual(site.compareMirror([...exported, "/filler.tmp"]), []);
  });

test("a crawl into a full disk keeps what it has, and fetches the rest when there is room", { skip }, async () => {
  using disk = mountSmallDisk(1024);
  await using site = await ServedSite.open({ pages: 1000, seed: 5, into: join(disk.path, "crawled") });
  const args = ["crawl", site.url, "--into", site.into, "--json"];
  await site.export();
  assertDiskFull(await runTidemark(args));
  disk.grow(32 * 1024);
  await site.crawl();
  assert.deepEqual(site.compareMirror(), []);
  for (const roomKiB of [0, 16, 256]) {
    site.change(0.5);
    await site.export();
    disk.leave(roomKiB);
    const result = await runTidemark(args);
    if (result.exitCode !== 0) assertDiskFull(result);
    disk.leave(16 * 1024);
    await site.crawl();
    assert.deepEqual(site.compareMirror(), []);
    assert.deepEqual(listTemporaryFiles(site.into), []);
  }
});

test("a crawl of the Web into a full disk keeps what it has, and goes on with the rest when there is room", {
  skip,
}, async () => {
  using disk = mountSmallDisk(2048);
  await using site = await ServedSite.open({ pages: 600, seed: 7, into: join(disk.path, "crawled") });
  const pages = readdirSync(site.docroot, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".html"),
  );
  const links = pages.map((name) => `<a href="/${encodeURI(name)}">${name.length}</a>`);
  writeFileSync(join(site.docroot, "index.html"), links.join("\n"));
  using temp = makeTempFolder();
  const seeds = join(temp.path, "seeds.txt");
  writeFileSync(seeds, `${site.url}\n`);
  const args = ["crawl", "--web", seeds, "--into", site.into, "--allow-private", "--json"];
  for (const roomKiB of [0, 8, 64, 256]) {
    disk.leave(roomKiB);
    assertDiskFull(await runTidemark(args));
    assert.deepEqual(listTemporaryFiles(site.into), []);
  }
  disk.grow(64 * 1024);
  const last = await runTidemark(args);
  assert.equal(last.exitCode, 0, last.stderr);
  const kept = readdirSync(site.mirror, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  const expected = [...new Set([...pages, "index.html"])].sort();
  assert.deepEqual(kept.sort(), expected);
  for (const name of expected)
    assert.deepEqual(readFileSync(join(site.mirror, name)), readFileSync(join(site.docroot, name)), name);
  const { waiting, done } = summaryOf<{ readonly waiting: number; readonly done: number }>(last);
  assert.equal(waiting, 0);
  assert.ok(done >= expected.length);
});

test("a queue of URLs that finds the disk full loses none that it was given", { skip: skipWithoutMount() }, () => {
  using disk = mountSmallDisk(4096);
  const options = { memoryBytes: 64 * 1024, segmentBytes: 256 * 1024 };
  const urls = Array.from({ length: 3000 }, (_, at) => `https://a.example/${at}/${"x".repeat(100)}`);
  const queue = new UrlQueue(join(disk.path, "queue"), options);
  let errors = 0;
  for (const [at, url] of urls.entries()) {
    if (at % 1000 === 500) disk.leave(8);
    for (let isKept = false; !isKept; )
      try {
        queue.add([{ url, site: "a.example", priority: 0 }]);
        if (at % 10 === 0) queue.flush();
        isKept = true;
      } catch (error) {
        assert.equal((error as { code?: unknown }).code, "disk-full");
        errors++;
        disk.leave(3072);
      }
  }
  queue.close();
  assert.ok(errors > 0);
  using again = new UrlQueue(join(disk.path, "queue"), options);
  const taken = [];
  for (let page = again.take(0); page !== undefined; page = again.take(0)) taken.push(again.urlOf(page));
  assert.deepEqual(taken, urls);
});
