import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultDistrustMs, isFullFetchDue, spreadOf } from "../../../../src/crawler/engine/revisit/poll-policy.ts";
import { fc } from "../../../property.ts";

const day = 86_400_000;

test("property: a full fetch is due in the last quarter of the time, never before and never later", () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 0, max: 1e12 }), (path, fetchedAt) => {
      const isDue = (afterMs: number): boolean => isFullFetchDue({ path, fetchedAt }, fetchedAt + afterMs);
      assert.equal(isDue(0.75 * defaultDistrustMs - 1), false);
      assert.equal(isDue(defaultDistrustMs), true);
      assert.equal(isDue(-day), false);
      assert.equal(isFullFetchDue({ path, fetchedAt }, fetchedAt + 1e13, Number.POSITIVE_INFINITY), false);
    }),
  );
  assert.equal(isFullFetchDue({ path: "/", fetchedAt: undefined }, 0), true);
});

test("a site's pages are spread evenly", () => {
  const counts = new Array<number>(10).fill(0);
  for (let at = 0; at < 10_000; at++) {
    const place = Math.floor(spreadOf(`/docs/page-${at}.html`) * 10);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  for (const count of counts) assert.ok(count > 800 && count < 1200, counts.join(" "));
});

test("the pages of one crawl are not all due at once", () => {
  const paths = Array.from({ length: 1000 }, (_, at) => `/${at}`);
  const due = paths.filter((path) => isFullFetchDue({ path, fetchedAt: 0 }, 0.875 * defaultDistrustMs)).length;
  assert.ok(due > 400 && due < 600, `${due}`);
});
