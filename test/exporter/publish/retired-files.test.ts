import assert from "node:assert/strict";
import { test } from "node:test";
import {
  keptAfterMs,
  keptPublications,
  planRemoval,
  planRetired,
} from "../../../src/exporter/publish/retired-files.ts";

test("what nothing lists any more goes after three publications and two days, not before both", () => {
  const now = 1_800_000_000_000;
  const rows = [
    [keptPublications, keptAfterMs, true],
    [keptPublications + 5, keptAfterMs + 1, true],
    [keptPublications - 1, 100 * keptAfterMs, false],
    [100, keptAfterMs - 1, false],
  ] as const;
  for (const [publications, ageMs, isRemoved] of rows) {
    const file = { name: "a", publications, since: now - ageMs };
    const { kept, removed } = planRemoval([file], now);
    assert.deepEqual(isRemoved ? removed : kept, [file]);
    assert.equal(kept.length + removed.length, 1);
  }
});

test("what is listed again is retired no more", () => {
  const earlier = [
    { name: "a", publications: 2, since: 50 },
    { name: "b", publications: 2, since: 50 },
  ];
  assert.deepEqual(planRetired(earlier, ["c", "d"], new Set(["a", "d"]), true, 100), [
    { name: "b", publications: 3, since: 50 },
    { name: "c", publications: 0, since: 100 },
  ]);
});

test("only publications count, and a clock that was ahead keeps nothing for years", () => {
  const earlier = [{ name: "a", publications: 2, since: 5_000 }];
  assert.deepEqual(planRetired(earlier, [], new Set(), false, 100), [{ name: "a", publications: 2, since: 100 }]);
});
