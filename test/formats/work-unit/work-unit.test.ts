import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Result } from "../../../src/core/index.ts";
import {
  formatWorkResult,
  formatWorkUnit,
  maxResultBytes,
  maxUnitBytes,
  parseWorkResult,
  parseWorkUnit,
  type WorkResult,
  type WorkUnit,
} from "../../../src/formats/work-unit/index.ts";
import { fc } from "../../property.ts";
import { repositoryFolder } from "../../repository-folder.ts";

const fixture = (name: string): string =>
  readFileSync(join(repositoryFolder(), "fixtures/work-unit/1", name), "latin1");
const [unitText, resultText] = [fixture("unit"), fixture("result")];
const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

function read<T>(result: Result<T>): T {
  assert.ok(result.ok, result.ok ? "" : result.error.message);
  return result.value;
}

test("the unit and the result of version 1 are read, and written again byte for byte", () => {
  const unit = read(parseWorkUnit(bytes(unitText)));
  assert.equal(unit.origin, "https://www.example.org");
  assert.deepEqual(unit.paths, ["/", "/docs/?page=2", "/old", "/private/"]);
  assert.equal(formatWorkUnit(unit), unitText);
  const result = read(parseWorkResult(bytes(resultText)));
  assert.deepEqual(
    result.pages.map(({ answer }) => answer),
    [200, 302, "disallowed", "left"],
  );
  assert.equal(formatWorkResult(result), resultText);
});

const wrongUnits: readonly (readonly [string, string | RegExp, string, string])[] = [
  ["another version", "work-unit 1", "work-unit 2", "bad-header"],
  ["a nonce that is too short", /nonce: \w\w/, "nonce: ", "bad-field"],
  ["a deadline before its beginning", "1795603600", "1795500000", "bad-field"],
  ["an origin with a path", "https://www.example.org", "https://www.example.org/a", "bad-field"],
  ["an origin with a login", "https://www", "https://me@www", "bad-field"],
  ["an origin that is no page of the Web", "https://www.example.org", "file:///etc", "bad-field"],
  ["a limit with a sign", "1000\npage", "-1\npage", "bad-field"],
  ["a page of too many bytes", "4194304", "999999999999", "bad-field"],
  ["a field twice", /nonce: .*\n/, "$&$&", "bad-field"],
  ["a field too few", /time-ms: .*\n/, "", "bad-field"],
  ["a page of another host", "/old", "//other.example/old", "bad-line"],
  ["an absolute URL", "/old", "https://other.example/old", "bad-line"],
  ["a page that leaves its folder", "/old", "/a/../../old", "bad-line"],
  ["a page twice", "/old", "/", "bad-line"],
  ["no page", /\n\n[\s\S]*$/, "\n\n", "bad-line"],
  ["no end of its last line", /\n$/, "", "bad-line"],
  ["CR", "\n\n", "\r\n\r\n", "bad-encoding"],
  ["no empty line", "\n\n", "\n", "bad-header"],
  ["too many pages", /$/, Array.from({ length: 500 }, (_, at) => `/${at}\n`).join(""), "too-long"],
  ["too many bytes", /$/, "/".repeat(maxUnitBytes), "too-long"],
];
for (const [what, part, by, code] of wrongUnits)
  test(`a unit with ${what} is refused`, () => {
    const parsed = parseWorkUnit(bytes(unitText.replace(part, by)));
    assert.equal(parsed.ok ? "" : parsed.error.code, code);
  });

const wrongResults: readonly (readonly [string, string | RegExp, string, string])[] = [
  ["an end before its start", "ended: 1795600040", "ended: 1795600000", "bad-field"],
  ["no digest of robots.txt", "47DEQpj8HBQ", "none", "bad-field"],
  ["a state that its pages deny", "partial", "complete", "bad-field"],
  ["a time before its start", "1795600012", "1795600009", "bad-line"],
  ["a time after its end", "1795600012", "1795600041", "bad-line"],
  ["a status that is none", "\t200\t", "\t999\t", "bad-line"],
  ["a size without a digest", "1I9EEz94kvs", "-", "bad-line"],
  ["a size with a leading zero", "5120", "05120", "bad-line"],
  ["a body of a redirect", "\t200\t", "\t301\t", "bad-line"],
  ["links of a page that was not answered", "/private/", "/private/\thttps://a.example/", "bad-line"],
  ["two targets of a redirect", "/new", "/new\thttps://a.example/", "bad-line"],
  ["a link with a fragment", "https://other.example/", "https://other.example/#a", "bad-line"],
  ["an empty fragment", "https://other.example/", "https://other.example/#", "bad-line"],
  ["a link that the URL parser would change", "https://other.example/", "https://OTHER.example/", "bad-line"],
  ["a link without a slash", "https://other.example/", "https://other.example", "bad-line"],
  ["a link with a login", "https://other.example/", "https://me@other.example/", "bad-line"],
  ["a link to a script", "https://other.example/", "javascript:alert(1)", "bad-line"],
  ["a link that is too long", "https://other.example/", `https://other.example/${"a".repeat(3000)}`, "bad-line"],
  ["a link twice", "https://other.example/", "https://www.example.org/docs/", "bad-line"],
  ["an empty link", "https://other.example/", "", "bad-line"],
  ["a page twice", "/private/", "/old", "bad-line"],
  ["bytes that are no ASCII", "/private/", "/priv\xe4te/", "bad-encoding"],
  ["too many bytes", /$/, "x".repeat(maxResultBytes), "too-long"],
];
for (const [what, part, by, code] of wrongResults)
  test(`a result with ${what} is refused`, () => {
    const parsed = parseWorkResult(bytes(resultText.replace(part, by)));
    assert.equal(parsed.ok ? "" : parsed.error.code, code);
  });

