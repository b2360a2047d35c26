import assert from "node:assert/strict";
import { test } from "node:test";
import { type PollablePage, PollPlanner, planPolls } from "../../../../src/crawler/engine/revisit/poll-choosers.ts";
import { pollValue } from "../../../../src/crawler/engine/revisit/poll-index.ts";
import { dueAfterSeconds, pollPolicy } from "../../../../src/crawler/engine/revisit/poll-policy.ts";
import { fc } from "../../../property.ts";
import { checkPlan } from "./check-plan.ts";

const day = 86_400;
const dayMs = 86_400_000;
const now = 1000 * dayMs;

const page = (path: string, elapsedDays: number, ratePerDay: number, weight?: number): PollablePage => ({
  path,
  polledAt: now - elapsedDays * dayMs,
  ratePerSecond: ratePerDay / day,
  ...(weight === undefined ? {} : { weight }),
});
const fresh = (path: string): PollablePage => ({ path, polledAt: undefined, ratePerSecond: 1 / day });
const pathsOf = (plan: { readonly polls: readonly { readonly path: string }[] }): string =>
  plan.polls.map(({ path }) => path).join(" ");

test("without a budget a page is due when its change is as likely as 0.3, within the bounds", () => {
  // 1 - e^-0.36 is just above 0.3, 1 - e^-0.35 just below.
  const plan = planPolls([page("a", 36, 0.01), page("b", 35, 0.01), page("c", 0.03, 1000), page("d", 0.05, 1000)], {
    now,
  });
  assert.equal(pathsOf(plan), "a d");
  assert.equal(plan.due, 2);
  // c an hour after its last poll, which was 43 minutes ago.
  assert.equal(plan.nextDueAt, now - 0.03 * dayMs + 3_600_000);
  assert.equal(planPolls([page("a", 89, 1e-6)], { now }).due, 0);
  assert.equal(planPolls([page("a", 90, 1e-6)], { now }).due, 1);
  assert.equal(planPolls([page("a", 90, 0)], { now }).due, 1);
  assert.equal(planPolls([], { now }).nextDueAt, undefined);
});

test("under a budget the index divides the requests, down to a probability of 0.02", () => {
  const pages = [page("slow", 30, 0.01), page("fast", 30, 5), page("mean", 30, 0.1), page("equal", 1, 0.001)];
  const plan = planPolls(pages, { now, budget: 10 });
  assert.equal(pathsOf(plan), "mean slow fast");
  assert.equal(plan.polls[0]?.value, pollValue(0.1 / day, 30 * day));
  assert.equal(pathsOf(planPolls(pages, { now, budget: 1 })), "mean");
  assert.equal(pathsOf(planPolls(pages, { now, budget: 0 })), "");
  assert.equal(pathsOf(planPolls(pages, { now, budget: Number.NaN })), "");
  assert.equal(pathsOf(planPolls([...pages, page("dear", 30, 5, 100)], { now, budget: 1 })), "dear");
});

test("new pages come first by path, and leave a quarter to those that are known and due", () => {
  const pages = [..."hgfedcba"].map(fresh);
  const known = [page("x", 30, 0.1), page("y", 20, 0.1), page("z", 10, 0.1)];
  assert.equal(pathsOf(planPolls([...pages, ...known], { now, budget: 8 })), "a b c d e f x y");
  assert.equal(pathsOf(planPolls(pages, { now, budget: 8 })), "a b c d e f g h");
  assert.equal(pathsOf(planPolls(known, { now, budget: 8 })), "x y z");
});

test("a page that seems too fast to follow is polled all the same when it waited for the longest interval", () => {
  const known = Array.from({ length: 20 }, (_, at) => page(`k${at}`, 30, 0.1));
  const fast = [page("f1", 91, 24), page("f2", 95, 24), page("f3", 92, 24), page("f4", 93, 24)];
  const plan = planPolls([...known, ...fast], { now, budget: 8 });
  assert.deepEqual(
    plan.polls.filter(({ reason }) => reason === "overdue").map(({ path }) => path),
    ["f2", "f4"],
  );
  assert.equal(plan.polls.length, 8);
  // A budget of two or three has no quarter: only who waited twice as long.
  assert.equal(planPolls([...known, ...fast], { now, budget: 3 }).polls[0]?.reason, "value");
  assert.equal(planPolls([...known, page("f", 181, 24)], { now, budget: 3 }).polls[0]?.path, "f");
});

