import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readText, writeText } from "../../analysis/graph-files.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { runProgram } from "../run-program.ts";

const golden = join(repositoryFolder(), "fixtures/graph/v1");
const lists = ["--links", join(golden, "links.txt"), "--names", join(golden, "names.txt")];

test("graph import and export say what they read and wrote", async () => {
  using temp = makeTempFolder();
  const folder = join(temp.path, "graph");
  const imported = await runProgram("graph", "import", folder, ...lists);
  assert.deepEqual(imported, { code: 0, stdout: "4 nodes, 4 names; 5 links from 5 lines\n", stderr: "" });
  const out = join(temp.path, "links");
  const exported = await runProgram("graph", "export", folder, "--links", out, "--json");
  assert.deepEqual(JSON.parse(exported.stdout), { event: "summary", nodes: 4, links: 5 });
  assert.equal(readText(out), readText(join(golden, "links.txt")));
});

test("graph import refuses a list with file and line", async () => {
  using temp = makeTempFolder();
  const links = writeText(temp.path, "links", "0 1\n1 one\n");
  const { code, stderr } = await runProgram("graph", "import", join(temp.path, "graph"), "--links", links);
  assert.equal(code, 2);
  assert.ok(stderr.includes(`${links}: line 2 is not made of whole numbers.`), stderr);
});

const wrong: ReadonlyArray<readonly [readonly string[], RegExp]> = [
  [["draw", "dir"], /There is no action "draw"\.\n {2}There are import, export/],
  [["import", "dir"], /--links is missing: from which list\?/],
  [["export", "dir"], /--links is missing: to which file\?/],
  [["import"], /dir is missing/],
];

for (const [words, message] of wrong) {
  test(`graph ${words.join(" ")} is refused`, async () => {
    const { code, stderr } = await runProgram("graph", ...words);
    assert.equal(code, 2);
    assert.match(stderr, message);
  });
}
