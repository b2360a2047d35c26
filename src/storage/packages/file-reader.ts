import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { Readable } from "node:stream";
import { RandomAccessReader } from "yauzl";

const windowBytes = 64 * 1024;
const pieceBytes = 64 * 1024;

/**
 * A file for yauzl. Its own reader asks the system for each header of 46 bytes, and hands it any position that a
 * file names: one beyond 2^53 is an exception in a callback there, which ends the process.
 */
export class FileReader extends RandomAccessReader implements Disposable {
  readonly #fd: number;
  readonly #sizeBytes: number;
  readonly #window: Buffer = Buffer.allocUnsafeSlow(windowBytes);
  #windowAt = 0;
  #windowBytes = 0;

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
      this.#fill(buffer.subarray(offset, offset + length), position);
    } catch (error) {
      failure = error as Error;
    }
    // Not at once: reading a hundred thousand headers would recurse as deeply.
    setImmediate(callback, failure);
  }

  /** The bytes from `start` to before `end`. @throws Error if the file has not so many */
  bytes(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(end - start);
    this.#fill(bytes, start);
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
    for (let at = start; at < end; ) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, end - at));
      const read = readSync(this.#fd, piece, 0, piece.length, at);
      if (read === 0) throw new Error("the file is cut off");
      yield piece.subarray(0, read);
      at += read;
    }
  }

  #fill(into: Buffer, position: number): void {
    if (into.length > windowBytes) {
      if (readSync(this.#fd, into, 0, into.length, position) < into.length) throw new Error("the file is cut off");
      return;
    }
    if (position < this.#windowAt || position + into.length > this.#windowAt + this.#windowBytes) {
      this.#windowBytes = readSync(this.#fd, this.#window, 0, windowBytes, position);
      this.#windowAt = position;
      if (this.#windowBytes < into.length) throw new Error("the file is cut off");
    }
    this.#window.copy(into, 0, position - this.#windowAt);
  }
}
