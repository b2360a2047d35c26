import assert from "node:assert/strict";
import { it } from "node:test";
import {
  formatBytes,
  formatCount,
  formatElapsed,
  formatMoment,
  formatNoun,
} from "../../../src/formats/quantity/quantity.ts";

it("writes numbers for people", () => {
  assert.equal(formatCount(1_234_567), "1,234,567");
  assert.equal(formatNoun(1, "page"), "1 page");
  assert.equal(formatNoun(1000, "page"), "1,000 pages");
  assert.equal(formatBytes(1), "1 byte");
  assert.equal(formatBytes(1023), "1,023 bytes");
  assert.equal(formatBytes(1024), "1.0 KiB");
  assert.equal(formatBytes(150 * 1024), "150 KiB");
  assert.equal(formatBytes(5.5 * 1024 ** 3), "5.5 GiB");
  assert.equal(formatElapsed(1234), "1.23 s");
  assert.equal(formatElapsed(185_400), "3 min 5 s");
  assert.equal(formatMoment(1_795_140_000), "2026-11-20 02:00:00Z");
});
