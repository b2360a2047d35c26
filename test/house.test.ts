import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findCircles } from "./circles.ts";
import { findImportCircles, findUnreached, findViolations, type House } from "./house.ts";
import { repositoryFolder } from "./repository-folder.ts";
import { readSourceText } from "./source-text.ts";

// ARCHITECTURE.md says what each folder is for. A folder that is not built yet may be missing.
const house: House = {
  floors: [
    ["cli"],
    ["demo"],
    ["server"],
    ["report"],
    ["verify", "share", "fleet", "traffic", "indexnow", "sinks", "copies", "analysis"],
    ["exporter", "crawler"],
    ["graph"],
    ["storage", "http"],
    ["formats", "config", "fs"],
    ["core"],
  ],
  pure: {
    "src/core": [],
    "src/formats": ["saxes", "htmlparser2", "css-select", "entities", "structured-headers"],
    "src/config": ["zod", "jsonc-parser"],
    "src/graph": [],
    "src/crawler/engine": [],
    "src/share/engine": [],
    "lab/brandman": [],
    "lab/castillo": [],
    "lab/cho": [],
    "lab/edwards": [],
    "lab/experiment": [],
    "lab/mclearn": [],
    "lab/planners": [],
    "lab/simulation": [],
    "lab/webs": [],
  },
  byPart: ["formats"],
  only: { "src/crawler/engine": ["src/core", "src/formats"] },
  terminal: ["src/cli", "lab/program"],
};

function readFolder(folder: string): Array<[string, string]> {
  const root = repositoryFolder();
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => [`${folder}/${name}`, readFileSync(join(root, folder, name), "utf8")]);
}

const sources = new Map([...readFolder("src"), ...readFolder("lab")]);
const programs = new Map([...sources].filter(([path]) => path.startsWith("src/")));

test("the house keeps to its rules: loose files, doors, one way down, purity", () => {
  assert.ok(sources.has("src/core/index.ts") && sources.has("src/crawler/engine/visit-site.ts"));
  assert.deepEqual(findViolations(house, sources), []);
});

test("there is no circle of imports, neither of files nor of folders", () => {
  assert.deepEqual(findImportCircles(programs), { files: [], folders: [] });
  assert.deepEqual(findImportCircles(sources), { files: [], folders: [] });
});

test("nothing is kept for tests: a command, the library, the lab or a benchmark reaches every module", () => {
  // The crawl of the Web wires these in: sequencers, and what a cycle found for the plan of the next.
  const awaited = /sequencer\.ts$|\/found-pages\.ts$/;
  const outer = [...readFolder("test/bench"), ...readFolder("test/lab")].filter(([path]) => !path.endsWith(".test.ts"));
  const all = new Map([...sources, ...outer]);
  const entries = ["src/index.ts", "src/cli/main.ts", "lab/program/main.ts", ...outer.map(([path]) => path)];
  const unreached = findUnreached(all, [...entries, ...[...sources.keys()].filter((path) => awaited.test(path))]);
  assert.deepEqual(unreached, []);
});

