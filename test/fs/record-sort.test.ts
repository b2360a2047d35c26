import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { RecordSort } from "../../src/fs/record-sort.ts";
import { fc } from "../property.ts";
import { makeTempFolder } from "../temp-folder.ts";

interface TimedLine {
  readonly time: number;
  readonly line: string;
}

function put(sorter: RecordSort, { time, line }: TimedLine): void {
  sorter.text.putUint(time, 5);
  sorter.text.put(line);
  sorter.add(5);
}

function* linesOf(sorter: RecordSort): Generator<TimedLine> {
  for (const { bytes, start, keyEnd, end } of sorter.drain())
    yield { time: bytes.readUIntBE(start, 5), line: bytes.toString("latin1", keyEnd, end) };
}

function sort(
  lines: readonly TimedLine[],
  runBytes: number | undefined,
): { sorted: TimedLine[]; spilledBytes: number } {
  using folder = makeTempFolder();
  using sorter = new RecordSort(folder.path, runBytes);
  for (const line of lines) put(sorter, line);
  assert.deepEqual(readdirSync(folder.path), [], "what is spilled has no name");
  const { spilledBytes } = sorter;
  return { sorted: [...linesOf(sorter)], spilledBytes };
}

const stably = (lines: readonly TimedLine[]) => lines.map((line) => ({ ...line })).sort((a, b) => a.time - b.time);

test("lines come by time, those of one time as they came, however often they are spilled", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          time: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 2 ** 34 })),
          line: fc.stringMatching(/^[ -~]{0,12}$/),
        }),
        { maxLength: 80 },
      ),
      fc.constantFrom(1, 40, 300, undefined),
      (lines, runBytes) => {
        assert.deepEqual(sort(lines, runBytes).sorted, stably(lines));
      },
    ),
    { numRuns: 60 },
  );
});

test("keys are in the order of their bytes, zero bytes and keys that begin others included", () => {
  const key = fc.oneof(
    fc.uint8Array({ maxLength: 14 }),
    fc.array(fc.constantFrom(0, 1, 255), { maxLength: 14 }).map((bytes) => Uint8Array.from(bytes)),
  );
  using folder = makeTempFolder();
  fc.assert(
    fc.property(fc.array(key, { maxLength: 200 }), fc.constantFrom(1, 100, 700, undefined), (keys, runBytes) => {
      using sorter = new RecordSort(folder.path, runBytes);
      for (const [at, bytes] of keys.entries()) {
        sorter.text.putBytes(Buffer.from(bytes), 0, bytes.length);
        sorter.text.putUint(at, 2);
        sorter.add(bytes.length);
      }
      const sorted: string[] = [];
      for (const { bytes, start, keyEnd, end } of sorter.drain())
        sorted.push(`${bytes.toString("hex", start, keyEnd)} ${bytes.readUIntBE(keyEnd, end - keyEnd)}`);
      const expected = keys.map((bytes, at) => ({ bytes, at })).sort((a, b) => Buffer.compare(a.bytes, b.bytes));
      assert.deepEqual(
        sorted,
        expected.map(({ bytes, at }) => `${Buffer.from(bytes).toString("hex")} ${at}`),
      );
    }),
  );
});

test("runs of many lines meet without a seam, whether they come mixed, in order or are none", () => {
  const mixed = Array.from({ length: 30_000 }, (_, at) => ({
    time: 1 + ((at * 7919) % 1000),
    line: `${at} ${"x".repeat(at % 60)}`,
  }));
  for (const lines of [mixed, stably(mixed), []])
    for (const runBytes of [200_000, undefined]) {
      const { sorted, spilledBytes } = sort(lines, runBytes);
      assert.equal(spilledBytes > 3 * 100_000, lines.length > 0 && runBytes !== undefined);
      assert.deepEqual(sorted, stably(lines));
    }
});

test("a line that is longer than what is read at a time comes whole", () => {
  const lines = ["a", "b".repeat(700_000), "c"].map((line, at) => ({ time: 3 - at, line }));
  const { sorted, spilledBytes } = sort(lines, 10);
  assert.ok(spilledBytes > 700_000);
  assert.deepEqual(sorted, stably(lines));
});
