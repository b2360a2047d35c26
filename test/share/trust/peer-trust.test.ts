import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  allowanceOf,
  firstTrust,
  isProven,
  noteFault,
  noteProof,
  type PeerTrust,
  scoreOf,
  weightOf,
} from "../../../src/share/engine/trust/peer-trust.ts";

const now = 1_800_000_000;
const day = 86_400;

/** A peer after outcomes, the time of each given in seconds after the first. */
function after(outcomes: readonly boolean[], trust: PeerTrust = firstTrust, at = now): PeerTrust {
  return outcomes.reduce((so, isTrue) => (isTrue ? noteProof(so, at) : noteFault(so, "false-update", at)), trust);
}

const times = (count: number, isTrue: boolean): boolean[] => Array.from({ length: count }, () => isTrue);

function liesUntilQuarantine(trust: PeerTrust): number {
  let lies = 0;
  for (let so = trust; !so.isQuarantined; lies++) so = noteFault(so, "false-delete", now);
  return lies;
}

test("an unknown peer is in quarantine after its third lie, one that was always right after 22", () => {
  assert.equal(liesUntilQuarantine(firstTrust), 3);
  assert.equal(liesUntilQuarantine(after(times(1000, true))), 22);
  assert.equal(liesUntilQuarantine(after(times(100_000, true))), 22);
});

test("a lie costs more trust than a true claim gives", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (outcomes) => {
      const before = after(outcomes);
      const [up, down] = [scoreOf(noteProof(before, now)), scoreOf(noteFault(before, "false-update", now))];
      assert.ok(up >= scoreOf(before) - 0.02 && down < scoreOf(before) + 0.02);
      const score = scoreOf(before);
      assert.ok(score >= 0 && score <= 1 && weightOf(before) >= 0 && weightOf(before) < 1);
      const { open, perSite, perDay } = allowanceOf(before, "update");
      assert.ok(perSite <= open && open <= 1024 && perDay <= 24 * open);
      // The order of the outcomes weighs the newest most: the same ones sorted by truth rank accordingly.
      const sorted = [...outcomes].sort();
      assert.ok(scoreOf(after([...sorted].reverse())) <= scoreOf(after(sorted)) + 1e-9);
    }),
  );
});

test("a peer that errs with one claim of ten stays trusted, one that lies with half of them does not", () => {
  const mixed = (period: number): PeerTrust => after(Array.from({ length: 400 }, (_, at) => at % period !== 0));
  assert.equal(mixed(10).isQuarantined, false);
  assert.equal(isProven(mixed(40)), true);
  assert.equal(mixed(2).isQuarantined, true);
});

test("the way out of quarantine: claims that are true again, longer than it took to get in; time helps", () => {
  const caught = after(times(3, false));
  const proofs = (trust: PeerTrust, at: number): number => {
    let count = 0;
    for (let so = trust; so.isQuarantined; count++) so = noteProof(so, at);
    return count;
  };
  const [soon, late] = [proofs(caught, now), proofs(caught, now + 60 * day)];
  assert.ok(soon > 6 && soon < 20, String(soon));
  assert.ok(late < soon, `${late} and ${soon}`);
  const inveterate = after(times(1000, false));
  assert.ok(proofs(inveterate, now) > 80, String(proofs(inveterate, now)));
  assert.ok(proofs(inveterate, now + 365 * day) < 20);
  assert.deepEqual(allowanceOf(caught, "update"), { open: 4, perSite: 1, perDay: 4 });
  assert.equal(weightOf(caught), 0);
});
