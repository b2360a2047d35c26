import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProbeRotation } from "../../../src/exporter/lists/probe-record.ts";
import { RotationPlan } from "../../../src/exporter/lists/probe-rotation.ts";
import { fc } from "../../property.ts";

const start: ProbeRotation = { cursor: "", after: 0, known: 0, unasked: 0 };

/** One run over the pages; what was asked for, in path order. */
function run(pages: readonly string[], known: Set<string>, before: ProbeRotation, budget: number) {
  const plan = new RotationPlan(before, budget);
  const asked: string[] = [];
  for (const path of pages) {
    const turn = plan.choose(path, known.has(path));
    if (turn !== undefined) {
      asked.push(path);
      known.add(path);
    }
    plan.settle(path, turn, known.has(path), false);
  }
  return { asked, end: { ...plan.end, known: known.size } };
}

test("every page has its turn within a circle, and no run asks more than its budget", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^\/[a-z]{1,3}$/), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 50 }),
      (names, budget) => {
        const pages = names.toSorted();
        const known = new Set<string>();
        let rotation = start;
        const lastAsked = new Map<string, number>(pages.map((path) => [path, -1]));
        // Once around for pages that nobody asked for, and once for all; the rest of a run's budget may be left over.
        const circle = Math.ceil(pages.length / budget) + 1;
        for (let round = 0; round < 4 * circle; round++) {
          const { asked, end } = run(pages, known, rotation, budget);
          assert.ok(asked.length <= budget);
          assert.equal(asked.length, Math.min(budget, pages.length));
          for (const path of asked) lastAsked.set(path, round);
          for (const [path, last] of lastAsked) assert.ok(round - last <= 2 * circle, `${path} waited too long`);
          rotation = end;
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("with a list that changes between runs, every page that stays has its turn", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uniqueArray(fc.stringMatching(/^\/[a-e]{1,2}$/), { maxLength: 12 }), {
        minLength: 40,
        maxLength: 40,
      }),
      fc.integer({ min: 4, max: 8 }),
      (lists, budget) => {
        const known = new Set<string>();
        let rotation = start;
        let stayed = 0;
        let count = 0;
        for (const others of lists) {
          const pages = [...new Set([...others, "/bzz"])].sort();
          for (const path of known) if (!pages.includes(path)) known.delete(path);
          const { asked, end } = run(pages, known, rotation, budget);
          assert.ok(asked.length <= budget);
          count = asked.includes("/bzz") ? 0 : count + 1;
          stayed = Math.max(stayed, count);
          rotation = end;
        }
        assert.ok(stayed <= 28, `it waited for ${stayed} runs`);
      },
    ),
    { numRuns: 300 },
  );
});

test("new pages in every run do not keep the others waiting for ever", () => {
  const known = new Set<string>();
  let rotation = start;
  const old = ["/a", "/b", "/c"];
  const turns: string[] = [];
  for (let round = 0; round < 8; round++) {
    const fresh = Array.from({ length: 20 }, (_, at) => `/new-${round}-${at}`).sort();
    const { asked, end } = run([...old, ...(round === 0 ? [] : fresh)], known, rotation, 4);
    assert.ok(asked.length <= 4);
    turns.push(asked.filter((path) => old.includes(path)).join(""));
    for (const path of fresh) known.delete(path);
    rotation = end;
  }
  assert.deepEqual(turns, ["/a/b/c", "/a/b/c", "", "/a", "/b", "/c", "", "/a"]);
});

test("what was deferred has its turn in the next run", () => {
  const plan = new RotationPlan({ cursor: "/a", after: 2, known: 3, unasked: 0 }, 2);
  for (const path of ["/a", "/b", "/c"]) plan.settle(path, plan.choose(path, true), true, path === "/c");
  assert.deepEqual(plan.end, { cursor: "/b", after: 1, unasked: 0 });
});
