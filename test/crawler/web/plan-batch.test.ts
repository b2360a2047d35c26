import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planBatch } from "../../../src/crawler/web/plan-batch.ts";
import { LinkLog } from "../../../src/storage/links/link-log.ts";
import { makeTempFolder } from "../../temp-folder.ts";

async function plan(pages: Readonly<Record<string, readonly string[]>>, count: number) {
  using temp = makeTempFolder();
  {
    await using log = new LinkLog(temp.path, { clock: () => 0, partBytes: 200 });
    for (const [url, links] of Object.entries(pages)) {
      log.add(0, url, links);
      log.flush();
    }
  }
  return planBatch(temp.path, count, 7);
}

describe("planBatch", () => {
  it("takes the known pages of the highest ranks that were not requested", async () => {
    const pages = { a: ["b", "x", "y"], b: ["x", "z"], c: ["x", "z", "b"], d: [] };
    const { urls, ...counts } = await plan(pages, 2);
    assert.deepEqual([urls, counts], [["x", "z"], { known: 7, requested: 4, links: 8 }]);
    assert.deepEqual((await plan(pages, 10)).urls, ["x", "z", "y"]);
  });

  it("has nothing to take where all that is known was requested, or nothing is known", async () => {
    assert.deepEqual((await plan({ a: ["b"], b: ["a"] }, 5)).urls, []);
    assert.deepEqual((await plan({}, 5)).urls, []);
  });

  it("takes as many as it may of many with equal ranks, beyond what its table begins with", async () => {
    const links = Array.from({ length: 100_000 }, (_, at) => `http://s${at % 100}.test/${at}`);
    const { urls, known } = await plan({ "http://a.test/": links }, 1000);
    assert.deepEqual([urls.length, new Set(urls).size, known], [1000, 1000, 100_001]);
  });
});
