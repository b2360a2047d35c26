import assert from "node:assert/strict";
import { test } from "node:test";
import { drawWeb } from "../../../lab/castillo/crawl-parameters.ts";
import { meanLead, overtakenAt, RankedWeb, type RankStep } from "../../../lab/castillo/rank-coverage.ts";

const curve = (...ranks: number[]): RankStep[] =>
  ranks.map((rank, at) => ({ pages: (at + 1) / ranks.length, rank, hours: at }));

test("a lead is the mean difference of two curves", () => {
  assert.equal(meanLead(curve(0.5, 0.75, 1), curve(0.25, 0.5, 1)), 0.5 / 3);
  assert.equal(meanLead(curve(0.5), curve(0.5, 1)), undefined);
  assert.equal(meanLead([], []), undefined);
});

test("an order is overtaken where another first has noticeably more", () => {
  const first = curve(0.5, 0.7, 0.8, 1);
  assert.equal(overtakenAt(first, [curve(0.4, 0.6, 0.85, 1), curve(0.5, 0.701, 0.8, 1)]), 0.75);
  assert.equal(overtakenAt(first, [curve(0.4, 0.6, 0.8, 1)]), 1);
  assert.equal(overtakenAt([], []), undefined);
  assert.equal(overtakenAt(first, [curve(1)]), undefined);
});

test("a crawl retrieves all rank, a hundredth of the pages after the other", () => {
  const values = { pages: 1234, sites: 40, cap: 300, links: 2, outward: 0.2, home: 0, popularity: 1.6 };
  const steps = new RankedWeb(drawWeb(values, 7)).crawl({
    order: "optimal",
    connections: 1,
    pagesPerTurn: 1,
    restSeconds: 15,
    bytesPerSecond: Number.POSITIVE_INFINITY,
    batchPages: 100,
  });
  assert.equal(steps.length, 100);
  for (const [at, { pages, rank, hours }] of steps.entries()) {
    assert.equal(pages, (at + 1) / 100);
    assert.ok(rank > (steps[at - 1]?.rank ?? 0) && hours >= (steps[at - 1]?.hours ?? 0));
  }
  assert.ok(Math.abs((steps[99]?.rank ?? 0) - 1) < 1e-6);
});
