import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import type { Result } from "../../src/core/result.ts";
import { BodyDecoder, decodeBody, unpackArchive } from "../../src/http/content-coding.ts";
import { fc } from "../property.ts";

function textOf(result: Result<Uint8Array>): string {
  return result.ok ? Buffer.from(result.value).toString() : result.error.code;
}

const text = "hello, hello, hello";
const plain = Buffer.from(text);
const zipped = gzipSync(plain);
const bomb = gzipSync(Buffer.alloc(10_000_000));

const archives: readonly (readonly [string, Uint8Array, string])[] = [
  ["gzip is undone", zipped, text],
  ["what a proxy has unpacked is left alone", plain, text],
  ["what a proxy has packed again is undone too", gzipSync(zipped), text],
  ["several members are one content", Buffer.concat([zipped, gzipSync("!")]), `${text}!`],
  ["zero bytes at the end are padding", Buffer.concat([zipped, Buffer.alloc(512)]), text],
  ["nothing is nothing", Buffer.alloc(0), ""],
  ["an empty content is one", gzipSync(""), ""],
  ["half an archive is broken", zipped.subarray(0, -9), "bad-coding"],
  ["a checksum that is wrong is broken", Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(8, 1)]), "bad-coding"],
  ["the magic alone is broken", Buffer.from([0x1f, 0x8b]), "bad-coding"],
  ["a bomb is too large", bomb, "too-large"],
  ["a bomb in gzip is too large", gzipSync(bomb), "too-large"],
  ["a plain content over the bound is too large", Buffer.alloc(1001), "too-large"],
];

for (const [what, body, expected] of archives) {
  test(what, () => assert.equal(textOf(unpackArchive(body, 1000)), expected));
}

test("a bomb is not unpacked to its end", () => {
  const member = gzipSync(Buffer.alloc(2_000_000));
  const large = Buffer.concat(Array.from({ length: 200 }, () => member));
  const before = process.resourceUsage().maxRSS;
  assert.equal(textOf(unpackArchive(large, 1000)), "too-large");
  assert.equal(textOf(decodeBody(large, "gzip", 1000)), "too-large");
  const grownKiB = process.resourceUsage().maxRSS - before;
  assert.ok(grownKiB < 100_000, `${grownKiB} KiB were needed`);
});

test("the bound itself is allowed, a byte more is not", () => {
  assert.equal(textOf(unpackArchive(gzipSync(Buffer.alloc(1000, "x")), 1000)), "x".repeat(1000));
  assert.equal(textOf(unpackArchive(gzipSync(Buffer.alloc(1001, "x")), 1000)), "too-large");
  assert.equal(textOf(unpackArchive(gzipSync("x"), 0)), "too-large");
});

const bodies: readonly (readonly [string | undefined, Uint8Array, string])[] = [
  [undefined, plain, text],
  ["", plain, text],
  ["identity", plain, text],
  ["gzip", zipped, text],
  ["X-GZIP", zipped, text],
  ["deflate", deflateSync(plain), text],
  ["deflate", deflateRawSync(plain), text],
  ["br", brotliCompressSync(plain), text],
  ["gzip, br", brotliCompressSync(zipped), text],
  ["gzip,identity ,, gzip", gzipSync(zipped), text],
  ["gzip, gzip, gzip, gzip", zipped, "unknown-coding"],
  ["zstd", plain, "unknown-coding"],
  ["gzip", plain, "bad-coding"],
  ["br", zipped, "bad-coding"],
  ["deflate", plain, "bad-coding"],
  ["gzip", bomb, "too-large"],
  ["br", brotliCompressSync(Buffer.alloc(1_000_000)), "too-large"],
  ["deflate", deflateSync(Buffer.alloc(1_000_000)), "too-large"],
  ["gzip, gzip", gzipSync(bomb), "too-large"],
];

for (const [coding, body, expected] of bodies) {
  test(`a body of ${body.length} bytes with coding ${coding} gives ${expected}`, () => {
    assert.equal(textOf(decodeBody(body, coding, 1000)), expected);
  });
}

test("any bytes give a result, and never more than the bound", () => {
  const coding = fc.constantFrom("gzip", "deflate", "br", "gzip, br", undefined);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), coding, fc.nat(300), (bytes, name, maxBytes) => {
      for (const body of [bytes, gzipSync(bytes), Buffer.from([0x1f, 0x8b, 8, ...bytes])]) {
        for (const result of [unpackArchive(body, maxBytes), decodeBody(body, name, maxBytes)]) {
          if (result.ok) assert.ok(result.value.length <= maxBytes);
        }
      }
    }),
  );
});

test("unpacking undoes packing", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      fc.pre(!(bytes[0] === 0x1f && bytes[1] === 0x8b));
      const result = unpackArchive(gzipSync(bytes), 500);
      assert.ok(result.ok);
      assert.deepEqual(Buffer.from(result.value), Buffer.from(bytes));
    }),
  );
});

test("a decoder that has enough says so, and says when it takes more", async () => {
  let state = 1;
  const content = Buffer.from(
    Array.from({ length: 200_000 }, () => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return state >>> 24;
    }),
  );
  const coded = gzipSync(content);
  const pieces: Buffer[] = [];
  const isFull = await new Promise<boolean>((resolve, reject) => {
    let wasFull = false;
    const receiver = {
      onPiece: (piece: Uint8Array) => void pieces.push(Buffer.from(piece)),
      onDecoded: (failure: unknown) => (failure === undefined ? resolve(wasFull) : reject(failure)),
    };
    const decoder = BodyDecoder.for("gzip", receiver, () => void (decoder instanceof BodyDecoder && decoder.end()));
    assert.ok(decoder instanceof BodyDecoder);
    wasFull = !decoder.write(coded);
  });
  assert.ok(isFull);
  assert.ok(Buffer.concat(pieces).equals(content));
});
