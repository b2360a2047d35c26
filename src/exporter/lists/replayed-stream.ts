import { Readable } from "node:stream";
import { TidemarkError } from "../../core/index.ts";
import { SpillFile } from "../../fs/index.ts";

const pieceBytes = 256 * 1024;

/** What was spilled so far, from the beginning. */
export async function* readSpilled(file: SpillFile): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < file.sizeBytes; ) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, file.sizeBytes - position));
    const length = file.read(piece, 0, piece.length, position);
    if (length === 0) throw new RangeError("a file became shorter");
    position += length;
    yield piece.subarray(0, length);
  }
}

/**
 * Bytes that come once, such as those of standard input, to be read as often as an export begins anew: what came is
 * kept on disk, in a file without a name.
 */
export class ReplayedStream implements AsyncDisposable {
  readonly #stream: AsyncIterable<Uint8Array>;
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #signal: AbortSignal | undefined;
  readonly #copy: SpillFile;
  #isEnded = false;

  /**
   * @param spillFolder - where the copy is kept
   * @param signal - ends a wait for bytes that do not come
   */
  constructor(stream: AsyncIterable<Uint8Array>, spillFolder: string, signal?: AbortSignal) {
    this.#stream = stream;
    this.#signal = signal;
    this.#source = stream[Symbol.asyncIterator]();
    this.#copy = new SpillFile(spillFolder);
  }

  /** Reads from the beginning; one reading at a time. @throws TidemarkError `aborted`, `disk-full`, `no-permission` */
  async *read(): AsyncGenerator<Uint8Array> {
    yield* readSpilled(this.#copy);
    while (!this.#isEnded) {
      const next = await this.#next();
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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#copy[Symbol.dispose]();
    // The iterator of a stream whose bytes do not come would not return either.
    if (this.#stream instanceof Readable) this.#stream.destroy();
    else if (this.#signal?.aborted !== true) await this.#source.return?.();
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    const signal = this.#signal;
    if (signal === undefined) return await this.#source.next();
    let stop = (): void => undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(new TidemarkError("aborted", "Stopped before anything was published."));
    });
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
    try {
      return await Promise.race([stopped, this.#source.next()]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}
