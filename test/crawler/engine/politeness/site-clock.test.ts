import assert from "node:assert/strict";
import { test } from "node:test";
import { restoreState, SiteClock } from "../../../../src/crawler/engine/politeness/site-clock.ts";
import { fc } from "../../../property.ts";

const maxRetryAfterMs = 24 * 3600 * 1000;
const pace = { gapMs: 1000, restMs: 0, pagesBeforeRest: 1_000_000, maxUnderWay: 1 };

const step = fc.record({
  passesMs: fc.nat(100_000),
  health: fc.constantFrom("fine", "overloaded", "broken", "unreachable"),
  /** What the answer names by Retry-After, from now. */
  retryInMs: fc.option(fc.nat(2 * 3600 * 1000), { nil: undefined }),
  isRestarted: fc.boolean(),
  random: fc.double({ min: 0, max: 1, noNaN: true }),
});

test("a wait is never replaced by a shorter one: not by another Retry-After, a back-off, a good answer or a restart", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 30 }), (steps) => {
      let now = 1_000_000_000_000;
      let clock = new SiteClock(pace, maxRetryAfterMs);
      let promisedAt = 0;
      for (const { passesMs, health, retryInMs, isRestarted, random } of steps) {
        now += passesMs;
        if (isRestarted) {
          const state = restoreState(
            { ...clock.state, crawlDelayMs: 0, isOpen: 0, isQuiet: 0 },
            pace,
            maxRetryAfterMs,
            now,
          );
          clock = new SiteClock(pace, maxRetryAfterMs, state);
        }
        assert.ok(clock.notBefore(now) >= promisedAt, `${promisedAt - clock.notBefore(now)} ms too early`);
        clock.began(now);
        const retryAt = retryInMs === undefined ? undefined : now + retryInMs;
        const isTrouble = health !== "fine";
        // What the server names with a good answer binds nobody (RFC 9110 section 10.2.3).
        clock.answered({ health, retryAt, beganAt: now, requests: 1 }, now, () => random);
        if (isTrouble && retryInMs !== undefined && retryInMs > 1000)
          promisedAt = Math.max(promisedAt, now + retryInMs);
        promisedAt = Math.max(promisedAt, clock.restsUntil);
      }
    }),
  );
});

test("a pace that is learned late lengthens the wait and never shortens it", () => {
  const now = 1_000_000_000_000;
  const clock = new SiteClock(pace, maxRetryAfterMs);
  clock.began(now);
  clock.answered({ health: "fine", beganAt: now, requests: 1 }, now, () => 1);
  for (const [gapMs, waitMs] of [
    [5000, 5000],
    [2000, 5000],
  ] as const) {
    clock.setPace({ ...pace, gapMs });
    assert.equal(clock.notBefore(now) - now, waitMs);
  }
});
