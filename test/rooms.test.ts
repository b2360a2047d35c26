import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { test } from "node:test";
import { findViolations, type House } from "./house.ts";
import { repositoryFolder } from "./repository-folder.ts";
import { readSourceText } from "./source-text.ts";

// ARCHITECTURE.md says what each room is for. A room that is not built yet may be missing.
const house: House = {
  model: { kind: "pure", imports: [] },
  // Durable files: atomic writes, locks, bounded reads, external sort. It knows no format and no site.
  fs: { kind: "hands", imports: ["model"] },
  format: { kind: "pure", imports: ["model"], packages: ["saxes"] },
  frontier: { kind: "pure", imports: ["model"] },
  revisit: { kind: "pure", imports: ["model"] },
  graph: { kind: "pure", imports: ["model"] },
  crawl: { kind: "pure", imports: ["model", "format", "content", "links", "frontier", "revisit"] },
  share: { kind: "pure", imports: ["model", "format"] },
  settings: { kind: "pure", imports: ["model"], packages: ["zod", "jsonc-parser"] },
  lab: {
    kind: "pure",
    imports: ["model", "format", "export", "frontier", "revisit", "graph", "crawl", "share"],
  },
  content: { kind: "pure", imports: ["model"], packages: ["htmlparser2", "css-select"] },
  links: { kind: "pure", imports: ["model"], packages: ["htmlparser2"] },
  // Of the format it uses how a file's name is written in a URL, and nothing of archives.
  scan: { kind: "hands", imports: ["model", "fs", "format", "content"] },
  export: { kind: "hands", imports: ["model", "fs", "format", "content"] },
  announce: { kind: "hands", imports: ["model", "fs", "format"] },
  fetch: { kind: "hands", imports: ["model", "format"] },
  unzip: { kind: "hands", imports: ["model"] },
  store: { kind: "hands", imports: ["model", "fs", "format"] },
  traffic: { kind: "hands", imports: ["model", "format"] },
  report: { kind: "hands", imports: ["model"] },
  serve: { kind: "hands", imports: ["model", "format"] },
  demo: { kind: "composition", imports: "all" },
  cli: { kind: "porch", imports: "all" },
};

function readSources(): Map<string, string> {
  const root = repositoryFolder();
  const files = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [relative(root, file).split(sep).join("/"), readFileSync(file, "utf8")]));
}

test("the rooms keep to the table: what they import, through which door, what they touch", () => {
  const sources = readSources();
  assert.ok(sources.has("src/model/index.ts") && sources.has("src/format/index.ts"));
  assert.deepEqual(findViolations(house, sources), []);
});

