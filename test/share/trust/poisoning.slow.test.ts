import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTempFolder } from "../../temp-folder.ts";
import { runPoisoned } from "./poisoned-crawlers.ts";

test("liars among peers lose no page, make nobody impolite, lead nowhere, and end in quarantine", {
  timeout: 280_000,
}, async () => {
  using folder = makeTempFolder();
  const deceits = ["false updates", "false deletions", "a flood"] as const;
  const result = await runPoisoned(
    { seed: 1, honest: 2, deceits, isPoisoned: true, sites: 3, pages: 8, days: 2 },
    folder.path,
  );
  assert.deepEqual([result.lost, result.strays], [0, 0]);
  assert.ok(result.leastGapMs >= 15_000, String(result.leastGapMs));
  const [honest, ...liars] = result.trust;
  assert.equal(honest?.isQuarantined, false);
  assert.deepEqual(
    liars.map((liar) => liar?.isQuarantined),
    [true, true, true],
  );
});
