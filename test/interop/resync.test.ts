import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import { exportSite } from "../../src/exporter/export-site.ts";
import { formatW3cDate } from "../../src/formats/time/w3c-date.ts";
import { serveFolder } from "../../src/server/folder-server.ts";
import { readMirror } from "../crawler/engine/mirror.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { requireCached, skipWithout, skipWithoutCached } from "./programs.ts";
import { mountSmallDisk, skipWithoutMount } from "./small-disk.ts";
import { startWebServer } from "./web-server.ts";

const skipWithoutResync = skipWithoutCached("resync-1");
const skip = skipWithout("nginx") || skipWithoutResync;

/** Runs a script of ours with resync's library. */
async function runResync(script: string, ...args: readonly string[]): Promise<void> {
  const python = join(requireCached("resync-1"), "bin", "python");
  const file = join(repositoryFolder(), "test", "interop", script);
  await promisify(execFile)(python, ["-W", "ignore", file, ...args], { timeout: 120_000, maxBuffer: 1 << 24 });
}

function write(docroot: string, name: string, content: string): void {
  mkdirSync(dirname(join(docroot, name)), { recursive: true });
  writeFileSync(join(docroot, name), content);
}

/** Pages of a folder by path; what is published about them is not of them. */
function readPages(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .filter((path) => !path.startsWith("/.well-known/") && path !== "/robots.txt");
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), "latin1")]));
}

test("resync, the reference client, holds an equal copy, follows three days, and unpacks them", { skip }, async () => {
  using temp = makeTempFolder("resync");
  const docroot = join(temp.path, "docroot");
  mkdirSync(docroot);
  for (let page = 0; page < 120; page++) write(docroot, `d${page % 7}/page-${page}.html`, `page ${page}`);
  await using server = await startWebServer("nginx", docroot);
  let now = Date.now() + 3_600_000;
  const publish = async () =>
    await exportSite({
      docroot,
      baseUrl: server.url,
      stateDir: join(temp.path, "state"),
      changeDumps: true,
      clock: () => now,
    });
  const { publication } = await publish();
  const copy = join(temp.path, "copy");
  await runResync("resync-peer.py", "baseline", server.url, copy);
  assert.deepEqual(readPages(copy), readPages(docroot));
  assert.equal(Object.keys(readPages(copy)).length, 120);
  const unpacked = join(temp.path, "unpacked");
  cpSync(copy, unpacked, { recursive: true });
  for (const day of [1, 2, 3]) {
    // Two publications a day; one page changes in both.
    for (const half of [0, 1]) {
      now += 12 * 3_600_000;
      write(docroot, "d0/page-0.html", `day ${day}, half ${half}`);
      write(docroot, `new-${day}/${half}.txt`, `new on day ${day}`);
      for (let page = day; page < 120; page += 9 + half) {
        const name = `d${page % 7}/page-${page}.html`;
        if (page % 5 === 0) rmSync(join(docroot, name), { force: true });
        else write(docroot, name, `page ${page} on day ${day}, half ${half}`);
      }
      await publish();
    }
    await runResync("resync-peer.py", "incremental", server.url, copy, formatW3cDate(publication));
    assert.deepEqual(readPages(copy), readPages(docroot), `after day ${day}`);
  }
  // The days are over: one publication of a later day closes the last, and packs it.
  now += 24 * 3_600_000;
  const pages = readPages(docroot);
  write(docroot, "later.html", "after the days");
  await publish();
  await runResync("resync-peer.py", "dumps", server.url, unpacked);
  assert.deepEqual(readPages(unpacked), pages);
});

test("resync reads an index of resource lists, and fetches what its copy has not", { skip }, async () => {
  using temp = makeTempFolder("resync");
  const docroot = join(temp.path, "docroot");
  const copy = join(temp.path, "copy");
  mkdirSync(docroot);
  for (let page = 0; page < 10_500; page++) {
    const name = `d${page % 50}/page-${page}.html`;
    write(docroot, name, `page ${page}`);
    // Node copies times to the nearest millisecond, which can be one of the next second.
    utimesSync(join(docroot, name), 1_700_000_000 + page, 1_700_000_000 + page);
  }
  // Times and sizes are what the client goes by: of all but some pages it has them.
  cpSync(docroot, copy, { recursive: true, preserveTimestamps: true });
  await using server = await startWebServer("nginx", docroot);
  const clock = () => Date.now() + 3_600_000;
  await exportSite({ docroot, baseUrl: server.url, stateDir: join(temp.path, "state"), resourceSync: true, clock });
  const list = readFileSync(join(docroot, ".well-known/tidemark/resourcelist.xml"), "latin1");
  assert.match(list, /<sitemapindex/);
  for (let page = 0; page < 10_500; page += 300) rmSync(join(copy, `d${page % 50}/page-${page}.html`));
  write(copy, "not-there.html", "to be removed");
  await server.takeLog();
  await runResync("resync-peer.py", "baseline", server.url, copy);
  assert.deepEqual(readPages(copy), readPages(docroot));
  const asked = (await server.takeLog()).filter(({ uri }) => uri.startsWith("/d"));
  assert.equal(asked.length, 35, "of the others it saw that they are as listed");
});

test("the dump of resync, the reference tool, is read to an equal mirror", {
  skip: skipWithoutResync,
}, async () => {
  using temp = makeTempFolder("resync-dumps");
  const docroot = join(temp.path, "docroot");
  // Of folders with names that begin alike it writes paths with `..`, which are no places in a package.
  for (let page = 0; page < 100; page++) write(docroot, `pages/${"abcdefg"[page % 7]}/${page}.html`, `<p>${page}</p>`);
  const requests: string[] = [];
  await using server = await serveFolder({ folder: docroot, onRequest: ({ path }) => requests.push(path) });
  await runResync("resync-source.py", `${server.url}/`, docroot);
  const into = join(temp.path, "mirror");
  const summary = await crawlSite({ url: server.url, into, sources: ["resourcesync"] });
  assert.deepEqual([summary.packedPages, summary.pageRequests, summary.created], [100, 0, 100]);
  assert.equal(requests.filter((path) => path.endsWith(".zip")).length, 4);
  assert.deepEqual(readMirror(into, server.url), readPages(docroot));
});

test("a package for which the disk has no room leaves the pages to be asked for", {
  skip: skipWithoutMount(),
}, async () => {
  using temp = makeTempFolder("resync-dumps");
  const docroot = join(temp.path, "docroot");
  for (let page = 0; page < 40; page++) write(docroot, `${page}.html`, randomBytes(8000).toString("hex"));
  write(docroot, "large.png", randomBytes(300_000).toString("hex"));
  await using server = await serveFolder({ folder: docroot });
  const stateDir = join(temp.path, "state");
  await exportSite({ docroot, baseUrl: `${server.url}/`, stateDir, resourceDump: true });
  using disk = mountSmallDisk(16_384);
  const warnings: string[] = [];
  const visit = () =>
    crawlSite({
      url: server.url,
      into: join(disk.path, "mirror"),
      sources: ["resourcesync"],
      types: ["text/html"],
      onEvent: (event) => {
        if (event.event === "warning") warnings.push(event.message);
      },
    });
  mkdirSync(join(disk.path, "mirror"));
  disk.leave(300);
  await assert.rejects(visit(), { code: "disk-full" }, "there is room for neither");
  assert.match(warnings.join(), /package .* is skipped: .*no space left/i);
  assert.deepEqual(readdirSync(join(disk.path, "mirror", ".tidemark")).includes("tmp"), false);
  disk.leave(16_384);
  assert.equal((await visit()).pending, 0);
});
