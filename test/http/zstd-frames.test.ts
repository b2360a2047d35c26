import assert from "node:assert/strict";
import { test } from "node:test";
import { ZstdFrames } from "../../src/http/zstd-frames.ts";

// RFC 8878 section 3.1; those that are not skipped were made by zstd 1.5.7.
const frames: readonly (readonly [what: string, hex: string])[] = [
  ["one segment with a checksum", "28b52ffd24786d00003068656c6c6f2001002f6929027a3e7c28"],
  ["several blocks, and the size in four bytes", "28b52ffda0e09304005400001078780100fbff39c00202001078039f0478"],
  ["no size, and a raw block", "28b52ffd00000900007a"],
  ["a repeated byte", "28b52ffd2064 230300 78"],
  ["an identifier of a dictionary", "28b52ffd23 01020304 01 090000 7a"],
  ["an empty last block", "28b52ffd2001 080000 7a 010000"],
  ["one that is skipped", "502a4d18 04000000 61626364"],
  ["one that is skipped and empty", "5f2a4d18 00000000"],
];
const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(" ", ""), "hex");

for (const [what, hex] of frames) {
  test(`the end of a frame is found, and only there: ${what}`, () => {
    const frame = bytesOf(hex);
    for (let length = 1; length <= frame.length; length++) {
      const reader = new ZstdFrames();
      assert.deepEqual(reader.split(frame.subarray(0, length)), [frame.subarray(0, length)]);
      assert.equal(reader.isWhole, length === frame.length, `${length} bytes`);
    }
  });
}

test("no part has bytes of two frames, whatever the pieces", () => {
  const all = frames.map(([, hex]) => bytesOf(hex));
  const body = Buffer.concat(all);
  assert.deepEqual(new ZstdFrames().split(body), all);
  for (let size = 1; size < 40; size++) {
    const reader = new ZstdFrames();
    const parts: Uint8Array[] = [];
    for (let at = 0; at < body.length; at += size) parts.push(...reader.split(body.subarray(at, at + size)));
    assert.deepEqual(Buffer.concat(parts), body);
    assert.ok(reader.isWhole);
  }
});

test("what is no frame never ends", () => {
  const reader = new ZstdFrames();
  assert.equal(reader.split(Buffer.from("not a frame of zstd")).length, 1);
  assert.equal(reader.isWhole, false);
});

test("ten thousand frames may follow each other, and no more", () => {
  const frame = bytesOf("5f2a4d18 00000000");
  const reader = new ZstdFrames();
  for (let count = 1; count <= 10_000; count++) reader.split(frame);
  assert.equal(reader.areTooMany, false);
  reader.split(frame);
  assert.ok(reader.areTooMany);
});
