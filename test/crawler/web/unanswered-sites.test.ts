import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UnansweredSites } from "../../../src/crawler/web/unanswered-sites.ts";

/** Begins the turns of sites that one address brought. @returns those that have one */
function beginAll(sites: UnansweredSites, numbers: readonly number[], by: number): number[] {
  for (const site of numbers) sites.note(site, by);
  return numbers.filter((site) => sites.begin(site));
}

const numbersFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, at) => first + at);

describe("UnansweredSites", () => {
  it("gives the sites that one brought a quarter of the places, and all together no more than there are", () => {
    const sites = new UnansweredSites(8);
    assert.deepEqual(beginAll(sites, numbersFrom(0, 100), 1), [0, 1]);
    assert.deepEqual(beginAll(sites, numbersFrom(100, 3), 2), [100, 101]);
    assert.deepEqual(
      numbersFrom(200, 6).filter((site) => sites.begin(site)),
      [200, 201, 202, 203],
    );
    assert.equal(sites.underWay, 8);
    assert.equal(sites.unpark(), undefined);
  });

  it("gives places that are free in turn by who brought the parked sites", () => {
    const sites = new UnansweredSites(8);
    beginAll(sites, numbersFrom(0, 100), 1);
    beginAll(sites, numbersFrom(100, 4), 2);
    assert.ok(sites.isParked(2) && sites.isParked(102) && !sites.isParked(0));
    sites.end(0, false);
    sites.end(100, false);
    assert.deepEqual([sites.unpark(), sites.unpark(), sites.isParked(2)], [2, 102, false]);
  });

  it("bounds no site that has answered, until it answers no more", () => {
    const sites = new UnansweredSites(4);
    sites.note(7, 1);
    assert.ok(sites.begin(7));
    sites.end(7, true);
    beginAll(sites, numbersFrom(10, 10), 1);
    assert.ok(sites.begin(7) && sites.hasAnswered(7));
    assert.equal(sites.underWay, 1);
    sites.end(7, false);
    sites.note(7, 1);
    assert.ok(!sites.begin(7));
  });
});
