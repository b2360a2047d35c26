import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "../../../src/core/change.ts";
import { groupNumberOf, planGroups, SegmentWriter } from "../../../src/exporter/publish/segment-writer.ts";
import { formatChangeLine } from "../../../src/formats/archive/archive.ts";
import type { ArchiveEntry } from "../../../src/formats/archive/archive-index.ts";
import type { ArchiveName } from "../../../src/formats/archive/archive-name.ts";
import { fc } from "../../property.ts";
import { MemoryArchives } from "./memory-archives.ts";

const mediaTypes = ["text/html", "image/png", "x-conference/x-cooltalk", "application/a.b"] as const;
const groupOf = new Map<string, string>([
  ["text/html", "text-html"],
  ["image/png", "image-png"],
  ["x-conference/x-cooltalk", "other"],
  ["application/a.b", "application-a.b"],
]);

const change: fc.Arbitrary<Change> = fc
  .tuple(fc.constantFrom(...mediaTypes, undefined), fc.stringMatching(/^[a-z]{0,6}$/))
  .map(([mediaType, name]) =>
    mediaType === undefined
      ? { kind: "deleted", path: `/${name}` }
      : {
          kind: "created",
          page: { path: `/${name}`, sizeBytes: name.length, lastModified: 7, mediaType, digest: undefined },
        },
  );

const groupOfChange = (one: Change): string =>
  one.kind === "deleted" ? "other" : (groupOf.get(one.page.mediaType) ?? assert.fail());

/** What a segment's archives are to hold. */
function expectedGroups(segment: readonly Change[], minGroup: number): Map<string, string[]> {
  const sizeOf = (group: string) => segment.filter((one) => groupOfChange(one) === group).length;
  const expected = new Map<string, string[]>();
  for (const one of segment) {
    const group = sizeOf(groupOfChange(one)) >= minGroup ? groupOfChange(one) : "other";
    expected.set(group, [...(expected.get(group) ?? []), formatChangeLine(one)]);
  }
  return expected;
}

const numbersOf = (...types: (string | undefined)[]) => Uint16Array.from(types, (type) => groupNumberOf(type));

test("groups are planned alike whatever comes first", () => {
  const names = (...types: string[]) => [...planGroups(numbersOf(...types), 1).keys()];
  assert.deepEqual(names("text/html", "image/png"), ["image-png", "text-html"]);
  assert.deepEqual(names("image/png", "text/html"), ["image-png", "text-html"]);
});

test("deletions and types that name no group go to other", () => {
  const planned = planGroups(numbersOf(undefined, "text/html", "x-conference/x-cooltalk"), 1);
  assert.deepEqual(
    [...planned],
    [
      ["other", [0, 2]],
      ["text-html", [1]],
    ],
  );
});

test("a stream of changes becomes archives that hold it, cut as asked", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 50 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      async (changes, segmentSize, minGroup, asBytes) => {
        const folder = new MemoryArchives();
        const lengths: number[] = [];
        await using writer = new SegmentWriter(folder, { segmentSize, minGroup }, (segment, lines) => {
          lengths[segment] = lines;
          return { from: segment, to: segment + 1 };
        });
        for (const one of changes) {
          const bytes = Buffer.from(`--${formatChangeLine(one)}\n--`, "latin1");
          const group = groupNumberOf(one.kind === "deleted" ? undefined : one.page.mediaType);
          const isFull = asBytes ? writer.addLine(group, bytes, 2, bytes.length - 2) : writer.add(one);
          if (isFull) await writer.drain();
        }
        const entries = await writer.end();
        const numbers = entries.map(({ segment }) => segment);
        assert.deepEqual(
          numbers,
          [...numbers].sort((a, b) => a - b),
        );
        for (let segment = 0; segment * segmentSize < changes.length; segment++) {
          const part = changes.slice(segment * segmentSize, (segment + 1) * segmentSize);
          assert.equal(lengths[segment], part.length);
          const written = entries.filter((entry) => entry.segment === segment);
          assert.deepEqual(
            new Map(written.map(({ name }) => [name.group, folder.linesOf(name)])),
            expectedGroups(part, minGroup),
          );
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
  override async write(name: Omit<ArchiveName, "id">, content: Uint8Array, changes: number): Promise<ArchiveEntry> {
    await Promise.resolve();
    if (Buffer.from(content).includes("poison")) throw new Error("disk full");
    return await super.write(name, content, changes);
  }
}

test("an archive that cannot be written fails the whole, once", async () => {
  for (const poisonAt of [0, 7, 19]) {
    const writer = new SegmentWriter(new FailingArchives(), { segmentSize: 2, minGroup: 1 }, () => ({
      from: 0,
      to: 1,
    }));
    const changes = Array.from(
      { length: 20 },
      (_, at): Change => ({ kind: "deleted", path: at === poisonAt ? "/poison" : `/${at}` }),
    );
    await assert.rejects(async () => {
      for (const one of changes) if (writer.add(one)) await writer.drain();
      await writer.end();
    }, /disk full/);
    await writer[Symbol.asyncDispose]();
  }
});
