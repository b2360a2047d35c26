import assert from "node:assert/strict";
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { RecordFile, readRecords } from "../../../src/storage/queue/record-file.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const texts = ["a", "bc".repeat(10), "d".repeat(300)];
/** Where each record ends. */
const ends = texts.map((_, at) => texts.slice(0, at + 1).reduce((sum, text) => sum + 8 + text.length, 0));

function writeTexts(path: string): void {
  const file = new RecordFile(path);
  for (const text of texts) file.append(Buffer.from(text));
  file.flush();
  file.close();
}

const readTexts = (path: string): string[] => [...readRecords(path)].map((bytes) => bytes.toString());

test("a file that ends anywhere has the records that are whole, and takes more after them", () => {
  using temp = makeTempFolder();
  const whole = join(temp.path, "whole");
  writeTexts(whole);
  for (let length = 0; length <= (ends.at(-1) ?? 0); length++) {
    const cut = join(temp.path, "cut");
    copyFileSync(whole, cut);
    truncateSync(cut, length);
    const left = texts.slice(0, ends.filter((end) => end <= length).length);
    assert.deepEqual(readTexts(cut), left);
    const file = new RecordFile(cut);
    file.append(Buffer.from("more"));
    file.flush();
    file.close();
    assert.deepEqual(readTexts(cut), [...left, "more"]);
  }
});

test("a changed byte ends the records before it, and zeros at the end are none", () => {
  using temp = makeTempFolder();
  const path = join(temp.path, "file");
  writeTexts(path);
  const bytes = readFileSync(path);
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 0x41;
    writeFileSync(path, changed);
    assert.deepEqual(readTexts(path), texts.slice(0, ends.filter((end) => end <= at).length));
  }
  writeFileSync(path, Buffer.concat([bytes, Buffer.alloc(5000)]));
  assert.deepEqual(readTexts(path), texts);
});

test("records larger than a piece that is read are whole; no file has none", () => {
  using temp = makeTempFolder();
  const path = join(temp.path, "file");
  assert.deepEqual(readTexts(path), []);
  const file = new RecordFile(path);
  const large = [1_500_000, 3, 2_000_000, 1_048_568].map((length) => Buffer.alloc(length, length % 251));
  for (const one of large) file.append(one);
  file.flush();
  file.close();
  assert.deepEqual(
    [...readRecords(path)].map((bytes) => bytes.length),
    large.map((one) => one.length),
  );
});

test("what could not be read again is not written", () => {
  using temp = makeTempFolder();
  const file = new RecordFile(join(temp.path, "file"));
  assert.throws(() => file.append(new Uint8Array(0)), RangeError);
  assert.throws(() => file.append(new Uint8Array(65 * 1024 * 1024)), RangeError);
  file.close();
});
