import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { cutDays, daySeconds, type History, readHistory } from "../bench/replay/history.ts";
import { makeTempFolder } from "../temp-folder.ts";

async function read(text: string): Promise<History> {
  using temp = makeTempFolder();
  const file = join(temp.path, "history.tsv.gz");
  writeFileSync(file, gzipSync(Buffer.from(text, "latin1")));
  return await readHistory(file, "a site");
}

describe("readHistory", () => {
  it("reads additions, modifications and deletions, paths as bytes", async () => {
    const { events } = await read("#seconds\tkind\n10\tA\t5\ta b.html\n11\tM\t0\t\xc3\xa9\n12\tD\t0\ta b.html\n");
    assert.deepEqual(events, [
      { time: 10, path: "a b.html", sizeBytes: 5 },
      { time: 11, path: "\xc3\xa9", sizeBytes: 0 },
      { time: 12, path: "a b.html", sizeBytes: undefined },
    ]);
  });

  it("keeps the order of the lines where clocks disagree", async () => {
    const { events } = await read("20\tA\t1\ta\n10\tM\t2\ta\n30\tM\t3\ta\n");
    assert.deepEqual(
      events.map(({ time, sizeBytes }) => [time, sizeBytes]),
      [
        [20, 1],
        [20, 2],
        [30, 3],
      ],
    );
  });

  it("refuses what is no history", async () => {
    await assert.rejects(read("10\tX\t5\ta\n"), /not an event: 10\tX/);
    await assert.rejects(read("#seconds\n"), /holds no event/);
    using temp = makeTempFolder();
    await assert.rejects(readHistory(join(temp.path, "nothing"), "a site"), { code: "not-found" });
    writeFileSync(join(temp.path, "text"), "10\tA\t5\ta\n");
    await assert.rejects(readHistory(join(temp.path, "text"), "a site"), {
      code: "bad-option",
      message: /no gzip file/,
    });
  });
});

describe("cutDays", () => {
  const event = (day: number, path: string, sizeBytes?: number) => ({ time: day * daySeconds + 5, path, sizeBytes });
  const history: History = {
    name: "a site",
    events: [event(1, "a", 1), event(2, "b", 1), event(5, "a", 2), event(5, "c", 1), event(5, "a"), event(6, "c", 9)],
  };

  it("puts all that was before into the first day, and leaves of each path the last event", () => {
    assert.deepEqual(cutDays(history, 2), [
      { day: 4, events: [event(1, "a", 1), event(2, "b", 1)] },
      { day: 5, events: [event(5, "c", 1), event(5, "a")] },
      { day: 6, events: [event(6, "c", 9)] },
    ]);
  });

  it("begins with the history if that is shorter", () => {
    assert.deepEqual(
      cutDays(history, 700).map(({ day, events }) => [day, events.length]),
      [
        [1, 1],
        [2, 1],
        [3, 0],
        [4, 0],
        [5, 2],
        [6, 1],
      ],
    );
  });
});
