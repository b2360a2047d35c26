import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import { exportSite } from "../../src/exporter/export-site.ts";
import { serveFolder } from "../../src/server/folder-server.ts";
import { readMirror } from "../crawler/engine/mirror.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { requireCached, skipWithoutCached } from "./programs.ts";
import { mountSmallDisk, skipWithoutMount } from "./small-disk.ts";

const script = join(repositoryFolder(), "test", "interop", "resync-source.py");

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
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

test("the dump of resync, the reference tool, is read to an equal mirror", {
  skip: skipWithoutCached("resync-1"),
}, async () => {
  using temp = makeTempFolder("resync-dumps");
  const docroot = join(temp.path, "docroot");
  // Of folders with names that begin alike it writes paths with `..`, which are no places in a package.
  for (let page = 0; page < 100; page++) write(docroot, `pages/${"abcdefg"[page % 7]}/${page}.html`, `<p>${page}</p>`);
  const requests: string[] = [];
  await using server = await serveFolder({ folder: docroot, onRequest: ({ path }) => requests.push(path) });
  const python = join(requireCached("resync-1"), "bin", "python");
  execFileSync(python, ["-W", "ignore", script, `${server.url}/`, docroot], { timeout: 60_000 });
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
