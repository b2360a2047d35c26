import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { VisitPlan } from "../../../src/core/site-record.ts";
import { planNextVisit, unvisited, type VisitEnd } from "../../../src/crawler/engine/visit-plan.ts";
import { done } from "./visit-end.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.UTC(2026, 10, 20, 2, 5);
const planning = { bounds: {}, beganAt: now - minute, now, random: 0 };

const failed: VisitEnd = { kind: "failed", error: new Error("away"), isOurs: false };

describe("planNextVisit", () => {
  it("comes a little after the next publication of a site that publishes at night", () => {
    const publications = Array.from({ length: 10 }, (_, at) => (Date.UTC(2026, 10, 11, 2) + at * day) / 1000);
    const plan = planNextVisit(unvisited, done({ publications }), planning);
    const due = Date.UTC(2026, 10, 21, 2);
    assert.ok(plan.at > due && plan.at <= due + 10 * minute, new Date(plan.at).toISOString());
    const after = planNextVisit(plan, done(), { ...planning, beganAt: due + 5 * minute, now: due + 6 * minute });
    assert.ok(after.at < due + 20 * minute, "it is late");
  });

  it("comes when the first page is due, of a site that is polled", () => {
    const ending = { summary: { source: "links" as const }, nextDueAt: now + 5 * hour };
    assert.equal(planNextVisit(unvisited, done(ending), planning).at, now + 5 * hour);
    assert.equal(planNextVisit(unvisited, done({ ...ending, nextDueAt: now }), planning).at, now + hour);
    assert.equal(planNextVisit(unvisited, done({ ...ending, nextDueAt: now + 50 * day }), planning).at, now + day);
    const bounds = { leastMs: minute, mostMs: 2 * hour };
    assert.equal(planNextVisit(unvisited, done(ending), { ...planning, bounds }).at, now + 2 * hour);
    assert.equal(
      planNextVisit(unvisited, done({ ...ending, nextDueAt: now }), { ...planning, bounds }).at,
      now + minute,
    );
  });

  it("comes as often as visits find changes, where a list says what changed", () => {
    const bounds = { leastMs: hour, mostMs: 90 * day };
    const follow = (changesEvery: number): number => {
      let plan: VisitPlan = unvisited;
      let at = now;
      for (let visit = 0; visit < 40; visit++) {
        const summary = { source: "sitemap" as const, updated: visit % changesEvery === 0 ? 1 : 0 };
        plan = planNextVisit(plan, done({ summary }), { bounds, beganAt: at, now: at, random: 0 });
        at += day;
      }
      return plan.at - (at - day);
    };
    assert.ok(follow(1) < follow(4) && follow(4) < follow(40), `${follow(1)} ${follow(4)} ${follow(40)}`);
  });

  it("tries again ever more rarely after visits that come to nothing, and forgets that after one that does not", () => {
    let plan: VisitPlan = unvisited;
    const waits: number[] = [];
    for (let visit = 0; visit < 12; visit++) {
      plan = planNextVisit(plan, visit % 2 === 0 ? failed : done({ summary: { source: "none" } }), planning);
      waits.push((plan.at - now) / minute);
    }
    assert.deepEqual(waits.slice(0, 4), [5, 10, 20, 40]);
    assert.equal(waits.at(-1), (24 * hour) / minute);
    assert.equal(planNextVisit(plan, done({ nextDueAt: now }), planning).failures, 0);
  });

  it("does not hold against a site what is no site's fault", () => {
    const plan = planNextVisit(
      { ...unvisited, failures: 3 },
      { kind: "failed", error: undefined, isOurs: true },
      planning,
    );
    assert.deepEqual([plan.failures, plan.at], [3, now + 5 * minute]);
  });

  it("goes on soon with what was cut short, and tries again what is left", () => {
    assert.equal(planNextVisit(unvisited, done({ isCutShort: true }), planning).at, now);
    const left = done({ summary: { source: "links", pending: 3 }, nextDueAt: now + 10 * hour });
    assert.equal(planNextVisit(unvisited, left, planning).at, now + 5 * minute);
    assert.equal(planNextVisit({ ...unvisited, failures: 20 }, left, planning).at, now + 10 * hour);
  });

  it("never comes before the site wants to be asked again", () => {
    const restsUntil = now + 30 * hour;
    for (const isCutShort of [false, true]) {
      for (const source of ["archives", "links", "none"] as const) {
        const end = done({ summary: { source, pending: 1 }, restsUntil, isCutShort });
        assert.ok(planNextVisit(unvisited, end, planning).at >= restsUntil, source);
      }
    }
  });

  it("spreads visits out, so that sites do not stay together", () => {
    const end = done({ summary: { source: "links" }, nextDueAt: now + 2 * hour });
    assert.equal(planNextVisit(unvisited, end, { ...planning, random: 1 }).at, now + 2 * hour + 6 * minute);
  });
});
