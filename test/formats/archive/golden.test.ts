import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { type Change, pathOf } from "../../../src/core/change.ts";
import type { Problem, Result } from "../../../src/core/result.ts";
import { formatArchive, formatChangeLine, parseArchive } from "../../../src/formats/archive/archive.ts";
import {
  type ArchiveEntry,
  formatArchiveIndex,
  formatBaseList,
  parseArchiveIndex,
  parseBaseList,
  publishedFolder,
} from "../../../src/formats/archive/archive-index.ts";
import { formatArchiveName, parseArchiveName } from "../../../src/formats/archive/archive-name.ts";
import { parseRobots } from "../../../src/formats/robots/robots.ts";
import { replaceRobotsBlock } from "../../../src/formats/robots/robots-block.ts";
import { maxRobotsBytes } from "../../../src/formats/robots/robots-line.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { buildGoldenSite } from "../golden-site.ts";

const folder = join(repositoryFolder(), "fixtures", "format", "v1");
const golden = buildGoldenSite();

// fixtures/README.md names this switch. Bytes that changed need a new version, not new fixtures.
if (process.env.TIDEMARK_WRITE_FIXTURES === "1") {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, bytes] of golden.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

const read = (path: string): Buffer => readFileSync(join(folder, path));
const unpacked = (path: string, bytes: Uint8Array): Uint8Array => (path.endsWith(".gz") ? gunzipSync(bytes) : bytes);

function must<T>(result: Result<T, Problem>): T {
  if (!result.ok) assert.fail(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

test("the fixtures are the files that the code writes, no more and no fewer", () => {
  const there = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  assert.deepEqual(there.sort(), [...golden.files.keys()].sort());
});

for (const [path, bytes] of golden.files) {
  // Another zlib may compress to other bytes; the format is in the uncompressed ones.
  test(`${path} has the bytes that the code writes`, () => {
    const want = Buffer.from(unpacked(path, bytes)).toString("latin1");
    assert.equal(Buffer.from(unpacked(path, read(path))).toString("latin1"), want);
  });
}

function readListed(entry: ArchiveEntry): Uint8Array {
  const name = formatArchiveName(entry.name);
  const packed = read(`site${publishedFolder}${name}`);
  const content = gunzipSync(packed);
  assert.equal(createHash("sha256").update(content).digest("hex").slice(0, 16), entry.name.id, name);
  assert.deepEqual(must(parseArchiveName(name)), entry.name);
  return content;
}

test("version 1 of an index is read, and written again with the same bytes", () => {
  const content = read("index.txt");
  const index = must(parseArchiveIndex(content));
  assert.deepEqual(index, golden.index);
  assert.equal(formatArchiveIndex(index), content.toString("latin1"));
});

test("version 1 of a base list is read, and written again with the same bytes", () => {
  const content = read("base-list.txt");
  const list = must(parseBaseList(content));
  assert.deepEqual(list, golden.baseList);
  assert.equal(formatBaseList(list), content.toString("latin1"));
});

test("version 1 of an archive is read, and written again with the same bytes", () => {
  for (const path of ["base-archive.txt", "tier-archive.txt"]) {
    const content = read(path);
    const changes = must(parseArchive(content));
    assert.equal(formatArchive(changes.map(formatChangeLine)), content.toString("latin1"));
  }
});

test("version 1 of the robots block is found, and replaced by itself", () => {
  const robots = read("site/robots.txt").toString("latin1");
  assert.equal(replaceRobotsBlock(robots, read("robots-block.txt").toString("latin1")), robots);
  const parsed = parseRobots(read("site/robots.txt"));
  assert.deepEqual(parsed.archiveIndexes, ["https://www.example.org/.well-known/tidemark/index.gz"]);
  assert.equal(parsed.archives.length, golden.baseArchives.length);
  assert.equal(parsed.truncated, false);
  assert.ok(robots.length < maxRobotsBytes);
});

test("base and chain of the published set come to the pages that lie in its folder", () => {
  const index = must(parseArchiveIndex(gunzipSync(read(`site${publishedFolder}index.gz`))));
  const list = must(parseBaseList(readListed(index.base)));
  const apply = (pages: Map<string, Change>, entries: readonly ArchiveEntry[]): void => {
    for (const entry of entries) {
      const changes = must(parseArchive(readListed(entry)));
      assert.equal(changes.length, entry.changes);
      for (const change of changes) {
        if (change.kind === "deleted") pages.delete(pathOf(change));
        else pages.set(pathOf(change), change);
      }
    }
  };
  const spans = [
    [[index.completeFrom, index.publication]],
    [...new Set(index.archives.map((entry) => entry.name.to))]
      .sort((a, b) => a - b)
      .map((to, at, all) => [all[at - 1] ?? index.completeFrom, to]),
  ];
  for (const chain of spans) {
    const pages = new Map<string, Change>();
    apply(pages, list.archives);
    for (const [from, to] of chain) {
      apply(
        pages,
        index.archives.filter((entry) => entry.name.from === from && entry.name.to === to),
      );
    }
    assert.equal(pages.size, index.pages);
    for (const change of pages.values()) {
      if (change.kind === "deleted") assert.fail(change.path);
      // No file stands for it.
      if (change.page.path === "/feed?tag=news") continue;
      const body = read(`site${decodeURIComponent(change.page.path)}`);
      assert.equal(body.length, change.page.sizeBytes, change.page.path);
      const digest = createHash("sha256").update(body).digest().subarray(0, 8).toString("base64url");
      assert.equal(digest, change.page.digest, change.page.path);
    }
  }
});
