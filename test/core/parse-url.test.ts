import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHttpUrl, parseUrl } from "../../src/core/parse-url.ts";

test("a URL is parsed, relative ones with a base; what is none is undefined", () => {
  assert.equal(parseUrl("http://example.org/a")?.pathname, "/a");
  assert.equal(parseUrl("b?c", "http://example.org/a")?.href, "http://example.org/b?c");
  assert.deepEqual([parseUrl("b"), parseUrl("http://"), parseUrl("b", "c")], [undefined, undefined, undefined]);
});

test("URLs that are not ASCII are URLs, however often it is asked", () => {
  for (let at = 0; at < 30_000; at++) assert.equal(parseUrl("http://ä.example/ö")?.pathname, "/%C3%B6");
});

test("the address of a site names its host after two slashes (WHATWG URL Standard, section 4.4, takes more or none too)", () => {
  for (const text of ["http://x", " https://x/a ", "HTTP://x:81/", "http://[::1]/"])
    assert.ok(parseHttpUrl(text) !== undefined, text);
  for (const text of ["http:///x", "http:x", "http:/x", "https:\\\\x", "http:////x/", "ftp://x/", "x", "http://"])
    assert.equal(parseHttpUrl(text), undefined, text);
});
