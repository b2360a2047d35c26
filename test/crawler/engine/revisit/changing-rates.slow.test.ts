import assert from "node:assert/strict";
import { test } from "node:test";
import { boundMean } from "../../../../lab/planners/confidence.ts";
import { labelOf, players } from "../../../../lab/planners/league-players.ts";
import { scenes, timeOf } from "../../../../lab/planners/league-scenes.ts";
import { runLeague } from "../../../../lab/planners/run-league.ts";
import { createRandom } from "../../../../src/core/random.ts";

const day = 86_400;

test("the crawler's plan is behind visits in turn, the index and StormCrawler's rule by no more than noise where rates change", () => {
  const seconds = 720 * day;
  for (const name of ["drift", "reshuffled", "articles"]) {
    const scene = scenes[name];
    assert.ok(scene);
    const leads: Record<string, number[]> = {};
    for (const seed of [1, 2, 3, 4]) {
      const web = scene.make({ pages: 100, seconds, events: [] }, createRandom(seed, "never behind", name));
      const trial = { ...timeOf(scene, web, seconds, 30), windowSeconds: 2 * day, isLearned: true };
      const run = (label: string): number => {
        const player = players.find((one) => labelOf(one) === label);
        assert.ok(player);
        return runLeague(player.make(), web, trial).freshness;
      };
      const own = run("default");
      for (const rival of ["round-robin", "index", "storm"]) {
        leads[rival] ??= [];
        leads[rival]?.push(own - run(rival));
      }
    }
    for (const [rival, each] of Object.entries(leads))
      assert.ok(boundMean(each).high > 0, `${name}, ${rival}: ${each}`);
  }
});
