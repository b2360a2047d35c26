import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import {
  type DayFileCounts,
  DayFileReader,
  dayFileName,
  dayOf,
  formatWebEvent,
  parseDayFileName,
} from "../../../src/formats/web-events/day-file.ts";
import { formatShareControl, isCrawlerName, parseShareControl } from "../../../src/formats/web-events/share-control.ts";
import type { WebEvent } from "../../../src/formats/web-events/web-event.ts";
import { repositoryFolder } from "../../repository-folder.ts";

const fixture = (name: string): string =>
  readFileSync(join(repositoryFolder(), "fixtures/web-events/1.0", name), "utf8");

interface Reading extends DayFileCounts {
  readonly read: readonly WebEvent[];
}

function readDay(
  text: string | Uint8Array,
  { day = 11_669, latest = 2_000_000_000, maxBytes = 1e6, maxRecords = 1000, pieceBytes = 1e6, isWhole = true } = {},
): Reading {
  const read: WebEvent[] = [];
  const reader = new DayFileReader(day, latest, { maxBytes, maxRecords }, (event) => read.push(event));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.write(bytes.subarray(at, at + pieceBytes));
  return { read, ...reader.end(isWhole) };
}

const figureUrl = "http://plg2.math.uwaterloo.ca:33433/robots.shr";
const plg = "plg2.math.uwaterloo.ca:33433 WaterlooCrawler/1.0Beta/PLG";

test("the robots.shr of the thesis's Figure 3.3 parses, and is written again byte for byte", () => {
  const parsed = parseShareControl(fixture("robots.shr"), figureUrl);
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.value, {
    version: "1.0",
    crawler: plg,
    contact: "glmclear@uwaterloo.ca",
    special: ["http://129.97.224.77/", "http://plg2.math.uwaterloo.ca/", "http://www.math.uwaterloo.ca/"],
    repository: "http://plg2.math.uwaterloo.ca/share-dir/",
    others: [],
  });
  assert.equal(formatShareControl(parsed.value), fixture("robots.shr"));
});

test("the events of the thesis's Figure 3.4 parse, each on its day", () => {
  const first: WebEvent = {
    url: "http://plg.uwaterloo.ca/plg.html",
    kind: "updated",
    sizeBytes: 9824,
    modifiedAt: 993_226_666,
    polledAt: 1_008_242_754,
    crawler: plg,
  };
  const second: WebEvent = {
    url: "http://www.google.com/index.html",
    kind: "created",
    sizeBytes: 2332,
    modifiedAt: 1_011_415_503,
    polledAt: 1_011_415_503,
    crawler: "129.97.224.77:7777 SharingRobot/1.0",
    lifetimeSeconds: 1_209_600,
  };
  // The figure shows two days' events in one file; in that of a day the other one does not belong.
  const file = fixture("figure-3.4.dat");
  assert.deepEqual(readDay(file, { day: dayOf(first.polledAt) }).read, [first]);
  assert.deepEqual(readDay(file, { day: dayOf(second.polledAt) }), {
    read: [second],
    events: 1,
    bad: 0,
    misdated: 1,
    isCut: false,
  });
});

test("the golden file of a day is written and read byte for byte, in pieces of any size", () => {
  const file = fixture("11669.dat");
  for (const pieceBytes of [1, 7, 1e6]) {
    const { read, bad, misdated } = readDay(file, { day: 11_669, pieceBytes });
    assert.deepEqual([read.length, bad, misdated], [3, 0, 0]);
    assert.deepEqual(
      read.map(({ kind }) => kind),
      ["created", "updated", "deleted"],
    );
    assert.equal(read.map(formatWebEvent).join(""), file);
  }
});

