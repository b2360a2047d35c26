import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { WebEvent } from "../../src/formats/web-events/web-event.ts";
import { type ResolvedEvent, resolveEvents } from "../../src/share/engine/resolve-events.ts";

const url = "http://site.example/a";
const kinds = { C: "created", U: "updated", D: "deleted" } as const;

/** An event from its short form: `C5` was created at 5. */
function eventOf(short: string, more: Partial<WebEvent> = {}): ResolvedEvent {
  const kind = kinds[short[0] as keyof typeof kinds];
  const modifiedAt = Number(short.slice(1).replace("!", ""));
  const event = { url, kind, sizeBytes: 1, modifiedAt, polledAt: 100, crawler: "a.example:80 a", ...more };
  return { event, isDisputed: short.endsWith("!") };
}
const shortOf = ({ event, isDisputed }: ResolvedEvent): string =>
  `${event.kind[0]?.toUpperCase()}${event.modifiedAt}${isDisputed ? "!" : ""}`;
const resolveAll = (all: readonly ResolvedEvent[]): ResolvedEvent => all.reduce(resolveEvents);

// Each row: ours, theirs, what they come to; `!` is a dispute, which calls for a poll.
for (const [ours, theirs, resolved, rule] of [
  ["C1", "C1", "C1", "the same creation"],
  ["C1", "C2", "U2", "two different CREATE events"],
  ["C2", "C1", "U2", "two different CREATE events, the other way"],
  ["U1", "U2", "U2", "two different UPDATE events"],
  ["D1", "D2", "D1", "two different DELETE events"],
  ["U1", "C2", "U2", "an UPDATE and a more recent CREATE"],
  ["C1", "U2", "U2", "UPDATE occurs after CREATE"],
  ["C1", "U1", "U1", "at the same time"],
  ["U1", "D2", "D2", "DELETE occurs after UPDATE"],
  ["C1", "D1", "D1", "DELETE occurs after CREATE, at the same time"],
  ["D1", "U2", "U2!", "a deviation: UPDATE after DELETE"],
  ["D1", "C2", "U2!", "a deviation: CREATE after DELETE"],
  ["C2", "D1", "U2!", "a deviation, the other way"],
] as const)
  test(`section 3.3.1: ${ours} and ${theirs} give ${resolved}: ${rule}`, () => {
    assert.equal(shortOf(resolveEvents(eventOf(ours), eventOf(theirs))), resolved);
  });

test("of one event that was seen twice, the last observation is kept, and the choice does not depend on the order", () => {
  const one = eventOf("U5");
  for (const [more, isKept] of [
    [{ polledAt: 101 }, true],
    [{ polledAt: 99 }, false],
    [{ crawler: "0.example:80 a" }, true],
    [{ crawler: "b.example:80 a" }, false],
    [{ sizeBytes: 2 }, true],
    [{ sizeBytes: 0 }, false],
    [{ lifetimeSeconds: 0 }, true],
  ] as const) {
    const other = eventOf("U5", more);
    assert.deepEqual(resolveEvents(one, other), isKept ? other : one);
    assert.deepEqual(resolveEvents(other, one), isKept ? other : one);
  }
});

const anyEvent = (...some: readonly WebEvent["kind"][]): fc.Arbitrary<ResolvedEvent> =>
  fc
    .record({
      kind: fc.constantFrom(...some),
      sizeBytes: fc.nat({ max: 2 }),
      modifiedAt: fc.nat({ max: 5 }),
      polledAt: fc.nat({ max: 2 }),
      crawler: fc.constantFrom("a.example:80 a", "b.example:80 b"),
      lifetimeSeconds: fc.nat({ max: 1 }),
    })
    .map((fields) => ({ event: { url, ...fields }, isDisputed: false }));
const living = anyEvent("created", "updated");
const any = anyEvent("created", "updated", "deleted");

test("resolution is commutative and idempotent", () => {
  fc.assert(
    fc.property(any, any, any, (a, b, c) => {
      assert.deepEqual(resolveEvents(a, b), resolveEvents(b, a));
      assert.deepEqual(resolveEvents(a, a), a);
      const all = resolveAll([a, b, c]);
      assert.deepEqual(resolveEvents(all, all), all);
    }),
    { numRuns: 2000 },
  );
});

function checkAssociative([a, b, c]: readonly [ResolvedEvent, ResolvedEvent, ResolvedEvent]): void {
  assert.deepEqual(resolveEvents(resolveEvents(a, b), c), resolveEvents(a, resolveEvents(b, c)));
}

test("resolution is associative among creations and updates, among deletions, and with one deletion", () => {
  const deleted = anyEvent("deleted");
  for (const triple of [
    fc.tuple(living, living, living),
    fc.tuple(deleted, deleted, deleted),
    fc.tuple(deleted, living, living),
    fc.tuple(living, deleted, living),
    fc.tuple(living, living, deleted),
  ])
    fc.assert(fc.property(triple, checkAssociative), { numRuns: 2000 });
});

test("resolution is not associative with an update between two deletions: the rules contradict each other", () => {
  const [before, between, after] = [eventOf("D1"), eventOf("U2"), eventOf("D3")];
  assert.equal(shortOf(resolveAll([before, after, between])), "U2!");
  assert.equal(shortOf(resolveAll([before, between, after])), "D3!");
  assert.equal(shortOf(resolveAll([between, after, before])), "D1");
  // And nowhere else.
  const isTorn = (all: readonly ResolvedEvent[]): boolean => {
    const times = all.filter(({ event }) => event.kind === "deleted").map(({ event }) => event.modifiedAt);
    const [from, to] = [Math.min(...times), Math.max(...times)];
    return all.some(({ event }) => event.kind !== "deleted" && event.modifiedAt > from && event.modifiedAt <= to);
  };
  const triple = fc.tuple(any, any, any).filter((all) => !isTorn(all));
  fc.assert(fc.property(triple, checkAssociative), { numRuns: 5000 });
});

test("events of different URLs are not resolved", () => {
  assert.throws(() => resolveEvents(eventOf("C1"), eventOf("C1", { url: "http://site.example/b" })), TypeError);
});
