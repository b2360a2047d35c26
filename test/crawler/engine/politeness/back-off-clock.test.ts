import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HostHealth } from "../../../../src/core/rate-limit.ts";
import { BackOffClock } from "../../../../src/crawler/engine/politeness/back-off-clock.ts";

const maxRetryAfterMs = 3_600_000;
const start = 1_000_000_000_000;

/** A clock that met these troubles, each at the moment when the wait for the one before was over; the longest wait is drawn. */
function troubled(times: number, health: HostHealth = "overloaded"): { clock: BackOffClock; now: number } {
  const clock = new BackOffClock(maxRetryAfterMs);
  let now = start;
  for (let time = 0; time < times; time++) {
    now = Math.max(now, clock.restsUntil);
    clock.answered({ health, beganAt: now }, now, () => 1);
  }
  return { clock, now };
}

describe("a site in trouble", () => {
  it("is left alone for up to 2 s, twice as long each time, a minute at most", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((times) => {
      const { clock, now } = troubled(times);
      return clock.restsUntil - now;
    });
    assert.deepEqual(waits, [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it("is forgiven after three minutes of quiet, however often it was in trouble", () => {
    const { clock } = troubled(20);
    const restedAt = clock.restsUntil;
    assert.equal(clock.level(restedAt + 179_999), 1);
    assert.equal(clock.level(restedAt + 180_000), 0);
  });

  it("is in trouble anew if the request began in the millisecond of the last trouble, and not if it began before", () => {
    for (const [beganAt, level] of [
      [start - 1, 1],
      [start, 2],
    ] as const) {
      const { clock } = troubled(1);
      clock.answered({ health: "overloaded", beganAt }, start, () => 1);
      assert.equal(clock.level(start), level);
    }
  });

  it("is left alone for a first back-off where one page is broken, and that raises no level", () => {
    const { clock, now } = troubled(3, "broken");
    assert.deepEqual([clock.level(now), clock.restsUntil - now], [0, 2000]);
  });

  it("is left alone for no longer than before when the clock is set back", () => {
    const { clock } = troubled(3);
    assert.equal(clock.notBefore(start - 1_000_000), start - 1_000_000 + 8000);
    assert.equal(clock.notBefore(start), start - 1_000_000 + 8000);
  });
});

describe("a Retry-After", () => {
  const answer = (clock: BackOffClock, retryInMs: number): boolean =>
    clock.answered({ health: "overloaded", beganAt: start, retryAt: start + retryInMs }, start, () => 1);

  it("of half a second or less is no wait that the site named: we back off by our own bounds", () => {
    const clock = new BackOffClock(maxRetryAfterMs);
    assert.equal(answer(clock, 500), false);
    assert.deepEqual([clock.isAsked, clock.level(start), clock.restsUntil - start], [false, 1, 2000]);
  });

  it("of more is kept to the millisecond and raises no level; beyond the bound, the bound", () => {
    const clock = new BackOffClock(maxRetryAfterMs);
    assert.equal(answer(clock, 501), false);
    assert.deepEqual([clock.isAsked, clock.level(start), clock.restsUntil - start], [true, 0, 501]);
    assert.equal(new BackOffClock(maxRetryAfterMs, clock.state).isAsked, true);
    assert.equal(answer(clock, maxRetryAfterMs), false);
    assert.equal(answer(clock, maxRetryAfterMs + 1), true);
    assert.equal(clock.restsUntil - start, maxRetryAfterMs);
  });

  it("stays the reason of the wait while a later, shorter back-off does not lengthen it", () => {
    const clock = new BackOffClock(maxRetryAfterMs);
    answer(clock, 60_000);
    clock.answered({ health: "unreachable", beganAt: start + 1 }, start + 1, () => 1);
    assert.deepEqual([clock.isAsked, clock.restsUntil - start], [true, 60_000]);
  });
});
