import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bangBang,
  firstRho,
  fixedRho,
  MergeAllowance,
  type RhoObservation,
  type RhoState,
} from "../../src/share/engine/rho.ts";

const after = (observations: readonly RhoObservation[], state: RhoState = firstRho): RhoState =>
  observations.reduce((before, observation) => bangBang(before, observation), state);
const polls = (count: number, events: number): RhoObservation => ({ kind: "polls", count, events });
const merge = (events: number): RhoObservation => ({ kind: "merge", events });

// Section 6.3.1: high and low are 0.9 and 0.1; the greater of events a poll and events a merge decides.
for (const [what, observations, rho] of [
  ["nothing is known", [], 0.9],
  ["no peer was merged yet", [polls(10, 0)], 0.9],
  ["merges bring more than polls", [polls(10, 1), merge(2)], 0.1],
  ["polls bring more than merges", [polls(10, 10), merge(0)], 0.9],
  ["both bring nothing", [polls(10, 0), merge(0)], 0.1],
  ["a visit had no request", [polls(10, 10), merge(0), polls(0, 0)], 0.9],
] as const)
  test(`bang-bang: rho is ${rho} if ${what}`, () => {
    assert.equal(after(observations).rho, rho);
  });

test("bang-bang keeps 30 % of the past at each poll and each merge", () => {
  const before = after([merge(10), polls(1, 1)]);
  assert.deepEqual([before.perMerge, before.perPoll], [10, 1]);
  const next = after([merge(0), polls(1, 0)], before);
  assert.ok(Math.abs((next.perMerge ?? 0) - 3) < 1e-12);
  assert.ok(Math.abs((next.perPoll ?? 0) - 0.3) < 1e-12);
  // Two polls at once are as two polls one after the other.
  const atOnce = after([polls(2, 0)], before);
  const inTurn = after([polls(1, 0), polls(1, 0)], before);
  assert.ok(Math.abs((atOnce.perPoll ?? 0) - (inTurn.perPoll ?? 1)) < 1e-12);
});

test("a fixed rho stays", () => {
  const state = { ...firstRho, rho: 0.42 };
  assert.equal(fixedRho(state, merge(1000)).rho, 0.42);
});

// With rho the share of polls among polls and merges, 100 polls leave room for so many merges.
for (const [rho, merges] of [
  [0.5, 100],
  [0.75, 33],
  [0.85, 17],
  [1, 0],
] as const)
  test(`with rho ${rho}, a hundred polls leave room for ${merges} merges`, () => {
    const allowance = new MergeAllowance(1000);
    let taken = 0;
    while (allowance.take(0.5)) taken += 1;
    assert.equal(taken, 1000);
    allowance.notePolls(100, rho);
    for (taken = 0; allowance.take(rho); taken++);
    assert.equal(taken, merges);
  });

test("no more merges are saved up than there are peers, and without polls all may be made", () => {
  const allowance = new MergeAllowance(2);
  allowance.notePolls(1e6, 0.5);
  assert.deepEqual([allowance.take(0.5), allowance.take(0.5), allowance.take(0.5)], [true, true, false]);
  allowance.notePolls(10, 0);
  assert.deepEqual([allowance.take(0), allowance.take(0), allowance.take(0)], [true, true, true]);
});
