import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";

const chunkBytes = 256 * 1024;

/** The bytes of a log, unpacked if they begin as gzip does. A file that is damaged in the middle gives what comes before, then throws. */
export async function* readLogBytes(
  source: string | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const packed = typeof source === "string" ? createReadStream(source, { highWaterMark: chunkBytes }) : source;
  const chunks = packed[Symbol.asyncIterator]();
  try {
    let head: Uint8Array = new Uint8Array();
    while (head.length < 2) {
      const { value, done } = await chunks.next();
      if (done === true) break;
      head = head.length === 0 ? value : Buffer.concat([head, value]);
    }
    const whole = prepend(head, chunks);
    yield* head[0] === 0x1f && head[1] === 0x8b ? unpack(whole) : whole;
  } finally {
    await chunks.return?.();
  }
}

async function* prepend(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  if (head.length > 0) yield head;
  for (;;) {
    const { value, done } = await rest.next();
    if (done === true) return;
    yield value;
  }
}

async function* unpack(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const source = Readable.from(packed, { objectMode: false, highWaterMark: chunkBytes });
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  source.on("error", (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip) as AsyncIterable<Uint8Array>;
  } finally {
    gunzip.destroy();
    source.destroy();
  }
}
