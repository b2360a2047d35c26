import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { paceAfter } from "../../../../src/crawler/engine/revisit/poll-policy.ts";

const daySeconds = 86_400;
const dayMs = daySeconds * 1000;
const isNear = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual / expected - 1) < 1e-9, `${actual}, not ${expected}`);

describe("paceAfter", () => {
  it("takes a first visit for one of a day, and forgets that at the second", () => {
    const first = paceAfter(undefined, 5000, 864);
    assert.deepEqual(first, { at: 5000, perSecond: 0.01, isGuess: true });
    const second = paceAfter(first, 5000 + 2 * dayMs, 864);
    assert.deepEqual([second.at, second.isGuess], [5000 + 2 * dayMs, false]);
    isNear(second.perSecond, 0.005);
  });

  it("counts what was a week ago a third", () => {
    const pace = { at: 0, perSecond: 1, isGuess: false };
    isNear(paceAfter(pace, 7 * dayMs, 0).perSecond, Math.exp(-1));
    isNear(paceAfter(pace, dayMs, 0).perSecond, Math.exp(-1 / 7));
    isNear(paceAfter({ ...pace, perSecond: 0 }, 7 * dayMs, 7 * daySeconds).perSecond, 1 - Math.exp(-1));
  });

  it("takes two visits that are nearer than an hour for an hour apart", () => {
    const pace = { at: 0, perSecond: 0, isGuess: true };
    for (const afterMs of [-5000, 0, 1000, 3_600_000]) isNear(paceAfter(pace, afterMs, 36).perSecond, 0.01);
    isNear(paceAfter(pace, 7_200_000, 36).perSecond, 0.005);
  });
});
