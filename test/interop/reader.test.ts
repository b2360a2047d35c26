import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { repositoryFolder } from "../repository-folder.ts";
import { listPages } from "./churn.ts";
import { digestOfFile } from "./file-tree.ts";
import { requireProgram, skipWithout } from "./programs.ts";
import { ServedSite } from "./served-site.ts";

const reader = join(repositoryFolder(), "test", "interop", "reader.py");
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
  await using site = await ServedSite.open({ pages: 400, seed: 8 });
  const { docroot } = site;
  // Enough publications for several tiers.
  for (let publication = 0; publication < 12; publication++) {
    await site.export("--segment-size", "100", "--min-group", "5");
    const listed = (await listByReader(site.url)).map((line) => line.split("\t"));
    const files = new Map(listPages(docroot).map((path) => [encodeURI(path), join(docroot, path)]));
    assert.deepEqual(listed.map((fields) => fields[4]).sort(), [...files.keys()].sort());
    for (const [, sizeBytes, , digest, path = ""] of listed) {
      const file = files.get(path) ?? "";
      assert.equal(digest, digestOfFile(file));
      assert.equal(Number(sizeBytes), readFileSync(file).length);
    }
    site.change(0.05);
  }
});
