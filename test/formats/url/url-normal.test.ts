import assert from "node:assert/strict";
import { test } from "node:test";
import { maxUrlLength, normaliseUrl } from "../../../src/formats/url/url-normal.ts";
import { fc } from "../../property.ts";

// Each row names the section that it proves, of RFC 3986 unless another is named.
const rows: ReadonlyArray<readonly [string, string, string | undefined]> = [
  ["6.2.2.1: scheme and host in lower case", "HTTP://Example.ORG/A", "http://example.org/A"],
  ["6.2.2.1: escapes in upper case", "http://a/%c3%a9?%3d", "http://a/%C3%A9?%3D"],
  ["6.2.2.2: unreserved characters unescaped", "http://a/%7e%41%2d%5F%2e?%7E%30", "http://a/~A-_.?~0"],
  [
    "6.2.2.2: reserved ones stay escaped",
    "http://a/%2F%3F%23%5B%40%21%24%26%25",
    "http://a/%2F%3F%23%5B%40%21%24%26%25",
  ],
  ["6.2.2.3: dot segments", "http://a/b/./../c/%2e%2E/d/.%2e/e", "http://a/e"],
  ["6.2.3: a default port", "http://a:80/", "http://a/"],
  ["6.2.3: a default port", "https://a:443", "https://a/"],
  ["6.2.3: another port", "https://a:80/", "https://a:80/"],
  ["6.2.3: an empty query", "http://a/b?#c", "http://a/b"],
  ["6.2.3: no path", "http://a?b", "http://a/?b"],
  ["4.3: no fragment", "http://a/b?c#d?e", "http://a/b?c"],
  ["a percent sign that is none stays", "http://a/100%?%zz%4", "http://a/100%?%zz%4"],
  ["no escape comes of two", "http://a/%%34%31?%4%31%%41", "http://a/%%341?%4%31%%41"],
  ["an escaped percent sign stays", "http://a/%2541", "http://a/%2541"],
  ["RFC 9110 section 4.2.4: a user", "http://me@a/", undefined],
  ["RFC 9110 section 4.2.4: a password", "http://:pw@a/", undefined],
  ["another scheme", "ftp://a/", undefined],
  ["another scheme", "data:text/plain,a", undefined],
  ["no URL", "a/b", undefined],
  ["no URL", "http://", undefined],
  ["WHATWG URL: a host in other letters", "http://b\u00fccher.example/\u00e9", "http://xn--bcher-kva.example/%C3%A9"],
  ["WHATWG URL: backslashes and white space", " http:\\\\a\\b\n\tc ", "http://a/bc"],
  ["WHATWG URL: a number as a host", "http://0x7f.1/", "http://127.0.0.1/"],
  ["repeated slashes stay", "http://a//b///c", "http://a//b///c"],
  ["the order of parameters stays", "http://a/?b=2&a=1&", "http://a/?b=2&a=1&"],
];

for (const [name, url, want] of rows) {
  test(`${name}: ${JSON.stringify(url)}`, () => {
    assert.equal(normaliseUrl(url), want);
  });
}

test("section 5.4: a relative URL is resolved", () => {
  const base = "http://a/b/c/d;p?q#f";
  assert.equal(normaliseUrl("../g%7e", base), "http://a/b/g~");
  assert.equal(normaliseUrl("?y", base), "http://a/b/c/d;p?y");
  assert.equal(normaliseUrl("#s", base), "http://a/b/c/d;p?q");
  assert.equal(normaliseUrl("//h:80", base), "http://h/");
  assert.equal(normaliseUrl("mailto:x@a", base), undefined);
  assert.equal(normaliseUrl("x", "no base"), undefined);
});

test("a URL is at most 8192 characters long, before and after", () => {
  const path = "a".repeat(maxUrlLength - "http://a/".length);
  assert.equal(normaliseUrl(`http://a/${path}`), `http://a/${path}`);
  assert.equal(normaliseUrl(`http://a/${path}a`), undefined);
  assert.equal(normaliseUrl(`http://a/${"\u20ac".repeat(1000)}`)?.length, 9 + 9000 > maxUrlLength ? undefined : 9009);
  assert.equal(normaliseUrl(path.slice(1), "http://a/b/c/d/e/f"), undefined);
});

const part = fc.oneof(
  fc.constantFrom(..."%%%/.?&=#:@\\ ~aAfF0419zZ;+[]|'\"<>{}^`\u00e9\u20ac\t", "%2", "%41", "%2e", "%2F", "..", "%25"),
  fc.string({ maxLength: 3 }),
);
const spellings = fc.array(part, { maxLength: 25 }).map((parts) => parts.join(""));

// Escapes, and what would be one if a neighbour were unescaped.
const escapes = fc
  .array(fc.constantFrom("%", "%4", "%34", "%31", "%41", "%25", "4", "A", "f", "g"), { maxLength: 12 })
  .map((parts) => parts.join(""));

test("normalising twice is normalising once, and no parser takes the result for another", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("http://a/", "https://B.example:8080/x?", "http:", "//"),
      fc.oneof(spellings, escapes),
      (start, rest) => {
        const normal = normaliseUrl(start + rest, "http://a.example/b/c?d");
        if (normal === undefined) return;
        assert.equal(normaliseUrl(normal), normal);
        assert.equal(new URL(normal).href, normal);
      },
    ),
    { numRuns: 2000 },
  );
});

test("a URL and its normal form name the same octets", () => {
  fc.assert(
    fc.property(fc.oneof(spellings, escapes), (rest) => {
      const url = `http://a/${rest}`;
      const normal = normaliseUrl(url);
      if (normal === undefined) return;
      const octets = (text: string): string =>
        text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
      const { pathname, search } = new URL(url);
      assert.equal(octets(normal), octets(`http://a${pathname}${search}`));
    }),
    { numRuns: 2000 },
  );
});
