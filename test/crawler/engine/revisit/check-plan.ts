import assert from "node:assert/strict";
import type { SeenPage } from "../../../../src/crawler/engine/revisit/poll-choosers.ts";
import { pollPolicy } from "../../../../src/crawler/engine/revisit/poll-policy.ts";
import { maxPlannedPolls, type PollPlan } from "../../../../src/crawler/engine/revisit/poll-selection.ts";

/** Asserts that a plan holds as much as its budget allows, each page once, and none sooner than it may be polled. */
export function checkPlan(plan: PollPlan, pages: readonly SeenPage[], now: number, budget: number | undefined): void {
  const paths = plan.polls.map(({ path }) => path);
  assert.equal(new Set(paths).size, paths.length);
  assert.equal(paths.length, Math.min(plan.due, budget ?? maxPlannedPolls));
  const byPath = new Map(pages.map((page) => [page.path, page]));
  for (const { path, reason, value } of plan.polls) {
    const { polledAt } = byPath.get(path) ?? {};
    assert.equal(polledAt === undefined, reason === "new");
    assert.ok(polledAt === undefined || now - polledAt >= pollPolicy.minIntervalSeconds * 1000);
    assert.ok(value >= 0);
  }
  assert.ok(plan.nextDueAt === undefined || plan.nextDueAt > now, `${plan.nextDueAt}`);
}
