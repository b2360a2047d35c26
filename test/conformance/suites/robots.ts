import {
  parseRobots,
  type Robots,
  robotsAllow,
  robotsCrawlDelaySeconds,
  robotsSitemaps,
} from "../../../src/formats/robots/robots.ts";
import { Assertions, readCases, type Suite, type SuiteResult } from "../suite.ts";

interface RobotsCase {
  readonly name: string;
  /** The file's lines, or its text. `⟦a×9⟧` stands for nine times `a`, in paths too. */
  readonly lines?: readonly string[];
  readonly text?: string;
  /** What ends each line; without it, each of LF, CRLF and CR in turn. */
  readonly end?: string;
  /** Default: UTF-8. In `latin1` a character is a byte. */
  readonly encoding?: "latin1" | "utf8-bom" | "utf-16le-bom" | "utf-16be-bom";
  /** Where robots.txt is. */
  readonly url?: string;
  readonly agent: string | readonly string[];
  readonly allowed?: readonly string[];
  readonly disallowed?: readonly string[];
  /** Null: there is none. */
  readonly delaySeconds?: number | null;
  readonly sitemaps?: readonly string[];
  /** Why every answer of ours is another one. */
  readonly differs?: string;
}

const expand = (text: string): string =>
  text.replace(/⟦(.)×(\d+)⟧/gu, (_, character: string, count: string) => character.repeat(Number(count)));

function encode(text: string, encoding: RobotsCase["encoding"]): Uint8Array {
  if (encoding === "latin1") return Buffer.from(text, "latin1");
  if (encoding === "utf-16le-bom") return Buffer.from(`\ufeff${text}`, "utf16le");
  if (encoding === "utf-16be-bom") return Buffer.from(`\ufeff${text}`, "utf16le").swap16();
  return Buffer.from(encoding === undefined ? text : `\ufeff${text}`);
}

function filesOf({ lines, text, end, encoding }: RobotsCase): Robots[] {
  const ends = end === undefined ? ["\n", "\r\n", "\r"] : [end];
  const texts = text === undefined ? ends.map((one) => (lines ?? []).map((line) => line + one).join("")) : [text];
  return texts.map((one) => parseRobots(encode(expand(one), encoding)));
}

/** Asks our parser what a file of cases asks. */
function runRobotsCases(file: string): SuiteResult {
  const assertions = new Assertions();
  for (const one of readCases<RobotsCase>(file)) {
    const files = filesOf(one);
    const check = (what: string, holds: (robots: Robots) => boolean): void =>
      assertions.check(`${one.name}: ${what}`, files.every(holds), one.differs);
    for (const agent of typeof one.agent === "string" ? [one.agent] : one.agent) {
      for (const path of one.allowed ?? [])
        check(`${agent} may fetch ${path}`, (robots) => robotsAllow(robots, agent, expand(path)));
      for (const path of one.disallowed ?? [])
        check(`${agent} may not fetch ${path}`, (robots) => !robotsAllow(robots, agent, expand(path)));
      const { delaySeconds, sitemaps, url = "http://domain.com/robots.txt" } = one;
      if (delaySeconds !== undefined)
        check(
          `${agent} waits ${delaySeconds ?? "no"} seconds`,
          (robots) => (robotsCrawlDelaySeconds(robots, agent) ?? null) === delaySeconds,
        );
      if (sitemaps !== undefined)
        check(`${sitemaps.length} sitemaps`, (robots) => robotsSitemaps(robots, url).join() === sitemaps.join());
    }
  }
  return assertions.result();
}

export const suites: readonly Suite[] = [
  {
    name: "robots.txt: google/robotstxt",
    source: "github.com/google/robotstxt, robots_test.cc; what it asserts of allowed paths, line ends and sitemaps",
    run: () => runRobotsCases("robots-google.jsonl"),
  },
  {
    name: "robots.txt: crawler-commons",
    source: "github.com/crawler-commons/crawler-commons, SimpleRobotRulesParserTest.java and its robots.txt files",
    run: () => runRobotsCases("robots-crawler-commons.jsonl"),
  },
];
