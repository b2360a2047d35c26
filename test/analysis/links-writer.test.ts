import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { linksFileOf } from "../../src/analysis/graph-folder.ts";
import { LinksWriter } from "../../src/analysis/links-writer.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { abortAfter } from "./abort-after.ts";

test("links that are put behind their offsets can be stopped at each block, and nothing is left", async () => {
  using temp = makeTempFolder("links");
  for (const turns of [1, 2, 3]) {
    {
      using writer = new LinksWriter(temp.path, 300_000);
      for (let node = 0; node < 300_000; node++) for (const to of [0, 1]) writer.add(node, to);
      await assert.rejects(writer.finish(linksFileOf(temp.path), abortAfter(turns)), { code: "aborted" });
    }
    assert.deepEqual(readdirSync(temp.path), []);
  }
});
