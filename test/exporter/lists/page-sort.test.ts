import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import type { ListedPage } from "../../../src/exporter/lists/listed-page.ts";
import { PageSort } from "../../../src/exporter/lists/page-sort.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { listed } from "./listing.ts";

const segment = fc.stringMatching(/^[!-~]{0,6}$/);
const paths = fc.oneof(
  fc.array(fc.constantFrom("a", "b", "ab", "/"), { maxLength: 20 }).map((parts) => `/${parts.join("")}`),
  segment.map((text) => `/a-common-beginning-of-many/${text}`),
  segment.map((text) => `/${text}`),
  fc.integer({ min: 1, max: 7990 }).map((length) => `/${"x".repeat(length)}`),
);
const pages: fc.Arbitrary<ListedPage> = fc.record(
  {
    path: paths,
    sizeBytes: fc.option(fc.maxSafeNat(), { nil: undefined }),
    lastModified: fc.option(fc.integer({ min: 0, max: 253_402_300_799 }), { nil: undefined }),
    mediaType: fc.option(fc.constantFrom("text/html", "image/png", "application/x-y"), { nil: undefined }),
    digest: fc.option(
      fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString("base64url")),
      { nil: undefined },
    ),
  },
  { noNullPrototype: true },
);

function naively(given: readonly ListedPage[]): ListedPage[] {
  const last = new Map(given.map((page) => [page.path, page]));
  return [...last.values()].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

test("sorted runs give what a sort in memory gives: in byte order, each path once, the last one", () => {
  using temp = makeTempFolder();
  fc.assert(
    fc.property(
      fc.array(pages, { maxLength: 300 }),
      fc.constantFrom(1, 200, 2000, 1 << 25),
      fc.integer({ min: 1, max: 50 }),
      (given, runBytes, batchSize) => {
        using sort = new PageSort(temp.path, runBytes);
        for (const page of given) sort.add(page);
        const batches = [...sort.drain(batchSize)];
        const expected = naively(given);
        assert.deepEqual(batches.flat(), expected);
        assert.ok(batches.every((batch) => batch.length > 0 && batch.length <= batchSize));
        assert.equal(sort.count, given.length);
        assert.equal(sort.duplicates, given.length - expected.length);
      },
    ),
    { numRuns: 300 },
  );
  assert.deepEqual(readdirSync(temp.path), []);
});

test("what comes in order makes one run, and runs that overlap are merged", () => {
  using temp = makeTempFolder();
  using sort = new PageSort(temp.path, 1000);
  const inOrder = Array.from({ length: 2000 }, (_, at) => listed(`/${String(at).padStart(5, "0")}`));
  for (const page of [...inOrder, ...inOrder]) sort.add(page);
  assert.deepEqual([...sort.drain()].flat(), inOrder);
  assert.equal(sort.duplicates, 2000);
});

test("more media types than are kept make the others unknown, and nothing else", () => {
  using temp = makeTempFolder();
  using sort = new PageSort(temp.path, 10_000);
  for (let at = 0; at < 5000; at++) sort.add(listed(`/${at}`, { mediaType: `x/t${at}`, sizeBytes: at }));
  const given = [...sort.drain()].flat();
  assert.equal(given.filter(({ mediaType }) => mediaType !== undefined).length, 4096);
  for (const { path, sizeBytes, mediaType } of given) {
    assert.equal(path, `/${sizeBytes}`);
    assert.ok(mediaType === undefined || mediaType === `x/t${sizeBytes}`);
  }
});

test("paths that begin alike for thousands of bytes are sorted in time", () => {
  using temp = makeTempFolder();
  using sort = new PageSort(temp.path);
  const beginning = `/${"a".repeat(7000)}`;
  for (let at = 0; at < 2000; at++) sort.add(listed(`${beginning}${(at * 7919) % 2000}`));
  const given = [...sort.drain()].flat().map(({ path }) => path);
  assert.deepEqual(given, [...given].sort());
  assert.equal(given.length, 2000);
});
