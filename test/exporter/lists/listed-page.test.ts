import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import {
  parseListedDigest,
  parseListedSize,
  parseListedTime,
  parseListedType,
  parseListedUrl,
} from "../../../src/exporter/lists/listed-page.ts";
import { isCanonicalPath } from "../../../src/formats/url/url-path.ts";
import { fc } from "../../property.ts";

const times: ReadonlyArray<readonly [string, number | undefined]> = [
  ["0", 0],
  ["1700000000", 1_700_000_000],
  ["1700000000.987", 1_700_000_000],
  ["1700000000000", undefined], // Milliseconds would be the year 55840.
  ["2026", Date.UTC(2026, 0, 1) / 1000],
  ["2026-11", Date.UTC(2026, 10, 1) / 1000],
  ["2026-11-20", Date.UTC(2026, 10, 20) / 1000],
  ["2026-11-20T02:03:04Z", Date.UTC(2026, 10, 20, 2, 3, 4) / 1000],
  ["2026-11-20 02:03:04", Date.UTC(2026, 10, 20, 2, 3, 4) / 1000],
  ["2026-11-20T02:03:04.5+02:00", Date.UTC(2026, 10, 20, 0, 3, 4) / 1000],
  ["2026-02-31", undefined],
  ["2026-13-01", undefined],
  ["-5", undefined],
  ["yesterday", undefined],
  ["1e9", undefined],
];

test("a time is seconds since 1970, or a date of ISO 8601", () => {
  for (const [text, expected] of times) {
    const result = parseListedTime(text);
    assert.equal(result.ok ? result.value : undefined, expected, text);
  }
});

test("sizes are whole numbers of bytes", () => {
  assert.deepEqual(parseListedSize("0"), { ok: true, value: 0 });
  assert.deepEqual(parseListedSize("123456789012345"), { ok: true, value: 123_456_789_012_345 });
  for (const text of ["-1", "1.5", "1e3", "0x10", "9".repeat(16), "", "1 "])
    assert.equal(parseListedSize(text).ok, false);
});

test("a digest is ours, or a whole SHA-256 that is cut down to it", () => {
  const sha256 = createHash("sha256").update("page");
  const whole = sha256.copy().digest("hex");
  const ours = sha256.digest().subarray(0, 8).toString("base64url");
  assert.deepEqual(parseListedDigest(ours), { ok: true, value: ours });
  for (const text of [whole, whole.toUpperCase(), `sha256:${whole}`, `sha-256:${whole}`])
    assert.deepEqual(parseListedDigest(text), { ok: true, value: ours });
  for (const text of [whole.slice(1), `${whole}0`, "md5:0", "AAAAAAAAAAB", ours.slice(1)])
    assert.equal(parseListedDigest(text).ok, false);
});

test("a media type is its essence", () => {
  assert.deepEqual(parseListedType('Text/HTML; charset="utf-8"'), { ok: true, value: "text/html" });
  for (const text of ["html", "text/", "/html", "text/h tml", `text/${"x".repeat(300)}`, "téxt/html"])
    assert.equal(parseListedType(text).ok, false);
});

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

test("a URL of the site becomes its canonical path, any other a problem", () => {
  for (const [given, expected] of rows) {
    const result = parseListedUrl(given, origin, true);
    assert.equal(result.ok ? result.value : result.error.code, expected, given.slice(0, 50));
  }
});

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
