import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import {
  parseListedDigest,
  parseListedSize,
  parseListedTime,
  parseListedType,
} from "../../../src/exporter/lists/listed-page.ts";

const times: ReadonlyArray<readonly [string, number | undefined]> = [
  ["0", 0],
  ["1700000000", 1_700_000_000],
  ["1700000000.987", 1_700_000_000],
  ["1700000000000", undefined], // Milliseconds would be the year 55840.
  ["2026", Date.UTC(2026, 0, 1) / 1000],
  ["2026-11", Date.UTC(2026, 10, 1) / 1000],
  ["2026-11-20", Date.UTC(2026, 10, 20) / 1000],
  ["2026-11-20T02:03:04Z", Date.UTC(2026, 10, 20, 2, 3, 4) / 1000],
  ["2026-11-20 02:03:04", Date.UTC(2026, 10, 20, 2, 3, 4) / 1000],
  ["2026-11-20T02:03:04.5+02:00", Date.UTC(2026, 10, 20, 0, 3, 4) / 1000],
  ["2026-02-31", undefined],
  ["2026-13-01", undefined],
  ["-5", undefined],
  ["yesterday", undefined],
  ["1e9", undefined],
];

for (const [text, expected] of times) {
  test(`the time ${text} is ${expected}`, () => {
    const result = parseListedTime(text);
    assert.equal(result.ok ? result.value : undefined, expected);
  });
}

test("sizes are whole numbers of bytes", () => {
  assert.deepEqual(parseListedSize("0"), { ok: true, value: 0 });
  assert.deepEqual(parseListedSize("123456789012345"), { ok: true, value: 123_456_789_012_345 });
  for (const text of ["-1", "1.5", "1e3", "0x10", "9".repeat(16), "", "1 "])
    assert.equal(parseListedSize(text).ok, false);
});

test("a digest is ours, or a whole SHA-256 that is cut down to it", () => {
  const sha256 = createHash("sha256").update("page");
  const whole = sha256.copy().digest("hex");
  const ours = sha256.digest().subarray(0, 8).toString("base64url");
  assert.deepEqual(parseListedDigest(ours), { ok: true, value: ours });
  for (const text of [whole, whole.toUpperCase(), `sha256:${whole}`, `sha-256:${whole}`])
    assert.deepEqual(parseListedDigest(text), { ok: true, value: ours });
  for (const text of [whole.slice(1), `${whole}0`, "md5:0", "AAAAAAAAAAB", ours.slice(1)])
    assert.equal(parseListedDigest(text).ok, false);
});

test("a media type is its essence", () => {
  assert.deepEqual(parseListedType('Text/HTML; charset="utf-8"'), { ok: true, value: "text/html" });
  for (const text of ["html", "text/", "/html", "text/h tml", `text/${"x".repeat(300)}`, "téxt/html"])
    assert.equal(parseListedType(text).ok, false);
});
