import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { PartFinder } from "../../../src/exporter/digest/page-parts.ts";
import { findIncludes, IncludeScanner } from "../../../src/exporter/digest/page-scanner.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";

function write(folder: TempFolder, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), content);
  }
}

function open(folder: TempFolder, more: readonly { prefix: string; folder: string }[] = []): PartFinder {
  return new PartFinder([{ prefix: "/", folder: join(folder.path, "site") }, ...more], []);
}

function follow(finder: PartFinder, page: string, path: string = "/docs/page.html") {
  const includes = findIncludes(Buffer.from(page));
  assert.ok(includes !== undefined);
  return finder.find(path, includes);
}

const include = (name: string, by: string = "virtual"): string => `<!--#include ${by}="${name}" -->`;

test("directives are found however a page is cut into pieces", () => {
  const page = Buffer.from(
    `<p>a<!-- no --><!--#-->${include("a.html")}b${include("b.html", "file")}<!--#echo var="X"-->`,
  );
  const whole = findIncludes(page);
  assert.equal(whole?.inclusions.length, 2);
  for (let size = 1; size < page.length; size++) {
    const scanner = new IncludeScanner();
    for (let at = 0; at < page.length; at += size) scanner.add(page.subarray(at, at + size));
    assert.deepEqual(scanner.result(), whole, `in pieces of ${size}`);
  }
  assert.equal(findIncludes(Buffer.from("<!-- #include virtual='/a' --><!--#--><p>")), undefined);
});

test("a directive that does not end, or is too long, is one whose output is not known", () => {
  const unknown = { inclusions: [], isDynamic: true };
  assert.deepEqual(findIncludes(Buffer.from('<p><!--#include virtual="/a.html"')), unknown);
  assert.deepEqual(findIncludes(Buffer.from(`<!--#config ${"x".repeat(9000)} --><p>`)), unknown);
  assert.deepEqual(findIncludes(Buffer.from("<!--#")), unknown);
  const many = findIncludes(Buffer.from(include("a.html").repeat(65)));
  assert.deepEqual([many?.inclusions.length, many?.isDynamic], [64, true]);
});

test("paths are those that Apache and nginx would show", () => {
  using folder = makeTempFolder();
  write(folder, { "site/a.html": "a", "site/docs/b c.html": "b", "site/docs/index.html": "i" });
  const rows: readonly (readonly [directive: string, parts: readonly string[], isDynamic?: boolean])[] = [
    [include("/a.html"), ["/a.html"]],
    [include("../a.html"), ["/a.html"]],
    [include("b%20c.html"), ["/docs/b%20c.html"]],
    [include("b c.html", "file"), ["/docs/b%20c.html"]],
    [include("b%20c?.html", "file"), ["/docs/b%2520c%3F.html"]],
    [include("/a.html?x=1"), ["/a.html"]],
    [include("./sub//deep.html"), ["/docs/sub/deep.html"]],
    [include("/docs/"), ["/docs/"]],
    [include("/a.html") + include("/a.html"), ["/a.html"]],
    // Never out of the root, and never another site.
    [include("../../a.html"), [], true],
    [include("..%2f..%2fa.html"), [], true],
    [include("../a.html", "file"), [], true],
    [include("/a.html", "file"), [], true],
    [include("//example.org/a.html"), [], true],
    [include("http://example.org/a.html"), [], true],
    // What runs is not read.
    [include("/cgi-bin/counter"), ["/cgi-bin/counter"], true],
    [include("/menu.php"), ["/menu.php"], true],
  ];
  for (const [directive, parts, isDynamic = false] of rows) {
    const found = follow(open(folder), directive);
    assert.deepEqual([found.parts, found.isDynamic], [parts, isDynamic], directive);
  }
});

