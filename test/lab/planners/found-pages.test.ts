import assert from "node:assert/strict";
import { test } from "node:test";
import { planCycle } from "../../../lab/edwards/cycle-plan.ts";
import { FoundPages } from "../../../lab/planners/found-pages.ts";

test("what a cycle found is what the next one is planned with", () => {
  const found = new FoundPages();
  assert.deepEqual(found.factsOver(4), { oldFinds: 0, newFinds: 0, arrivals: 0 });
  for (let fetch = 0; fetch < 100; fetch++) found.noteFetch(false, fetch % 50 === 0 ? 1 : 0);
  found.noteFetch(true, 1);
  found.noteFetch(true, 0);
  found.noteArrivals(12);
  const facts = found.factsOver(4);
  assert.deepEqual(facts, { oldFinds: 0.02, newFinds: 0.5, arrivals: 3 });
  const plan = planCycle({
    ...facts,
    periods: 4,
    pages: [100],
    obsolete: [10],
    changed: 0.1,
    capacity: 20,
    waiting: 5,
  });
  assert.ok((plan.course.fetchedNew[0] ?? 0) > 0);
  // A new page that finds two more each time would never let the queue end.
  found.noteFetch(true, 30);
  assert.equal(found.factsOver(4).newFinds, 0.99);
});
