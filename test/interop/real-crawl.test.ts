import assert from "node:assert/strict";
import { test } from "node:test";
import { crawlWeb, momentOf } from "../bench/real-crawl/crawl-web.ts";

const skip = process.platform !== "linux" && "the addresses 127.0.0.0/8 are of Linux";

test("a real crawl has the best pages as soon as the simulated one", { skip }, async (t) => {
  const pages = 400;
  const { moments, simulated, mostRank } = await crawlWeb({ pages, sites: 30, seed: 2 });
  assert.equal(moments.length, pages, "each page once");
  assert.ok(Math.abs((moments.at(-1)?.rank ?? 0) - 1) < 1e-6, "and with them all rank");
  for (const share of [0.5, 0.8]) {
    const [real, other] = [moments, simulated].map((some) => momentOf(some, "pages", share)?.rank ?? 0);
    t.diagnostic(`${share} of the pages: ${real?.toFixed(3)} of the rank, simulated ${other?.toFixed(3)}`);
    assert.ok(Math.abs((real ?? 0) - (other ?? 1)) < 0.1, `${share}: ${real}, simulated ${other}`);
    assert.ok((real ?? 0) > share && (real ?? 1) <= mostRank(share), `${share}: ${real}`);
  }
});

test("few sites hold all pages of a web", { skip }, async () => {
  const { moments } = await crawlWeb({ pages: 40, sites: 4, seed: 1 });
  assert.equal(moments.length, 40);
});
