import { closeSync, fstatSync, openSync } from "node:fs";
import { Readable } from "node:stream";
import { RandomAccessReader } from "yauzl";
import { readAt } from "../../fs/index.ts";

const pieceBytes = 64 * 1024;

/**
 * A file for yauzl. Its own reader hands the system any position that a file names: one beyond 2^53 is an exception in a
 * callback there, which ends the process.
 */
export class FileReader extends RandomAccessReader implements Disposable {
  readonly #fd: number;
  readonly #sizeBytes: number;

  /** @throws what the file system says */
  constructor(file: string) {
    super();
    this.#fd = openSync(file, "r");
    this.#sizeBytes = fstatSync(this.#fd).size;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    let failure: Error | null = null;
    try {
      this.bytes(position, position + length).copy(buffer, offset);
    } catch (error) {
      failure = error as Error;
    }
    // Not at once: reading a hundred thousand headers would recurse as deeply.
    setImmediate(callback, failure);
  }

  /** The bytes from `start` to before `end`. @throws Error if the file has not so many */
  bytes(start: number, end: number): Buffer {
    const bytes = readAt(this.#fd, start, end - start);
    if (bytes.length < end - start) throw new Error("the file is cut off");
    return bytes;
  }

  /** Streams the bytes from `start` to before `end`. */
  stream(start: number, end: number): Readable {
    return Readable.from(this.#pieces(start, end), { objectMode: false, highWaterMark: pieceBytes });
  }

  /** Does nothing: whoever opened the file closes it. */
  override close(callback: (error: Error | null) => void): void {
    setImmediate(callback, null);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  *#pieces(start: number, end: number): Generator<Buffer, void, void> {
    for (let at = start; at < end; at += pieceBytes) yield this.bytes(at, Math.min(at + pieceBytes, end));
  }
}
