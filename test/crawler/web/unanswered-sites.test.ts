import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UnansweredSites } from "../../../src/crawler/web/unanswered-sites.ts";

/** Begins the turns of sites that one address brought. @returns those that have one */
function beginAll(sites: UnansweredSites, numbers: readonly number[], by: number): number[] {
  for (const site of numbers) sites.note(site, by);
  return numbers.filter((site) => sites.begin(site, 0));
}

const numbersFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, at) => first + at);

describe("UnansweredSites", () => {
  it("gives the sites that one brought a quarter of the places, and all together no more than there are", () => {
    const sites = new UnansweredSites(8);
    assert.deepEqual(beginAll(sites, numbersFrom(0, 100), 1), [0, 1]);
    assert.deepEqual(beginAll(sites, numbersFrom(100, 3), 2), [100, 101]);
    assert.deepEqual(
      numbersFrom(200, 6).filter((site) => sites.begin(site, 0)),
      [200, 201, 202, 203],
    );
    assert.equal(sites.underWay, 8);
    assert.equal(sites.unpark(0), undefined);
  });

  it("gives places that are free in turn by who brought the parked sites", () => {
    const sites = new UnansweredSites(8);
    beginAll(sites, numbersFrom(0, 100), 1);
    beginAll(sites, numbersFrom(100, 4), 2);
    assert.ok(sites.isParked(2) && sites.isParked(102) && !sites.isParked(0));
    sites.end(0, false);
    sites.end(100, false);
    assert.deepEqual([sites.unpark(0), sites.unpark(0), sites.isParked(2)], [2, 102, false]);
  });

  it("bounds no site that has answered, until it answers no more", () => {
    const sites = new UnansweredSites(4);
    sites.note(7, 1);
    assert.ok(sites.begin(7, 0));
    sites.end(7, true);
    beginAll(sites, numbersFrom(10, 10), 1);
    assert.ok(sites.begin(7, 0) && sites.hasAnswered(7));
    assert.equal(sites.underWay, 1);
    sites.end(7, false);
    sites.note(7, 1);
    assert.ok(!sites.begin(7, 0));
  });

  it("does not count turns that take longer than five seconds, up to half as many again", () => {
    const sites = new UnansweredSites(8);
    beginAll(sites, numbersFrom(0, 10), 1);
    const others = numbersFrom(100, 20);
    assert.equal(others.filter((site) => sites.begin(site, 4000)).length, 6);
    assert.equal(sites.unpark(4999), undefined);
    // The two that the first one brought are slow by now; it still has no more.
    const unparked = [sites.unpark(5000), sites.unpark(5000)];
    assert.deepEqual(unparked, [106, 107]);
    assert.ok(unparked.every((site) => sites.begin(site ?? -1, 5000)));
    assert.equal(sites.unpark(8999), undefined);
    // All are slow, and there are four more at most.
    for (const site of [sites.unpark(20_000), sites.unpark(20_000)]) assert.ok(sites.begin(site ?? -1, 20_000));
    assert.equal(sites.underWay, 12);
    assert.equal(sites.unpark(20_000), undefined);
    sites.end(100, true);
    assert.equal(sites.unpark(20_000), 110);
  });
});
