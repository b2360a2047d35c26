import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { BodyDecoder } from "../../src/http/body-decoder.ts";

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
