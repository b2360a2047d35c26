import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decodePathSegment,
  encodePathSegment,
  isCanonicalPath,
  maxPathLength,
  servedFormOf,
} from "../../../src/formats/url/url-path.ts";

const latin1 = (text: string): string => Buffer.from(text).toString("latin1");

const segments: ReadonlyArray<readonly [string, string]> = [
  ["index.html", "index.html"],
  ["a b", "a%20b"],
  ["100%", "100%25"],
  ["%41", "%2541"],
  ["a?b#c", "a%3Fb%23c"],
  ["a\\b", "a%5Cb"],
  ['"<>^`{|}', "%22%3C%3E%5E%60%7B|%7D"],
  ["!$&'()*+,-.:;=@[]_~", "!$&'()*+,-.:;=@[]_~"],
  [latin1("café"), "caf%C3%A9"],
  ["caf\xe9", "caf%E9"],
  ["a\tb\nc\x7f", "a%09b%0Ac%7F"],
];

for (const [name, encoded] of segments) {
  test(`${JSON.stringify(name)} is encoded as ${encoded} and decoded again`, () => {
    assert.equal(encodePathSegment(name), encoded);
    assert.equal(decodePathSegment(encoded), name);
    assert.ok(isCanonicalPath(`/${encoded}`));
  });
}

test("a % without two hex digits stands for itself", () => {
  assert.equal(decodePathSegment("%zz%4%41%"), "%zz%4A%");
});

const canonical = [
  "/",
  "/a",
  "/a/",
  "/a//b",
  "/a??",
  "/a?b?c",
  "/?/../b",
  "/...",
  "/.a",
  "/a..",
  "/%2e%2e%2e",
  "/a%2Fb",
];
const notCanonical = [
  "",
  "a",
  "//a",
  "/a b",
  "/a\tb",
  "/a\n",
  "/é",
  "/a#b",
  "/a\\b",
  "/.",
  "/..",
  "/a/.",
  "/a/../b",
  "/a/./b",
  "/%2e",
  "/%2E%2e/b",
  "/.%2e",
  "/..?a",
  "/a?",
  "/?it's",
  '/"',
  "/{",
  "/^",
  "/a\0",
];

test("a canonical path is one that the URL parser leaves as it is", () => {
  for (const path of canonical) {
    assert.ok(isCanonicalPath(path), path);
    const url = new URL(path, "http://h");
    assert.equal(url.pathname + url.search, path);
  }
  for (const path of notCanonical) assert.ok(!isCanonicalPath(path), JSON.stringify(path));
});

test("a path is at most 8000 characters long", () => {
  assert.ok(isCanonicalPath(`/${"a".repeat(maxPathLength - 1)}`));
  assert.ok(!isCanonicalPath(`/${"a".repeat(maxPathLength)}`));
});

const published = new Set([
  "/index.html",
  "/docs/index.html",
  "/old/index.htm",
  "/about.html",
  "/team",
  "/team.html",
  "/b/",
]);

const rows: readonly (readonly [path: string, form: string | undefined])[] = [
  ["/", "index index.html of /index.html"],
  ["/docs/", "index index.html of /docs/index.html"],
  ["/old/", "index index.htm of /old/index.htm"],
  ["/about", "clean of /about.html"],
  // What is published under the link's own path is no other form.
  ["/team", undefined],
  ["/b/", undefined],
  ["/about.html", undefined],
  ["/none/", undefined],
  ["/none", undefined],
];

for (const [path, expected] of rows) {
  test(`a link to ${path} means ${expected ?? "itself or nothing"}`, () => {
    const form = servedFormOf(path, (one) => published.has(one));
    const name = form?.kind === "index" ? `index ${form.name}` : form?.kind;
    assert.equal(form === undefined ? undefined : `${name} of ${form.file}`, expected);
  });
}
