import assert from "node:assert/strict";
import { test } from "node:test";
import { keptAfterMs, keptPublications, planRemoval } from "../../../src/exporter/publish/retired-files.ts";

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