test("what is written is read, whatever the event", () => {
  const event = fc.record(
    {
      url: fc.webUrl({ validSchemes: ["http", "https"], withQueryParameters: true }).map((url) => new URL(url).href),
      kind: fc.constantFrom("created", "updated", "deleted"),
      sizeBytes: fc.maxSafeNat(),
      modifiedAt: fc.nat({ max: 1e9 }),
      polledAt: fc.integer({ min: 11_669 * 86_400, max: 11_670 * 86_400 - 1 }),
      crawler: fc.constantFrom(plg, "[::1]:80 a", "a.example:65535 a b"),
      lifetimeSeconds: fc.nat(),
    },
    { noNullPrototype: true, requiredKeys: ["url", "kind", "sizeBytes", "modifiedAt", "polledAt", "crawler"] },
  ) as fc.Arbitrary<WebEvent>;
  fc.assert(
    fc.property(fc.array(event, { maxLength: 5 }), fc.integer({ min: 1, max: 50 }), (events, pieceBytes) => {
      const { read } = readDay(events.map(formatWebEvent).join(""), { pieceBytes });
      assert.deepEqual(read, events);
    }),
  );
});

const good = `url: http://s.example/\nsize: 1\nlmd: 5\nlpd: ${11_669 * 86_400}\ncid: a.example:80 a\nstat: C\n`;

// What a record is made of in place of a line, and whether it is still an event.
for (const [was, is, isEvent] of [
  ["", "", true],
  ["stat: C", "stat: U\nnew-field: any value", true],
  ["stat: C", "STAT :C", true],
  ["\n", "\r\n", true],
  ["stat: C\n", "", false],
  ["stat: C", "stat: X", false],
  ["stat: C", "stat: C\nstat: U", false],
  ["stat: C", "stat: C\nno field", false],
  ["stat: C", `stat: C\nx: ${"x".repeat(9000)}`, false],
  ["stat: C", `stat: C\n${Array.from({ length: 70 }, (_, at) => `x${at}: 1`).join("\n")}`, false],
  ["size: 1", "size: -1", false],
  ["size: 1", "size: 1e3", false],
  ["size: 1", "size: 99999999999999999", false],
  ["lmd: 5", "lmd: 999999999999999", false],
  ["stat: C", "ttl: never\nstat: C", false],
  ["http://s.example/", "ftp://s.example/", false],
  ["http://s.example/", "/path", false],
  ["http://s.example/", "http://me:secret@s.example/", false],
  ["http://s.example/", `http://s.example/${"x".repeat(3000)}`, false],
  ["a.example:80 a", "a.example", false],
] as const)
  test(`a record with ${JSON.stringify(is.slice(0, 40))} for ${JSON.stringify(was)} is ${isEvent ? "" : "no "}event`, () => {
    const { events, bad, misdated } = readDay(`${good.replaceAll(was, is)}\n${good}`);
    assert.deepEqual([events, bad, misdated], isEvent ? [2, 0, 0] : [1, 1, 0]);
  });

test("events of another day, and of the future, are not believed", () => {
  const latest = 11_669 * 86_400 + 10;
  for (const [was, is] of [
    [`lpd: ${11_669 * 86_400}`, `lpd: ${11_668 * 86_400}`],
    [`lpd: ${11_669 * 86_400}`, `lpd: ${latest + 1}`],
    ["lmd: 5", `lmd: ${latest + 1}`],
  ] as const) {
    const { events, misdated } = readDay(good.replace(was, is), { latest });
    assert.deepEqual([events, misdated], [0, 1]);
  }
});

test("a file is read up to its bounds", () => {
  const file = `${good}\n`.repeat(10);
  assert.deepEqual(readDay(file, { maxRecords: 4 }), { ...readDay(`${good}\n`.repeat(4)), isCut: true });
  // Lines that end no record are bounded too: 65 for each record that is taken.
  for (const line of ["\n", " \n", "a: b\n"]) {
    assert.equal(readDay(line.repeat(258), { maxRecords: 4 }).isCut, false);
    assert.equal(readDay(line.repeat(261), { maxRecords: 4 }).isCut, true);
  }
  const { events, isCut } = readDay(file, { maxBytes: good.length * 3, pieceBytes: 50 });
  assert.deepEqual([events, isCut], [2, true]);
  // A file that broke off within a number is no shorter number.
  assert.equal(readDay(good, { isWhole: false }).events, 0);
  assert.equal(readDay(Buffer.alloc(1e6, "x"), { pieceBytes: 1000 }).bad, 1);
  assert.equal(readDay(new Uint8Array()).events + readDay("\n\n\n").bad, 0);
});

