import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { digestBytes } from "../../core/index.ts";
import { BodyFile } from "../../fs/index.ts";

const maxInMemoryBytes = 256 * 1024;
const pieceBytes = 256 * 1024;

/** A body on its way into a record: in memory while it is small, then in a file; with its digests. */
export class SpooledBody {
  readonly #newFile: () => string;
  readonly #block: Hash;
  readonly #sha1: Hash = createHash("sha1");
  readonly #sha256: Hash = createHash("sha256");
  #pieces: Buffer[] = [];
  #file: BodyFile | undefined;
  #sizeBytes = 0;

  /**
   * @param lead - what stands before the body in its record's block
   * @param newFile - names a file that is not there yet
   */
  constructor(lead: Uint8Array, newFile: () => string) {
    this.#newFile = newFile;
    this.#block = createHash("sha1").update(lead);
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  write(chunk: Uint8Array): void {
    this.#sizeBytes += chunk.length;
    this.#block.update(chunk);
    this.#sha1.update(chunk);
    this.#sha256.update(chunk);
    if (this.#file === undefined && this.#sizeBytes <= maxInMemoryBytes) {
      // The piece is the connection's; it must not be kept as it is.
      this.#pieces.push(Buffer.from(chunk));
      return;
    }
    if (this.#file === undefined) {
      this.#file = new BodyFile(this.#newFile());
      for (const piece of this.#pieces) this.#file.write(piece);
      this.#pieces = [];
    }
    this.#file.write(chunk);
  }

  /** Ends the body. @returns the SHA-1 of the block and of the body alone, and the body's digest as pages have it */
  end(): { readonly block: Buffer; readonly sha1: Buffer; readonly digest: string } {
    this.#file?.close();
    const digest = this.#sha256.digest().subarray(0, digestBytes).toString("base64url");
    return { block: this.#block.digest(), sha1: this.#sha1.digest(), digest };
  }

  /** All of it, if it is small. */
  get inMemory(): Buffer | undefined {
    return this.#file === undefined ? Buffer.concat(this.#pieces) : undefined;
  }

  /** Reads it piece by piece. */
  async *read(): AsyncGenerator<Buffer, void, void> {
    if (this.#file === undefined) yield* this.#pieces;
    else yield* createReadStream(this.#file.file, { highWaterMark: pieceBytes }) as AsyncIterable<Buffer>;
  }

  discard(): void {
    this.#pieces = [];
    this.#file?.discard();
  }
}