test("no module asks URL.canParse, which Node 20 answers wrongly once it is asked often", () => {
  const asking = [...sources].filter(([, source]) => /(?<!`)URL\.canParse/.test(source)).map(([path]) => path);
  assert.deepEqual(asking, []);
});

test("no module awaits while it is loaded, for Node 20 may abort where a thread is ended meanwhile", () => {
  const awaiting = /^(?:await|(?:export )?(?:const|let) [^\n]*\bawait)\b/m;
  const found = [...sources].filter(([, source]) => awaiting.test(source)).map(([path]) => path);
  assert.deepEqual(found, ["lab/program/main.ts"]);
});

test("no door is imported while the program runs: the bundle would load all of its folder at the start", () => {
  const found = [...programs].filter(([, source]) => /import\("[^"]*\/index\.ts"\)/.test(source)).map(([path]) => path);
  assert.deepEqual(found, []);
});

test("no module is longer than 400 lines", () => {
  const long = [...sources].filter(([, source]) => source.split("\n").length > 401).map(([path]) => path);
  assert.deepEqual(long, []);
});

// Each row breaks one rule, by the source of one module beside an innocent house.
const bad: ReadonlyArray<readonly [string, string, RegExp]> = [
  ["src/formats/url/a.ts", 'import { x } from "../../crawler/index.ts";', /formats may not import crawler/],
  ["src/formats/url/a.ts", 'import type { X } from "../../crawler/index.ts";', /formats may not import crawler/],
  ["src/formats/url/a.ts", 'import { type X } from "../../crawler/index.ts";', /formats may not import crawler/],
  ["src/formats/url/a.ts", 'export { x } from "../../crawler/index.ts";', /formats may not import crawler/],
  ["src/formats/url/a.ts", 'export type { X } from "../../crawler/index.ts";', /formats may not import crawler/],
  ["src/formats/url/a.ts", 'type X = import("../../crawler/index.ts").X;', /formats may not import crawler/],
  ["src/formats/url/a.ts", 'const x = await import("../../crawler/index.ts");', /formats may not import crawler/],
  ["src/formats/url/a.ts", 'import "../../crawler/index.ts";', /formats may not import crawler/],
  ["src/formats/url/a.ts", 'import {\n  x,\n  y,\n} from "../../crawler/index.ts";', /formats may not import crawler/],
  ["src/formats/url/a.ts", 'import { x } from "../archive/archive.ts";', /not the door of formats\/archive/],
  ["src/crawler/a.ts", 'import { x } from "../exporter/index.ts";', /crawler may not import exporter/],
  ["src/crawler/a.ts", 'import { x } from "../core/page.ts";', /not the door of core/],
  ["src/crawler/a.ts", 'import { x } from "../formats/url/url-path.ts";', /not the door of formats\/url/],
  ["src/crawler/engine/a.ts", 'import { x } from "../follow/a.ts";', /src\/crawler\/engine may not import/],
  ["src/crawler/engine/a.ts", 'import { x } from "../../http/index.ts";', /src\/crawler\/engine may not import/],
  ["src/cli/a.ts", 'import { x } from "../core/page.ts";', /not the door of core/],
  ["src/cli/a.ts", 'import { x } from "../index.ts";', /the library's own door/],
  ["src/index.ts", 'export { x } from "./core/page.ts";', /not the door of core/],
  ["src/export-it.ts", "", /lies loose/],
  ["src/formats/a.ts", "", /lies loose/],
  ["src/demo/a.ts", 'import { x } from "../cli/index.ts";', /demo may not import cli/],
  ["src/core/a.ts", 'import { x } from "../../test/house.ts";', /leaves src/],
  ["src/core/a.ts", 'import { x } from "../../lab/experiments.ts";', /leaves src/],
  ["src/core/a.ts", 'import { x } from "./page.js";', /does not end with \.ts/],
  ["src/core/a.ts", 'import { readFileSync } from "node:fs";', /pure folder imports node:fs/],
  ["src/core/a.ts", 'import { join } from "path/posix";', /pure folder imports path\/posix/],
  ["src/core/a.ts", 'import { request } from "undici";', /pure folder imports the package undici/],
  ["src/core/a.ts", "const x = await import(name);", /only known when it runs/],
  ["src/crawler/engine/a.ts", "const now = Date.now();", /a clock/],
  ["src/crawler/engine/a.ts", "const clock = Date.now;", /a clock/],
  ["src/crawler/engine/a.ts", "const now = new Date();", /a clock/],
  ["src/crawler/engine/a.ts", "const now = new Date;", /a clock/],
  ["src/crawler/engine/a.ts", "const now = performance.now();", /a clock/],
  ["src/crawler/engine/a.ts", "setTimeout(go, 10);", /a timer/],
  ["src/crawler/engine/a.ts", "const x = Math.random();", /randomness/],
  ["src/crawler/engine/a.ts", "const x = crypto.randomUUID();", /randomness/],
  ["src/crawler/engine/a.ts", "const x = process.pid;", /the environment/],
  ["src/crawler/engine/a.ts", "const x = globalThis.name;", /the environment/],
  ["src/crawler/engine/a.ts", "const x = await fetch(url);", /a socket/],
  ["lab/webs/a.ts", "const x = Math.random();", /randomness/],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source code
  ["src/core/a.ts", 'const x = `${process.pid} and "${`${Date.now()}`}"`;', /a clock/],
  ["src/core/a.ts", "const a = /['\"]/; const x = Date.now();", /a clock/],
  ["src/core/a.ts", "const a = b / c; const x = Date.now(); const d = e / f;", /a clock/],
  ["src/storage/a.ts", 'console.error("oh");', /it prints/],
  ["src/storage/a.ts", 'process.stdout.write("oh");', /it prints/],
  ["src/storage/a.ts", "process.exit(1);", /reads or ends the process/],
  ["src/storage/a.ts", "const x = process.env.HOME;", /reads or ends the process/],
  ["src/core/index.ts", 'export * from "./page.ts";', /a door exports \*/],
  ["src/core/index.ts", 'export * as pages from "./page.ts";', /a door exports \*/],
  ["src/core/index.ts", "export const x = 1;", /a door makes what it exports/],
  ["src/attic/index.ts", "", /attic is not in the layout/],
];

const innocent: ReadonlyArray<readonly [string, string]> = [
  ["src/index.ts", 'export { y } from "./core/index.ts";\nexport { z } from "./formats/url/index.ts";\n'],
  ["src/core/index.ts", 'export { type X, y } from "./page.ts";\nexport type { Z } from "./page.ts";\n'],
  ["src/core/page.ts", "export const y = 1;\n"],
  ["src/formats/url/index.ts", 'export { z } from "./url-path.ts";\n'],
  ["src/formats/url/url-path.ts", 'import { y } from "../../core/index.ts";\nexport const z = y;\n'],
  ["src/formats/archive/index.ts", ""],
  ["src/http/index.ts", 'export { get } from "./get.ts";\n'],
  ["src/http/get.ts", 'import { Pool } from "undici";\nimport net from "node:net";\nconst pid = process.pid;\n'],
  ["src/storage/index.ts", ""],
  ["src/exporter/index.ts", ""],
  ["src/crawler/index.ts", ""],
  ["src/demo/index.ts", 'export { show } from "./show.ts";\n'],
  ["src/demo/show.ts", 'import { x } from "../crawler/index.ts";\n'],
  ["src/cli/index.ts", ""],
  ["src/cli/run.ts", 'import { show } from "../demo/index.ts";\nprocess.stdout.write("");\n'],
  ["lab/program/main.ts", 'import { x } from "../../src/crawler/engine/visit-site.ts";\nprocess.exitCode = 1;\n'],
  [
    "src/crawler/engine/visit-site.ts",
    [
      'import type { X } from "../../core/index.ts";',
      "// Date.now() and console.log are only named here, as in import { x } from '../../http/index.ts'.",
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

test("circles are found, of files and of folders, by types too", () => {
  const circle = new Map([
    ["src/core/a.ts", 'import type { B } from "./b.ts";'],
    ["src/core/b.ts", 'export type { C } from "./c.ts";'],
    ["src/core/c.ts", 'import { a } from "./a.ts";'],
    ["src/core/d.ts", 'import { a } from "./a.ts";'],
    ["src/http/x/a.ts", 'import { b } from "../y/b.ts";'],
    ["src/http/x/c.ts", ""],
    ["src/http/y/b.ts", ""],
    ["src/http/y/d.ts", 'import { c } from "../x/c.ts";'],
  ]);
  assert.deepEqual(findImportCircles(circle), {
    files: [["src/core/a.ts", "src/core/b.ts", "src/core/c.ts"]],
    folders: [["src/http/x", "src/http/y"]],
  });
  assert.deepEqual(
    findCircles(
      new Map([
        ["a", ["b"]],
        ["b", []],
      ]),
    ),
    [],
  );
});

test("what no entry reaches is found, also behind a door and in a thread", () => {
  const modules = new Map([
    ["src/index.ts", 'export { used } from "./core/index.ts";'],
    ["src/core/index.ts", 'export { kept } from "./kept.ts";\nexport { used } from "./used.ts";'],
    ["src/core/kept.ts", ""],
    ["src/core/used.ts", 'new Worker(new URL("./thread.js", import.meta.url)); import("./late.ts");'],
    ["src/core/thread.ts", ""],
    ["src/core/late.ts", ""],
  ]);
  assert.deepEqual(findUnreached(modules, ["src/index.ts"]), ["src/core/kept.ts"]);
});

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