test("what is included includes more, relative to itself; a circle ends", () => {
  using folder = makeTempFolder();
  write(folder, {
    "site/inc/head.html": include("menu.html") + include("/inc/head.html"),
    "site/inc/menu.html": `${include("../docs/page.html")}<!--#echo var="DATE_LOCAL" -->`,
    "site/docs/page.html": include("/inc/head.html"),
  });
  const found = follow(open(folder), include("/inc/head.html"));
  assert.deepEqual(found.parts, ["/inc/head.html", "/inc/menu.html", "/docs/page.html"]);
  assert.equal(found.isDynamic, true);
});

test("depth and number of parts are bounded", () => {
  using folder = makeTempFolder();
  const files: Record<string, string> = {};
  for (let at = 0; at < 40; at++) files[`site/deep-${at}.html`] = include(`/deep-${at + 1}.html`);
  const wide = Array.from({ length: 3 }, (_, at) => include(`/wide-${at}.html`)).join("");
  for (let at = 0; at < 3; at++)
    files[`site/wide-${at}.html`] = Array.from({ length: 60 }, (_, one) => include(`/leaf-${at}-${one}.html`)).join("");
  write(folder, files);
  const deep = follow(open(folder), include("/deep-0.html"));
  assert.deepEqual([deep.parts.length, deep.isDynamic], [16, true]);
  const many = follow(open(folder), wide);
  assert.deepEqual([many.parts.length, many.isDynamic], [64, true]);
  const long = Array.from({ length: 9 }, (_, at) => include(`/${at}${"x".repeat(1997)}`)).join("");
  const some = follow(open(folder), long);
  assert.deepEqual([some.parts.length, some.isDynamic], [8, true]);
});

test("the stamp tells a file that was written to, came or went; the digest tells other contents", () => {
  using folder = makeTempFolder();
  const page = include("/a.html") + include("/b.html");
  const file = join(folder.path, "site/a.html");
  write(folder, { "site/a.html": "first" });
  const first = follow(open(folder), page);
  assert.equal(open(folder).stampOf(first.parts), first.stamp);
  utimesSync(file, 1_000_000_000, 1_000_000_000);
  const touched = follow(open(folder), page);
  assert.notEqual(touched.stamp, first.stamp);
  assert.equal(touched.contentDigest, first.contentDigest);
  writeFileSync(file, "other");
  const changed = follow(open(folder), page);
  assert.notEqual(changed.contentDigest, first.contentDigest);
  assert.notEqual(open(folder).stampOf(first.parts), touched.stamp);
  write(folder, { "site/b.html": "" });
  const came = follow(open(folder), page);
  assert.notEqual(came.stamp, changed.stamp);
  assert.notEqual(came.contentDigest, changed.contentDigest);
  rmSync(file);
  assert.notEqual(open(folder).stampOf(first.parts), came.stamp);
});

test("links out of the root and folders lead to nothing; what is mapped has its own root", () => {
  using folder = makeTempFolder();
  write(folder, { "secret.html": "secret", "site/folder.html/x": "", "static/menu.html": "menu" });
  symlinkSync(join(folder.path, "secret.html"), join(folder.path, "site/link.html"));
  const nothing = follow(open(folder), include("/none.html"));
  for (const name of ["/link.html", "/folder.html"]) {
    const found = follow(open(folder), include(name));
    assert.deepEqual([found.parts, found.mtimeUs], [[name], 0]);
    assert.equal(found.contentDigest.length, nothing.contentDigest.length);
  }
  const mapped = open(folder, [{ prefix: "/static/", folder: join(folder.path, "static") }]);
  const { mtimeUs, ctimeUs } = follow(mapped, include("/static/menu.html"));
  assert.ok(mtimeUs > 0 && ctimeUs > 0);
});

test("a folder is shown by its index file, as the server is set", () => {
  using folder = makeTempFolder();
  write(folder, { "site/menu/index.html": "menu" });
  const root = { prefix: "/", folder: join(folder.path, "site") };
  const isThere = (indexes: readonly string[]): boolean =>
    follow(new PartFinder([root], indexes), include("/menu/")).mtimeUs > 0;
  assert.deepEqual([isThere([]), isThere(["home.html"]), isThere(["home.html", "index.html"])], [true, false, true]);
});
