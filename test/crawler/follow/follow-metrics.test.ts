import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FollowMetrics } from "../../../src/crawler/follow/follow-metrics.ts";
import { SiteScheduler } from "../../../src/crawler/follow/site-scheduler.ts";

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
    metrics.enter(siteOf(1), 3);
    scheduler.setPaused(siteOf(1), true);
    const { troubled, backOff } = metrics.status();
    assert.deepEqual(troubled, [{ site: siteOf(1), failures: 3, message: "", nextMs: now - 999, isPaused: true }]);
    assert.equal(backOff, 0);
  });
});
