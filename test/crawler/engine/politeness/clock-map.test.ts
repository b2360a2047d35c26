import assert from "node:assert/strict";
import { test } from "node:test";
import { ClockMap } from "../../../../src/crawler/engine/politeness/clock-map.ts";

test("a bounded map of clocks drops what was asked for longest ago, and nothing that is in use", () => {
  const clocks = new ClockMap(3, (): { isUsed: boolean } => ({ isUsed: false }));
  const first = clocks.of("a");
  first.isUsed = true;
  const second = clocks.of("b");
  const third = clocks.of("c");
  clocks.of("b");
  clocks.of("d");
  assert.equal(clocks.size, 3);
  assert.equal(clocks.of("a"), first);
  assert.equal(clocks.of("b"), second);
  assert.notEqual(clocks.of("c"), third);
});
