import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { TidemarkError } from "../../../src/core/error.ts";
import { compileGlobs } from "../../../src/exporter/walk/glob-filter.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { walkAll } from "./walked.ts";

const names = [
  "index.html",
  "a.png",
  "docs/a.html",
  "docs/b.txt",
  "docs/api/c.html",
  "docs/api/.hidden.html",
  "drafts/d.html",
  "deep/drafts/e.html",
  "café/menü.html",
  "café/x.html",
  "[x]/y (1).html",
  ".well-known/security.txt",
  ".well-known/acme/policy",
  ".well-known/.git/HEAD",
  ".well-known/tidemark/index.gz",
  ".private/f.html",
];

async function publishedBy(include: readonly string[], exclude: readonly string[]): Promise<string[]> {
  using folder = makeTempFolder();
  for (const name of names) {
    mkdirSync(join(folder.path, dirname(name)), { recursive: true });
    writeFileSync(join(folder.path, name), "");
  }
  const judgePath = (path: string) => (path.startsWith("/.well-known/tidemark/") ? "own-output" : undefined);
  const { files } = await walkAll(folder.path, { include, exclude, judgePath });
  return files.map(({ location }) => location.toString().slice(folder.path.length + 1)).sort();
}

const visible = names.filter((name) => !/(?:^|\/)\.(?!well-known\/[as])/.test(name)).sort();
const except = (form: RegExp) => visible.filter((name) => !form.test(name));
const only = (form: RegExp) => visible.filter((name) => form.test(name));

test("patterns choose what fast-glob would choose", async () => {
  const rows: readonly (readonly [readonly string[], readonly string[], readonly string[]])[] = [
    [[], [], visible],
    [["**"], [], visible],
    [["*"], [], ["a.png", "index.html"]],
    [["*.html"], [], ["index.html"]],
    [["**/*.html"], [], only(/\.html$/)],
    [["docs/**"], [], only(/^docs\//)],
    [["docs/*"], [], ["docs/a.html", "docs/b.txt"]],
    [["{docs,drafts}/*.html"], [], ["docs/a.html", "drafts/d.html"]],
    [["docs/**", "a.png"], ["**/api/**"], ["a.png", "docs/a.html", "docs/b.txt"]],
    [["docs/api"], [], []],
    [[], ["drafts"], except(/^drafts\//)],
    [[], ["drafts/**"], except(/^drafts\//)],
    [[], ["**/drafts"], except(/drafts\//)],
    [[], ["**/drafts/**"], except(/drafts\//)],
    [[], ["*.html"], except(/^[^/]*\.html$/)],
    [["[[]x]/*"], [], ["[x]/y (1).html"]],
    [["\\[x\\]/y \\(1\\).html"], [], ["[x]/y (1).html"]],
  ];
  for (const [include, exclude, expected] of rows)
    assert.deepEqual(await publishedBy(include, exclude), expected, JSON.stringify({ include, exclude }));
});

test("a folder may be written with slashes and dots around it", async () => {
  for (const drafts of ["drafts/", "/drafts", "./drafts/", "/drafts/"])
    assert.deepEqual(await publishedBy([], [drafts]), except(/^drafts\//), drafts);
  for (const docs of ["docs/", "./docs/", "/docs/"])
    assert.deepEqual(await publishedBy([docs], []), only(/^docs\//), docs);
});

test("patterns beyond ASCII match names as people read them", async () => {
  assert.deepEqual(await publishedBy(["café/**"], []), only(/^café/));
  assert.deepEqual(await publishedBy(["caf?/men[üu].html"], []), ["café/menü.html"]);
  assert.deepEqual(await publishedBy([], ["café/men?.html"]), except(/menü/));
});

test("what is hidden comes only if a pattern names it, and version control never", async () => {
  assert.deepEqual(await publishedBy(["**", ".well-known/**"], []), visible);
  assert.deepEqual(await publishedBy([".well-known/.git/HEAD", ".well-known/.git/**"], []), []);
  assert.deepEqual(await publishedBy([".well-known/security.txt"], []), [".well-known/security.txt"]);
  assert.deepEqual(await publishedBy(["**/.hidden.html"], []), ["docs/api/.hidden.html"]);
  // A wildcard names nothing in so many words.
  assert.deepEqual(await publishedBy(["**", ".*/**"], []), visible);
});

test("an exclusion sees hidden names too", async () => {
  assert.deepEqual(await publishedBy([".well-known/**"], ["**/acme/**"]), [".well-known/security.txt"]);
  assert.deepEqual(
    await publishedBy(["**", ".well-known/**"], ["**/security.txt"]),
    visible.filter((name) => name !== ".well-known/security.txt"),
  );
});

test("a pattern that is empty, endless or turned round is refused with a hint", async () => {
  for (const [include, exclude, option] of [
    [[""], [], "--include"],
    [[], [""], "--exclude"],
    [["./"], [], "--include"],
    [[], ["a".repeat(4097)], "--exclude"],
    [["!drafts/**"], [], "--include"],
    [[], ["!drafts/**"], "--exclude"],
  ] as const) {
    await assert.rejects(
      compileGlobs(include, exclude),
      (error) =>
        error instanceof TidemarkError &&
        error.code === "bad-option" &&
        error.message.includes(option) &&
        error.hint !== undefined,
    );
  }
  await compileGlobs([], ["!(docs)/*.html"]);
});

test("what its name or type holds back comes if a pattern names it, and not because a folder does", async () => {
  using folder = makeTempFolder();
  const held = ["a.qqq", "b.sql", "deep/c.key", "cgi-bin/d.html", "plain"];
  for (const name of [...held, "index.html"]) {
    mkdirSync(join(folder.path, dirname(name)), { recursive: true });
    writeFileSync(join(folder.path, name), "");
  }
  const published = async (...include: string[]) => (await walkAll(folder.path, { include })).paths;
  assert.deepEqual(await published(), ["/index.html"]);
  for (const all of ["**", "**/*", "deep/**"]) assert.deepEqual(await published("**", all), ["/index.html"], all);
  assert.deepEqual(await published("**", "**/*.qqq"), ["/a.qqq", "/index.html"]);
  assert.deepEqual(await published("**", "**/!(*.*)"), ["/index.html", "/plain"]);
  // Of what a name says a wildcard says nothing.
  assert.deepEqual(await published("**", "**/*.{sql,key}"), ["/index.html"]);
  assert.deepEqual(await published("**", "b.sql", "**/c.key"), ["/b.sql", "/deep/c.key", "/index.html"]);
  assert.deepEqual(await published("**", "cgi-bin/**"), ["/cgi-bin/d.html", "/index.html"]);
});
