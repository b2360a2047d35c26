import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  maxCrawlDelaySeconds,
  maxRobotsBytes,
  parseRobots,
  type Robots,
  robotsAllow,
  robotsCrawlDelaySeconds,
} from "../../src/format/index.ts";
import { repositoryFolder } from "../repository-folder.ts";

interface RobotsCase {
  readonly name: string;
  readonly lines: readonly string[];
  readonly agent: string;
  readonly allowed?: readonly string[];
  readonly disallowed?: readonly string[];
  /** Why our answer is the opposite. */
  readonly differs?: string;
}

const parseText = (text: string): Robots => parseRobots(new TextEncoder().encode(text));
const parseBytes = (text: string): Robots => parseRobots(Buffer.from(text, "latin1"));

for (const source of ["rfc9309", "google", "lenient"]) {
  const path = join(repositoryFolder(), "fixtures", "robots", `${source}.json`);
  const cases = JSON.parse(readFileSync(path, "utf8")) as readonly RobotsCase[];
  for (const { name, lines, agent, allowed = [], disallowed = [], differs } of cases) {
    for (const end of ["\n", "\r\n", "\r"]) {
      test(`${source}: ${name}, lines end with ${JSON.stringify(end)}${differs === undefined ? "" : ", we differ"}`, () => {
        const robots = parseText(lines.map((line) => line + end).join(""));
        const want = differs === undefined;
        for (const one of allowed) assert.equal(robotsAllow(robots, agent, one), want, `${one} is allowed`);
        for (const one of disallowed) assert.equal(robotsAllow(robots, agent, one), !want, `${one} is disallowed`);
      });
    }
  }
}

test("the last line needs no end", () => {
  assert.equal(robotsAllow(parseText("User-agent: *\nDisallow: /x"), "a", "/x"), false);
});

test("a part of a byte order mark is passed over at the start, a broken one spoils its line", () => {
  for (const mark of ["\xef\xbb\xbf", "\xef\xbb", "\xef"]) {
    assert.equal(robotsAllow(parseBytes(`${mark}User-agent: a\nDisallow: /\n`), "a", "/x"), false);
  }
  assert.equal(robotsAllow(parseBytes("\xef\x11\xbfUser-agent: a\nDisallow: /\n"), "a", "/x"), true);
});

test("of a long line the first 16,663 bytes are read, as google/robotstxt does", () => {
  const pattern = `/x/${"a".repeat(16_663 - "disallow: /x/".length)}`;
  const robots = parseText(`user-agent: a\ndisallow: ${pattern}/qux\n`);
  assert.equal(robotsAllow(robots, "a", "/fux"), true);
  assert.equal(robotsAllow(robots, "a", `${pattern}/fux`), false);
  assert.equal(robotsAllow(robots, "a", pattern.slice(0, -1)), true);
});

test("RFC 9309 section 2.5: 500 KiB are read, up to the last whole line", () => {
  const filler = `#${"x".repeat(78)}\n`;
  const head = "User-agent: *\nDisallow: /first\n";
  const body = head + filler.repeat(Math.ceil(maxRobotsBytes / filler.length));
  const line = "Disallow: /last/of/all\n";
  const cutBehind = (kept: number): string => body.slice(0, maxRobotsBytes - kept - 1).concat("\n", line);
  const within = parseText(cutBehind(line.length));
  assert.equal(within.truncated, false);
  assert.equal(robotsAllow(within, "a", "/last/of/all"), false);
  const cut = parseText(cutBehind("Disallow: /last".length));
  assert.equal(cut.truncated, true);
  assert.equal(robotsAllow(cut, "a", "/last/x"), true, "half a rule is none");
  assert.equal(robotsAllow(cut, "a", "/first"), false);
  const oneLine = parseText(`User-agent: *\nDisallow: /x${"y".repeat(maxRobotsBytes)}`);
  assert.equal(
    robotsAllow(oneLine, "a", `/x${"y".repeat(20_000)}`),
    false,
    "a line as long as is read of any is whole",
  );
});

test("our keys and Sitemap are collected wherever they stand", () => {
  const robots = parseText(
    [
      "Archive-Index: https://a.example/1",
      "Sitemap: https://a.example/s1.xml",
      "User-agent: a",
      "archive: https://a.example/2 # the newest",
      "Disallow: /x",
      "ARCHIVE : https://a.example/3",
      "site-map: https://a.example/s2.xml",
      "Archive-Indexes: https://a.example/no",
      "Archived: https://a.example/no",
      "",
    ].join("\n"),
  );
  assert.deepEqual(robots.archiveIndexes, ["https://a.example/1"]);
  assert.deepEqual(robots.archives, ["https://a.example/2", "https://a.example/3"]);
  assert.deepEqual(robots.sitemaps, ["https://a.example/s1.xml", "https://a.example/s2.xml"]);
  assert.equal(robotsAllow(robots, "a", "/x"), false);
});

test("a crawl delay belongs to its group's agents, one before any group to everybody", () => {
  const robots = parseText(
    "Crawl-delay: 1\nUser-agent: a\nUser-agent: b\nCrawl-delay: 2.5\nDisallow: /\n" +
      "User-agent: *\nCrawl delay: 7\nAllow: /\nUser-agent: a\nCrawlDelay: 4\nCrawl-delay: 3\n",
  );
  const delays = ["A", "b", "c"].map((agent) => robotsCrawlDelaySeconds(robots, agent));
  assert.deepEqual(delays, [4, 2.5, 7]);
  assert.equal(robotsCrawlDelaySeconds(parseText("Crawl-delay: 1\n"), "a"), 1);
});

test("a crawl delay that is no number is none, and a day is the longest", () => {
  for (const value of ["", "-1", "1s", "Infinity", "NaN", "0x10", "1e9", "1,5"]) {
    assert.equal(robotsCrawlDelaySeconds(parseText(`User-agent: *\nCrawl-delay: ${value}\n`), "a"), undefined, value);
  }
  assert.equal(
    robotsCrawlDelaySeconds(parseText("User-agent: *\nCrawl-delay: 999999999\n"), "a"),
    maxCrawlDelaySeconds,
  );
});

test("bytes that are not UTF-8 are escaped one by one", () => {
  const robots = parseBytes("User-agent: *\nDisallow: /caf\xe9\nDisallow: /\x80\xa0\n");
  assert.equal(robotsAllow(robots, "a", "/caf%E9"), false);
  assert.equal(robotsAllow(robots, "a", "/%80%A0"), false);
  assert.equal(robotsAllow(robots, "a", "/caf%C3%A9"), true);
});

test("too many wildcard rules make a file stricter, not slower", () => {
  const rules = Array.from({ length: 5000 }, (_, at) => `Disallow: /deep/*/${at}.\nAllow: /x/*/${at}.\n`).join("");
  const robots = parseText(`User-agent: *\nDisallow: /x\n${rules}`);
  assert.equal(robotsAllow(robots, "a", "/deep/a/0."), false);
  assert.equal(robotsAllow(robots, "a", "/deep/nothing"), false, "a rule beyond the limit is widened");
  assert.equal(robotsAllow(robots, "a", "/x/a/0."), true);
  assert.equal(robotsAllow(robots, "a", "/x/a/4999."), false, "an exception beyond the limit is dropped");
  assert.equal(robotsAllow(robots, "a", "/y"), true);
});
