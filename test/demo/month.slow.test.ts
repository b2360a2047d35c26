import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { simulateMonths } from "../../src/demo/month.ts";
import type { TrafficSummary } from "../../src/traffic/read-traffic.ts";
import { makeTempFolder } from "../temp-folder.ts";

test("with published changes the same crawlers need a part of the requests, and people are served alike", async () => {
  using folder = makeTempFolder();
  const { polled, published } = await simulateMonths({ pages: 100, days: 11, keepFolder: folder.path });
  const peopleOf = ({ all, crawling }: TrafficSummary): number => all.requests - crawling.requests;
  assert.equal(peopleOf(polled.summary), peopleOf(published.summary));
  assert.equal(polled.summary.crawlerCount, 3);
  assert.ok((polled.summary.history?.savedRequests ?? 0) > 0.4 * polled.summary.crawling.requests);
  assert.deepEqual(
    published.summary.groups.map(({ operator }) => operator).toSorted(),
    polled.summary.groups.map(({ operator }) => operator).toSorted(),
  );
  assert.ok(polled.summary.crawling.needless > 200, `${polled.summary.crawling.needless}`);
  assert.ok(published.summary.crawling.needless < 20, `${published.summary.crawling.needless}`);
  assert.ok(published.summary.crawling.requests < 0.7 * polled.summary.crawling.requests);
  assert.deepEqual([polled.status, published.status?.problems], [undefined, []]);
  assert.deepEqual([polled.summary.badLines, published.summary.badLines, existsSync(published.log)], [0, 0, true]);
});
