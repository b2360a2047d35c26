import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelSteering } from "../../src/share/engine/model-steering.ts";

/** A crawler of 1000 pages at a request a second that learns of so many changes, and merges 100 events an hour. */
function steer(peers: number, changesPerVisit: number, mergeSeconds: number): ModelSteering {
  const steering = new ModelSteering(peers);
  for (let hour = 1; hour <= 100; hour++) {
    const now = 3600 * hour;
    steering.noteVisit(
      { site: "http://a.example", requests: 100, changes: changesPerVisit, pages: 1000, seconds: 100 },
      now,
    );
    steering.noteMerge({ records: 100, fresh: 1, seconds: mergeSeconds }, now);
  }
  return steering;
}

test("without peers all operations are polls, with some it begins with most", () => {
  assert.deepEqual(new ModelSteering(0).plan, { rho: 1, peers: 0 });
  assert.deepEqual(new ModelSteering(10).plan, { rho: 0.8, peers: 4 });
});

test("many peers are all followed if events cost nothing, and not if they are dear", () => {
  assert.deepEqual([steer(40, 20, 1).plan.peers, steer(40, 20, 500).plan.peers < 40], [40, true]);
});

test("a visit without requests says nothing", () => {
  const steering = new ModelSteering(2);
  const before = steering.plan;
  steering.noteVisit({ site: "http://a.example", requests: 0, changes: 0, pages: 0, seconds: 1 }, 1);
  assert.deepEqual(steering.plan, before);
});
