import assert from "node:assert/strict";
import { test } from "node:test";
import {
  escapeArchiveName,
  formatArchiveName,
  groupOfMediaType,
  mediaTypeOfGroup,
  otherGroup,
  parseArchiveName,
} from "../../../src/formats/archive/archive-name.ts";

const id = "0123456789abcdef";

test("a name is written and read", () => {
  const name = { from: 0, to: 1_795_226_400, group: "application-xhtml+xml", id };
  assert.equal(formatArchiveName(name), `0_20261121T020000Z.application-xhtml+xml.${id}.gz`);
  assert.deepEqual(parseArchiveName(formatArchiveName(name)), { ok: true, value: name });
  assert.equal(escapeArchiveName(formatArchiveName(name)), `0_20261121T020000Z.application-xhtml%2Bxml.${id}.gz`);
});

const bad: ReadonlyArray<readonly [string, string]> = [
  ["nothing", ""],
  ["a folder", `a/0_20261121T020000Z.other.${id}.gz`],
  ["a parent folder in the group", `0_20261121T020000Z.../x.${id}.gz`],
  ["an empty group", `0_20261121T020000Z..${id}.gz`],
  ["a group too long", `0_20261121T020000Z.${"a".repeat(129)}.${id}.gz`],
  ["an id too short", "0_20261121T020000Z.other.0123456789abcde.gz"],
  ["an id in capitals", "0_20261121T020000Z.other.0123456789ABCDEF.gz"],
  ["an interval that ends at the beginning", `0_0.other.${id}.gz`],
  ["an empty interval", `20261121T020000Z_20261121T020000Z.other.${id}.gz`],
  ["an interval backwards", `20261121T020000Z_20261120T020000Z.other.${id}.gz`],
  ["the 31st of February", `0_20260231T020000Z.other.${id}.gz`],
  ["the 24th hour", `0_20260228T240000Z.other.${id}.gz`],
  ["a second beginning", `19700101T000000Z_20260228T000000Z.other.${id}.gz`],
  ["text behind", `0_20261121T020000Z.other.${id}.gz\n`],
];

for (const [name, text] of bad) {
  test(`a name is refused: ${name}`, () => {
    assert.equal(parseArchiveName(text).ok, false);
  });
}

const groups: ReadonlyArray<readonly [string, string]> = [
  ["text/html", "text-html"],
  ["application/xhtml+xml", "application-xhtml+xml"],
  ["application/vnd.ms-excel", "application-vnd.ms-excel"],
  ["x-world/x-vrml", otherGroup],
  ["application/a_b", otherGroup],
  [`text/${"a".repeat(100)}`, otherGroup],
  ["", otherGroup],
];

for (const [mediaType, group] of groups) {
  test(`${mediaType.slice(0, 40)} goes to ${group.slice(0, 40)}, and back where that is possible`, () => {
    assert.equal(groupOfMediaType(mediaType), group);
    assert.equal(mediaTypeOfGroup(group), group === otherGroup ? undefined : mediaType);
  });
}

test("the words that are no media type have none", () => {
  assert.equal(mediaTypeOfGroup("base"), undefined);
});
