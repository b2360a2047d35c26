import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Target, TargetSettlement } from "../../src/model/index.ts";
import { openStore } from "../../src/store/index.ts";
import { makeTempFolder } from "../temp-folder.ts";

const origin = "https://example.org";
const many = 40_000;
const batch = 2000;
// A batch takes some 20 ms; each of it beside each target would be 80 million steps.
const mostMs = 5000;

const found = Array.from({ length: many }, (_, at) => ({ path: `/page-${at}`, depth: 1, lastmod: undefined }));

function answered(target: Target): TargetSettlement {
  const page = { path: target.path, sizeBytes: 1, digest: "digest", lastModified: 1, mediaType: "text/html" };
  const validators = { etag: `"${target.id}"` };
  const common = { target, history: [], askedAt: 5, dueAt: 7, validators };
  return { kind: "answered", ...common, page, isPassage: false, isFull: true };
}

function timed(act: () => void): number {
  const began = performance.now();
  act();
  return performance.now() - began;
}

describe("the list of targets", () => {
  it("settles a batch without going through all targets for each of it", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const other = store.openSite("https://other.example").targets;
    other.note(found.slice(0, 10), 0);
    const { targets } = store.openSite(origin);
    targets.note(found, 0);
    const [first, second] = [targets.take("new", 9, 0, batch), targets.take("new", 9, 0, 2 * batch).slice(batch)];
    const tookMs = [
      timed(() => targets.settle(first.map(answered), [], 5)),
      timed(() =>
        targets.settle(
          second.map((target) => ({
            kind: "postponed",
            target,
            postponed: { trouble: "unavailable", strikes: 2, state: "due" },
            dueAt: 0,
          })),
          [],
          5,
        ),
      ),
      timed(() =>
        targets.settle(
          first.map((target) => ({ kind: "removed", target, reason: "gone", askedAt: 6, dueAt: 8 })),
          [],
          6,
        ),
      ),
    ];
    assert.ok(Math.max(...tookMs) < mostMs, `took ${tookMs.map((ms) => ms.toFixed(0))} ms`);
    const { known, fresh, held } = targets.counts();
    assert.deepEqual({ known, fresh, held }, { known: many, fresh: many - 2 * batch, held: 0 });
    assert.deepEqual(targets.find(second[0]?.path ?? "")?.postponed, { trouble: "unavailable", strikes: 2 });
    assert.equal(targets.find(first[0]?.path ?? "")?.askedAt, 6);
    assert.equal(other.counts().fresh, 10);
  });
});
