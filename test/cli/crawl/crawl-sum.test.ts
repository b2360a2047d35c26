import assert from "node:assert/strict";
import { it } from "node:test";
import { addCrawlSummaries } from "../../../src/cli/crawl/crawl-sum.ts";

it("adds visits up, and leaves a single one as it is", () => {
  const none = addCrawlSummaries([]);
  const a = { ...none, site: "https://a.example", requests: 3, pending: 1, cursor: { epoch: "e", publication: 1 } };
  const b = { ...none, site: "https://b.example", source: "archives" as const, requests: 4 };
  assert.equal(addCrawlSummaries([a]), a);
  assert.deepEqual(addCrawlSummaries([a, b]), {
    ...none,
    site: "https://a.example https://b.example",
    source: "archives",
    requests: 7,
    pending: 1,
  });
});
