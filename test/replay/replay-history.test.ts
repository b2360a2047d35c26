import assert from "node:assert/strict";
import { test } from "node:test";
import { daySeconds, type HistoryEvent } from "../bench/replay/history.ts";
import { replayHistory } from "../bench/replay/replay-history.ts";
import { formatReplay } from "../bench/replay/replay-table.ts";

const days = 40;

/** Ten pages; from day to day a file becomes a folder and back, and one page changes. */
function makeEvents(): HistoryEvent[] {
  const at = (day: number): number => day * daySeconds + 100;
  const events: HistoryEvent[] = [];
  for (let page = 0; page < 10; page++) events.push({ time: at(0), path: `page ${page}.html`, sizeBytes: 10 * page });
  events.push({ time: at(0), path: ".hidden/a.html", sizeBytes: 3 }, { time: at(0), path: "b.bak", sizeBytes: 3 });
  events.push({ time: at(0), path: "../escape.html", sizeBytes: 3 }, { time: at(0), path: "robots.txt", sizeBytes: 9 });
  for (let day = 1; day <= days; day++) {
    // Nothing says that what stood in the way is gone.
    events.push({ time: at(day), path: day % 2 === 0 ? "clash.html" : "clash.html/inside.html", sizeBytes: 1 });
    if (day % 3 === 0) events.push({ time: at(day), path: "page 0.html", sizeBytes: 1 });
    if (day % 10 === 5) events.push({ time: at(day), path: "page 9.html", sizeBytes: undefined });
    if (day % 10 === 7) events.push({ time: at(day), path: "page 9.html", sizeBytes: 0 });
  }
  return events;
}

test("after every visit all visitors of a replay hold the site, and nobody reads less than the floor", async () => {
  const seen: number[] = [];
  const result = await replayHistory(
    { name: "made for this test", events: makeEvents() },
    { days, signal: new AbortController().signal, onDay: (day) => seen.push(day) },
  );
  const { skippedEvents, withheld, firstPages, lastPages, publications } = result;
  assert.deepEqual(
    { skippedEvents, withheld, firstPages, lastPages, publications },
    { skippedEvents: 1, withheld: 3, firstPages: 10, lastPages: 11, publications: days },
  );
  assert.equal(seen.length, days + 1);
  assert.deepEqual(
    result.visitors.map(({ rhythm, sums }) => [rhythm.name, sums.visits, sums.changedVisits]),
    [
      ["daily", 40, 40],
      ["weekly", 5, 5],
      ["monthly", 1, 1],
    ],
  );
  for (const { sums } of result.visitors) assert.ok(sums.floorBytes > 0 && sums.archiveBytes >= sums.floorBytes);
  assert.match(formatReplay(result), /made for this test: 40 days, 40 publications of \d+ changes/);
});
