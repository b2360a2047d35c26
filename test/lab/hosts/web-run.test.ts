import assert from "node:assert/strict";
import { test } from "node:test";
import { drawKind } from "../../../lab/castillo/web-kinds.ts";
import { createLabPorts } from "../../../lab/program/lab-ports.ts";

const plan = { connections: 2, restSeconds: 15, answerSeconds: 1, seed: 3 } as const;

for (const order of ["depth", "length", "random", "partial", "optimal"] as const)
  test(`${order}: each page is crawled once, politely, with all of its links`, { timeout: 60_000 }, async () => {
    const { web, ranks } = drawKind("menus", 1, { pages: 80, sites: 6, cap: 40, answer: 1 }, 5);
    const crawled = await createLabPorts("").crawlWeb(web, { ...plan, order, batchPages: 80, ranks });
    assert.deepEqual(
      crawled.map(({ page }) => page).toSorted((one, other) => one - other),
      Array.from({ length: 80 }, (_, page) => page),
    );
    const { offsets, targets } = web.graph;
    const last = new Map<number, number>();
    for (const { page, seconds, links } of crawled) {
      const own = [...new Set(targets.subarray(offsets[page], offsets[page + 1]))];
      assert.deepEqual([...links].toSorted(), own.toSorted(), `links of page ${page}`);
      const site = web.siteOf[page] ?? 0;
      assert.ok(seconds - (last.get(site) ?? -16) >= 16, `site ${site} at ${seconds} s`);
      last.set(site, seconds);
    }
  });

test("with a bound of pages a crawl ends there", { timeout: 60_000 }, async () => {
  const { web } = drawKind("plain", 1, { pages: 80, sites: 6, cap: 40, answer: 1 }, 5);
  const crawled = await createLabPorts("").crawlWeb(web, { ...plan, order: "depth", batchPages: 80, mostPages: 25 });
  assert.equal(crawled.length, 25);
});

test("with revisits known pages are requested again until the days are over", { timeout: 60_000 }, async () => {
  const { web } = drawKind("plain", 1, { pages: 80, sites: 6, cap: 40, answer: 1 }, 5);
  const requests = new Map<number, number[]>();
  const onRequest = (page: number, day: number): void => void requests.set(page, [...(requests.get(page) ?? []), day]);
  const crawled = await createLabPorts("").crawlWeb(web, {
    ...{ ...plan, answerSeconds: 600, order: "depth", batchPages: 80 },
    revisits: { newShare: 0.9, pagesBeforeRest: 10, days: 6, onRequest },
  });
  assert.equal(crawled.length, 80);
  assert.equal(requests.size, 80);
  const days = [...requests.values()].flat();
  assert.ok(days.length > 160, `${days.length} requests`);
  assert.ok(
    days.every((day) => day > 0 && day <= 6.01),
    `${Math.max(...days)}`,
  );
});