test("a budget of one leaves no page waiting for ever, and spends most on those that can be followed", () => {
  for (const everyDays of [1, 7]) {
    const rates = { home: 24, a: 0.1, b: 0.05 };
    const polled = new Map(Object.keys(rates).map((path) => [path, 0]));
    const counts = new Map<string, number>();
    for (let at = 0; at < 800; at += everyDays) {
      const pages = Object.entries(rates).map(([path, rate]) => page(path, at - (polled.get(path) ?? 0), rate));
      for (const { path } of planPolls(pages, { now, budget: 1 }).polls) {
        const waited = at - (polled.get(path) ?? 0);
        assert.ok(waited < 220, `${path} waited for ${waited} days`);
        polled.set(path, at);
        counts.set(path, (counts.get(path) ?? 0) + 1);
      }
    }
    assert.ok((counts.get("home") ?? 0) >= 3, `every ${everyDays} days: ${[...counts].join("; ")}`);
    assert.ok(
      (counts.get("a") ?? 0) > 3 * (counts.get("home") ?? 0),
      `every ${everyDays} days: ${[...counts].join("; ")}`,
    );
  }
  // Where all wait as long, the quarter is one of time.
  const late = Array.from({ length: 400 }, (_, at) => page(`p${at}`, 200 + at, 24));
  const slow = page("slow", 60, 0.1);
  const chosen = Array.from(
    { length: 400 },
    (_, at) => planPolls([...late.slice(at), slow], { now, budget: 1 }).polls[0],
  );
  const overdue = chosen.filter((poll) => poll?.reason === "overdue").length;
  assert.ok(overdue <= 100, String(overdue));
});

test("a clock that was set back keeps no page from its turn for longer than its interval", () => {
  const ahead = page("a", -400, 0.01);
  const plan = planPolls([ahead], { now });
  assert.equal(plan.due, 0);
  assert.ok((plan.nextDueAt ?? 0) <= now + 36 * dayMs);
});

const anyPage = fc.record({
  path: fc.string({ maxLength: 4 }),
  polledAt: fc.option(fc.integer({ min: now - 300 * dayMs, max: now + dayMs }), { nil: undefined }),
  ratePerSecond: fc.oneof(
    fc.constantFrom(0, 1 / day, Number.NaN, Number.POSITIVE_INFINITY),
    fc.double({ min: 1e-9, max: 1e-3, noNaN: true }),
  ),
  weight: fc.constantFrom(1, 1, 2),
});

test("property: a plan holds at most its budget, each page once, none sooner than it may, in any order of arrival", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyPage, { selector: ({ path }) => path, maxLength: 60 }),
      fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
      (pages, budget) => {
        const plan = planPolls(pages, { now, budget });
        checkPlan(plan, pages, now, budget);
        assert.deepEqual(planPolls([...pages].reverse(), { now, budget }), plan);
      },
    ),
    { numRuns: 500 },
  );
});

test("property: the due time is what the plan goes by", () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e-3, noNaN: true }), (ratePerSecond) => {
      const after = dueAfterSeconds(ratePerSecond, pollPolicy.minChangeProbability);
      const isDue = (elapsedMs: number): boolean =>
        planPolls([{ path: "a", polledAt: now - elapsedMs, ratePerSecond }], { now }).due === 1;
      assert.equal(isDue(Math.floor(after * 1000) - 1), false);
      assert.equal(isDue(Math.ceil(after * 1000) + 1), true);
    }),
  );
});

test("two million pages are planned in the memory of the budget", { timeout: 120_000 }, () => {
  const planner = new PollPlanner({ now, budget: 1000 });
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  let most = 0;
  for (let at = 0; at < 2_000_000; at++) {
    const mixed = Math.imul(at, 2_654_435_761) >>> 0;
    planner.add({
      path: `/${at}`,
      polledAt: now - (mixed % 80) * dayMs,
      ratePerSecond: ((mixed >>> 8) % 1000) / 1000 / day,
    });
    if (at % 100_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed - before);
  }
  assert.equal(planner.finish().polls.length, 1000);
  assert.ok(most < 100 * 2 ** 20, `${most}`);
});
