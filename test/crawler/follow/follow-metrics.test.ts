import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FollowMetrics, RateWindow, TopK } from "../../../src/crawler/follow/follow-metrics.ts";
import { SiteScheduler } from "../../../src/crawler/follow/site-scheduler.ts";
import { fc } from "../../property.ts";

const now = 1_800_000_000_000;
const siteOf = (number: number): string => `https://${number}.example`;

/** A scheduler of sites that are due, the first of them under way, and its metrics. */
function makeMetrics(sites: number): { scheduler: SiteScheduler; metrics: FollowMetrics } {
  const scheduler = new SiteScheduler();
  const metrics = new FollowMetrics(scheduler, () => now, 16);
  for (let number = 0; number < sites; number++) scheduler.add(siteOf(number), now - 1000 + number);
  metrics.begin(scheduler.next(now) ?? "");
  return { scheduler, metrics };
}

describe("FollowMetrics", () => {
  it("counts each site once: as under way, paused or waiting", () => {
    const { scheduler, metrics } = makeMetrics(14);
    const counts = (): number[] => {
      const { sites, underWay, waiting, due, paused, pausedSites } = metrics.status();
      return [sites, underWay, waiting, due, paused, pausedSites.length];
    };
    assert.deepEqual(counts(), [14, 1, 13, 13, 0, 0]);
    scheduler.setPaused(siteOf(0), true);
    scheduler.setPaused(siteOf(1), true);
    assert.deepEqual(counts(), [14, 1, 12, 12, 1, 1]);
    scheduler.remove(siteOf(0));
    assert.deepEqual(counts(), [13, 0, 12, 12, 1, 1]);
    scheduler.add(siteOf(0), now + 1000);
    assert.deepEqual(counts(), [14, 1, 12, 12, 1, 1]);
  });

  it("tells that a site in trouble is paused", () => {
    const { scheduler, metrics } = makeMetrics(2);
    metrics.enter(siteOf(1), { failures: 3, lookedAt: 0 });
    scheduler.setPaused(siteOf(1), true);
    const { troubled, backOff } = metrics.status();
    assert.deepEqual(troubled, [{ site: siteOf(1), failures: 3, message: "", nextMs: now - 999, isPaused: true }]);
    assert.equal(backOff, 0);
  });
});

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

  it("counts anew when the clock is set back", () => {
    const window = new RateWindow(10_000_000);
    for (let now = 10_000_000; now < 10_100_000; now += 1000) window.add(5, now);
    for (let now = 6_400_000; now <= 6_600_000; now += 1000) {
      window.add(5, now);
      const rate = window.perSecond(now);
      assert.ok(rate >= 5 && rate <= 10, `${rate} at ${now}`);
    }
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
