import assert from "node:assert/strict";
import { test } from "node:test";
import { TidemarkError } from "../../../src/core/error.ts";
import { compileUrlFilter } from "../../../src/formats/url/url-filter.ts";

const rows: ReadonlyArray<readonly [pattern: string, matching: readonly string[], others: readonly string[]]> = [
  ["/a.html", ["/a.html", "/a.html?x=1"], ["/b/a.html", "/a.htm", "/a.html5", "/"]],
  ["/docs/", ["/docs/", "/docs/a", "/docs/a/b?c"], ["/docs", "/docsa", "/x/docs/"]],
  ["/docs/**", ["/docs/", "/docs/a/b"], ["/docs", "/x"]],
  ["/docs/*", ["/docs/", "/docs/a", "/docs/a?b=/c"], ["/docs/a/b", "/x"]],
  ["/*/a", ["/x/a"], ["/a", "/x/y/a"]],
  ["*.pdf", ["/a.pdf", "/x/y/a.pdf", "/a.pdf?dl=1"], ["/a.pdf.html", "/apdf"]],
  ["**/drafts/", ["/drafts/a", "/x/drafts/"], ["/drafts"]],
  ["/search?*", ["/search?q=1", "/search?q=/a/b"], ["/search", "/search/x?q"]],
  ["*?print=1", ["/a?print=1", "/x/y?print=1"], ["/a", "/a?print=10", "/a?x&print=1"]],
  ["*?*print=*", ["/a?print=1", "/a?x&print=/2"], ["/print=1"]],
  ["/café/", ["/caf%C3%A9/a"], ["/caf/"]],
  ["/caf%c3%a9/", ["/caf%C3%A9/a", "/caf%c3%a9/a"], ["/café/"]],
  ["/~a/*?b=%7E", ["/%7Ea/c?b=~", "/~a/%63?b=%7e"], ["/~a%2Fc?b=~"]],
  ["/a b", ["/a%20b"], ["/a+b"]],
  ["/a.c(d)+[e]$", ["/a.c(d)+[e]$"], ["/abc(d)+[e]$", "/a.c"]],
  ["**", ["/", "/a/b?c"], []],
];

for (const [pattern, matching, others] of rows)
  test(`the pattern ${pattern} matches ${matching.join(", ")}`, () => {
    const [include, exclude] = [
      compileUrlFilter({ include: [pattern] }).admits,
      compileUrlFilter({ exclude: [pattern] }).admits,
    ];
    for (const path of matching) assert.deepEqual([include(path), exclude(path)], [true, false], path);
    for (const path of others) assert.deepEqual([include(path), exclude(path)], [false, true], path);
  });

test("an exclusion takes precedence, and a folder bounds both", () => {
  const { admits } = compileUrlFilter({ within: "/docs/", include: ["*.html", "/blog/"], exclude: ["/docs/old/"] });
  assert.deepEqual(["/docs/a.html", "/docs/old/a.html", "/a.html", "/blog/", "/docs/a.png"].map(admits), [
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("a folder bounds paths however they are escaped", () => {
  const { admits } = compileUrlFilter({ within: "/%D0%BF/" });
  assert.deepEqual(["/%d0%bf/a", "/%D0%BF/%d0%b0", "/%D0%BE/a"].map(admits), [true, true, false]);
});

test("the key is that of the same patterns in any order and writing, and empty for all URLs", () => {
  assert.equal(compileUrlFilter({}).key, "");
  assert.equal(compileUrlFilter({ within: "/", include: [], exclude: [] }).key, "");
  const { key } = compileUrlFilter({ include: ["/b", "/%c3%a9", "/b"], exclude: ["/c"] });
  assert.equal(compileUrlFilter({ include: ["/é", "/b"], exclude: ["/c"] }).key, key);
  for (const other of [{ include: ["/b", "/é"] }, { include: ["/b", "/é", "/c"] }, { within: "/b" }])
    assert.notEqual(compileUrlFilter(other).key, key);
});

test("what begins with neither / nor *, or has a fragment, is no pattern", () => {
  for (const pattern of ["docs/", "https://example.org/docs/", "", "/a#b", `/${"a".repeat(5000)}`])
    assert.throws(
      () => compileUrlFilter({ exclude: [pattern] }),
      (error) => error instanceof TidemarkError && error.code === "bad-option",
    );
});

test("no path makes a pattern slow", () => {
  const { admits } = compileUrlFilter({ exclude: [`${"**a".repeat(20)}b`, `/${"*a".repeat(20)}b`] });
  const startedAt = performance.now();
  assert.equal(admits(`/${"a".repeat(8000)}`), true);
  assert.ok(performance.now() - startedAt < 2000);
});
