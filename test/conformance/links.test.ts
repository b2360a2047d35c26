import assert from "node:assert/strict";
import { test } from "node:test";
import { suite as linkSuite } from "./suites/links.ts";
import { suite as linkPeerSuite } from "./suites/links-of-peers.ts";

test("every link of the pages is found, of its kind, and nothing else", async () => {
  const { total, passed, differences } = await linkSuite.run();
  assert.ok(total > 150);
  assert.deepEqual([passed, differences], [total, []]);
});

test("wget2 and Scrapy find no more of them", async (t) => {
  const { total, passed, differences, skipped } = await linkPeerSuite.run();
  if (skipped !== undefined) return t.skip(skipped);
  for (const { name } of differences) {
    t.diagnostic(name);
    const found = Number(/: (\d+) of/.exec(name)?.[1]);
    // A peer that finds next to nothing was not asked rightly.
    assert.ok(found > 40 && found <= passed, name);
  }
  assert.equal(passed, total);
});
