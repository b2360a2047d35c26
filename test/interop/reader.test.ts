import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { churn, listPages, makeSite } from "./churn.ts";
import { exportDocroot } from "./command.ts";
import { digestOfFile } from "./file-tree.ts";
import { requireProgram, skipWithout } from "./programs.ts";
import { createRandom } from "./random.ts";
import { findRepositoryRoot } from "./repository.ts";
import { makeTempFolder } from "./temp-folder.ts";
import { startWebServer } from "./web-server.ts";

const reader = join(findRepositoryRoot(), "test", "interop", "reader.py");
const skip = skipWithout("nginx", "python3");

async function listByReader(url: string): Promise<string[]> {
  const options = { maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(requireProgram("python3"), [reader, url], options);
  return stdout.split("\n").filter((line) => line !== "");
}

test("the reader has at most 60 lines", () => {
  assert.ok(readFileSync(reader, "utf8").trimEnd().split("\n").length <= 60);
});

test("a reader of 60 lines in Python lists the pages that are there", { skip }, async () => {
  using temp = makeTempFolder("reader");
  const docroot = join(temp.path, "docroot");
  const random = createRandom(8);
  mkdirSync(docroot);
  makeSite(docroot, 400, random);
  await using server = await startWebServer("nginx", docroot);
  // Enough publications for several tiers.
  for (let publication = 0; publication < 12; publication++) {
    await exportDocroot(docroot, server.url, join(temp.path, "state"), "--segment-size", "100", "--min-group", "5");
    const listed = (await listByReader(server.url)).map((line) => line.split("\t"));
    const files = new Map(listPages(docroot).map((path) => [encodeURI(path), join(docroot, path)]));
    assert.deepEqual(listed.map((fields) => fields[4]).sort(), [...files.keys()].sort());
    for (const [, sizeBytes, , digest, path = ""] of listed) {
      const file = files.get(path) ?? "";
      assert.equal(digest, digestOfFile(file));
      assert.equal(Number(sizeBytes), readFileSync(file).length);
    }
    churn(docroot, random, 0.05);
  }
});
