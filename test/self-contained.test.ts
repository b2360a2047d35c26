import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";
import { repositoryFolder } from "./repository-folder.ts";

const root = repositoryFolder();

/** What a module names, beside its imports, that lies outside the repository: from its own place, or from the folder of the repository. */
function findOutside(path: string, text: string): string[] {
  const fromRoot = text.matchAll(
    /(?:repositoryFolder|findRepositoryRoot)\(\)(?:, ?"[\w.-]+")*, ?[`"](\.\.[^`"]*)[`"]/g,
  );
  const ownPlace = text.matchAll(/new URL\("(\.\.?\/[^"]*)"/g);
  const escapes = (folder: string, named: string) => posix.join(folder, named).startsWith("..");
  return [
    ...[...fromRoot].map(([, named = ""]) => named).filter((named) => escapes(".", named)),
    ...[...ownPlace].map(([, named = ""]) => named).filter((named) => escapes(posix.dirname(path), named)),
  ];
}

test("no test reads a file outside the repository", () => {
  // Benchmarks, which measure more than the repository holds, are no tests; this file has examples.
  const paths = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .map((path) => `test/${path}`)
    .filter((path) => path.endsWith(".ts") && !/^test\/(?:bench\/|self-contained\.)/.test(path));
  assert.ok(paths.length > 300);
  const outside = paths.flatMap((path) =>
    findOutside(path, readFileSync(join(root, path), "utf8")).map((named) => `${path}: ${named}`),
  );
  assert.deepEqual(outside, []);
});

test("what is outside is found from either place", () => {
  const text = `new URL("../../src/a.js", import.meta.url); new URL("../../../b.js", import.meta.url);
    join(repositoryFolder(), "../shared/x"); join(findRepositoryRoot(), "..", "y"); join(repositoryFolder(), "fixtures")`;
  assert.deepEqual(findOutside("test/cli/x.test.ts", text), ["../shared/x", "..", "../../../b.js"]);
});
