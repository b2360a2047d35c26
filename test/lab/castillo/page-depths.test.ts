import assert from "node:assert/strict";
import { test } from "node:test";
import { correlate, findDepths } from "../../../lab/castillo/page-depths.ts";

const page = (number: number, ...links: number[]) => ({ page: number, seconds: 0, links: Uint32Array.from(links) });

test("a page's depth is the least number of links from a home page", () => {
  const crawled = [page(0, 1, 2), page(1, 3), page(2, 3, 0), page(4, 3)];
  assert.deepEqual([...findDepths(crawled, Uint32Array.of(0), 5)], [0, 1, 1, 2, -1]);
  assert.deepEqual([...findDepths(crawled, Uint32Array.of(0, 4), 5)], [0, 1, 1, 1, 0]);
});

test("rows are correlated from -1 to 1, and not without spread", () => {
  assert.equal(correlate([1, 2, 3], [2, 4, 6]), 1);
  assert.equal(correlate([1, 2, 3], [3, 2, 1]), -1);
  assert.equal(correlate([1, 2, 3], [5, 5, 5]), undefined);
  assert.ok(Math.abs(correlate([1, 2, 3, 4], [1, -1, -1, 1]) ?? 1) < 1e-12);
});
