import assert from "node:assert/strict";
import { test } from "node:test";
import { Assertions, loadSuites } from "./suite.ts";
import { peerSuite } from "./suites/links.ts";

for (const { name, external, least = 1, run } of await loadSuites()) {
  test(`${name}: every difference is intended`, { skip: external === true }, async () => {
    const { total, passed, differences, skipped } = await run();
    assert.deepEqual(
      differences.filter(({ why }) => why === undefined),
      [],
    );
    assert.equal(passed, total - differences.length);
    assert.ok(total >= least || skipped !== undefined, `${total} assertions`);
  });
}

test("a case marked as different that is none is noticed", () => {
  const assertions = new Assertions();
  assertions.check("a", true);
  assertions.check("b", false, "on purpose");
  assertions.check("c", false);
  assertions.check("d", true, "on purpose");
  assert.deepEqual(assertions.result(), {
    total: 4,
    passed: 1,
    differences: [
      { name: "b", why: "on purpose" },
      { name: "c", why: undefined },
      { name: "d: is no difference", why: undefined },
    ],
  });
});

test("wget2 and Scrapy find no more of them", async (t) => {
  const { total, passed, differences, skipped } = await peerSuite.run();
  if (skipped !== undefined) return t.skip(skipped);
  for (const { name } of differences) {
    t.diagnostic(name);
    const found = Number(/: (\d+) of/.exec(name)?.[1]);
    // A peer that finds next to nothing was not asked rightly.
    assert.ok(found > 40 && found <= passed, name);
  }
  assert.equal(passed, total);
});
