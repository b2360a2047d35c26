import assert from "node:assert/strict";
import { test } from "node:test";
import { type Change, composeChanges, pathOf } from "../../../src/core/change.ts";
import { TidemarkError } from "../../../src/core/error.ts";
import { carryIntervals, mergeIntervals } from "../../../src/exporter/publish/interval-merge.ts";
import type { Interval } from "../../../src/exporter/publish/ledger.ts";
import { SegmentWriter } from "../../../src/exporter/publish/segment-writer.ts";
import { countChanges } from "../../../src/exporter/publish/tiers.ts";
import { Yielder } from "../../../src/exporter/publish/yielder.ts";
import { compareChangesByPath } from "../../../src/formats/archive/archive.ts";
import type { ArchiveName } from "../../../src/formats/archive/archive-name.ts";
import { fc } from "../../property.ts";
import { MemoryArchives } from "./memory-archives.ts";

const arbitraryChange: fc.Arbitrary<Change> = fc
  .tuple(
    fc.constantFrom("created", "updated", "deleted"),
    fc
      .array(fc.constantFrom("a", "b", "-", "/", "0"), { minLength: 1, maxLength: 3 })
      .map((parts) => `/x${parts.join("")}x`),
    fc.nat(9),
    fc.constantFrom("text/html", "image/png"),
  )
  .map(([kind, path, sizeBytes, mediaType]) =>
    kind === "deleted"
      ? { kind, path }
      : {
          kind: kind as "created",
          page: { path, sizeBytes, lastModified: 1 + sizeBytes, mediaType, digest: undefined },
        },
  );

const arbitraryChanges = fc.uniqueArray(arbitraryChange, { selector: pathOf, maxLength: 25 });

interface Partition {
  readonly segmentSize: number;
  readonly minGroup: number;
}

async function write(
  folder: MemoryArchives,
  from: number,
  changes: readonly Change[],
  options: Partition,
): Promise<Interval> {
  const span = { from, to: from + 1 };
  await using writer = new SegmentWriter(folder, options, () => span);
  for (const change of [...changes].sort(compareChangesByPath)) if (writer.add(change)) await writer.drain();
  return { tier: 3, ...span, archives: await writer.end(), merged: false };
}

async function read(folder: MemoryArchives, interval: Interval): Promise<Change[]> {
  const changes: Change[] = [];
  for (const archive of interval.archives) changes.push(...(await folder.read(archive.name)));
  return changes;
}

test("a merger says of each path what both intervals say of it, one after the other", async () => {
  const partition = fc.record({
    segmentSize: fc.integer({ min: 1, max: 7 }),
    minGroup: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(
      arbitraryChanges,
      arbitraryChanges,
      partition,
      partition,
      async (earlier, later, cutBefore, cutNow) => {
        const folder = new MemoryArchives();
        const older = await write(folder, 10, earlier, cutBefore);
        const newer = await write(folder, 11, later, cutBefore);
        const merger = await mergeIntervals(folder, older, newer, cutNow);
        const naive = new Map(earlier.map((change) => [pathOf(change), change]));
        for (const change of later) {
          const known = naive.get(pathOf(change));
          naive.set(pathOf(change), known === undefined ? change : composeChanges(known, change));
        }
        const changes = await read(folder, merger);
        assert.equal(changes.length, naive.size);
        assert.deepEqual(new Map(changes.map((change) => [pathOf(change), change])), naive);
        assert.equal(countChanges(merger), naive.size);
        assert.deepEqual([merger.from, merger.to, merger.tier, merger.merged], [10, 12, 4, false]);
        // Segments are in path order, and so are the lines of each archive.
        const bySegment = new Map<number, Change[]>();
        for (const archive of merger.archives) {
          const lines = await folder.read(archive.name);
          assert.deepEqual([...lines].sort(compareChangesByPath), lines);
          bySegment.set(archive.segment, [...(bySegment.get(archive.segment) ?? []), ...lines]);
        }
        const segments = [...bySegment].sort(([a], [b]) => a - b).map(([, lines]) => lines.map(pathOf).sort());
        for (const [at, paths] of segments.entries()) {
          assert.ok(paths.length <= cutNow.segmentSize);
          assert.ok(at === 0 || (segments[at - 1]?.at(-1) ?? "") < (paths[0] ?? ""));
        }
      },
    ),
    { numRuns: 200 },
  );
});

test("merging is associative: it does not matter which neighbours meet first", async () => {
  const options = { segmentSize: 3, minGroup: 2 };
  await fc.assert(
    fc.asyncProperty(arbitraryChanges, arbitraryChanges, arbitraryChanges, async (a, b, c) => {
      const folder = new MemoryArchives();
      const [x, y, z] = [
        await write(folder, 1, a, options),
        await write(folder, 2, b, options),
        await write(folder, 3, c, options),
      ];
      const left = await mergeIntervals(folder, await mergeIntervals(folder, x, y, options), z, options);
      const right = await mergeIntervals(folder, x, await mergeIntervals(folder, y, z, options), options);
      assert.deepEqual(
        left.archives.map(({ name }) => name),
        right.archives.map(({ name }) => name),
      );
    }),
    { numRuns: 60 },
  );
});

class DamagedArchives extends MemoryArchives {
  readonly damaged: Set<number> = new Set();

  override async read(name: ArchiveName): Promise<Change[]> {
    if (this.damaged.has(name.from)) throw new TidemarkError("archive-corrupt", `archive of ${name.from}`);
    return await super.read(name);
  }
}

for (const damaged of [[2], [3], [2, 3]])
  test(`of a pair of which ${damaged.join(" and ")} cannot be read neither stays listed, and the others do`, async () => {
    const options = { segmentSize: 3, minGroup: 1 };
    const folder = new DamagedArchives();
    const changes: Change[] = [{ kind: "deleted", path: "/x" }];
    const [a, b, c, d] = await Promise.all([1, 2, 3, 4].map((from) => write(folder, from, changes, options)));
    assert.ok(a !== undefined && b !== undefined && c !== undefined && d !== undefined);
    const kept = { ...a, merged: true };
    const last = { ...d, tier: 1 };
    for (const from of damaged) folder.damaged.add(from);
    const codes: string[] = [];
    const onEvent = (event: { readonly event: string; readonly code?: string }) => {
      if (event.event === "warning") codes.push(event.code ?? "");
    };
    const yielder = new Yielder(undefined, "stopped");
    assert.deepEqual(await carryIntervals(folder, [kept, b, c, last], { ...options, onEvent }, yielder), [kept, last]);
    assert.deepEqual(codes, ["archive-corrupt"]);
  });
