import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FairQueue } from "../../../src/crawler/web/fair-queue.ts";

describe("FairQueue", () => {
  it("takes sites in turn by who brought them, so that one who brings many keeps nobody waiting", () => {
    const queue = new FairQueue(Number.POSITIVE_INFINITY);
    for (let site = 0; site < 100; site++) queue.add(site, 1);
    queue.add(100, 2);
    queue.add(101, undefined);
    const taken = Array.from({ length: 4 }, () => queue.take()?.site);
    assert.deepEqual(taken, [0, 100, 101, 1]);
    assert.equal(queue.size, 98);
  });

  it("gives one who brings many only so many at once, until some of them end", () => {
    const queue = new FairQueue(2);
    for (let site = 0; site < 5; site++) queue.add(site, 7);
    assert.deepEqual([queue.take()?.site, queue.take()?.site, queue.take()], [0, 1, undefined]);
    queue.add(9, 8);
    assert.equal(queue.take()?.site, 9);
    queue.end(7);
    assert.deepEqual([queue.take()?.site, queue.take()], [2, undefined]);
  });

  it("gives sites that nobody brought without a bound, each once and in order", () => {
    const queue = new FairQueue(1);
    for (let site = 0; site < 50; site++) queue.add(site);
    assert.deepEqual(
      Array.from({ length: 51 }, () => queue.take()?.site),
      [...Array.from({ length: 50 }, (_, site) => site), undefined],
    );
  });
});
