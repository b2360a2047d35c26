import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planBatch } from "../../../src/crawler/web/plan-batch.ts";
import { LinkLog } from "../../../src/storage/links/link-log.ts";
import { readLinks } from "../../../src/storage/links/read-links.ts";
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
  return planBatch(() => readLinks(temp.path), count, 7);
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

  it("takes nothing that was kept while ranks were computed, and has the same ranks", async () => {
    using temp = makeTempFolder();
    await using log = new LinkLog(temp.path, { clock: () => 0 });
    const add = async (url: string, links: readonly string[]): Promise<void> => {
      log.add(0, url, links);
      await log.endPart();
    };
    await add("a", ["b", "x", "y", "z"]);
    await add("b", ["x", "y"]);
    await add("c", ["x"]);
    const before = planBatch(() => readLinks(temp.path), 2, 7);
    const early = [...readLinks(temp.path)];
    // Lines of before, then those of a crawl that went on: the first of them stands before the others.
    await add("d", ["new-1", "new-2", "new-3"]);
    const late = [...readLinks(temp.path)].reverse();
    const times = [early, late];
    const found = planBatch(
      function* () {
        yield* times.shift() ?? [];
      },
      2,
      7,
    );
    assert.deepEqual(
      [found.urls, before.urls],
      [
        ["x", "y"],
        ["x", "y"],
      ],
    );
  });
});
