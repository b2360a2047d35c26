import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PageWriter } from "../../../src/exporter/publish/page-file.ts";
import { PageLookup } from "../../../src/exporter/publish/page-lookup.ts";
import type { PublishedPage } from "../../../src/exporter/publish/published-page.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { readPages } from "./golden-state.ts";
import { arbitraryPages, writePages } from "./published-pages.ts";

function somePages(count: number, seed: number): PublishedPage[] {
  const [pages = []] = fc.sample(arbitraryPages({ minLength: count, maxLength: count }), { numRuns: 1, seed });
  return pages;
}

function manyPages(count: number): PublishedPage[] {
  return Array.from({ length: count }, (_, at) => ({
    path: `/folder-${String(Math.floor(at / 100)).padStart(5, "0")}/page-${String(at).padStart(7, "0")}.html`,
    sizeBytes: at * 7919,
    mtimeUs: 1_700_000_000_000_000 + at * 1_234_567,
    ctimeUs: 1_700_000_000_000_000 + at * 1_234_567,
    lastModified: 1_700_000_000,
    mediaType: "text/html",
    digest: Buffer.from(`${at}`.padStart(8)).toString("base64url"),
    racy: at % 13 === 0,
  }));
}

test("pages come back from the disk as they were written", async () => {
  using folder = makeTempFolder();
  for (const pages of [[], somePages(1, 1), somePages(40, 2), manyPages(60_000)])
    assert.deepEqual(readPages(await writePages(folder.path, pages)), pages);
  assert.equal(statSync(join(folder.path, "pages.blocks")).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder.path), ["pages.blocks"]);
});

test("what is not committed leaves nothing", async () => {
  using folder = makeTempFolder();
  for (const isEnded of [false, true]) {
    await using writer = new PageWriter(folder.path);
    writer.add(somePages(1, 1)[0] ?? assert.fail());
    if (isEnded) await writer.end();
  }
  assert.deepEqual(readdirSync(folder.path), []);
});

test("a list that cannot be written says where", async () => {
  const writer = new PageWriter("/nonexistent/folder");
  writer.add(somePages(1, 1)[0] ?? assert.fail());
  await assert.rejects(writer.end(), { code: "not-found" });
  await writer[Symbol.asyncDispose]();
});

test("cut off anywhere, a list never reads as if it were whole", async () => {
  using folder = makeTempFolder();
  const path = await writePages(folder.path, somePages(8, 4));
  const whole = readFileSync(path);
  for (let length = 0; length < whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length));
    assert.throws(() => readPages(path), { code: "state-corrupt" }, `cut at ${length}`);
  }
});

test("with any bit turned over, a list is refused or reads as it was", async () => {
  using folder = makeTempFolder();
  const pages = somePages(4, 4);
  const path = await writePages(folder.path, pages);
  const whole = readFileSync(path);
  let refused = 0;
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const flipped = Buffer.from(whole);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    writeFileSync(path, flipped);
    try {
      assert.deepEqual(readPages(path), pages, `bit ${bit}`);
    } catch (error) {
      assert.equal((error as { code?: unknown }).code, "state-corrupt", `bit ${bit}: ${error}`);
      refused += 1;
    }
  }
  // zlib's window and compression level may say more than is needed.
  assert.ok(refused > whole.length * 8 - 8, `${refused} of ${whole.length * 8}`);
});

test("a file of something else is refused", () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "pages.blocks");
  for (const content of ["", "tidemark-blocks 2\n", "tidemark-blocks 1\n", "hello", "tidemark-blocks 1\n".padEnd(99)]) {
    writeFileSync(path, content);
    assert.throws(() => readPages(path), { code: "state-corrupt" }, content);
  }
});

test("whoever stops early closes the file", async () => {
  using folder = makeTempFolder();
  const path = await writePages(folder.path, manyPages(60_000));
  const openFiles = () => readdirSync("/proc/self/fd").length;
  const before = openFiles();
  for (let time = 0; time < 5; time++) {
    using lookup = new PageLookup([path]);
    lookup.seek("/");
  }
  assert.ok(openFiles() <= before, `${openFiles()} files are open where ${before} were`);
});
