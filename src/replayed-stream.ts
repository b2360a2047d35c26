import { SpillFile } from "./scan/index.ts";

const pieceBytes = 256 * 1024;

/**
 * Bytes that come once, such as those of standard input, to be read as often as an export begins anew: what came is
 * kept on disk, in a file without a name.
 */
export class ReplayedStream implements AsyncDisposable {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #copy: SpillFile;
  #isEnded = false;

  /** @param spillFolder - where the copy is kept */
  constructor(stream: AsyncIterable<Uint8Array>, spillFolder: string) {
    this.#source = stream[Symbol.asyncIterator]();
    this.#copy = new SpillFile(spillFolder);
  }

  /** Reads from the beginning; one reading at a time. @throws TidemarkError `disk-full`, `no-permission` */
  async *read(): AsyncGenerator<Uint8Array> {
    for (let position = 0; position < this.#copy.sizeBytes; ) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, this.#copy.sizeBytes - position));
      const length = this.#copy.read(piece, 0, piece.length, position);
      if (length === 0) throw new RangeError("a file became shorter");
      position += length;
      yield piece.subarray(0, length);
    }
    while (!this.#isEnded) {
      const next = await this.#source.next();
      if (next.done === true) {
        this.#isEnded = true;
        return;
      }
      const piece: Uint8Array | string = next.value;
      const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
      this.#copy.append(bytes);
      yield bytes;
    }
  }

  /** Gives up the stream and the copy. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#copy[Symbol.dispose]();
    await this.#source.return?.();
  }
}
