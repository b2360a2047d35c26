import assert from "node:assert/strict";
import { test } from "node:test";
import { parseListedUrl } from "../../../src/exporter/lists/listed-page.ts";
import { isCanonicalPath } from "../../../src/formats/url/url-path.ts";
import { fc } from "../../property.ts";

const origin = "https://example.org";

// What is given, and the path or the problem that it becomes; sections are of the WHATWG URL Standard.
const rows: ReadonlyArray<readonly [string, string]> = [
  ["/a.html", "/a.html"],
  ["https://example.org/a.html", "/a.html"],
  ["HTTPS://EXAMPLE.ORG:443/a.html", "/a.html"], // 4.4: the scheme's own port is dropped
  ["https://example.org", "/"],
  ["https://example.org?q=1", "/?q=1"],
  ["  /a.html ", "/a.html"],
  ["/a?b=c#d", "/a?b=c"], // The fragment is the reader's.
  ["/a#d", "/a"],
  ["/a?", "/a"],
  ["/a b", "/a%20b"], // 1.3: path percent-encode set
  ["/caf\xc3\xa9", "/caf%C3%A9"],
  ["/\xff", "/%FF"], // Not UTF-8: byte by byte.
  ["/a?q=caf\xc3\xa9", "/a?q=caf%C3%A9"],
  ["/a/../b/./c", "/b/c"],
  ["/a/%2e%2e/b", "/b"],
  ["/a\\b", "/a/b"],
  ["/a^b`c{d}?e^{f}\\`", "/a%5Eb%60c%7Bd%7D?e%5E%7Bf%7D%5C%60"],
  ["/%", "/%"],
  ["/100%25", "/100%25"],
  ["/a?x='y'", "/a?x=%27y%27"],
  ["https://example.organic/", "other-origin"],
  ["https://example.org.evil.test/", "other-origin"],
  ["http://example.org/a", "other-origin"],
  ["https://example.org:8443/a", "other-origin"],
  ["//evil.test/a", "other-origin"],
  ["/\\evil.test/a", "other-origin"],
  ["https://me:secret@example.org/a", "bad-url"],
  ["https://me@example.org/a", "bad-url"],
  ["https://:secret@example.org/a", "bad-url"],
  ["https://example.org//a", "bad-path"], // A reader would resolve it to another host.
  ["about.html", "bad-url"],
  ["ftp://example.org/a", "bad-url"],
  ["javascript:alert(1)", "bad-url"],
  ["https://exa mple.org/", "bad-url"],
  ["", "bad-url"],
  [`/${"a".repeat(8000)}`, "bad-path"],
];

for (const [given, expected] of rows) {
  test(`the URL ${JSON.stringify(given.slice(0, 50))} becomes ${expected}`, () => {
    const result = parseListedUrl(given, origin, true);
    assert.equal(result.ok ? result.value : result.error.code, expected);
  });
}

test("any text becomes a canonical path or a problem, and a canonical path stays itself", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.string().map((text) => `/${text}`),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(texts, fc.boolean(), (text, isBytes) => {
      const first = parseListedUrl(text, origin, isBytes);
      if (!first.ok) return;
      assert.ok(isCanonicalPath(first.value));
      assert.deepEqual(parseListedUrl(first.value, origin, isBytes), first);
      assert.deepEqual(parseListedUrl(origin + first.value, origin, isBytes), first);
    }),
    { numRuns: 2000 },
  );
});
