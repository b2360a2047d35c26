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
  const options = { objectMode: false, highWaterMark: pieceBytes };
  const stream = typeof input === "string" ? createReadStream(input, options) : Readable.from(input, options);
  const pieces: AsyncIterableIterator<Buffer> = stream[Symbol.asyncIterator]();
  let total = 0;
  try {
    let head: Buffer = Buffer.alloc(0);
    while (head.length < 2) {
      const piece = await pieces.next();
      if (piece.done === true) break;
      head = Buffer.concat([head, piece.value]);
    }
    const whole = (async function* () {
      yield head;
      yield* pieces;
    })();
    for await (const piece of head[0] === 0x1f && head[1] === 0x8b ? unpack(whole) : whole) {
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

/** Longest line of a list, in bytes. */
export const maxListLineBytes: number = 64 * 1024;

/** Cuts bytes into lines, ended by LF or CRLF, one character a byte. */
export class ListLines {
  readonly #onLine: (line: string | undefined) => void;
  #rest = "";
  #isTooLong = false;

  /** @param onLine - is given each line; undefined for one that is longer than {@link maxListLineBytes} */
  constructor(onLine: (line: string | undefined) => void) {
    this.#onLine = onLine;
  }

  add(chunk: Buffer): void {
    const text = this.#rest + chunk.toString("latin1");
    let from = 0;
    for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
      this.#give(text, from, to);
      from = to + 1;
    }
    this.#rest = from === 0 ? text : text.slice(from);
    if (this.#rest.length <= maxListLineBytes) return;
    this.#isTooLong = true;
    this.#rest = "";
  }

  /** Gives the last line, if it has no end. */
  end(): void {
    if (this.#rest !== "" || this.#isTooLong) this.#give(this.#rest, 0, this.#rest.length);
    this.#rest = "";
  }

  #give(text: string, from: number, to: number): void {
    const isTooLong = this.#isTooLong || to - from > maxListLineBytes;
    this.#isTooLong = false;
    const end = to > from && text.charCodeAt(to - 1) === 13 ? to - 1 : to;
    this.#onLine(isTooLong ? undefined : text.slice(from, end));
  }
}
