import assert from "node:assert/strict";
import { it } from "node:test";
import { suite } from "./suites/sitemaps.ts";

it("sitemaps and feeds come out as crawler-commons says, but for what is meant to differ", async () => {
  const { total, passed, differences } = await suite.run();
  assert.ok(total > 60, String(total));
  assert.deepEqual(
    differences.filter(({ why }) => why === undefined),
    [],
  );
  assert.equal(passed + differences.length, total);
});
