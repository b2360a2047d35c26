import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FollowedSite } from "../../../src/crawler/crawl-site-options.ts";
import { FollowMetrics } from "../../../src/crawler/follow/follow-metrics.ts";
import { FollowedSites } from "../../../src/crawler/follow/followed-sites.ts";
import { SiteScheduler } from "../../../src/crawler/follow/site-scheduler.ts";
import { openMemoryStore } from "../../../src/storage/state/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const origin = "https://example.org";

/** Lists one site, planned at a time, with the settings of each list in turn. @returns when it is due after each */
function listInTurn(plannedAt: number, ...lists: readonly Omit<FollowedSite, "url">[]): (number | undefined)[] {
  using folder = makeTempFolder();
  using store = openMemoryStore(folder.path);
  store.plans.write(origin, { at: plannedAt, lookedAt: 0, failures: 0, changes: [] });
  const scheduler = new SiteScheduler();
  const now = (): number => 0;
  const metrics = new FollowMetrics(scheduler, now, 1);
  const sites = new FollowedSites(scheduler, store.plans, { now, isForever: true, metrics });
  return lists.map((settings) => {
    sites.set([{ url: `${origin}/`, ...settings }]);
    return scheduler.entryOf(origin)?.at;
  });
}

describe("FollowedSites", () => {
  it("visits a site no sooner after a restart than its least interval allows, and no later than the most", () => {
    assert.deepEqual(listInTurn(7 * dayMs, { minIntervalMs: 7 * dayMs }), [7 * dayMs]);
    assert.deepEqual(listInTurn(7 * dayMs, {}), [dayMs]);
    assert.deepEqual(listInTurn(7 * dayMs, { maxIntervalMs: hourMs }), [hourMs]);
  });

  it("visits a site that is listed with a shorter interval no later than that", () => {
    const lists = [{ maxIntervalMs: 7 * dayMs }, { maxIntervalMs: hourMs }, { maxIntervalMs: dayMs }];
    assert.deepEqual(listInTurn(7 * dayMs, ...lists), [7 * dayMs, hourMs, hourMs]);
  });
});
