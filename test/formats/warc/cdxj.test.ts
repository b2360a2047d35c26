import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { maxEpochSeconds } from "../../../src/core/time.ts";
import { type CdxjEntry, formatCdxjLine, maxCdxjLine, parseCdxjLine, surtOf } from "../../../src/formats/warc/cdxj.ts";
import { fc } from "../../property.ts";

// What `surt.surt` of the Python package surt 0.3.1 gives for these URLs, which pywb and cdxj-indexer look up.
const keys: ReadonlyArray<readonly [string, string]> = [
  ["http://www.example.com/", "com,example)/"],
  ["https://www2.Example.com:443/A/B.html?b=2&a=1", "com,example)/a/b.html?a=1&b=2"],
  ["http://127.0.0.1:8080/x", "1,0,0,127:8080)/x"],
  ["http://example.com:8080/x/", "com,example:8080)/x"],
  ["http://example.com/?", "com,example)/"],
  ["http://example.com/a?", "com,example)/a"],
  ["http://example.com/a/?x", "com,example)/a?x"],
  ["http://example.com/%7Efoo/%C3%A9?q=%20a+b", "com,example)/~foo/%c3%a9?q=%20a+b"],
  ["http://[::1]:8080/y", "::1:8080)/y"],
  ["http://example.com/a//b/../c", "com,example)/a/c"],
  ["http://example.com/a?b&a&B=1", "com,example)/a?a&b&b=1"],
  ["http://localhost/", "localhost)/"],
  ["http://www.com/", "com)/"],
  ["http://example.com./a", "com,example)/a"],
  ["http://example.com/a?utm=1#frag", "com,example)/a?utm=1"],
  ["http://example.com/a,b)", "com,example)/a,b)"],
  ["http://example.com/a%2fb%3fc%23", "com,example)/a/b?c%23"],
  ["http://example.com/a?x=%26&y=A%3D", "com,example)/a?&x=&y=a="],
  ["http://example.com/a?b=1&b=0&a=", "com,example)/a?a=&b=0&b=1"],
  ["http://xn--bcher-kva.example/\u00fc", "example,xn--bcher-kva)/%c3%bc"],
  ["http://example.com/a%25b", "com,example)/a%25b"],
  ["http://example.com/a?&&b=1&", "com,example)/a?&&&b=1"],
  ["http://example.com/index.html/", "com,example)/index.html"],
];

describe("the key of a URL", () => {
  for (const [url, key] of keys) it(`${url} is ${key}`, () => assert.equal(surtOf(url), key));
});

const entry: fc.Arbitrary<CdxjEntry> = fc.record(
  {
    url: fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string({ unit: "grapheme", maxLength: 30 })),
    date: fc.integer({ min: 0, max: maxEpochSeconds }),
    mediaType: fc.constantFrom("text/html", "warc/revisit", "unk", "caf\u00e9/\u2028"),
    status: fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined }),
    digest: fc.option(fc.constant("sha1:ABC"), { nil: undefined }),
    filename: fc.string({ unit: "grapheme", maxLength: 20 }),
    offset: fc.integer({ min: 0, max: 2 ** 49 }),
    lengthBytes: fc.integer({ min: 0, max: 2 ** 49 }),
  },
  { noNullPrototype: true },
);

test("a line that is written is read back the same, is ASCII, and is one line", () => {
  fc.assert(
    fc.property(entry, (of) => {
      const line = formatCdxjLine(of);
      assert.match(line, /^[\x20-\x7e]*$/);
      assert.deepEqual(parseCdxjLine(line), { ok: true, value: of });
    }),
  );
});

test("the specification's own line is read, whose numbers are numbers and whose time has milliseconds", () => {
  const line =
    'org,example)/index.html 20220106150849300 {"url":"https://example.org/index.html","digest":"sha-256:a8c5","mime":"image/png","offset":283,"length":2269,"recordDigest":"sha256:e520","status":200,"filename":"data.warc.gz"}';
  const read = parseCdxjLine(line);
  assert.ok(read.ok);
  assert.deepEqual([read.value.offset, read.value.lengthBytes, read.value.status], [283, 2269, 200]);
  assert.equal(read.value.date, Date.UTC(2022, 0, 6, 15, 8, 49) / 1000);
});

test("what is no line is a problem", () => {
  for (const line of [
    "",
    "a b c",
    "a 20220106150849 {",
    'a 20221306150849 {"url":"","filename":"","offset":1,"length":1}',
    'a 20220106150849 {"url":"","filename":"","offset":-1,"length":1}',
    'a 20220106150849 {"url":7,"filename":"","offset":1,"length":1}',
    `a 20220106150849 {"url":"${"x".repeat(maxCdxjLine)}","filename":"","offset":1,"length":1}`,
  ])
    assert.ok(!parseCdxjLine(line).ok, line.slice(0, 50));
  fc.assert(fc.property(fc.string(), (text) => void parseCdxjLine(`a 20220106150849 {${text}}`)));
});