const nonces = fc.stringMatching(/^[0-9a-f]{32}$/);
const paths = fc.uniqueArray(fc.stringMatching(/^\/[a-z]{0,8}(?:\?[a-z]{1,4})?$/), { minLength: 1, maxLength: 20 });
const seconds = fc.integer({ min: 0, max: 2_000_000_000 });
const units: fc.Arbitrary<WorkUnit> = fc
  .record({
    nonce: nonces,
    issuedAt: seconds,
    origin: fc.constantFrom("https://example.org", "http://a.example:8080", "http://[::1]:81"),
    userAgent: fc.stringMatching(/^[a-z][a-z /0-9]{0,20}[a-z]$/),
    crawlDelayMs: fc.nat(3_600_000),
    pageBytes: fc.integer({ min: 1, max: 64 * 1024 * 1024 }),
    timeMs: fc.integer({ min: 1, max: 86_400_000 }),
    pageLinks: fc.nat(5000),
    paths,
  })
  .map((unit) => ({ ...unit, deadline: unit.issuedAt + 1 }));

test("whatever unit is written is read back equal", () => {
  fc.assert(
    fc.property(units, (unit) => {
      assert.deepEqual(read(parseWorkUnit(bytes(formatWorkUnit(unit)))), unit);
    }),
  );
});

test("whatever result is written is read back equal", () => {
  const body = fc.record(
    {
      sizeBytes: fc.nat(1e9),
      digest: fc.constantFrom("1I9EEz94kvs", "47DEQpj8HBQ"),
      mediaType: fc.constantFrom("text/html", "application/xhtml+xml"),
    },
    { noNullPrototype: true },
  );
  const links = fc.uniqueArray(
    fc.nat(50).map((at) => `https://example.org/${at}`),
    { maxLength: 10 },
  );
  const answered = fc.record({ answer: fc.constant(200 as const), body, links });
  const other = fc.record({
    answer: fc.constantFrom(404, 500, "disallowed" as const, "failed" as const, "too-large" as const, "left" as const),
    body: fc.constant(undefined),
    links: fc.constant([]),
  });
  const results = fc
    .tuple(nonces, paths, fc.array(fc.oneof(answered, other), { maxLength: 20 }))
    .map(([nonce, some, answers]): WorkResult => {
      const pages = answers
        .slice(0, some.length)
        .map((page, at) => ({ ...page, path: some[at] as string, at: 5 + at }));
      const isComplete = pages.every(({ answer }) => answer !== "left");
      return { nonce, startedAt: 5, endedAt: 100, isComplete, robots: "47DEQpj8HBQ", pages };
    });
  fc.assert(
    fc.property(results, (result) => {
      assert.deepEqual(read(parseWorkResult(bytes(formatWorkResult(result)))), result);
    }),
  );
});

test("no bytes make a parser throw, and what it takes it would write again as it is", () => {
  const spoilt = (text: string): fc.Arbitrary<Uint8Array> =>
    fc
      .tuple(fc.nat(text.length), fc.nat(20), fc.oneof(fc.string({ maxLength: 20 }), fc.constant("\t\n")))
      .map(([at, cut, more]) => bytes(text.slice(0, at) + more + text.slice(at + cut)));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), spoilt(unitText), spoilt(resultText)), (content) => {
      const unit = parseWorkUnit(content);
      if (unit.ok) assert.deepEqual(bytes(formatWorkUnit(unit.value)), Buffer.from(content));
      const result = parseWorkResult(content);
      if (result.ok) assert.deepEqual(bytes(formatWorkResult(result.value)), Buffer.from(content));
    }),
    { numRuns: 2000 },
  );
});
