import assert from "node:assert/strict";
import { test } from "node:test";
import { isMediaType } from "../../../src/core/page.ts";
import { formatChangeLine, parseChangeLine } from "../../../src/formats/archive/archive.ts";
import { parseRobots } from "../../../src/formats/robots/robots.ts";

// docs/format.md, "Archive": of a deletion letter and path are needed, and a last-modified of 0 says something.
const deletions: readonly (readonly [fields: string, cameAndWent: boolean])[] = [
  ["-\t-\t-\t-", false],
  ["0\t-\t-\t-", true],
  ["0\tlater\tversions\tmay", true],
  ["00\t-\t-\t-", false],
  ["1700000000\t12\ttext/html\tAAECAwQFBgc", false],
  ["\t\t\t", false],
];

for (const [fields, cameAndWent] of deletions) {
  test(`a deletion with ${JSON.stringify(fields)} is read as ${cameAndWent ? "one that came and went" : "one"}`, () => {
    const parsed = parseChangeLine(`D\t${fields}\t/a`);
    assert.ok(parsed.ok);
    assert.deepEqual(parsed.value, { kind: "deleted", path: "/a", ...(cameAndWent ? { cameAndWent } : {}) });
  });
}

test("both kinds of deletion are written as they are read", () => {
  for (const line of ["D\t-\t-\t-\t-\t/a", "D\t0\t-\t-\t-\t/a"]) {
    const parsed = parseChangeLine(line);
    assert.equal(parsed.ok && formatChangeLine(parsed.value), line);
  }
  for (const line of ["D\t-\t-\t-\t/a", "D\t-\t-\t-\t-\t-\t/a", "D\t-\t-\t-\t-\ta"])
    assert.equal(parseChangeLine(line).ok, false, line);
});

// RFC 6838, section 4.2: restricted names, in lower case.
const types: readonly (readonly [text: string, isType: boolean])[] = [
  ["text/html", true],
  ["application/vnd.oasis.opendocument.text", true],
  ["image/svg+xml", true],
  ["a1/0!#$&^_.+-", true],
  [`a/${"b".repeat(253)}`, true],
  [`a/${"b".repeat(254)}`, false],
  ["Text/html", false],
  ["text/html; charset=utf-8", false],
  ["text", false],
  ["text/", false],
  ["/html", false],
  ["+a/b", false],
  ["a/.b", false],
  ["a/b/c", false],
  ["a/b c", false],
  ["a/b*", false],
  ["a/é", false],
  ["-", false],
];

for (const [text, isType] of types) {
  test(`${text.slice(0, 40)} is ${isType ? "a" : "no"} media type, in an archive too`, () => {
    assert.equal(isMediaType(text), isType);
    assert.equal(parseChangeLine(`C\t1\t1\t${text}\t-\t/a`).ok, isType);
  });
}

// docs/format.md, "Order of reads".
const indexLines: readonly (readonly [line: string, value: string | undefined])[] = [
  ["Archive-Index: https://a.example/index.gz", "https://a.example/index.gz"],
  ["archive-INDEX:\t https://a.example/index.gz \t", "https://a.example/index.gz"],
  ["Archive-Index: /changes/index.gz # moved", "/changes/index.gz"],
  ["Archive-Index: index.gz#fragment", "index.gz"],
  ["Archive-Index: # none", undefined],
  ["# Archive-Index: /commented.gz", undefined],
];

for (const [line, value] of indexLines) {
  test(`${line} names ${value ?? "nothing"}`, () => {
    const { archiveIndexes } = parseRobots(Buffer.from(`${line}\n`));
    assert.deepEqual(archiveIndexes, value === undefined ? [] : [value]);
  });
}
