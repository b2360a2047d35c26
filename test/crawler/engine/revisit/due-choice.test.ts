import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DueChoice } from "../../../../src/crawler/engine/revisit/poll-choosers.ts";
import { fc } from "../../../property.ts";

const day = 86_400_000;
const now = 1000 * day;
const ratePerSecond = 1;

/** A choice among pages that were polled so many days ago, each due after two days. */
function choose(daysAgo: readonly (number | undefined)[], budget: number | undefined, isEager: boolean) {
  const choice = new DueChoice({ now, budget, isEager, waitOf: () => 2 * 86_400 });
  for (const [page, ago] of daysAgo.entries())
    choice.add({ path: `/${page}`, polledAt: ago === undefined ? undefined : now - ago * day, ratePerSecond });
  const { polls, nextDueAt } = choice.finish();
  return {
    paths: polls.map(({ path }) => path),
    nextDueInDays: nextDueAt === undefined ? undefined : (nextDueAt - now) / day,
  };
}

describe("a choice of pages by due times", () => {
  it("takes those that were due first, and tells when the next is", () => {
    assert.deepEqual(choose([1, 5, 3, 9], 2, true), { paths: ["/3", "/1"], nextDueInDays: -1 });
    assert.deepEqual(choose([1, 5, 3, 9], undefined, false), { paths: ["/3", "/1", "/2"], nextDueInDays: 1 });
  });

  it("takes what is not due only to spend its budget", () => {
    assert.deepEqual(choose([1, 0.5], 1, true), { paths: ["/0"], nextDueInDays: 1.5 });
    assert.deepEqual(choose([1, 0.5], 1, false), { paths: [], nextDueInDays: 1 });
  });

  it("takes first what was never polled, and trusts no clock that was set back", () => {
    assert.deepEqual(choose([4, undefined], 1, false).paths, ["/1"]);
    assert.deepEqual(choose([-30], undefined, false), { paths: [], nextDueInDays: 2 });
  });

  it("never takes what is never due, and nothing for nothing", () => {
    const never = new DueChoice({ now, isEager: true, waitOf: () => Number.POSITIVE_INFINITY });
    never.add({ path: "/never", polledAt: 0, ratePerSecond });
    assert.deepEqual(never.finish(), { polls: [], nextDueAt: undefined });
    assert.deepEqual(choose([5], 0, true), { paths: [], nextDueInDays: -3 });
  });

  it("is the same in whatever order pages come", () => {
    const ages = fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(ages, fc.integer({ min: 0, max: 20 }), fc.boolean(), (days, budget, isEager) => {
        const agesOf = (order: readonly number[]): number[] =>
          choose(order, budget, isEager).paths.map((path) => order[Number(path.slice(1))] ?? -1);
        assert.deepEqual(agesOf(days.toReversed()), agesOf(days));
      }),
    );
  });
});
