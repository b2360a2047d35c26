import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { AnswerTable } from "../../src/traffic/answer-table.ts";
import { KnownCrawlers, nameUnlisted } from "../../src/traffic/known-crawlers.ts";
import { readTraffic, type TrafficEvent } from "../../src/traffic/read-traffic.ts";
import { runProgram } from "../cli/run-program.ts";
import { makeTempFolder } from "../temp-folder.ts";

const gptBot = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.0; +https://openai.com/gptbot)";
const browser = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0";
const lineOf = (address: string, path: string, status: number, bytes: number, agent: string, method = "GET") =>
  `${address} - - [10/Oct/2026:13:55:36 +0000] "${method} ${path} HTTP/1.1" ${status} ${bytes} "-" "${agent}"\n`;

const log = [
  // Needless: the 304, and the second 200 of one size; the third has another.
  lineOf("1.1.1.1", "/a", 200, 100, gptBot),
  lineOf("1.1.1.2", "/a", 200, 100, gptBot),
  lineOf("1.1.1.1", "/a", 200, 101, gptBot),
  lineOf("1.1.1.1", "/a", 304, 0, gptBot),
  lineOf("1.1.1.1", "/a", 200, 101, gptBot, "HEAD"),
  lineOf("1.1.1.1", "/x", 404, 9, gptBot),
  // Asks for robots.txt after its first page, from an address that a person has as well.
  lineOf("2.2.2.2", "/a", 200, 100, "OwnBot/1.0"),
  lineOf("2.2.2.2", "/robots.txt", 200, 30, "OwnBot/1.0"),
  lineOf("2.2.2.2", "/a", 200, 100, browser),
  lineOf("2.2.2.2", "/a", 200, 100, browser),
  lineOf("3.3.3.3", "/a", 200, 100, "OwnBot/1.0"),
].join("");

test("crawlers are those of the list and those who ask for robots.txt; needless requests are counted", async () => {
  using temp = makeTempFolder();
  const file = join(temp.path, "access.log.1");
  writeFileSync(file, gzipSync(log));
  const input = async function* () {
    yield Buffer.from("no line\n");
  };
  const events: TrafficEvent[] = [];
  const summary = await readTraffic({ logs: [file, "-"], input, onEvent: (event) => events.push(event) });
  const { requests, bytes } = summary.all;
  assert.deepEqual([requests, bytes, summary.lines, summary.badLines], [11, 841, 12, 1]);
  assert.deepEqual([summary.crawlers, summary.crawlersWithNotModified], [2, 1]);
  const counts = { requests: 6, bytes: 411, conditional: 1, notModified: 1, needless: 2, wastedBytes: 100, errors: 1 };
  const own = { requests: 2, bytes: 130, conditional: 0, notModified: 0, needless: 0, wastedBytes: 0, errors: 0 };
  assert.deepEqual(summary.groups, [
    { operator: "openai.com", purpose: "ai-crawler", crawlers: ["GPTBot"], counts },
    { operator: "OwnBot", purpose: "unknown", crawlers: ["OwnBot"], counts: own },
  ]);
  assert.deepEqual(
    events.filter(({ event }) => event === "bad-line"),
    [{ event: "bad-line", log: "-", text: "no line" }],
  );
});

test("with ETags in the log these decide, and conditional requests are known", async () => {
  const rows = [
    ["e1", "-"],
    ["e2", '\\"e1\\"'],
    ["e2", "-"],
  ].map(([etag, sent]) => `1.1.1.1 "GET /a HTTP/1.1" 200 100 "GPTBot/1.0" "${sent}" ${etag}\n`);
  const input = async function* () {
    yield Buffer.from(rows.join(""));
  };
  const format = '%h "%r" %>s %b "%{User-Agent}i" "%{If-None-Match}i" %{ETag}o';
  const { groups, areConditionsLogged } = await readTraffic({ logs: ["-"], input, format });
  assert.ok(areConditionsLogged);
  assert.deepEqual([groups[0]?.counts.needless, groups[0]?.counts.conditional], [1, 1]);
});

test("a damaged packed log counts as far as it goes; one that is missing ends the command", async () => {
  using temp = makeTempFolder();
  const file = join(temp.path, "access.log.gz");
  writeFileSync(file, gzipSync(log).subarray(0, -10));
  const summary = await readTraffic({ logs: [file] });
  assert.equal(summary.failed, 1);
  await assert.rejects(readTraffic({ logs: [join(temp.path, "none")] }), { code: "not-found" });
  await assert.rejects(readTraffic({ logs: [file], format: "%h" }), { code: "bad-option" });
});

test("the command answers in at most 20 lines of printable ASCII", async () => {
  using temp = makeTempFolder();
  const file = join(temp.path, "access.log");
  const many = Array.from({ length: 60 }, (_, at) => lineOf("4.4.4.4", "/robots.txt", 200, at, `B\\x1b[31m${at}`));
  writeFileSync(file, `${log}${many.join("")}\u001b[31m\u0000\n`);
  const ended = await runProgram("traffic", file);
  assert.equal(ended.code, 0);
  assert.ok(ended.stdout.split("\n").length <= 21, ended.stdout);
  assert.match(ended.stdout + ended.stderr, /^[ -~\n]+$/);
  assert.match(ended.stdout, /^71 requests, .*; 1 line of no known format$/m);
  assert.match(ended.stdout, /^openai\.com +ai-crawler +6 /m);
  assert.equal((await runProgram("traffic")).code, 2);
  assert.equal((await runProgram("traffic", "-", "-")).code, 2);
});

test("agents have names, whatever they send", () => {
  const known = new KnownCrawlers();
  assert.equal(known.find(gptBot)?.operator, "openai.com");
  assert.equal(known.find("Mozilla/5.0 (compatible; Googlebot/2.1)")?.name, "Googlebot");
  assert.equal(known.find(browser), undefined);
  const names = ["", browser, "Mozilla/5.0 (compatible; Own/1)", "a\u009b/1"].map((agent) => nameUnlisted(agent).name);
  assert.deepEqual(names, ["(no agent)", "(like a browser)", "Own", "a?"]);
});

test("a table of answers grows to its bound and then refuses", () => {
  const table = new AnswerTable(1 << 18);
  const keyOf = (at: number) => at * 2 ** 20 + Math.imul(at, 2_654_435_761) / 2 ** 12 + 1;
  const keys = Array.from({ length: 150_000 }, (_, at) => Math.floor(Math.abs(keyOf(at + 1))));
  for (const key of keys) table.replace(key, 7);
  assert.ok(table.refused >= 150_000 - (1 << 17));
  assert.equal(table.replace(keys[0] ?? 0, 8), 7);
  assert.equal(table.replace(keys[0] ?? 0, 9), 8);
});
