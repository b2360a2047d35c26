import { createHash, type Hash } from "node:crypto";
import { closeSync, createReadStream, fsync, ftruncateSync, openSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { createGzip, gzip as gzipLater } from "node:zlib";
import { digestBytes, wrapSystemError } from "../../core/index.ts";
import { formatWarcHead, type WarcHead, warcRecordEnd } from "../../formats/warc/index.ts";
import { BodyFile } from "../../fs/index.ts";

const gzip = promisify(gzipLater);
const sync = promisify(fsync);
const ending = Buffer.from(warcRecordEnd, "latin1");

const maxInMemoryBytes = 256 * 1024;
const pieceBytes = 256 * 1024;

/** A body that is being recorded, with its digests: in memory while it is small, then in a file. */
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
      // A copy: the piece is the connection's.
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

  async *read(): AsyncGenerator<Buffer, void, void> {
    if (this.#file === undefined) yield* this.#pieces;
    else yield* createReadStream(this.#file.file, { highWaterMark: pieceBytes }) as AsyncIterable<Buffer>;
  }

  discard(): void {
    this.#pieces = [];
    this.#file?.discard();
  }
}

/** A record that is to be written; its block is `start` and then the body. */
export interface NewRecord {
  readonly head: Omit<WarcHead, "lengthBytes">;
  readonly start: Uint8Array;
  readonly body?: SpooledBody;
}

/** Where a record begins in its file, in bytes. */
export interface RecordPlace {
  readonly file: string;
  readonly offset: number;
}

/** A WARC file that is being written, each record a gzip member of its own. One caller at a time. */
export class WarcFile {
  readonly path: string;
  readonly #fd: number;
  #sizeBytes: number;

  /** @param sizeBytes - of a file that is there, to be gone on with after so much. Default: a new one is begun */
  constructor(path: string, sizeBytes?: number) {
    this.path = path;
    this.#sizeBytes = sizeBytes ?? 0;
    try {
      this.#fd = openSync(path, sizeBytes === undefined ? "wx" : "r+", 0o644);
    } catch (error) {
      throw wrapSystemError(error, `write ${path}`, { file: path });
    }
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Adds a record. If it cannot be written wholly, nothing of it stays. @returns where it begins */
  async append({ head, start, body }: NewRecord): Promise<number> {
    const begin = this.#sizeBytes;
    const lengthBytes = start.length + (body?.sizeBytes ?? 0);
    const lead = Buffer.concat([formatWarcHead({ ...head, lengthBytes }), start]);
    const small = body === undefined ? Buffer.alloc(0) : body.inMemory;
    try {
      if (small !== undefined) this.#write(await gzip(Buffer.concat([lead, small, ending])));
      else await this.#appendLarge(lead, body);
    } catch (error) {
      this.#sizeBytes = begin;
      try {
        ftruncateSync(this.#fd, begin);
      } catch {
        // The next run cuts it off.
      }
      throw wrapSystemError(error, `write ${this.path}`, { file: this.path });
    }
    return begin;
  }

  async flush(): Promise<void> {
    try {
      await sync(this.#fd);
    } catch (error) {
      throw wrapSystemError(error, `write ${this.path}`, { file: this.path });
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  async #appendLarge(lead: Buffer, body: SpooledBody | undefined): Promise<void> {
    const packer = createGzip();
    const feed = async (): Promise<void> => {
      const write = async (piece: Buffer): Promise<void> => {
        if (!packer.write(piece)) await new Promise<void>((resolve) => packer.once("drain", resolve));
      };
      await write(lead);
      for await (const piece of body?.read() ?? []) await write(piece);
      packer.end(ending);
    };
    const fed = feed().catch((error: Error) => packer.destroy(error));
    for await (const piece of packer as AsyncIterable<Buffer>) this.#write(piece);
    await fed;
  }

  #write(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      const written = writeSync(this.#fd, piece, at, piece.length - at, this.#sizeBytes);
      at += written;
      this.#sizeBytes += written;
    }
  }
}
