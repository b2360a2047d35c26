import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planFleet } from "../../../src/cli/crawl/plan-fleet.ts";

const fail = (message: string): never => {
  throw new Error(message);
};
const list = { sitesFile: "sites.txt", into: "crawl", hasExchange: false };
const web = { seedsFile: "seeds.txt", into: "crawl", hasExchange: false };
const fleet = "postgres://db.example/crawl";

describe("planFleet", () => {
  it("plans nothing without a fleet, and what was given with one", () => {
    assert.equal(planFleet({}, list, fail), undefined);
    assert.deepEqual(planFleet({ fleet, worker: "a", leaseMs: 1000 }, list, fail), {
      fleet,
      worker: "a",
      leaseMs: 1000,
    });
    assert.deepEqual(planFleet({ fleet }, { ...web, order: "depth" }, fail), { fleet });
  });

  it("refuses what a fleet has not, or what has no fleet", () => {
    for (const [own, crawl, expected] of [
      [{ worker: "a" }, list, /--worker needs --fleet/],
      [{ leaseMs: 1000 }, list, /--lease needs --fleet/],
      [{ fleet, leaseMs: 999 }, list, /at least a second/],
      [{ fleet }, { into: "crawl", hasExchange: false }, /needs --sites or --web/],
      [{ fleet }, { ...list, into: undefined }, /--into is missing/],
      [{ fleet }, { ...list, stateFile: "x" }, /--state exclude/],
      [{ fleet }, { ...list, listen: 80 }, /--listen exclude/],
      [{ fleet }, { ...list, hasExchange: true }, /other crawlers exclude/],
      [{ fleet }, { ...web, isForever: true }, /leave out --forever/],
      [{ fleet }, { ...web, order: "batch" }, /order depth only/],
      [{ fleet }, { ...web, maxTotal: 5 }, /--max-total exclude/],
    ] as const)
      assert.throws(() => planFleet(own, crawl, fail), expected);
  });
});
