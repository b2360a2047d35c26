import assert from "node:assert/strict";
import { test } from "node:test";
import { decodePages, PageEncoder, pagesHeader } from "../../../src/exporter/publish/page-codec.ts";
import type { PublishedPage } from "../../../src/exporter/publish/published-page.ts";
import { fc } from "../../property.ts";
import { arbitraryPages } from "./published-pages.ts";

function encode(pages: readonly PublishedPage[], encoder: PageEncoder = new PageEncoder(16_384)): Buffer {
  for (const page of pages) encoder.add(page);
  return encoder.finish();
}

test("decode after encode is identity, whatever the encoder wrote before", () => {
  fc.assert(
    fc.property(fc.array(arbitraryPages({ maxLength: 30 }), { maxLength: 3 }), (lists) => {
      const encoder = new PageEncoder(100);
      for (const pages of lists) {
        const bytes = encode(pages, encoder);
        assert.deepEqual(bytes, encode(pages));
        assert.deepEqual(decodePages(bytes), pages);
      }
    }),
  );
});

test("a page that is gone is a path among others", () => {
  const [pages = []] = fc.sample(arbitraryPages({ minLength: 2, maxLength: 2 }), { numRuns: 1, seed: 7 });
  const encoder = new PageEncoder(100);
  for (const page of pages) encoder.add(page);
  encoder.addGone("/zz");
  assert.equal(encoder.count, 3);
  assert.deepEqual(decodePages(encoder.finish()), [...pages, { path: "/zz", isGone: true }]);
});

test("a list that is cut off at any byte is an error", () => {
  const [pages = []] = fc.sample(arbitraryPages({ minLength: 6, maxLength: 6 }), { numRuns: 1, seed: 3 });
  const bytes = encode(pages);
  for (let at = 0; at < bytes.length; at++)
    assert.throws(() => decodePages(bytes.subarray(0, at)), RangeError, `cut at ${at}`);
});

test("bytes behind the end, another count, a foreign header and paths out of order are errors", () => {
  const [pages = []] = fc.sample(arbitraryPages({ minLength: 3, maxLength: 3 }), { numRuns: 1, seed: 5 });
  const bytes = encode(pages);
  assert.equal(bytes.at(-1), pages.length);
  const foreign = Buffer.concat([Buffer.from("tidemark-pages 9\n"), bytes.subarray(pagesHeader.length)]);
  const miscounted = Buffer.concat([bytes.subarray(0, -1), Buffer.from([pages.length + 1])]);
  const bad = [Buffer.concat([bytes, Buffer.from([0])]), foreign, miscounted, encode([...pages].reverse())];
  for (const list of bad) assert.throws(() => decodePages(list), RangeError);
});

test("any bytes either throw a RangeError or give pages, and never hang", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (noise) => {
      try {
        decodePages(Buffer.concat([Buffer.from(pagesHeader), noise]));
      } catch (error) {
        assert.ok(error instanceof RangeError);
      }
    }),
    { numRuns: 2000 },
  );
});

test("the longest paths and a full buffer leave room for the end", () => {
  const long = "/".padEnd(8000, "x");
  const pages = Array.from(
    { length: 40 },
    (_, at): PublishedPage => ({
      path: `${long.slice(0, -2)}${String.fromCharCode(48 + at)}`.padEnd(8000, "y"),
      sizeBytes: Number.MAX_SAFE_INTEGER,
      mtimeUs: Number.MAX_SAFE_INTEGER,
      ctimeUs: Number.MAX_SAFE_INTEGER - 1,
      lastModified: 1,
      mediaType: `a/${"b".repeat(200)}${at}`,
      digest: "AAAAAAAAAAA",
      racy: true,
      stamp: 2 ** 32 - 1,
    }),
  );
  for (const sizeBytes of [1, 7990, 8200, 8400, 16_000])
    assert.deepEqual(decodePages(encode(pages, new PageEncoder(sizeBytes))), pages);
});

test("a path beyond what a record holds is refused, not cut", () => {
  const [page] = fc.sample(arbitraryPages({ minLength: 1, maxLength: 1 }), 1)[0] ?? [];
  assert.ok(page !== undefined);
  assert.throws(() => encode([{ ...page, path: `/${"x".repeat(8000)}` }]), RangeError);
  for (const number of [-1, 0.5, 2 ** 53, Number.NaN]) {
    assert.throws(() => encode([{ ...page, sizeBytes: number }]), RangeError);
    assert.throws(() => encode([{ ...page, mtimeUs: number }]), RangeError);
  }
});
