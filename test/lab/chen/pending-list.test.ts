import assert from "node:assert/strict";
import { test } from "node:test";
import { type PendingPeak, peakOf, pendingNodes } from "../../../lab/chen/pending-list.ts";

/** Equation 5.2, node by node. */
function crawlAll(nodes: number, links: number, seeds: number): number[] {
  const lists = [seeds];
  for (let known = seeds; lists.length <= nodes; ) {
    known += (links * (nodes - known)) / nodes;
    lists.push(known - lists.length);
  }
  return lists;
}

test("the closed form is the equation, node by node, and its peak is the longest list", () => {
  for (const [nodes, links, seeds] of [
    [2000, 20, 1],
    [997, 60, 12],
    [500, 2, 3],
  ] as const) {
    const lists = crawlAll(nodes, links, seeds);
    for (const [crawled, pending] of lists.entries())
      assert.ok(Math.abs(pendingNodes({ nodes, links, seeds }, crawled) - pending) < 1e-6, `${nodes} at ${crawled}`);
    const longest = Math.max(...lists);
    const { crawled, pending } = peakOf({ nodes, links, seeds });
    assert.ok(Math.abs(pending - longest) <= 1, `${pending} of ${longest}`);
    assert.ok(Math.abs(crawled - lists.indexOf(longest)) <= 1, `${crawled}`);
  }
});

test("Table 5.3: its first row is of 200 links a node, its last one of 1000", () => {
  const differs = (peak: PendingPeak, pending: number, crawled: number): readonly number[] => [
    Math.abs(peak.pending - pending),
    Math.abs(peak.crawled - crawled),
  ];
  assert.deepEqual(differs(peakOf({ nodes: 1e9, links: 200 }), 968_508_416, 26_491_535), [0, 50]);
  assert.deepEqual(differs(peakOf({ nodes: 5e9, links: 1000 }), 4_960_461_226, 34_538_777), [1, 4]);
});

test("where each node has one link the list never grows", () => {
  assert.deepEqual(peakOf({ nodes: 1000, links: 1 }), { crawled: 0, pending: 1 });
});