test("names of days' files", () => {
  assert.equal(dayFileName(11_883), "11883.dat");
  for (const [name, day] of [
    ["11883.dat", 11_883],
    ["0.dat", 0],
    ["007.dat", undefined],
    ["-1.dat", undefined],
    ["11883.dat.gz", undefined],
    ["99999999.dat", undefined],
  ] as const)
    assert.equal(parseDayFileName(name), day);
});

const control = "version: 1.0\ncrawler: a.example:80 a\nrepository: /share\n";

test("unknown fields of a robots.shr are kept in their order", () => {
  const parsed = parseShareControl(`X-b: 1\r\n${control}not a field\nx-A:  2  \n`, "http://a.example/robots.shr");
  assert.ok(parsed.ok);
  assert.deepEqual(parsed.value.others, [
    ["X-b", "1"],
    ["x-A", "2"],
  ]);
  assert.equal(parsed.value.repository, "http://a.example/share/");
  assert.deepEqual(parseShareControl(formatShareControl(parsed.value), "http://a.example/robots.shr"), parsed);
});

test("a line of a great many blanks costs no time", () => {
  const startedAt = performance.now();
  const blanks = `x-a: b${" ".repeat(60_000)}c\n`;
  assert.equal(parseShareControl(blanks + control, "http://a.example/robots.shr").ok, true);
  assert.ok(performance.now() - startedAt < 2000, `${performance.now() - startedAt} ms`);
});

test("a repository with a question mark and no query is a folder", () => {
  const parsed = parseShareControl(
    "version: 1.0\ncrawler: a.example:80 a\nrepository: /share?\n",
    "http://a.example/robots.shr",
  );
  assert.equal(parsed.ok && parsed.value.repository, "http://a.example/share/");
});

for (const [was, is, problem] of [
  ["version: 1.0\n", "", "no-field"],
  ["crawler: a.example:80 a\n", "", "no-field"],
  ["repository: /share\n", "", "no-field"],
  ["a.example:80 a", "a.example a", "bad-field"],
  ["a.example:80 a", "a.example:99999 a", "bad-field"],
  ["/share", "http://b.example/share", "bad-field"],
  ["a.example:80 a", "\u00e4.example:80 a", "bad-field"],
  ["/share", `/${"\u00e4".repeat(400)}`, "bad-field"],
  ["/share", "http://:secret@a.example/share", "bad-field"],
  ["/share", "ftp://a.example/share", "bad-field"],
  ["/share", "http://me:secret@a.example/share", "bad-field"],
  ["/share", "/share?x", "bad-field"],
  ["/share", `/share${"\nx: y".repeat(10_001)}`, "too-long"],
] as const)
  test(`a robots.shr with ${JSON.stringify(is.slice(0, 40))} for ${JSON.stringify(was)} is refused: ${problem}`, () => {
    const parsed = parseShareControl(control.replace(was, is), "http://a.example/robots.shr");
    assert.equal(parsed.ok ? undefined : parsed.error.code, problem);
  });

test("names of crawlers", () => {
  for (const name of [plg, "[::1]:8080 a", "129.97.224.77:7777 SharingRobot/1.0"]) assert.ok(isCrawlerName(name), name);
  for (const name of ["a:80", "a:80 ", "a 80 b", "a:80 é", `a:80 ${"b".repeat(300)}`])
    assert.ok(!isCrawlerName(name), name);
});
