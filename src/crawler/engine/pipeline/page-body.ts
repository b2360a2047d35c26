import { type Bodies, type BodySink, type BodyWriter, type Codec, grow, type PageDigest } from "../../../core/index.ts";

/** Larger bodies go to a file as they come. */
export const maxBytesInMemory: number = 256 * 1024;

/** A body as it comes, with its digest: in memory while it is small, then in a file. */
export class PageBody implements BodySink, Disposable {
  readonly #bodies: Bodies;
  readonly #codec: Codec;
  /** Of what goes to a file; a small body is hashed once it is whole. */
  #digest: PageDigest | undefined;
  #bytes: Uint8Array = new Uint8Array(0);
  #writer: BodyWriter | undefined;
  sizeBytes = 0;

  constructor(bodies: Bodies, codec: Codec) {
    this.#bodies = bodies;
    this.#codec = codec;
  }

  write(chunk: Uint8Array): void {
    const start = this.sizeBytes;
    this.sizeBytes += chunk.length;
    if (this.#writer === undefined && this.sizeBytes <= maxBytesInMemory) {
      // The piece is only valid during the call.
      if (start === 0) this.#bytes = new Uint8Array(chunk);
      else {
        this.#bytes = grow(this.#bytes, this.sizeBytes);
        this.#bytes.set(chunk, start);
      }
      return;
    }
    if (this.#writer === undefined) {
      this.#writer = this.#bodies.open();
      this.#digest = this.#codec.createDigest();
      this.#append(this.#bytes.subarray(0, start));
      this.#bytes = new Uint8Array(0);
    }
    this.#append(chunk);
  }

  /** Takes a whole body that stays valid, in place of pieces. */
  set(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.sizeBytes = bytes.length;
  }

  /** What came, to be kept; once only. */
  content(): Uint8Array | BodyWriter {
    return this.#writer ?? this.#bytes.subarray(0, this.sizeBytes);
  }

  /** Reads what came. */
  read(): Uint8Array {
    return this.#writer?.read() ?? this.#bytes.subarray(0, this.sizeBytes);
  }

  /** The digest of what came; once only. */
  digest(): string {
    return this.#digest?.digest() ?? this.#codec.digestOf(this.read());
  }

  [Symbol.dispose](): void {
    this.#writer?.discard();
  }

  #append(piece: Uint8Array): void {
    this.#digest?.update(piece);
    this.#writer?.write(piece);
  }
}
