import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RateWindow, TopK } from "../../../src/crawler/follow/follow-metrics.ts";
import { fc } from "../../property.ts";

describe("RateWindow", () => {
  it("counts what came within the last sixty seconds", () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: 0, max: 50 })));
    fc.assert(
      fc.property(steps, (moves) => {
        const start = 1_800_000_000_000;
        const window = new RateWindow(start);
        const added: { readonly at: number; readonly count: number }[] = [];
        let now = start;
        for (const [waitMs, count] of moves) {
          now += waitMs;
          window.add(count, now);
          added.push({ at: now, count });
        }
        const oldest = Math.floor(now / 1000) - 59;
        const sum = added.reduce((all, { at, count }) => all + (Math.floor(at / 1000) >= oldest ? count : 0), 0);
        const seconds = Math.max(1, Math.min(60, (now - start) / 1000));
        assert.ok(Math.abs(window.perSecond(now) - sum / seconds) < 1e-9);
      }),
    );
  });

  it("bears a clock that is set back", () => {
    const window = new RateWindow(100_000);
    window.add(5, 100_000);
    window.add(5, 50_000);
    assert.equal(window.perSecond(110_000), 1);
  });
});

describe("TopK", () => {
  it("keeps those with the least keys, in their order", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: 1, max: 5 }), (keys, most) => {
        const rows = new TopK<string>(most);
        for (const [at, key] of keys.entries()) rows.add(key, () => `${key} ${at}`);
        const sorted = keys
          .map((key, at) => ({ key, at }))
          .sort((one, other) => one.key - other.key || one.at - other.at);
        assert.deepEqual(
          rows.rows(),
          sorted.slice(0, most).map(({ key, at }) => `${key} ${at}`),
        );
      }),
    );
  });
});
