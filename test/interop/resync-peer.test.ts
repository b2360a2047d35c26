import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { exportSite } from "../../src/exporter/export-site.ts";
import { formatW3cDate } from "../../src/formats/time/w3c-date.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { requireCached, skipWithout, skipWithoutCached } from "./programs.ts";
import { startWebServer } from "./web-server.ts";

const script = join(repositoryFolder(), "test", "interop", "resync-peer.py");
const skip = skipWithout("nginx") || skipWithoutCached("resync-1");

async function runPeer(...args: readonly string[]): Promise<void> {
  const python = join(requireCached("resync-1"), "bin", "python");
  await promisify(execFile)(python, ["-W", "ignore", script, ...args], { timeout: 120_000, maxBuffer: 1 << 24 });
}

/** Content of each page, by its path; what is published about them is not of them. */
function readPages(folder: string): Record<string, string> {
  const pages: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    if (name.startsWith(".well-known") || name === "robots.txt" || !statSync(join(folder, name)).isFile()) continue;
    pages[relative(folder, join(folder, name))] = readFileSync(join(folder, name), "latin1");
  }
  return pages;
}

function write(docroot: string, name: string, content: string): void {
  mkdirSync(dirname(join(docroot, name)), { recursive: true });
  writeFileSync(join(docroot, name), content);
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
  await runPeer("baseline", server.url, copy);
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
    await runPeer("incremental", server.url, copy, formatW3cDate(publication));
    assert.deepEqual(readPages(copy), readPages(docroot), `after day ${day}`);
  }
  // The days are over: one publication of a later day closes the last, and packs it.
  now += 24 * 3_600_000;
  const pages = readPages(docroot);
  write(docroot, "later.html", "after the days");
  await publish();
  await runPeer("dumps", server.url, unpacked);
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
  await runPeer("baseline", server.url, copy);
  assert.deepEqual(readPages(copy), readPages(docroot));
  const asked = (await server.takeLog()).filter(({ uri }) => uri.startsWith("/d"));
  assert.equal(asked.length, 35, "of the others it saw that they are as listed");
});
