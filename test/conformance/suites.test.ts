import assert from "node:assert/strict";
import { test } from "node:test";
import { Assertions, loadSuites } from "./suite.ts";

for (const { name, external, run } of await loadSuites()) {
  test(`${name}: every difference is intended`, { skip: external === true }, async () => {
    const { total, passed, differences, skipped } = await run();
    assert.deepEqual(
      differences.filter(({ why }) => why === undefined),
      [],
    );
    assert.equal(passed, total - differences.length);
    assert.ok(total > 0 || skipped !== undefined);
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
