import assert from "node:assert/strict";
import { test } from "node:test";
import { servedFormOf } from "../../../src/formats/html/served-form.ts";

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