test("no module asks URL.canParse, which Node 20 answers wrongly once it is asked often", () => {
  const asking = [...readSources()].filter(([, source]) => /(?<!`)URL\.canParse/.test(source)).map(([path]) => path);
  assert.deepEqual(asking, []);
});

test("no module awaits while it is loaded, for Node 20 may abort where a thread is ended meanwhile", () => {
  const awaiting = /^(?:await|(?:export )?(?:const|let) [^\n]*\bawait)\b/m;
  const found = [...readSources()].filter(([, source]) => awaiting.test(source)).map(([path]) => path);
  assert.deepEqual(found, []);
});

test("no module is longer than 400 lines", () => {
  const long = [...readSources()].filter(([, source]) => source.split("\n").length > 401).map(([path]) => path);
  assert.deepEqual(long, []);
});

// Each row breaks one rule, by the source of one module beside an innocent house.
const bad: ReadonlyArray<readonly [string, string, RegExp]> = [
  ["src/format/a.ts", 'import { x } from "../crawl/index.ts";', /format may not import crawl/],
  ["src/format/a.ts", 'import type { X } from "../crawl/index.ts";', /format may not import crawl/],
  ["src/format/a.ts", 'import { type X } from "../crawl/index.ts";', /format may not import crawl/],
  ["src/format/a.ts", 'export { x } from "../crawl/index.ts";', /format may not import crawl/],
  ["src/format/a.ts", 'export type { X } from "../crawl/index.ts";', /format may not import crawl/],
  ["src/format/a.ts", 'type X = import("../crawl/index.ts").X;', /format may not import crawl/],
  ["src/format/a.ts", 'const x = await import("../crawl/index.ts");', /format may not import crawl/],
  ["src/format/a.ts", 'import "../crawl/index.ts";', /format may not import crawl/],
  ["src/format/a.ts", 'import {\n  x,\n  y,\n} from "../crawl/index.ts";', /format may not import crawl/],
  ["src/crawl/a.ts", 'import { x } from "../fetch/index.ts";', /crawl may not import fetch/],
  ["src/crawl/a.ts", 'import { x } from "../model/page.ts";', /not the door of model/],
  ["src/cli/a.ts", 'import { x } from "../model/page.ts";', /not the door of model/],
  ["src/export-it.ts", 'import { x } from "./model/page.ts";', /not the door of model/],
  ["src/export-it.ts", 'import { x } from "./cli/index.ts";', /src may not import cli/],
  ["src/demo/a.ts", 'import { x } from "../cli/index.ts";', /demo may not import cli/],
  ["src/fetch/a.ts", 'import { x } from "../export-it.ts";', /above it/],
  ["src/model/a.ts", 'import { x } from "../../test/house.ts";', /leaves src/],
  ["src/model/a.ts", 'import { x } from "./page.js";', /does not end with \.ts/],
  ["src/model/a.ts", 'import { readFileSync } from "node:fs";', /pure room imports node:fs/],
  ["src/model/a.ts", 'import { join } from "path/posix";', /pure room imports path\/posix/],
  ["src/model/a.ts", 'import { request } from "undici";', /pure room imports the package undici/],
  ["src/model/a.ts", "const x = await import(name);", /only known when it runs/],
  ["src/crawl/a.ts", "const now = Date.now();", /a clock/],
  ["src/crawl/a.ts", "const clock = Date.now;", /a clock/],
  ["src/crawl/a.ts", "const now = new Date();", /a clock/],
  ["src/crawl/a.ts", "const now = new Date;", /a clock/],
  ["src/crawl/a.ts", "const now = performance.now();", /a clock/],
  ["src/crawl/a.ts", "setTimeout(go, 10);", /a timer/],
  ["src/crawl/a.ts", "const x = Math.random();", /randomness/],
  ["src/crawl/a.ts", "const x = crypto.randomUUID();", /randomness/],
  ["src/crawl/a.ts", "const x = process.pid;", /the environment/],
  ["src/crawl/a.ts", "const x = globalThis.name;", /the environment/],
  ["src/crawl/a.ts", "const x = await fetch(url);", /a socket/],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source code
  ["src/crawl/a.ts", 'const x = `${process.pid} and "${`${Date.now()}`}"`;', /a clock/],
  ["src/crawl/a.ts", "const a = /['\"]/; const x = Date.now();", /a clock/],
  ["src/crawl/a.ts", "const a = b / c; const x = Date.now(); const d = e / f;", /a clock/],
  ["src/store/a.ts", 'console.error("oh");', /it prints/],
  ["src/store/a.ts", 'process.stdout.write("oh");', /it prints/],
  ["src/demo-site.ts", 'console.log("oh");', /it prints/],
  ["src/store/a.ts", "process.exit(1);", /reads or ends the process/],
  ["src/store/a.ts", "const x = process.env.HOME;", /reads or ends the process/],
  ["src/model/index.ts", 'export * from "./page.ts";', /a door exports \*/],
  ["src/model/index.ts", 'export * as pages from "./page.ts";', /a door exports \*/],
  ["src/model/index.ts", "export const x = 1;", /a door makes what it exports/],
  ["src/attic/index.ts", "", /attic is not in the table/],
  ["src/lab/a.ts", "", /lab has no door/],
];

const innocent: ReadonlyArray<readonly [string, string]> = [
  ["src/model/index.ts", 'export { type X, y } from "./page.ts";\nexport type { Z } from "./page.ts";\n'],
  ["src/model/page.ts", "export const y = 1;\n"],
  ["src/format/index.ts", ""],
  ["src/fetch/index.ts", 'import { Pool } from "undici";\nimport net from "node:net";\n'],
  ["src/store/index.ts", "const pid = process.pid;\n"],
  ["src/demo/index.ts", 'import { x } from "../export-it.ts";\n'],
  ["src/cli/index.ts", 'import { x } from "../export-it.ts";\nprocess.stdout.write("");\n'],
  ["src/export-it.ts", 'import { x } from "./demo/index.ts";\nconst clock = Date.now;\n'],
  [
    "src/crawl/index.ts",
    [
      'import type { X } from "../model/index.ts";',
      "// Date.now() and console.log are only named here, as in import { x } from '../fetch/index.ts'.",
      "/* process.exit(1); */",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source code
      'const text = "process.stdout, Math.random()" + `globalThis and Date.now() \\` ${x.process} new Date()`;',
      "const form = /\\/\\/ process.env [/'] Date.now()/;",
      "const at = new Date(now), random = () => ports.setTimeout(1), done = candidate.process.kind;",
      "",
    ].join("\n"),
  ],
];

test("an innocent house has no violations", () => {
  assert.deepEqual(findViolations(house, new Map(innocent)), []);
});

for (const [path, source, message] of bad) {
  test(`the rules notice ${JSON.stringify(source)} in ${path}`, () => {
    const problems = findViolations(house, new Map([...innocent, [path, source]]));
    assert.ok(
      problems.some((problem) => problem.startsWith(`${path}: `) && message.test(problem)),
      problems.join("\n") || "nothing was noticed",
    );
  });
}

test("a source's specifiers are found in every form, and not in comments or strings", () => {
  const { specifiers } = readSourceText(
    [
      'import a from "one"; import "two"; export { b } from \'three\';',
      'const c = await import("four"), d: import("five").E = require("six");',
      '// import x from "no"',
      'const s = \'import x from "no"\'; export const from = "no";',
      'export type F = "no"; import { type G,\n // from "no"\n H } from "seven";',
    ].join("\n"),
  );
  assert.deepEqual(specifiers, ["one", "two", "three", "four", "five", "six", "seven"]);
});
