import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  maxCrawlDelaySeconds,
  parseRobots,
  type Robots,
  robotsAllow,
  robotsCrawlDelaySeconds,
  robotsSitemaps,
} from "../../../src/formats/robots/robots.ts";
import { maxRobotsBytes } from "../../../src/formats/robots/robots-line.ts";
import { repositoryFolder } from "../../repository-folder.ts";

interface RobotsCase {
  readonly name: string;
  readonly lines: readonly string[];
  readonly agent: string;
  readonly allowed?: readonly string[];
  readonly disallowed?: readonly string[];
}

const parseText = (text: string): Robots => parseRobots(new TextEncoder().encode(text));
const parseBytes = (text: string): Robots => parseRobots(Buffer.from(text, "latin1"));

for (const source of ["rfc9309", "lenient"]) {
  const path = join(repositoryFolder(), "fixtures", "robots", `${source}.json`);
  const cases = JSON.parse(readFileSync(path, "utf8")) as readonly RobotsCase[];
  for (const { name, lines, agent, allowed = [], disallowed = [] } of cases) {
    for (const end of ["\n", "\r\n", "\r"]) {
      test(`${source}: ${name}, lines end with ${JSON.stringify(end)}`, () => {
        const robots = parseText(lines.map((line) => line + end).join(""));
        for (const one of allowed) assert.equal(robotsAllow(robots, agent, one), true, `${one} is allowed`);
        for (const one of disallowed) assert.equal(robotsAllow(robots, agent, one), false, `${one} is disallowed`);
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

test("a crawl delay belongs to the agents right before it, one before any group to everybody", () => {
  const robots = parseText(
    "Crawl-delay: 1\nUser-agent: a\nUser-agent: b\nCrawl-delay: 2.5\nDisallow: /\n" +
      "User-agent: *\nCrawl delay: 7\nAllow: /\nUser-agent: a\nCrawlDelay: 4\nCrawl-delay: 3\n",
  );
  const delays = ["A", "b", "c"].map((agent) => robotsCrawlDelaySeconds(robots, agent));
  assert.deepEqual(delays, [4, 2.5, 7]);
  assert.equal(robotsCrawlDelaySeconds(parseText("Crawl-delay: 1\n"), "a"), 1);
});

test("a crawl delay is not that of the next agent, though the rules behind it are both's", () => {
  const robots = parseText(
    "User-agent: a\nCrawl-delay: 10\nUser-agent: b\nUser-agent: c\nDisallow: /x\nCrawl-delay: 2\n",
  );
  const delays = ["a", "b", "c", "d"].map((agent) => robotsCrawlDelaySeconds(robots, agent));
  assert.deepEqual(delays, [10, 2, 2, undefined]);
  for (const agent of ["a", "b", "c"]) assert.equal(robotsAllow(robots, agent, "/x"), false);
});

test("sitemaps are absolute or relative, UTF-8, anywhere, each once, and nothing that is no page", () => {
  const robots = parseText(
    [
      "Sitemap: /s1.xml",
      "User-agent: a",
      "sitemap: https://B.example:443/caf\u00e9.xml#top",
      "Sitemap:s 2.xml",
      "Sitemap: //c.example/s.xml.gz",
      "Disallow: /x",
      "Sitemap: https://a.example/s1.xml",
      "Sitemap: ftp://a.example/s.xml",
      "Sitemap: javascript:alert(1)",
      "Sitemap: http://",
      "Sitemap:",
    ].join("\n"),
  );
  assert.deepEqual(robotsSitemaps(robots, "https://a.example/robots.txt"), [
    "https://a.example/s1.xml",
    "https://b.example/caf%C3%A9.xml",
    "https://a.example/s%202.xml",
    "https://c.example/s.xml.gz",
  ]);
  assert.equal(robotsAllow(robots, "a", "/x"), false);
});

test("UTF-16 is read, with its mark or without", () => {
  const text = "User-agent: *\r\nDisallow: /caf\u00e9\r\n";
  const little = Buffer.from(text, "utf16le");
  const big = Buffer.from(little).swap16();
  for (const bytes of [
    little,
    big,
    Buffer.concat([Buffer.of(0xff, 0xfe), little]),
    Buffer.concat([Buffer.of(0xfe, 0xff), big]),
  ]) {
    const robots = parseRobots(bytes);
    assert.equal(robotsAllow(robots, "a", "/caf%C3%A9"), false);
    assert.equal(robotsAllow(robots, "a", "/x"), true);
    assert.equal(robotsAllow(parseRobots(bytes.subarray(0, -1)), "a", "/caf%C3%A9"), false, "half a character is none");
  }
});

test("a byte here and there that is NUL makes no UTF-16", () => {
  for (const head of ["\0", "\0\0", "#\0#\n", "\0\0\0\0\n", "#\0\0#\n"]) {
    const robots = parseBytes(`${head}\nUser-agent: a\nDisallow: /x\n`);
    assert.equal(robotsAllow(robots, "a", "/x"), false, JSON.stringify(head));
  }
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

test("many agents of one group with many rules take little time", () => {
  const names = Array.from({ length: 40_000 }, (_, at) => at.toString(36));
  let text = "";
  for (let at = 0; at < names.length; at += 1000) text += `User-agent: ${names.slice(at, at + 1000).join(",")}\n`;
  text += "Allow: /\n".repeat(30_000);
  const startedAt = performance.now();
  assert.equal(parseText(text).hasDisallow, false);
  assert.ok(performance.now() - startedAt < 1500, `${performance.now() - startedAt} ms`);
  assert.equal(parseText(`${text}Disallow:`).hasDisallow, true);
  assert.equal(parseText("Disallow: /").hasDisallow, false);
});

// String.prototype.indexOf takes ten seconds for one of these paths.
test("patterns that repeat themselves cost one pass over the path each", () => {
  const half = "a".repeat(1900);
  const rules = Array.from({ length: 130 }, (_, at) => `Disallow: /*${half}${"a".repeat(at)}b${half}\n`).join("");
  const robots = parseText(`User-agent: *\n${rules}Disallow: /*${half}c$\nDisallow: /${"*a".repeat(6000)}d\n`);
  const path = `/${"a".repeat(65_000)}`;
  const startedAt = performance.now();
  assert.equal(robotsAllow(robots, "a", path), true);
  assert.ok(performance.now() - startedAt < 4000, `${performance.now() - startedAt} ms`);
  assert.equal(robotsAllow(robots, "a", `${path}b${half}`), false);
  assert.equal(robotsAllow(robots, "a", `${path}c`), false);
  assert.equal(robotsAllow(robots, "a", `${path}\u0161${half}`), true);
});

test("any number of agents and delays is read in passing", () => {
  const agents = `User-agent: ${Array.from({ length: 3000 }, (_, at) => `a${at}`).join(",")}\n`;
  const startedAt = performance.now();
  const robots = parseText(`${agents}${agents}${"User-agent: b\nCrawl-delay: 1\n".repeat(15_000)}`);
  assert.equal(robotsCrawlDelaySeconds(robots, "b"), 1);
  assert.ok(performance.now() - startedAt < 4000, `${performance.now() - startedAt} ms`);
});
