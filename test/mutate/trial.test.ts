import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { makeTempFolder } from "../temp-folder.ts";
import { ModuleGraph } from "./mirror-tests.ts";
import { findMutants } from "./mutants.ts";
import { Trial } from "./trial.ts";

const source = "export function count(to) { let at = 0; while (at < to) at++; return at; }";
const files: Readonly<Record<string, string>> = {
  "package.json": '{"type": "module"}',
  "dist/lib/none.js": "",
  "dist/src/a/count.js": source,
  "dist/src/a/index.js": 'export { count } from "./count.js";',
  "dist/src/b/other.js": "export const other = 1;",
  "dist/test/a/count.test.js": 'import { count } from "../../src/a/count.js"; if (count(3) !== 3) throw new Error();',
  "dist/test/a/door.test.js": 'import { count } from "../../src/a/index.js"; count(1);',
  "dist/test/a/failing.test.js": 'import { count } from "../../src/a/count.js"; throw new Error(String(count));',
  "dist/test/a/none.test.js": 'import "../../src/b/other.js";',
  "dist/test/a/count.slow.test.js": 'import "./count.test.js";',
  "dist/test/b/far.test.js": 'import "../a/deep.js";',
  "dist/test/a/deep.js": 'import "../../src/a/count.js";',
};

function makeRepository(folder: string): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

describe("a trial of mutants", () => {
  it("runs the nearest tests of a module: its mirror, those that import it, those of its folder that come to it", () => {
    using temp = makeTempFolder();
    const graph = new ModuleGraph(join(makeRepository(temp.path), "dist"));
    const expected = ["count", "door", "failing"].map((name) => `test/a/${name}.test.js`);
    assert.deepEqual(graph.testsOf("src/a/count.js", 9), expected);
    assert.deepEqual(graph.testsOf("src/a/count.js", 1), expected.slice(0, 1));
  });

  it("tells what is noticed, what runs for ever and what survives, and leaves the repository as it is", async () => {
    using temp = makeTempFolder();
    const repository = makeRepository(join(temp.path, "repository"));
    const trial = new Trial(repository, join(temp.path, "copy"), { leastCpuSeconds: 1 });
    const fates: Record<string, string> = {};
    for (const mutant of findMutants(source)) {
      const name = `${source.slice(mutant.start, mutant.end)} -> ${mutant.text}`;
      const tests = ["failing", "count"].map((test) => `test/a/${test}.test.js`);
      fates[name] = await trial.run("src/a/count.js", mutant, tests);
    }
    assert.deepEqual(fates, {
      "0 -> (0 + 1)": "survived",
      "at < to -> false": "killed",
      "< -> <=": "killed",
      "< -> >=": "killed",
      "++ -> --": "timed out",
    });
    assert.equal(readFileSync(join(repository, "dist/src/a/count.js"), "utf8"), source);
  });
});
