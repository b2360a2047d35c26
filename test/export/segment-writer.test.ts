import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type GroupedLine, groupOf, planGroups, SegmentWriter } from "../../src/export/segment-writer.ts";
import type { ArchiveEntry, ArchiveName } from "../../src/format/index.ts";
import { MemoryArchives } from "./memory-archives.ts";

const line = fc.record({
  line: fc.string({ maxLength: 6 }),
  group: fc.constantFrom("text-html", "image-png", "other", "a-b"),
});

test("groups hold each line once, in its order, and the small ones join other", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (segment, minGroup) => {
      const groups = planGroups(segment, minGroup);
      const sizeOf = (group: string) => segment.filter((entry) => entry.group === group).length;
      const home = (group: string) => (group !== "other" && sizeOf(group) >= minGroup ? group : "other");
      for (const [group, lines] of groups) {
        assert.deepEqual(
          lines,
          segment.filter((entry) => home(entry.group) === group).map((entry) => entry.line),
        );
        assert.ok(group === "other" || lines.length >= minGroup);
      }
      assert.equal([...groups.values()].flat().length, segment.length);
    }),
  );
});

test("groups are planned alike whatever comes first", () => {
  const a = { line: "a", group: "text-html" };
  const b = { line: "b", group: "image-png" };
  assert.deepEqual([...planGroups([a, b], 1).keys()], ["image-png", "text-html"]);
  assert.deepEqual([...planGroups([b, a], 1).keys()], ["image-png", "text-html"]);
});

test("deletions and types that name no group go to other", () => {
  assert.equal(groupOf(undefined), "other");
  assert.equal(groupOf("text/html"), "text-html");
  assert.equal(groupOf("x-conference/x-cooltalk"), "other");
});

test("a stream of lines becomes archives that hold it, cut as asked", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 50 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 5 }),
      async (lines, segmentSize, minGroup) => {
        const folder = new MemoryArchives();
        await using writer = new SegmentWriter(folder, { segmentSize, minGroup }, (segment) => ({
          from: segment,
          to: segment + 1,
        }));
        for (const entry of lines) if (writer.add(entry)) await writer.drain();
        const entries = await writer.end();
        const numbers = entries.map(({ segment }) => segment);
        assert.deepEqual(
          numbers,
          [...numbers].sort((a, b) => a - b),
        );
        for (let segment = 0; segment * segmentSize < lines.length; segment++) {
          const part = lines.slice(segment * segmentSize, (segment + 1) * segmentSize);
          const written = entries.filter((entry) => entry.segment === segment);
          const expected = planGroups(part, minGroup);
          assert.deepEqual(new Map(written.map(({ name }) => [name.group, folder.linesOf(name)])), expected);
          for (const entry of written) {
            assert.equal(entry.changes, folder.linesOf(entry.name).length);
            assert.equal(entry.name.from, segment);
          }
        }
      },
    ),
  );
});

class FailingArchives extends MemoryArchives {
  override async write(name: Omit<ArchiveName, "id">, lines: readonly string[]): Promise<ArchiveEntry> {
    await Promise.resolve();
    if (lines.includes("poison")) throw new Error("disk full");
    return await super.write(name, lines);
  }
}

test("an archive that cannot be written fails the whole, once", async () => {
  for (const poisonAt of [0, 7, 19]) {
    const writer = new SegmentWriter(new FailingArchives(), { segmentSize: 2, minGroup: 1 }, () => ({
      from: 0,
      to: 1,
    }));
    const lines = Array.from(
      { length: 20 },
      (_, at): GroupedLine => ({
        line: at === poisonAt ? "poison" : `${at}`,
        group: "other",
      }),
    );
    await assert.rejects(async () => {
      for (const entry of lines) if (writer.add(entry)) await writer.drain();
      await writer.end();
    }, /disk full/);
    await writer[Symbol.asyncDispose]();
  }
});
