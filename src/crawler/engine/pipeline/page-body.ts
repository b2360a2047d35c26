import type { Bodies, BodySink, BodyWriter, Codec, PageDigest } from "../../../core/index.ts";

/** Bodies beyond this go to a file as they come. */
const maxBytesInMemory = 256 * 1024;

/** A body as it comes, with its digest: in memory while it is small, then in a file. */
export class PageBody implements BodySink, Disposable {
  readonly #bodies: Bodies;
  readonly #codec: Codec;
  /** Of what goes to a file; a small body is hashed once it is whole. */
  #digest: PageDigest | undefined;
  #pieces: Uint8Array[] = [];
  #writer: BodyWriter | undefined;
  sizeBytes = 0;

  constructor(bodies: Bodies, codec: Codec) {
    this.#bodies = bodies;
    this.#codec = codec;
  }

  write(chunk: Uint8Array): void {
    this.#digest?.update(chunk);
    this.sizeBytes += chunk.length;
    if (this.#writer !== undefined) {
      this.#writer.write(chunk);
      return;
    }
    // The piece is only valid during the call.
    this.#pieces.push(chunk.slice());
    if (this.sizeBytes <= maxBytesInMemory) return;
    this.#writer = this.#bodies.open();
    this.#digest = this.#codec.createDigest();
    for (const piece of this.#pieces.splice(0)) {
      this.#digest.update(piece);
      this.#writer.write(piece);
    }
  }

  /** What came, to be kept; once only. */
  content(): Uint8Array | BodyWriter {
    return this.#writer ?? this.#joined();
  }

  /** Reads what came. */
  read(): Uint8Array {
    return this.#writer?.read() ?? this.#joined();
  }

  /** The digest of what came; once only. */
  digest(): string {
    return this.#digest?.digest() ?? this.#codec.digestOf(this.#joined());
  }

  [Symbol.dispose](): void {
    this.#writer?.discard();
  }

  #joined(): Uint8Array {
    const [only] = this.#pieces;
    if (only !== undefined && this.#pieces.length === 1) return only;
    const whole = new Uint8Array(this.sizeBytes);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [whole];
    return whole;
  }
}
