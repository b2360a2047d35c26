import assert from "node:assert/strict";
import { it } from "node:test";
import { crawlDays } from "../../bench/web-crawl/revisit-days.ts";

it("where more is due than can be requested, copies are fresher than if all pages were requested in turn", async () => {
  const { since, pages, days, freshness, inTurn, atKnownRates } = await crawlDays({
    ...{ sites: 60, pages: 1500, days: 20, seed: 3, capacity: 0.7 },
  });
  const requests = since.requests / pages / days;
  assert.ok(requests > 0.5 && requests <= 0.701, `${requests} requests a page and day`);
  // Both have as many requests; ours has robots.txt and sitemaps among them.
  assert.ok(freshness > inTurn + 0.01, `${freshness}, in turn ${inTurn}`);
  assert.ok(freshness < atKnownRates + 0.02, `${freshness}, at known rates ${atKnownRates}`);
});
