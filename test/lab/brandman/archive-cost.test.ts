import assert from "node:assert/strict";
import { it } from "node:test";
import { costOfReading } from "../../../lab/brandman/archive-cost.ts";
import { VirtualPublisher } from "../../../lab/brandman/virtual-publisher.ts";
import { createLabPorts } from "../../../lab/program/lab-ports.ts";
import type { Change } from "../../../src/core/change.ts";
import type { Page } from "../../../src/core/page.ts";

const page = (name: string, time: number): Page => {
  return { path: `/${name}`, sizeBytes: 10, lastModified: time, mediaType: "text/html", digest: undefined };
};

it("a visit costs two answers that say nothing new, or index, robots.txt where it is another, and a chain", async () => {
  const publisher = new VirtualPublisher(createLabPorts("").pack);
  const pages = new Map<string, Page>();
  for (let number = 0; number < 400; number++) pages.set(`/${number}`, page(String(number), 1000 + number));
  const first = await publisher.publish(pages, [], 10_000);
  const change = (name: string, time: number): Change => ({ kind: "updated", page: page(name, time) });
  const second = await publisher.publish(pages, [change("7", 10_500)], 20_000);
  const third = await publisher.publish(pages, [change("8", 20_500)], 30_000);
  assert.equal(costOfReading(third, 30_000, true, 250), 500);
  const newest = third.index.archives.find(({ name }) => name.from === 20_000);
  assert.equal(costOfReading(third, 20_000, true, 250), 3 * 250 + third.indexBytes + (newest?.sizeBytes ?? 0));
  assert.equal(costOfReading(third, 20_000, false, 0), third.indexBytes + third.robotsBytes + (newest?.sizeBytes ?? 0));
  // Two intervals of a day were merged into one, which is cheaper than both.
  const merged = third.index.archives.find(({ name }) => name.from === 10_000 && name.to === 30_000);
  assert.equal(costOfReading(third, 10_000, true, 0), third.indexBytes + (merged?.sizeBytes ?? 0));
  assert.ok(second.index.archives.length < third.index.archives.length && first.index.archives.length === 0);
  // From before the first publication no chain leads on: the whole base is read.
  const base = third.index.base.sizeBytes + third.baseArchives.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  assert.ok(costOfReading(third, 5, true, 0) >= base + third.indexBytes);
});
