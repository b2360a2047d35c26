import assert from "node:assert/strict";
import { test } from "node:test";
import { JoinedLists } from "../../../src/exporter/lists/joined-lists.ts";
import { fc } from "../../property.ts";
import { drainPages, givenPages, listed } from "./listing.ts";

test("two lists are one in path order, and of one path the second's page counts", async () => {
  const names = fc.uniqueArray(fc.stringMatching(/^\/[a-d]{0,3}$/), { maxLength: 40 });
  const size = fc.integer({ min: 1, max: 9 });
  await fc.assert(
    fc.asyncProperty(names, names, size, size, async (a, b, sizeA, sizeB) => {
      const first = a.toSorted().map((path) => listed(path, { sizeBytes: 1 }));
      const second = b.toSorted().map((path) => listed(path, { sizeBytes: 2 }));
      await using joined = new JoinedLists(givenPages(first, sizeA), givenPages(second, sizeB));
      const expected = [...new Set([...a, ...b])]
        .sort()
        .map((path) => listed(path, { sizeBytes: b.includes(path) ? 2 : 1 }));
      assert.deepEqual(await drainPages(joined), expected);
    }),
  );
});

test("two lists are complete only if both are", async () => {
  const one = listed("/a");
  for (const [a, b] of [
    [true, true],
    [true, false],
    [false, true],
  ] as const) {
    await using joined = new JoinedLists(givenPages([one], 1, a), givenPages([one], 1, b));
    await drainPages(joined);
    assert.equal(joined.isComplete, a && b);
  }
});
