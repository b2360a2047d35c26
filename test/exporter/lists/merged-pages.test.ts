import assert from "node:assert/strict";
import { test } from "node:test";
import { isScannedFile, JoinedLists, MergedPages } from "../../../src/exporter/lists/merged-pages.ts";
import type { ScanBatch, ScannedFile } from "../../../src/exporter/walk/scanned-file.ts";
import type { RootWalk } from "../../../src/exporter/walk/site-walk.ts";
import { fc } from "../../property.ts";
import { drainPages, givenPages, listed } from "./listing.ts";

function file(path: string): ScannedFile {
  return { path, location: path, sizeBytes: 1, mtimeUs: 2, ctimeUs: 3, mediaType: "text/html" };
}

function givenFiles(batches: readonly ScanBatch[]): RootWalk {
  let at = 0;
  return { next: async () => batches[at++], [Symbol.asyncDispose]: async () => undefined };
}

async function drain(merged: MergedPages) {
  const pages = [];
  const gaps = [];
  for (let batch = await merged.next(); batch !== undefined; batch = await merged.next()) {
    pages.push(...batch.pages);
    gaps.push(...batch.gaps.map(({ path }) => path));
  }
  return { pages, gaps };
}

test("files and listed pages come in path order, and of one path the file", async () => {
  const names = fc.uniqueArray(fc.stringMatching(/^\/[a-d]{0,3}$/), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      names,
      names,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
      async (a, b, sizeA, sizeB) => {
        const [files, others] = [a.toSorted(), b.toSorted()];
        const batches: ScanBatch[] = [];
        for (let at = 0; at < files.length; at += sizeA)
          batches.push({ files: files.slice(at, at + sizeA).map(file), gaps: [] }, { files: [], gaps: [] });
        await using merged = new MergedPages(
          givenFiles(batches),
          givenPages(
            others.map((path) => listed(path)),
            sizeB,
          ),
        );
        const { pages } = await drain(merged);
        assert.deepEqual(
          pages.map(({ path }) => path),
          [...new Set([...files, ...others])].sort(),
        );
        for (const page of pages) assert.equal(isScannedFile(page), files.includes(page.path));
        assert.equal(merged.shadowed, files.filter((path) => others.includes(path)).length);
      },
    ),
  );
});

test("gaps of the walk are handed on; a list that is not complete makes the whole site one gap instead", async () => {
  for (const [isComplete, expected] of [
    [true, ["/b/", "/d"]],
    [false, ["/"]],
  ] as const) {
    const files = givenFiles([
      { files: [file("/a")], gaps: [{ path: "/b/" }] },
      { files: [], gaps: [{ path: "/d" }] },
    ]);
    await using merged = new MergedPages(files, givenPages([listed("/c")], 1, isComplete));
    const { pages, gaps } = await drain(merged);
    assert.deepEqual([pages.map(({ path }) => path), gaps], [["/a", "/c"], expected]);
  }
});

test("two lists are one in path order, and of one path the second's page counts", async () => {
  const names = fc.uniqueArray(fc.stringMatching(/^\/[a-d]{0,3}$/), { maxLength: 40 });
  const size = fc.integer({ min: 1, max: 9 });
  await fc.assert(
    fc.asyncProperty(names, names, size, size, async (a, b, sizeA, sizeB) => {
      const first = a.toSorted().map((path) => listed(path, { sizeBytes: 1 }));
      const second = b.toSorted().map((path) => listed(path, { sizeBytes: 2 }));
      await using joined = new JoinedLists(givenPages(first, sizeA), givenPages(second, sizeB));
      const expected = [...new Set([...a, ...b])]
        .sort()
        .map((path) => listed(path, { sizeBytes: b.includes(path) ? 2 : 1 }));
      assert.deepEqual(await drainPages(joined), expected);
    }),
  );
});

test("two lists are complete only if both are", async () => {
  const one = listed("/a");
  for (const [a, b] of [
    [true, true],
    [true, false],
    [false, true],
  ] as const) {
    await using joined = new JoinedLists(givenPages([one], 1, a), givenPages([one], 1, b));
    await drainPages(joined);
    assert.equal(joined.isComplete, a && b);
  }
});
