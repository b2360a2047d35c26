import assert from "node:assert/strict";
import { appendFileSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { orderLogs } from "../../src/traffic/log-order.ts";
import { readTraffic, type TrafficEvent } from "../../src/traffic/read-traffic.ts";
import { runProgram } from "../cli/run-program.ts";
import { makeTempFolder } from "../temp-folder.ts";

const lineOf = (path: string, agent = "GPTBot/1.0") =>
  `1.2.3.4 - - [10/Oct/2026:13:55:36 +0000] "GET ${path} HTTP/1.1" 200 9 "-" "${agent}"\n`;

test("rotated logs are read in order of time", () => {
  const given = [
    "a/access.log",
    "a/access.log.1",
    "a/access.log.10.gz",
    "a/access.log.2.gz",
    "-",
    "b.log-20261002",
    "b.log-20261001.gz",
    "b.log",
  ];
  assert.deepEqual(orderLogs(given), [
    "a/access.log.10.gz",
    "a/access.log.2.gz",
    "a/access.log.1",
    "a/access.log",
    "-",
    "b.log-20261001.gz",
    "b.log-20261002",
    "b.log",
  ]);
});

test("logs of months and years are read in order of time, and several of a day", () => {
  const inOrder = ["a.2025", "a.2026.gz", "a", "b.log-202609", "b.log-202610.gz", "b.log", "c-2026-10-01"];
  inOrder.push("c-2026-10-01-2", "c-2026-10-01-10", "c-2026-10-02-1", "d.2025-12", "d.2026-01", "d.12", "d.3", "d");
  assert.deepEqual(orderLogs([...inOrder].reverse()).sort(), [...inOrder].sort());
  for (const set of ["a", "b", "c", "d"]) {
    const own = inOrder.filter((log) => log.startsWith(set));
    assert.deepEqual(orderLogs([...own].reverse()), own);
  }
});

test("the busiest minute has its requests also if those of earlier minutes end among them", async () => {
  const at = (time: string) => lineOf("/").replace(/\[.*?\]/, `[10/Oct/2026:${time} +0000]`);
  const input = async function* () {
    for (let second = 10; second < 60; second++) yield Buffer.from(at(`13:55:${second}`) + at(`13:48:${second}`));
    yield Buffer.from(at("13:55:59"));
  };
  const { peak } = await readTraffic({ logs: ["-"], input });
  assert.deepEqual(peak, { at: Date.UTC(2026, 9, 10, 13, 55) / 1000, requests: 51 });
});

test("a log is followed as it grows, is rotated and is cut", { timeout: 30_000 }, async () => {
  using temp = makeTempFolder();
  const file = join(temp.path, "access.log");
  writeFileSync(file, lineOf("/1"));
  const stop = new AbortController();
  const changes: Readonly<Record<number, () => void>> = {
    1: () => appendFileSync(file, lineOf("/2")),
    2: () => {
      renameSync(file, `${file}.1`);
      appendFileSync(`${file}.1`, lineOf("/3"));
      writeFileSync(file, lineOf(`/4-${"x".repeat(100)}`));
    },
    4: () => {
      truncateSync(file);
      appendFileSync(file, lineOf("/5"));
      appendFileSync(file, lineOf("/6").slice(0, 30));
    },
    5: () => appendFileSync(file, lineOf("/6").slice(30)),
    6: () => stop.abort(),
  };
  const onEvent = (event: TrafficEvent) => {
    if (event.event === "interim") changes[event.lines]?.();
  };
  const summary = await readTraffic({ logs: [file], follow: true, everyMs: 1, onEvent, signal: stop.signal });
  assert.deepEqual([summary.lines, summary.badLines], [6, 0]);
});

test("what a server still writes into a log that was rotated away is read", { timeout: 30_000 }, async () => {
  using temp = makeTempFolder();
  const [file, old] = [join(temp.path, "access.log"), join(temp.path, "access.log.1")];
  writeFileSync(file, lineOf("/1"));
  const stop = new AbortController();
  let lines = 0;
  const changes: Readonly<Record<number, () => void>> = {
    1: () => {
      renameSync(file, old);
      writeFileSync(file, "");
      setTimeout(() => appendFileSync(old, lineOf("/2")), 600);
    },
    2: () => {
      appendFileSync(file, lineOf("/4"));
      setTimeout(() => appendFileSync(old, lineOf("/3")), 100);
    },
    4: () => stop.abort(),
  };
  const onEvent = (event: TrafficEvent) => {
    if (event.event !== "interim" || event.lines === lines) return;
    lines = event.lines;
    changes[lines]?.();
  };
  const end = setTimeout(() => stop.abort(), 10_000);
  const summary = await readTraffic({ logs: [file], follow: true, everyMs: 1, onEvent, signal: stop.signal });
  clearTimeout(end);
  assert.deepEqual([summary.lines, summary.badLines], [4, 0]);
});

test("robots.dat has the crawlers that asked for robots.txt", async () => {
  using temp = makeTempFolder();
  const [log, dat] = [join(temp.path, "access.log"), join(temp.path, "robots.dat")];
  const lines = [lineOf("/robots.txt"), lineOf("/robots.txt", "OwnBot/1"), lineOf("/", "bingbot/2.0")];
  writeFileSync(log, lines.join(""));
  await readTraffic({ logs: [log], robotsDat: dat });
  assert.equal(readFileSync(dat, "latin1"), "1.2.3.4\tGPTBot\n1.2.3.4\tOwnBot\n");
});

test("options without effect are refused", async () => {
  for (const args of [
    ["a.log", "--every", "5m"],
    ["a.log", "--addresses"],
    ["-", "--follow"],
  ])
    assert.equal((await runProgram("traffic", ...args)).code, 2, args.join(" "));
});

test("any bytes as a log end with an answer of printable ASCII, and with JSON that says the same", {
  timeout: 60_000,
}, async () => {
  using temp = makeTempFolder();
  const log = join(temp.path, "access.log");
  const piece = fc.constantFrom(
    "\n",
    lineOf("/robots.txt", "\u001b[31mBot\u0000<script>"),
    lineOf("/a", "\\x1b]0;title\\x07Bot"),
    lineOf(`/${"x".repeat(70_000)}`),
    '1.2.3.4 - - [99/Foo/9999:99:99:99 +9999] "GET / HTTP/1.1" 200 99999999999999999999 "-" "B"\n',
    `${"\u001b[2J".repeat(40)}\n`,
    '{"status":200,"request":"GET /robots.txt HTTP/1.1","agent":"\\u001b[31m\\u0000"}\n',
    "\u001f\u008b",
  );
  const texts = fc.sample(
    fc.array(fc.oneof(piece, fc.string({ unit: "binary", maxLength: 30 })), { maxLength: 30 }),
    8,
  );
  for (const pieces of texts) {
    writeFileSync(log, Buffer.from(pieces.join(""), "latin1"));
    const ended = await runProgram("traffic", log);
    assert.ok(ended.code === 0 || ended.code === 3, ended.stderr);
    assert.match(ended.stdout, /^[ -~\n]+$/);
    assert.match(ended.stderr, /^[ -~\n]*$/);
  }
});

test("any bytes are counted without failing, and no line is lost", async () => {
  const piece = fc.constantFrom(lineOf("/robots.txt"), lineOf("/a"), '"', "\\", "\n", "[", "{}\n", "1.2.3.4 - - ");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(piece, fc.string({ unit: "binary", maxLength: 9 })), { maxLength: 40 }),
      async (pieces) => {
        const bytes = Buffer.from(`x${pieces.join("")}`);
        const input = async function* () {
          yield bytes;
        };
        const { lines, badLines, all } = await readTraffic({ logs: ["-"], input });
        const written = bytes
          .toString("latin1")
          .split("\n")
          .filter((line) => line.replace(/\r$/, "") !== "").length;
        assert.equal(lines, written);
        assert.equal(all.requests, lines - badLines);
      },
    ),
  );
});
