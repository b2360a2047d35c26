import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cutDays, daySeconds } from "../../../lab/brandman/history-days.ts";
import { makeHistory } from "../../../lab/brandman/made-history.ts";
import { ReplayedWeb } from "../../../lab/brandman/replayed-web.ts";
import type { HistoryEvent } from "../../../lab/experiment/ports.ts";
import { createLabPorts } from "../../../lab/program/lab-ports.ts";
import { isDigest } from "../../../src/core/page.ts";
import { maxPathLength } from "../../../src/formats/url/url-path.ts";

const { mediaTypeOf } = createLabPorts("");
const at = (day: number, path: string, sizeBytes?: number): HistoryEvent => {
  return { time: day * daySeconds + 9, path, sizeBytes };
};

function open(events: readonly HistoryEvent[], seed = 1): ReplayedWeb {
  return new ReplayedWeb(cutDays(events, 100), mediaTypeOf, seed);
}

describe("ReplayedWeb", () => {
  it("lives through creations, updates, deletions and returns, each page with one number and each state with its version", () => {
    const web = open([
      at(1, "b.html", 5),
      at(1, "a.html", 0),
      at(2, "b.html", 7),
      at(3, "b.html"),
      at(3, "c d.html", 9),
      at(4, "b.html", 1),
      at(5, "zz.html"),
    ]);
    const kinds: string[][] = [];
    const versions: number[][] = [];
    const bytes: number[] = [];
    for (let day = web.next(); day !== undefined; day = web.next()) {
      kinds.push(day.changes.map((change, place) => `${change.kind} ${day.numbers[place]}`));
      versions.push([...web.versions]);
      bytes.push(web.totalBytes);
      assert.equal(day.time % daySeconds, daySeconds - 1);
    }
    assert.deepEqual(kinds, [["created 1", "created 0"], ["updated 0"], ["deleted 0", "created 2"], ["created 0"], []]);
    assert.deepEqual(versions, [
      [1, 2, 0, 0],
      [3, 2, 0, 0],
      [0, 2, 4, 0],
      [5, 2, 4, 0],
      [5, 2, 4, 0],
    ]);
    // A size that is not known counts as 512 bytes.
    assert.deepEqual(bytes, [517, 519, 521, 522, 522]);
    assert.equal(web.pages.get("/c%20d.html")?.mediaType, "text/html");
    assert.ok([...web.pages.values()].every(({ digest }) => digest !== undefined && isDigest(digest)));
  });

  it("holds back what the exporter does, and what no URL can name", () => {
    const names = [
      ".git/config",
      "a/.htaccess",
      "x.php",
      "notes.bak",
      "../up",
      "a//b",
      "robots.txt",
      `${"long/".repeat(maxPathLength / 5)}x`,
    ];
    const web = open([...names.map((name) => at(1, name, 1)), at(1, "kept.txt", 1)]);
    web.next();
    assert.deepEqual([...web.pages.keys()], ["/kept.txt"]);
  });

  it("is the same for a seed, with other digests for another", () => {
    const digests = (seed: number): unknown[] => {
      const web = open(makeHistory(50, 10, 1), seed);
      while (web.next() !== undefined);
      return [...web.pages.values()];
    };
    assert.deepEqual(digests(1), digests(1));
    assert.notDeepEqual(digests(1), digests(2));
  });
});

describe("makeHistory", () => {
  it("changes as often as the histogram says, with pages of the paper's mean size", () => {
    const events = makeHistory(4000, 50, 1);
    const mean = events.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0) / events.length;
    assert.ok(mean > 11_000 && mean < 15_000, String(mean));
    // Daily pages change at random, on 63 % of the days: 0.229 changes a page and day by intervals.
    const daily = (events.length - 4000) / 4000 / 50;
    assert.ok(daily > 0.13 && daily < 0.17, String(daily));
    assert.ok(events.every(({ time }, place) => time >= (events[place - 1]?.time ?? 0)));
  });
});
