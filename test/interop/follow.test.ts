import assert from "node:assert/strict";
import { test } from "node:test";
import { followWeb } from "../bench/follow/follow-web.ts";
import { compareFreshness } from "../bench/follow/held-freshness.ts";
import { skipWithout } from "./programs.ts";

const skip = skipWithout("nginx") || (process.platform !== "linux" && "the addresses 127.0.0.0/8 are of Linux");

test("sites that hang, flood, lie about time or vanish keep no other waiting", { skip }, async (t) => {
  const result = await followWeb({ sites: 40, minutes: 0.6, days: 2, seed: 3 });
  const { alone, beside, badRequests } = result;
  const { mean, standardError } = compareFreshness(beside.freshness, alone.freshness);
  t.diagnostic(
    `${result.changes} changes; freshness ${alone.freshness.all.toFixed(4)} without bad sites, ${beside.freshness.all.toFixed(4)} ` +
      `beside them, ${mean.toFixed(4)} apart (standard error ${standardError.toFixed(4)})`,
  );
  assert.ok(result.changes > 50 && result.publications > 20, "the sites change, and publish");
  for (const { name, differences, visits } of [alone, beside]) {
    assert.equal(differences, 0, `${name}: mirrors hold what was sent last`);
    assert.ok(visits >= 40, `${name}: ${visits} visits`);
  }
  assert.equal(alone.failedVisits, 0);
  assert.ok(beside.failedVisits >= 3, "bad sites were visited failed");
  for (const [kind, requests] of badRequests)
    assert.ok(requests > 0 && requests < 500, `${kind}: ${requests} requests`);
  assert.ok(alone.freshness.all > 0.6, "the others are kept fresh");
  // Each process has its luck with the machine, which is 4,800 times as much in compressed time.
  assert.ok(mean > -0.08, "and bad sites change nothing of that");
});
