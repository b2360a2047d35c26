import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem, Result } from "../../../src/core/result.ts";
import { maxArchiveChanges } from "../../../src/formats/archive/archive.ts";
import {
  formatArchiveIndex,
  maxIndexBytes,
  maxIndexKeys,
  parseArchiveIndex,
  parseBaseList,
} from "../../../src/formats/archive/archive-index.ts";
import { buildGoldenSite } from "../golden-site.ts";

const text = formatArchiveIndex(buildGoldenSite().index);
const encode = (from: string): Uint8Array => Buffer.from(from, "latin1");
const codeOf = (result: Result<unknown, Problem>): string => (result.ok ? "ok" : result.error.code);
const codeWith = (from: string | RegExp, to: string): string => {
  const changed = text.replace(from, to);
  assert.notEqual(changed, text);
  return codeOf(parseArchiveIndex(encode(changed)));
};
const id = "0123456789abcdef";

const refused: ReadonlyArray<readonly [string, string | RegExp, string, string]> = [
  ["another version", "tidemark-index 1", "tidemark-index 2", "bad-header"],
  ["no epoch", /epoch\t.*\n/, "", "bad-epoch"],
  ["an epoch with other characters", /epoch\t.*\n/, "epoch\t../../etc\n", "bad-epoch"],
  ["no publication", /publication\t.*\n/, "", "bad-publication"],
  ["a publication at the beginning", /publication\t.*\n/, "publication\t0\n", "bad-publication"],
  ["no pages", /pages\t.*\n/, "", "bad-pages"],
  ["a negative number of pages", /pages\t.*\n/, "pages\t-1\n", "bad-pages"],
  ["no complete-from", /complete-from\t.*\n/, "", "bad-times"],
  ["complete-from after the base", /complete-from\t.*\n/, "complete-from\t20261120T020001Z\n", "bad-times"],
  ["a base after the publication", /publication\t.*\n/, "publication\t20261119T020000Z\n", "bad-times"],
  ["an archive after the publication", "_20261122T020000Z", "_20261122T020001Z", "bad-times"],
  ["an archive before complete-from", "\n20261120T020000Z_", "\n20261120T015959Z_", "bad-times"],
  ["no base", /base\t.*\n/, "", "bad-archive-name"],
  ["a base that is no list", ".base.", ".other.", "bad-base"],
  ["a base that does not begin at the beginning", "\t0_", "\t20200101T000000Z_", "bad-base"],
  ["an archive in a folder", "\n20261121T", "\n../20261121T", "bad-archive-name"],
  ["an archive elsewhere", "\n20261121T", "\nhttps://evil.example/20261121T", "bad-archive-name"],
  ["a line without counts", /\.gz\t1\t\d+\n/, ".gz\n", "bad-line"],
  ["more changes than an archive holds", /\.gz\t1\t/, `.gz\t${maxArchiveChanges + 1}\t`, "bad-line"],
  ["an empty line at the end", /$/, "\n", "bad-archive-name"],
  ["an end that is cut off", /\n$/, "", "truncated"],
  ["a key without a TAB", "\npages\t", "\npages ", "bad-line"],
];

for (const [name, from, to, code] of refused) {
  test(`an index is refused: ${name}`, () => {
    assert.equal(codeWith(from, to), code);
  });
}

test("a list of a base is no archive of changes", () => {
  const line = `20261121T020000Z_20261122T020000Z.base.${id}.gz\t1\t1\n`;
  assert.equal(codeOf(parseArchiveIndex(encode(text + line))), "bad-line");
});

test("keys and fields of later versions are passed over, and the first of two equal keys counts", () => {
  const later = text
    .replace("\nepoch\t", "\ncolour\tblue\nepoch\t")
    .replace("\n\n", "\nepoch\tanotherEpoch\n\n")
    .replace(/\.gz\t(\d+)\t(\d+)\n/g, ".gz\t$1\t$2\tmore\tand more\n");
  assert.deepEqual(parseArchiveIndex(encode(later)), parseArchiveIndex(encode(text)));
});

test("keys without end are refused, and so is a list without an empty line", () => {
  const keys = Array.from({ length: maxIndexKeys + 1 }, (_, at) => `k${at}\tv\n`).join("");
  assert.equal(codeWith("\nepoch\t", `\n${keys}epoch\t`), "bad-line");
  assert.equal(codeOf(parseArchiveIndex(encode("tidemark-index 1\nepoch\tabcdefgh\n"))), "truncated");
});

test("a list of 64 MiB of line ends, of TABs or of one key is refused", () => {
  for (const filler of ["\n", "\t", "a"]) {
    const body = `tidemark-base 1\n${filler.repeat(maxIndexBytes - 100)}\n`;
    assert.equal(parseBaseList(encode(body)).ok, false);
  }
  assert.equal(codeOf(parseBaseList(encode("x".repeat(maxIndexBytes + 1)))), "too-large");
});

test("a base list without publication or pages is refused", () => {
  assert.equal(codeOf(parseBaseList(encode("tidemark-base 1\npages\t1\n\n"))), "bad-base");
  assert.equal(codeOf(parseBaseList(encode("tidemark-base 1\npublication\t20260101T000000Z\n\n"))), "bad-base");
  assert.equal(codeOf(parseBaseList(encode("tidemark-base 1\npublication\t20260101T000000Z\npages\t0\n\n"))), "ok");
});
