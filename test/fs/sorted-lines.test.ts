import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type LineMerge, SortedLines } from "../../src/fs/sorted-lines.ts";
import { fc } from "../property.ts";
import { makeTempFolder } from "../temp-folder.ts";

interface TimedLine {
  readonly time: number;
  readonly line: string;
}

const groupOf = (line: string): number => (line.length * 997) % 65_536;

function put(sorter: SortedLines, { time, line }: TimedLine): void {
  sorter.text.put(line);
  sorter.add(time, groupOf(line));
}

function* linesOf(lines: LineMerge): Generator<TimedLine> {
  while (lines.next()) {
    const line = lines.bytes.toString("latin1", lines.start, lines.end);
    assert.equal(lines.group, groupOf(line), "a line keeps its group");
    yield { time: lines.time, line };
  }
}

async function sort(
  lines: readonly TimedLine[],
  runBytes: number | undefined,
): Promise<{ sorted: TimedLine[]; runs: number }> {
  using folder = makeTempFolder();
  let runs: number;
  const sorted: TimedLine[] = [];
  {
    await using sorter = new SortedLines(folder.path, runBytes);
    for (const line of lines) put(sorter, line);
    runs = readdirSync(folder.path).length;
    for (const name of readdirSync(folder.path)) assert.equal(statSync(join(folder.path, name)).mode & 0o777, 0o600);
    using drained = sorter.drain();
    for (const line of linesOf(drained)) sorted.push(line);
  }
  assert.deepEqual(readdirSync(folder.path), [], "nothing is left behind");
  return { sorted, runs };
}

const stably = (lines: readonly TimedLine[]) => lines.map((line) => ({ ...line })).sort((a, b) => a.time - b.time);

test("lines come by time, those of one time as they came, however often they are spilled", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          time: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 2 ** 34 })),
          line: fc.stringMatching(/^[ -~]{0,12}$/),
        }),
        { maxLength: 80 },
      ),
      fc.constantFrom(1, 40, 300, undefined),
      async (lines, runBytes) => {
        const { sorted } = await sort(lines, runBytes);
        assert.deepEqual(sorted, stably(lines));
      },
    ),
    { numRuns: 60 },
  );
});

test("runs and batches of many lines meet without a seam", async () => {
  const lines = Array.from({ length: 30_000 }, (_, at) => ({
    time: 1 + ((at * 7919) % 1000),
    line: `${at} ${"x".repeat(at % 60)}`,
  }));
  for (const runBytes of [200_000, undefined]) {
    const { sorted, runs } = await sort(lines, runBytes);
    assert.equal(runs > 3, runBytes !== undefined);
    assert.deepEqual(sorted, stably(lines));
  }
});

test("one run takes more lines than its key has room for, and spills", async () => {
  const count = 2 ** 18 + 10;
  using folder = makeTempFolder();
  await using sorter = new SortedLines(folder.path);
  for (let at = 0; at < count; at++) put(sorter, { time: 253_402_300 - (at % 3), line: `${at}` });
  assert.equal(readdirSync(folder.path).length, 1);
  let last: TimedLine = { time: 0, line: "" };
  let seen = 0;
  using drained = sorter.drain();
  for (const entry of linesOf(drained)) {
    assert.ok(entry.time > last.time || (entry.time === last.time && Number(entry.line) > Number(last.line)));
    last = entry;
    seen += 1;
  }
  assert.equal(seen, count);
});

test("a line that is longer than what is read at a time comes whole", async () => {
  const lines = ["a", "b".repeat(700_000), "c"].map((line, at) => ({ time: 3 - at, line }));
  const { sorted, runs } = await sort(lines, 10);
  assert.equal(runs, 3);
  assert.deepEqual(sorted, stably(lines));
});

test("more small lines than a batch has room for, in one run of a file", async () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => ({ time: 9, line: `${at % 10}` }));
  const { sorted, runs } = await sort(lines, 290_000);
  assert.ok(runs >= 1);
  assert.deepEqual(sorted, lines);
});

test("no lines are none", async () => {
  assert.deepEqual((await sort([], undefined)).sorted, []);
});
