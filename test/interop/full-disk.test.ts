import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { churn, makeSite } from "./churn.ts";
import { type CommandResult, crawl, exportDocroot, runTidemark } from "./command.ts";
import { compareTrees } from "./file-tree.ts";
import { listLeftovers, listTemporaryFiles } from "./leftovers.ts";
import { skipWithout } from "./programs.ts";
import { readPublishedSet } from "./published-set.ts";
import { createRandom } from "./random.ts";
import { mountSmallDisk, skipWithoutMount } from "./small-disk.ts";
import { makeTempFolder } from "./temp-folder.ts";
import { startWebServer } from "./web-server.ts";

const skip = skipWithoutMount() || skipWithout("nginx");
const withheld: ReadonlySet<string> = new Set(["/robots.txt", "/.well-known"]);
const isFiller = (name: string): boolean => name === "filler.tmp";
const isPageFolder = (name: string): boolean => name.length === 1;

/** The command says that the disk is full, what it was doing and what to do, and ends with 4. */
function assertDiskFull(result: CommandResult): void {
  assert.equal(result.exitCode, 4, result.stderr + result.stdout.slice(-500));
  const last = result.events.at(-1);
  assert.equal(last?.event, "error");
  assert.equal(last?.code, "disk-full");
  assert.match(String(last?.hint), /space/i);
  assert.match(result.stderr, /ENOSPC|no space|disk is full/i);
}

test("an export into a full document root leaves the old set, and heals when there is room", { skip }, async () => {
  using disk = mountSmallDisk(8192);
  using temp = makeTempFolder("full-disk");
  const random = createRandom(3);
  makeSite(disk.path, 500, random);
  await using server = await startWebServer("nginx", disk.path);
  const state = join(temp.path, "state");
  const args = ["export", disk.path, "--base-url", server.url, "--state", state, "--json", "--exclude", "filler.tmp"];
  disk.leave(0);
  assertDiskFull(await runTidemark(args));
  assert.ok(!existsSync(join(disk.path, "robots.txt")));
  disk.leave(4096);
  await exportDocroot(disk.path, server.url, state, "--exclude", "filler.tmp");
  for (const roomKiB of [0, 4, 8]) {
    disk.leave(2048);
    churn(disk.path, random, 0.2);
    const before = await readPublishedSet(server.url, random);
    disk.leave(roomKiB);
    const result = await runTidemark(args);
    const during = await readPublishedSet(server.url, random, [before]);
    if (result.exitCode !== 0) {
      assertDiskFull(result);
      assert.deepEqual(
        listLeftovers(disk.path, (name) => isFiller(name) || isPageFolder(name)),
        [],
      );
    }
    if (roomKiB === 0) assert.equal(during.index.publication, before.index.publication);
    disk.leave(2048);
    await exportDocroot(disk.path, server.url, state, "--exclude", "filler.tmp");
    await readPublishedSet(server.url, random, [before, during]);
  }
  await crawl(server.url, join(temp.path, "crawled"));
  const mirror = join(temp.path, "crawled", `127.0.0.1_${server.port}`);
  assert.deepEqual(compareTrees(disk.path, mirror, new Set([...withheld, "/filler.tmp"])), []);
});

test("an export whose state is on a full disk publishes a whole set or none, and heals", { skip }, async () => {
  using disk = mountSmallDisk(4096);
  using temp = makeTempFolder("full-disk");
  const docroot = join(temp.path, "docroot");
  const state = join(disk.path, "state");
  const random = createRandom(4);
  mkdirSync(docroot);
  makeSite(docroot, 500, random);
  await using server = await startWebServer("nginx", docroot);
  const args = ["export", docroot, "--base-url", server.url, "--state", state, "--json"];
  disk.leave(0);
  assertDiskFull(await runTidemark(args));
  disk.leave(2048);
  await exportDocroot(docroot, server.url, state);
  const before = await readPublishedSet(server.url, random);
  for (const roomKiB of [0, 4, 16]) {
    churn(docroot, random, 0.3);
    disk.leave(roomKiB);
    const result = await runTidemark(args);
    if (result.exitCode !== 0) assertDiskFull(result);
    await readPublishedSet(server.url, random, [before]);
    disk.leave(2048);
    await exportDocroot(docroot, server.url, state);
    const healed = await readPublishedSet(server.url, random, [before]);
    assert.equal(healed.index.epoch, before.index.epoch);
  }
  await crawl(server.url, join(temp.path, "crawled"));
  const mirror = join(temp.path, "crawled", `127.0.0.1_${server.port}`);
  assert.deepEqual(compareTrees(docroot, mirror, withheld), []);
});

test("a crawl into a full disk keeps what it has, and fetches the rest when there is room", { skip }, async () => {
  using disk = mountSmallDisk(1024);
  using temp = makeTempFolder("full-disk");
  const docroot = join(temp.path, "docroot");
  const random = createRandom(5);
  mkdirSync(docroot);
  makeSite(docroot, 1000, random);
  await using server = await startWebServer("nginx", docroot);
  await exportDocroot(docroot, server.url, join(temp.path, "state"));
  const into = join(disk.path, "crawled");
  const mirror = join(into, `127.0.0.1_${server.port}`);
  assertDiskFull(await runTidemark(["crawl", server.url, "--into", into, "--json"]));
  disk.grow(32 * 1024);
  await crawl(server.url, into);
  assert.deepEqual(compareTrees(docroot, mirror, withheld), []);
  for (const roomKiB of [0, 16, 256]) {
    churn(docroot, random, 0.5);
    await exportDocroot(docroot, server.url, join(temp.path, "state"));
    disk.leave(roomKiB);
    const result = await runTidemark(["crawl", server.url, "--into", into, "--json"]);
    if (result.exitCode !== 0) assertDiskFull(result);
    disk.leave(16 * 1024);
    await crawl(server.url, into);
    assert.deepEqual(compareTrees(docroot, mirror, withheld), []);
    assert.deepEqual(listTemporaryFiles(into), []);
  }
});
