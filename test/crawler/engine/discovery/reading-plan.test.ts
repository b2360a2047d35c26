import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseMediaTypeFilter } from "../../../../src/core/page.ts";
import {
  groupIsWanted,
  planReading,
  type ReadingPlan,
  type Wanted,
} from "../../../../src/crawler/engine/discovery/reading-plan.ts";
import type { ArchiveEntry, ArchiveIndex } from "../../../../src/formats/archive/archive-index.ts";

function entry(from: number, to: number, sizeBytes = 1000, group = "text-html"): ArchiveEntry {
  return { name: { from, to, group, id: `${from}-${to}-${group}` }, changes: 1, sizeBytes };
}

describe("groupIsWanted", () => {
  const html = parseMediaTypeFilter(["text/html", "image/*"]);
  assert.ok(html !== undefined);
  for (const [group, wanted] of [
    ["text-html", true],
    ["image-svg+xml", true],
    ["other", true],
    ["text-css", false],
    ["application-pdf", false],
  ] as const)
    it(`${wanted ? "reads" : "passes over"} ${group}`, () => assert.equal(groupIsWanted(group, html), wanted));
});

// Complete from 20 on, a base at 30, publications at 40 and 50.
const index: ArchiveIndex = {
  site: "https://example.org/",
  epoch: "epoch-000001",
  publication: 50,
  pages: 3,
  completeFrom: 20,
  base: entry(0, 30, 100, "base"),
  archives: [entry(40, 50), entry(30, 40), entry(20, 30)],
};
const filter = parseMediaTypeFilter([]);
assert.ok(filter !== undefined);
const anything: Wanted = { filter, cursor: undefined, since: undefined };
const nothingAvoided = { intervals: new Set<string>(), chain: false };

function describePlan(plan: ReadingPlan): string {
  if (plan.kind === "stale" || plan.kind === "none") return plan.kind;
  return `${plan.kind} ${plan.chain
    .flat()
    .map(({ name }) => `${name.from}-${name.to}`)
    .join(" ")}`.trim();
}

const at = (publication: number, epoch = index.epoch): Wanted => ({ ...anything, cursor: { epoch, publication } });
const since = (seconds: number): Wanted => ({ ...anything, since: seconds });

describe("planReading", () => {
  const rows: readonly [string, Wanted, string][] = [
    ["a first visit reads the base and the chain from it", anything, "base 30-40 40-50"],
    ["a cursor of today reads nothing", at(50), "chain"],
    ["a cursor on a boundary reads the chain", at(40), "chain 40-50"],
    ["a cursor before the base reads the chain that still leads there", at(20), "chain 20-30 30-40 40-50"],
    ["a cursor older than complete-from reads the base", at(10), "base 30-40 40-50"],
    ["a cursor between boundaries reads from the one before it", at(35), "chain 30-40 40-50"],
    ["a cursor of another epoch reads the base", at(40, "epoch-000002"), "base 30-40 40-50"],
    ["a cursor of another epoch that is newer reads the base", at(60, "epoch-000002"), "base 30-40 40-50"],
    ["an index older than the cursor is stale", at(60), "stale"],
    ["since a time within the chains reads from the boundary before it", since(45), "chain 40-50"],
    ["since a boundary reads from it", since(40), "chain 40-50"],
    ["since a time after the newest publication reads nothing", since(70), "chain"],
    ["since a time before complete-from reads the base", since(5), "base 30-40 40-50"],
  ];
  for (const [what, wanted, plan] of rows)
    it(what, () => assert.equal(describePlan(planReading(index, wanted, nothingAvoided)), plan));

  it("goes to the base when the chain is broken, and gives up when the way from the base is", () => {
    const avoid = (...keys: string[]) => ({ intervals: new Set(keys), chain: false });
    assert.equal(describePlan(planReading(index, at(20), avoid("20_30"))), "base 30-40 40-50");
    assert.equal(describePlan(planReading(index, at(40), { ...nothingAvoided, chain: true })), "base 30-40 40-50");
    assert.equal(describePlan(planReading(index, at(20), avoid("40_50"))), "none");
  });
});
