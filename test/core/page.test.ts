import assert from "node:assert/strict";
import { test } from "node:test";
import { digestBytes, isDigest, parseMediaTypeFilter } from "../../src/core/page.ts";
import { fc } from "../property.ts";

test("eight bytes as base64url are a digest, and only they", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2 * digestBytes }), (bytes) => {
      assert.equal(isDigest(Buffer.from(bytes).toString("base64url")), bytes.length === digestBytes);
    }),
  );
  for (const text of ["", "-", "AAAAAAAAAAB", "AAAAAAAAAA=", "AAAAAAAAA+A", "AAAAAAAAAAA\n"]) {
    assert.equal(isDigest(text), false, JSON.stringify(text));
  }
});

const table: ReadonlyArray<readonly [readonly string[], string, readonly string[], readonly string[]]> = [
  [[], "", ["text/html", "image/png"], []],
  [["*/*", "text/html"], "", ["image/png"], []],
  [["text/html"], "text/html", ["text/html"], ["text/css", "image/png", "text/html5"]],
  [[" Image/* ", "TEXT/HTML"], "image/*,text/html", ["image/png", "text/html"], ["text/css", "imagery/x"]],
  [["text/css", "text/css"], "text/css", ["text/css"], ["text/html"]],
  [["application/vnd.a_b+xml"], "application/vnd.a_b+xml", ["application/vnd.a_b+xml"], ["application/xml"]],
];

for (const [patterns, key, wanted, unwanted] of table) {
  test(`the filter of ${JSON.stringify(patterns)} is ${JSON.stringify(key)}`, () => {
    const filter = parseMediaTypeFilter(patterns);
    assert.equal(filter?.key, key);
    for (const type of wanted) assert.equal(filter?.matches(type), true, type);
    for (const type of unwanted) assert.equal(filter?.matches(type), false, type);
  });
}

test("what is no pattern makes no filter", () => {
  for (const pattern of ["", "html", "text/", "/html", "*/html", "text/ht*", "text/html;q=1", "a/b/c", "text/**"]) {
    assert.equal(parseMediaTypeFilter([pattern]), undefined, pattern);
  }
});
