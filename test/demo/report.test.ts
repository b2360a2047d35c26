import assert from "node:assert/strict";
import { it } from "node:test";
import { checkVisit, type DemoVisit, type Traffic } from "../../src/demo/report.ts";

const none: Traffic = { requests: 0, notModified: 0, metadataRequests: 0, bytes: 0 };

function brokenPromises(visit: DemoVisit["visit"], tidemark: Partial<Traffic>): string[] {
  const traffic = { tidemark: { ...none, ...tidemark }, polling: none, everything: none };
  const found = { visit, pages: 100, changedPages: visit === 3 ? 0 : 50, deletedPages: 0, touchedPages: 0, traffic };
  return checkVisit(found)
    .filter((check) => !check.held)
    .map((check) => check.promise);
}

it("lets a visit make the requests that are promised and no more", () => {
  assert.deepEqual(brokenPromises(1, { requests: 60, metadataRequests: 10 }), []);
  assert.deepEqual(brokenPromises(1, { requests: 60, metadataRequests: 9 }), ["one request a created or updated page"]);
  assert.deepEqual(brokenPromises(2, { requests: 54, metadataRequests: 4 }), []);
  assert.deepEqual(brokenPromises(2, { requests: 53, metadataRequests: 4 }), ["one request a created or updated page"]);
  assert.deepEqual(brokenPromises(2, { requests: 55, metadataRequests: 5 }), ["at most 4 other requests"]);
  assert.deepEqual(brokenPromises(3, { requests: 2, metadataRequests: 2, notModified: 2 }), []);
  assert.deepEqual(brokenPromises(3, { requests: 2, metadataRequests: 2, notModified: 1 }), [
    "all of them answered 304",
  ]);
  assert.deepEqual(brokenPromises(3, { requests: 3, metadataRequests: 3, notModified: 3 }), ["at most 2 requests"]);
});
