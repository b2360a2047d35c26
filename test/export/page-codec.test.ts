import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PageDecoder, PageEncoder, pagesHeader } from "../../src/export/page-codec.ts";
import type { PublishedPage } from "../../src/export/published-page.ts";
import { arbitraryPages } from "./published-pages.ts";

function encode(pages: readonly PublishedPage[], pieceBytes?: number): Buffer {
  const encoder = new PageEncoder(pieceBytes);
  const pieces: Buffer[] = [];
  for (const page of pages) {
    encoder.add(page);
    if (encoder.pendingBytes >= (pieceBytes ?? Number.POSITIVE_INFINITY)) pieces.push(encoder.take());
  }
  encoder.end(pages.length);
  pieces.push(encoder.take());
  return Buffer.concat(pieces);
}

function decode(pieces: Iterable<Uint8Array>): { pages: PublishedPage[]; ended: boolean } {
  const decoder = new PageDecoder();
  const pages: PublishedPage[] = [];
  for (const piece of pieces) decoder.decode(piece, pages);
  return { pages, ended: decoder.ended };
}

test("decode after encode is identity, however the bytes are cut", () => {
  fc.assert(
    fc.property(
      arbitraryPages({ maxLength: 30 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      fc.integer({ min: 1, max: 300 }),
      (pages, cuts, pieceBytes) => {
        const bytes = encode(pages, pieceBytes);
        assert.deepEqual(bytes, encode(pages), "pieces make no difference");
        const pieces: Uint8Array[] = [];
        for (let at = 0, cut = 0; at < bytes.length; cut++) {
          const length = cuts[cut % cuts.length] ?? 1;
          pieces.push(bytes.subarray(at, at + length));
          at += length;
        }
        const decoded = decode(pieces);
        assert.deepEqual(decoded.pages, pages);
        assert.ok(decoded.ended);
      },
    ),
  );
});

test("two pieces may meet at any byte", () => {
  const [pages = []] = fc.sample(arbitraryPages({ minLength: 12, maxLength: 12 }), { numRuns: 1, seed: 7 });
  const bytes = encode(pages);
  for (let at = 0; at <= bytes.length; at++) {
    assert.deepEqual(decode([bytes.subarray(0, at), bytes.subarray(at)]).pages, pages, `cut at ${at}`);
  }
});

test("a list that is cut off at any byte has not ended, and gives no page that was not written", () => {
  const [pages = []] = fc.sample(arbitraryPages({ minLength: 6, maxLength: 6 }), { numRuns: 1, seed: 3 });
  const bytes = encode(pages);
  for (let at = 0; at < bytes.length; at++) {
    const decoded = decode([bytes.subarray(0, at)]);
    assert.equal(decoded.ended, false, `cut at ${at}`);
    assert.deepEqual(decoded.pages, pages.slice(0, decoded.pages.length));
  }
});

test("bytes behind the end, another count, a foreign header and paths out of order are errors", () => {
  const [pages = []] = fc.sample(arbitraryPages({ minLength: 3, maxLength: 3 }), { numRuns: 1, seed: 5 });
  const bytes = encode(pages);
  assert.throws(() => decode([bytes, Buffer.from([0])]), RangeError);
  assert.throws(() => decode([Buffer.from("tidemark-pages 2\n"), bytes.subarray(pagesHeader.length)]), RangeError);
  const miscounted = new PageEncoder();
  for (const page of pages) miscounted.add(page);
  miscounted.end(pages.length + 1);
  assert.throws(() => decode([miscounted.take()]), RangeError);
  const disordered = new PageEncoder();
  for (const page of [...pages].reverse()) disordered.add(page);
  disordered.end(pages.length);
  assert.throws(() => decode([disordered.take()]), RangeError);
});

test("any bytes either throw a RangeError or give pages, and never hang", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (noise) => {
      try {
        decode([Buffer.from(pagesHeader), noise]);
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
    }),
  );
  for (const pieceBytes of [1, 7990, 8200, 8400, 16_000])
    assert.deepEqual(decode([encode(pages, pieceBytes)]).pages, pages);
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
