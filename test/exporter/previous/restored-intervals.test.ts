import assert from "node:assert/strict";
import { test } from "node:test";
import { type Change, pathOf } from "../../../src/core/change.ts";
import { type RangedArchive, restoreIntervals } from "../../../src/exporter/previous/restored-intervals.ts";
import { ArchiveFiles } from "../../../src/exporter/publish/archive-files.ts";
import { readInterval } from "../../../src/exporter/publish/interval-merge.ts";
import { type Interval, readLedger } from "../../../src/exporter/publish/ledger.ts";
import { toIndex } from "../../../src/exporter/publish/published-files.ts";
import { formatArchiveIndex } from "../../../src/formats/archive/archive-index.ts";
import { longer } from "../../long-run.ts";
import { TestSite } from "../publish/test-site.ts";

function restore(site: TestSite): Interval[] {
  const reader = site.reader();
  const ranges = reader.index.archives.map((entry): RangedArchive => {
    const paths = reader.changes(entry).map(pathOf);
    return { entry, firstPath: paths[0] ?? "", lastPath: paths.at(-1) ?? "" };
  });
  const intervals = restoreIntervals(ranges);
  assert.ok(intervals.ok, JSON.stringify(intervals));
  return intervals.value;
}

test("tiers, mergers and segments follow from what is listed, through many publications", async () => {
  using site = new TestSite();
  const files = new ArchiveFiles(site.publishedFolder);
  const count = longer(20, 300);
  let segments = 0;
  for (let number = 0; number < count; number++) {
    for (let page = 0; page < 7; page++) site.write(`${(number * page) % 11}.html`, `${number}`);
    site.write(`${number % 5}.png`, `${number}`);
    await site.export({ segmentSize: 4, minGroup: 1 });
    const ledger = await readLedger(site.stateDir);
    assert.ok(ledger !== undefined);
    const restored = restore(site);
    const factsOf = (intervals: readonly Interval[]) =>
      intervals.map(({ tier, from, to, merged, archives }) => ({ tier, from, to, merged, archives: archives.length }));
    assert.deepEqual(factsOf(restored), factsOf(ledger.intervals));
    assert.equal(
      formatArchiveIndex(toIndex({ ...ledger, intervals: restored })),
      formatArchiveIndex(toIndex(ledger)),
      "an index that says the same is not written again",
    );
    for (const interval of restored) {
      const paths: string[] = [];
      for await (const changes of readInterval(files, interval))
        paths.push(...changes.map((one: Change) => pathOf(one)));
      assert.deepEqual(paths, [...new Set(paths)].sort());
      segments = Math.max(segments, ...interval.archives.map(({ segment }) => segment + 1));
    }
  }
  assert.ok(segments >= 3, `${segments} segments: memory is a segment, not an interval`);
});

test("what no exporter publishes is refused: too many intervals, and a segment without bound", () => {
  const archive = (from: number, changes: number, firstPath: string, lastPath: string): RangedArchive => ({
    entry: { name: { from, to: from + 1, group: "other", id: "0".repeat(16) }, changes, sizeBytes: 1 },
    firstPath,
    lastPath,
  });
  const many = Array.from({ length: 4097 }, (_, at) => archive(at + 1, 1, "/a", "/a"));
  assert.equal(restoreIntervals(many).ok, false);
  assert.equal(restoreIntervals(many.slice(1)).ok, true);
  const wide = [archive(1, 40_000, "/a", "/m"), archive(1, 40_000, "/b", "/z")];
  assert.equal(restoreIntervals(wide).ok, false);
  assert.equal(restoreIntervals([archive(1, 40_000, "/a", "/m"), archive(1, 40_000, "/n", "/z")]).ok, true);
});
