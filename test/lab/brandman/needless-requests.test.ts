import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { minNeedlessRequests, printedNeedlessRequests } from "../../../lab/brandman/needless-requests.ts";
import { fc } from "../../property.ts";

/** The least that a crawler of regular visits wastes, by trying every way in which changes fall between visits. */
function leastByTrying(changes: number, requests: number): number {
  // The first request finds the page; of the gaps between requests at most one a change finds something.
  let least = requests;
  for (let used = 0; used <= Math.min(changes, requests - 1); used++) least = Math.min(least, requests - 1 - used);
  return least;
}

describe("minNeedlessRequests", () => {
  it("is the bound of the paper's example: 5 changes, 10 requests", () => {
    assert.equal(minNeedlessRequests(5, 10), 4);
  });

  it("is never below 0, where the printed bound is -1 for as many requests as changes", () => {
    assert.equal(printedNeedlessRequests(6, 6), -1);
    assert.equal(minNeedlessRequests(6, 6), 0);
  });

  it("is what trying gives, and what is printed wherever that is not negative", () => {
    fc.assert(
      fc.property(fc.nat(200), fc.integer({ min: 1, max: 200 }), (changes, requests) => {
        const bound = minNeedlessRequests(changes, requests);
        assert.equal(bound, leastByTrying(changes, requests));
        assert.equal(bound - printedNeedlessRequests(changes, requests), requests === changes ? 1 : 0);
      }),
    );
  });
});
