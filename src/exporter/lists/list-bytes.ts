import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";

const pieceBytes = 256 * 1024;

/** More comes out of no list: a gzip file may hold a thousand times its size. */
const maxUnpackedBytes: number = 256 * 1024 ** 3;

/**
 * Gives the bytes of a list, unpacked if they begin as gzip does, whatever the name says.
 *
 * @param input - a file's path, or the bytes as they come
 * @throws TidemarkError `not-found`, `no-permission`; `io` if the gzip coding is broken or ends too early: a part of a
 *   list would make the rest look deleted
 */
export async function* readListBytes(input: string | AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Buffer> {
  const source = typeof input === "string" ? createReadStream(input, { highWaterMark: pieceBytes }) : input;
  const pieces = source[Symbol.asyncIterator]();
  let total = 0;
  try {
    const head: Buffer[] = [];
    let headBytes = 0;
    while (headBytes < 2) {
      const piece = await pieces.next();
      if (piece.done === true) break;
      head.push(asBuffer(piece.value));
      headBytes += piece.value.length;
    }
    const [first = 0, second = 0] = Buffer.concat(head);
    const packed = rest(head, pieces);
    for await (const piece of first === 0x1f && second === 0x8b ? unpack(packed) : packed) {
      total += piece.length;
      if (total > maxUnpackedBytes) throw new TidemarkError("bad-option", `${name} unpacks to too many bytes.`);
      yield piece;
    }
  } catch (error) {
    throw wrapSystemError(error, `read the list ${name}`, { list: name });
  } finally {
    await pieces.return?.();
  }
}

async function* rest(head: readonly Buffer[], pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  yield* head;
  for (let piece = await pieces.next(); piece.done !== true; piece = await pieces.next()) yield asBuffer(piece.value);
}

async function* unpack(packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(packed, { objectMode: false, highWaterMark: pieceBytes });
  const gunzip = createGunzip({ chunkSize: pieceBytes });
  source.on("error", (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip) as AsyncIterable<Buffer>;
  } finally {
    gunzip.destroy();
    source.destroy();
  }
}

function asBuffer(bytes: Uint8Array | string): Buffer {
  if (typeof bytes === "string") return Buffer.from(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
