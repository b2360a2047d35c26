import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { SiteScheduler } from "../../../src/crawler/follow/site-scheduler.ts";
import { fc } from "../../property.ts";

const minuteMs = 60_000;

describe("SiteScheduler", () => {
  it("gives out the site that has waited longest, and none before its time", () => {
    const agenda = new SiteScheduler();
    for (const [site, at] of [
      ["b", 200],
      ["a", 100],
      ["c", 300],
    ] as const)
      agenda.add(site, at);
    assert.equal(agenda.next(99), undefined);
    assert.equal(agenda.nextAt, 100);
    assert.deepEqual([agenda.next(250), agenda.next(250), agenda.next(250)], ["a", "b", undefined]);
    assert.equal(agenda.next(300), "c");
  });

  it("gives a site out once until it is given back", () => {
    const agenda = new SiteScheduler();
    agenda.add("a", 0);
    assert.equal(agenda.next(10), "a");
    assert.equal(agenda.next(10), undefined);
    assert.equal(agenda.underWay, 1);
    agenda.giveBack("a", 20);
    assert.equal(agenda.next(19), undefined);
    assert.equal(agenda.next(20), "a");
  });

  it("counts a step of priority as ten minutes of waiting, so that none waits for ever", () => {
    const agenda = new SiteScheduler();
    agenda.add("low", 0, 4);
    agenda.add("usual", 9 * minuteMs);
    assert.equal(agenda.next(9 * minuteMs), "usual");
    agenda.giveBack("usual", 11 * minuteMs);
    assert.equal(agenda.next(11 * minuteMs), "low");
  });

  it("keeps a paused site and its time, and gives it out once it goes on", () => {
    const agenda = new SiteScheduler();
    agenda.add("a", 100);
    agenda.setPaused("a", true);
    assert.equal(agenda.next(1000), undefined);
    assert.equal(agenda.nextAt, Number.POSITIVE_INFINITY);
    assert.deepEqual(agenda.entryOf("a"), { site: "a", at: 100, priority: 5, isPaused: true, backlog: 0 });
    agenda.setPaused("a", false);
    assert.equal(agenda.next(1000), "a");
    // While it is visited, a pause holds for the next time.
    agenda.setPaused("a", true);
    agenda.giveBack("a", 1100);
    assert.equal(agenda.next(2000), undefined);
  });

  it("forgets a site that is removed while it is visited, and gives its place to another", () => {
    const agenda = new SiteScheduler();
    agenda.add("a", 0);
    agenda.next(0);
    agenda.remove("a");
    assert.equal(agenda.underWay, 0);
    agenda.add("b", 5);
    agenda.giveBack("a", 1);
    assert.equal(agenda.next(4), undefined);
    assert.equal(agenda.next(5), "b");
    assert.equal(agenda.size, 1);
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
      const agenda = new SiteScheduler();
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
          const given = agenda.next(latest);
          assert.ok(given === undefined ? best.length === 0 : best.includes(given), `${given} of ${best}`);
          const found = given === undefined ? undefined : plain.get(given);
          if (found !== undefined) found.isUnderWay = true;
          continue;
        }
        const known = plain.get(deed.site);
        if (deed.kind === "add" && known?.isUnderWay !== true) {
          agenda.add(deed.site, deed.at, deed.priority);
          const isPaused = known?.isPaused ?? false;
          const backlog = known?.backlog ?? 0;
          plain.set(deed.site, { at: deed.at, priority: deed.priority, isPaused, isUnderWay: false, backlog });
        } else if (deed.kind === "remove") {
          agenda.remove(deed.site);
          plain.delete(deed.site);
        } else if (deed.kind === "pause") {
          agenda.setPaused(deed.site, deed.isPaused);
          if (known !== undefined) known.isPaused = deed.isPaused;
        } else if (deed.kind === "prefer") {
          agenda.setPriority(deed.site, deed.priority);
          if (known !== undefined) known.priority = deed.priority;
        } else if (deed.kind === "backlog") {
          agenda.setBacklog(deed.site, deed.pages);
          if (known !== undefined) known.backlog = deed.pages;
        } else if (deed.kind === "back") {
          if (known?.isUnderWay !== true) continue;
          agenda.giveBack(deed.site, deed.at);
          known.isUnderWay = false;
          known.at = deed.at;
        }
      }
      assert.equal(agenda.size, plain.size);
      assert.equal(agenda.underWay, [...plain.values()].filter(({ isUnderWay }) => isUnderWay).length);
    }),
    { numRuns: 500 },
  );
});

test("100,000 sites are given out in the order of their times", () => {
  const agenda = new SiteScheduler();
  const count = 100_000;
  for (let number = 0; number < count; number++) agenda.add(`s${number}`, (number * 7919) % count);
  let last = -1;
  for (let given = 0; given < count; given++) {
    const name = agenda.next(count) ?? "";
    const due = (Number(name.slice(1)) * 7919) % count;
    assert.ok(due > last, `${due} after ${last}`);
    last = due;
  }
  assert.equal(agenda.next(count), undefined);
});
