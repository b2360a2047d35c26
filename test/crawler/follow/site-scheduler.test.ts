import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { SiteScheduler } from "../../../src/crawler/follow/site-scheduler.ts";
import { fc } from "../../property.ts";

const minuteMs = 60_000;

describe("SiteScheduler", () => {
  it("gives out the site that has waited longest, and none before its time", () => {
    const scheduler = new SiteScheduler();
    for (const [site, at] of [
      ["b", 200],
      ["a", 100],
      ["c", 300],
    ] as const)
      scheduler.add(site, at);
    assert.equal(scheduler.next(99), undefined);
    assert.equal(scheduler.nextAt, 100);
    assert.deepEqual([scheduler.next(250), scheduler.next(250), scheduler.next(250)], ["a", "b", undefined]);
    assert.equal(scheduler.next(300), "c");
  });

  it("gives a site out once until it is given back", () => {
    const scheduler = new SiteScheduler();
    scheduler.add("a", 0);
    assert.equal(scheduler.next(10), "a");
    assert.equal(scheduler.next(10), undefined);
    assert.equal(scheduler.underWay, 1);
    scheduler.giveBack("a", 20);
    assert.equal(scheduler.next(19), undefined);
    assert.equal(scheduler.next(20), "a");
  });

  it("visits a site that is under way again by the earliest time that was asked for", () => {
    const scheduler = new SiteScheduler();
    scheduler.add("a", 0);
    assert.equal(scheduler.next(10), "a");
    scheduler.expedite("a", 20);
    scheduler.expedite("a", 500);
    scheduler.giveBack("a", 1000);
    assert.equal(scheduler.entryOf("a")?.at, 20);
  });

  it("counts a step of priority as ten minutes of waiting, so that none waits for ever", () => {
    const scheduler = new SiteScheduler();
    scheduler.add("low", 0, 4);
    scheduler.add("usual", 9 * minuteMs);
    assert.equal(scheduler.next(9 * minuteMs), "usual");
    scheduler.giveBack("usual", 11 * minuteMs);
    assert.equal(scheduler.next(11 * minuteMs), "low");
  });

  it("keeps a paused site and its time, and gives it out once it goes on", () => {
    const scheduler = new SiteScheduler();
    scheduler.add("a", 100);
    scheduler.setPaused("a", true);
    assert.equal(scheduler.next(1000), undefined);
    assert.equal(scheduler.nextAt, Number.POSITIVE_INFINITY);
    assert.deepEqual(scheduler.entryOf("a"), { site: "a", at: 100, priority: 5, isPaused: true, backlog: 0 });
    scheduler.setPaused("a", false);
    assert.equal(scheduler.next(1000), "a");
    // While it is visited, a pause holds for the next time.
    scheduler.setPaused("a", true);
    scheduler.giveBack("a", 1100);
    assert.equal(scheduler.next(2000), undefined);
  });

  it("forgets a site that is removed while it is visited, and gives its place to another", () => {
    const scheduler = new SiteScheduler();
    scheduler.add("a", 0);
    scheduler.next(0);
    scheduler.remove("a");
    assert.equal(scheduler.underWay, 0);
    scheduler.add("b", 5);
    scheduler.giveBack("a", 1);
    assert.equal(scheduler.next(4), undefined);
    assert.equal(scheduler.next(5), "b");
    assert.equal(scheduler.size, 1);
  });
});

interface Plain {
  at: number;
  priority: number;
  isPaused: boolean;
  isUnderWay: boolean;
  backlog: number;
}

const site = fc.constantFrom("a", "b", "c", "d", "e", "f");
const at = fc.integer({ min: 0, max: 100 }).map((minutes) => minutes * minuteMs);
const deeds = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("add" as const), site, at, priority: fc.integer({ min: 0, max: 10 }) }),
    fc.record({ kind: fc.constant("remove" as const), site }),
    fc.record({ kind: fc.constant("pause" as const), site, isPaused: fc.boolean() }),
    fc.record({ kind: fc.constant("prefer" as const), site, priority: fc.integer({ min: 0, max: 10 }) }),
    fc.record({ kind: fc.constant("backlog" as const), site, pages: fc.constantFrom(0, 9, 99, 999_999) }),
    fc.record({ kind: fc.constant("next" as const), now: at }),
    fc.record({ kind: fc.constant("back" as const), site, at }),
  ),
  { maxLength: 60 },
);

test("whatever is done, the next site is the one that a look at all of them finds", () => {
  fc.assert(
    fc.property(deeds, (list) => {
      const scheduler = new SiteScheduler();
      const plain = new Map<string, Plain>();
      let latest = 0;
      for (const deed of list) {
        if (deed.kind === "next") {
          // Time does not go back for those that are due.
          latest = Math.max(latest, deed.now);
          const ready = [...plain].filter(([, one]) => !one.isPaused && !one.isUnderWay && one.at <= latest);
          const rank = ({ at: due, priority, backlog }: Plain): number =>
            due - (priority + Math.log10(1 + backlog)) * 10 * minuteMs;
          const least = Math.min(...ready.map(([, one]) => rank(one)));
          const best = ready.filter(([, one]) => rank(one) === least).map(([name]) => name);
          const given = scheduler.next(latest);
          assert.ok(given === undefined ? best.length === 0 : best.includes(given), `${given} of ${best}`);
          const found = given === undefined ? undefined : plain.get(given);
          if (found !== undefined) found.isUnderWay = true;
          continue;
        }
        const known = plain.get(deed.site);
        if (deed.kind === "add" && known?.isUnderWay !== true) {
          scheduler.add(deed.site, deed.at, deed.priority);
          const isPaused = known?.isPaused ?? false;
          const backlog = known?.backlog ?? 0;
          plain.set(deed.site, { at: deed.at, priority: deed.priority, isPaused, isUnderWay: false, backlog });
        } else if (deed.kind === "remove") {
          scheduler.remove(deed.site);
          plain.delete(deed.site);
        } else if (deed.kind === "pause") {
          scheduler.setPaused(deed.site, deed.isPaused);
          if (known !== undefined) known.isPaused = deed.isPaused;
        } else if (deed.kind === "prefer") {
          scheduler.setPriority(deed.site, deed.priority);
          if (known !== undefined) known.priority = deed.priority;
        } else if (deed.kind === "backlog") {
          scheduler.setBacklog(deed.site, deed.pages);
          if (known !== undefined) known.backlog = deed.pages;
        } else if (deed.kind === "back") {
          if (known?.isUnderWay !== true) continue;
          scheduler.giveBack(deed.site, deed.at);
          known.isUnderWay = false;
          known.at = deed.at;
        }
      }
      assert.equal(scheduler.size, plain.size);
      assert.equal(scheduler.underWay, [...plain.values()].filter(({ isUnderWay }) => isUnderWay).length);
    }),
    { numRuns: 500 },
  );
});

test("100,000 sites are given out in the order of their times", () => {
  const scheduler = new SiteScheduler();
  const count = 100_000;
  for (let number = 0; number < count; number++) scheduler.add(`s${number}`, (number * 7919) % count);
  let last = -1;
  for (let given = 0; given < count; given++) {
    const name = scheduler.next(count) ?? "";
    const due = (Number(name.slice(1)) * 7919) % count;
    assert.ok(due > last, `${due} after ${last}`);
    last = due;
  }
  assert.equal(scheduler.next(count), undefined);
});
