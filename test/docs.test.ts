import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { repositoryFolder } from "./repository-folder.ts";

const root = repositoryFolder();
const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "fixtures/README.md",
  "integrations/github-action/README.md",
  ...markdownIn("docs"),
  ...markdownIn("docs/decisions"),
];

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);
}

const read = (path: string): string => readFileSync(join(root, path), "utf8");

// A path of the repository, not one of a site or a user's folder: it begins with a folder of ours, or is a file at the top.
const topFolders = ["src", "test", "docs", "fixtures", "bin", "systemd", "integrations", ".ci"];
const topFile = /^(?:[A-Z]+(?:\.md)?|(?:package|package-lock|tsconfig|biome|knip)\.jsonc?)$/;
const knownFiles = new Set(["LICENSE"]);

/** Paths of the repository that a document names in backticks, or links to. */
function namedPaths(path: string, text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "");
  const quoted = [...prose.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? "");
  const named = quoted.filter((word) => {
    const folder = word.split("/", 1)[0] ?? "";
    if (/[\s<>*{}$|]/.test(word)) return false;
    return word.includes("/")
      ? topFolders.includes(folder)
      : topFile.test(word) && (word.includes(".") || knownFiles.has(word));
  });
  const linked = [...prose.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map((match) => match[1] ?? "")
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => join(dirname(path), target));
  return [...named, ...linked];
}

for (const path of documents) {
  test(`every path of the repository that ${path} names exists`, () => {
    const missing = namedPaths(path, read(path)).filter((name) => {
      const file = join(root, name);
      return !existsSync(file) || (name.endsWith("/") && !statSync(file).isDirectory());
    });
    assert.deepEqual(missing, []);
  });
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

for (const path of documents) {
  test(`every heading that ${path} links to exists`, () => {
    const missing = [...read(path).matchAll(/\]\(([^)#\s:]*)#([^)\s]+)\)/g)].filter(([, target = "", anchor = ""]) => {
      const text = read(target === "" ? path : join(dirname(path), target)).replace(/^```[\s\S]*?^```/gm, "");
      return !(text.match(/^#+ .*$/gm) ?? []).some((line) => anchorOf(line.replace(/^#+ /, "")) === anchor);
    });
    assert.deepEqual(
      missing.map(([link]) => link),
      [],
    );
  });
}

test("paths are found in backticks and links, and not in code, commands or URLs", () => {
  const text = [
    "See `src/core/page.ts`, `docs/`, `package.json`, `LICENSE`, [it](../README.md#top) and [web](https://a.example/x).",
    "`npm test`, `/robots.txt`, `robots.txt`, `text/html`, `src/*.ts`, `docs/<name>.md`, `ETag`, `TSV`",
    "```",
    "`src/nothing.ts`",
    "```",
  ].join("\n");
  const found = ["src/core/page.ts", "docs/", "package.json", "LICENSE", "README.md"];
  assert.deepEqual(namedPaths("docs/a.md", text), found);
});

const example = /^```text (fixtures\/\S+)\n([\s\S]*?)^```$/gm;

test("the examples of docs/format.md are the fixtures, byte for byte", () => {
  const examples = [...read("docs/format.md").matchAll(example)];
  const shown = examples.map((match) => match[1] ?? "").sort();
  const there = readdirSync(join(root, "fixtures/format/v1")).filter((name) => name.endsWith(".txt"));
  assert.deepEqual(shown, there.map((name) => `fixtures/format/v1/${name}`).sort());
  for (const [, path = "", text] of examples) assert.equal(text, read(path), path);
});

const standards = /^```xml (fixtures\/\S+)\n([\s\S]*?)^```$/gm;

test("the documents of other standards in docs/format.md are the fixtures, byte for byte", () => {
  const examples = [...read("docs/format.md").matchAll(standards)];
  assert.ok(examples.length > 0);
  for (const [, path = "", text] of examples) assert.equal(text, read(path), path);
});

test("the tour of changes in ARCHITECTURE.md has ten rows, each with at most four files of the program", () => {
  const tour = read("ARCHITECTURE.md").split("## A tour of changes")[1]?.split("\n## ")[0] ?? "";
  const rows = tour.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| change"));
  assert.equal(rows.length, 10);
  for (const row of rows) {
    const files = row.match(/`(?:src|lab)\/[^`]+`/g) ?? [];
    assert.ok(files.length > 0 && files.length <= 4, row);
  }
});
