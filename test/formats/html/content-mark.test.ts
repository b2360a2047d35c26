import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeMark, encodeMark, maxMarkBytes } from "../../../src/formats/html/content-mark.ts";
import { fc } from "../../property.ts";
import { arbitraryMark } from "./arbitrary-mark.ts";

test("decode after encode is identity, and a mark that is cut off is not there yet", () => {
  fc.assert(
    fc.property(arbitraryMark, fc.nat(20), (mark, at) => {
      const target = new Uint8Array(at + maxMarkBytes);
      const end = encodeMark(mark, target, at);
      assert.deepEqual(decodeMark(target.subarray(0, end), at), { mark, end });
      for (let length = at; length < end; length++) assert.equal(decodeMark(target.subarray(0, length), at), undefined);
    }),
  );
});

test("other bytes are refused or are a mark, and never anything else", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        const decoded = decodeMark(bytes, 0);
        assert.ok(decoded === undefined || decoded.end <= bytes.length);
      } catch (error) {
        assert.ok(error instanceof RangeError);
      }
    }),
  );
  for (const flags of [2, 4, 6, 7, 8, 255])
    assert.throws(() => decodeMark(new Uint8Array(200).fill(flags), 0), RangeError);
});
