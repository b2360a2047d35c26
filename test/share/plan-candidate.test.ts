import assert from "node:assert/strict";
import { test } from "node:test";
import type { WebEvent } from "../../src/formats/web-events/web-event.ts";
import { type Candidate, planCandidate } from "../../src/share/engine/plan-candidate.ts";

const week = 7 * 86_400;
const own: WebEvent = {
  url: "http://site.example/a",
  kind: "updated",
  sizeBytes: 10,
  modifiedAt: 1000,
  polledAt: 2000,
  crawler: "",
};

const describe = (candidate: Candidate): string =>
  candidate.kind === "later" ? `later ${candidate.checkedAt} ${candidate.dueAt}` : candidate.kind;

// Each row: what the peer's event has otherwise, what our own has otherwise, what comes of it.
for (const [what, peer, ours, kind] of [
  ["a newer update", { modifiedAt: 1500 }, {}, "sooner"],
  ["a newer creation", { modifiedAt: 1500, kind: "created" }, {}, "sooner"],
  ["a deletion", { modifiedAt: 1500, kind: "deleted" }, {}, "sooner"],
  ["an older update", { modifiedAt: 500 }, {}, "known"],
  ["a deletion before our update, which is out of sequence", { modifiedAt: 500, kind: "deleted" }, {}, "sooner"],
  ["an update after our deletion, which is out of sequence", { modifiedAt: 1500 }, { kind: "deleted" }, "sooner"],
  ["another deletion after ours", { modifiedAt: 1500, kind: "deleted" }, { kind: "deleted" }, "known"],
  ["another deletion before ours", { modifiedAt: 500, kind: "deleted" }, { kind: "deleted" }, "known"],
  ["a newer update that was seen before our last request", { modifiedAt: 1500, polledAt: 1900 }, {}, "known"],
  ["our own event", { polledAt: 2000 }, {}, "known"],
  ["the same version", {}, {}, "later 3000 0"],
  ["our size at the time of the peer's poll, by a peer without digests", { modifiedAt: 3000 }, {}, "known"],
  ["another size at the time of the peer's poll", { modifiedAt: 3000, sizeBytes: 11 }, {}, "sooner"],
  ["our size at the time of the peer's poll, but gone", { modifiedAt: 3000, kind: "deleted" }, {}, "sooner"],
  [
    "our size at the time of the peer's poll, with another digest",
    { modifiedAt: 3000, digest: "abcdeX" },
    { digest: "abcdefghijk" },
    "sooner",
  ],
  ["the same version, seen long after our last request", { polledAt: 3000 + week }, {}, `later ${2000 + week} 0`],
  ["the same version with a lifetime", { lifetimeSeconds: 500 }, {}, "later 3000 3500"],
  ["the same version with an endless lifetime", { lifetimeSeconds: 1e9 }, {}, `later 3000 ${2000 + week}`],
  [
    "the same digest at another time",
    { modifiedAt: 1500, digest: "abcdef" },
    { digest: "abcdefghijk" },
    "later 3000 0",
  ],
  ["another digest at the same time", { digest: "abcdeX" }, { digest: "abcdefghijk" }, "sooner"],
  ["another digest of an earlier time", { modifiedAt: 500, digest: "abcdeX" }, { digest: "abcdefghijk" }, "sooner"],
  ["a newer update with a digest, while ours is in doubt", { modifiedAt: 1500, digest: "abcdef" }, {}, "sooner"],
  [
    "a deletion with our digest",
    { kind: "deleted", modifiedAt: 1500, digest: "abcdef" },
    { digest: "abcdefghijk" },
    "sooner",
  ],
  ["a lifetime of another size", { lifetimeSeconds: 500, sizeBytes: 11 }, {}, "known"],
  ["a lifetime of another version", { lifetimeSeconds: 500, modifiedAt: 999 }, {}, "known"],
] as const)
  test(`${what}: ${kind}`, () => {
    const event: WebEvent = { ...own, polledAt: 3000, crawler: "a.example:80 a", ...peer };
    const candidate = planCandidate(event, { event: { ...own, ...ours }, askedAt: 2000 });
    assert.equal(describe(candidate), kind);
  });

test("a page that a peer knows especially well is left to it for a day after each of its looks", () => {
  const peer = { ...own, polledAt: 3000, crawler: "a.example:80 a" };
  const known = { event: own, askedAt: 2000 };
  assert.equal(describe(planCandidate(peer, known, true)), `later 3000 ${3000 + 86_400}`);
  assert.equal(describe(planCandidate({ ...peer, lifetimeSeconds: 200_000 }, known, true)), "later 3000 203000");
  // Not for more than a week after our own last request.
  assert.equal(
    describe(planCandidate({ ...peer, polledAt: 2000 + week - 1 }, known, true)),
    `later ${2000 + week - 1} ${2000 + week}`,
  );
  assert.equal(planCandidate({ ...peer, modifiedAt: 2500 }, known, true).kind, "sooner");
});

test("of a URL that is not known, everything but a deletion is new", () => {
  const known = { event: undefined, askedAt: undefined };
  assert.equal(planCandidate(own, known).kind, "new");
  assert.equal(planCandidate({ ...own, kind: "deleted" }, known).kind, "known");
  // It was requested, and it was missing or not wanted.
  assert.equal(planCandidate(own, { event: undefined, askedAt: 2000 }).kind, "known");
  assert.equal(planCandidate({ ...own, polledAt: 2001 }, { event: undefined, askedAt: 2000 }).kind, "new");
});
