import { once } from "node:events";
import { createReadStream, createWriteStream, type ReadStream, type WriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TransformOptions } from "node:stream";
import { finished } from "node:stream/promises";
import { createGunzip, createGzip, type Gzip, type ZlibOptions } from "node:zlib";
import { TidemarkError, wrapSystemError } from "../model/index.ts";
import { temporaryName } from "./durable-file.ts";
import { PageDecoder, PageEncoder } from "./page-codec.ts";
import type { PublishedPage } from "./published-page.ts";

const pieceBytes = 256 * 1024;

/** Steps through remembered pages in path order. */
export class PageReader {
  readonly #file: ReadStream | undefined;
  readonly #pieces: AsyncIterator<Uint8Array> | undefined;
  readonly #decoder: PageDecoder = new PageDecoder();
  readonly #path: string | undefined;
  #pages: PublishedPage[] = [];
  #at = 0;

  /** @param path - the list's file; undefined reads as an empty list */
  constructor(path: string | undefined) {
    this.#path = path;
    if (path === undefined) return;
    const file = createReadStream(path, { highWaterMark: pieceBytes });
    this.#file = file;
    const unpacked = createGunzip({ chunkSize: pieceBytes });
    file.on("error", (error) => unpacked.destroy(error));
    this.#pieces = file.pipe(unpacked)[Symbol.asyncIterator]();
  }

  /** The page that is next, once {@link fill} was awaited; undefined at the end. */
  get head(): PublishedPage | undefined {
    return this.#pages[this.#at];
  }

  /** Goes to the next page. @returns whether {@link fill} must be awaited before {@link head} is read */
  step(): boolean {
    this.#at += 1;
    return this.#at >= this.#pages.length;
  }

  /** Reads on until there is a page, or the end. @throws TidemarkError `state-corrupt` */
  async fill(): Promise<void> {
    this.#pages = [];
    this.#at = 0;
    while (this.#pages.length === 0 && this.#pieces !== undefined) {
      try {
        const piece = await this.#pieces.next();
        if (piece.done === true) {
          if (!this.#decoder.ended) throw new RangeError("it ends too early");
          return;
        }
        this.#decoder.decode(piece.value, this.#pages);
      } catch (error) {
        throw new TidemarkError(
          "state-corrupt",
          `The list of pages ${this.#path} cannot be read: ${(error as Error).message}`,
          {
            hint: "Move the state folder away; the next export begins a new epoch.",
            cause: error,
          },
        );
      }
    }
  }

  /** Stops reading. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pieces?.return?.();
    this.#file?.destroy();
  }
}

// Some pieces may wait to be compressed, so that the scan need not.
const gzipOptions: ZlibOptions & TransformOptions = { level: 1, highWaterMark: 4 * pieceBytes };

/** Writes remembered pages, in path order, to a temporary file that is kept or dropped at the end. */
export class PageWriter {
  readonly #encoder: PageEncoder = new PageEncoder(pieceBytes);
  readonly #temporary: string;
  readonly #gzip: Gzip = createGzip(gzipOptions);
  readonly #file: WriteStream;
  readonly #done: Promise<void>;
  #failure: unknown;
  #count = 0;
  #open = true;

  constructor(folder: string) {
    this.#temporary = temporaryName(join(folder, "pages"));
    const file = createWriteStream(this.#temporary, { flags: "wx", mode: 0o600 });
    this.#file = file;
    this.#gzip.on("error", (error) => file.destroy(error));
    this.#gzip.pipe(file);
    this.#done = finished(file).catch((error: unknown) => {
      this.#failure = error;
      this.#gzip.destroy();
    });
  }

  /** Where the pages are until {@link commit}. */
  get path(): string {
    return this.#temporary;
  }

  get count(): number {
    return this.#count;
  }

  /** Appends a page. @returns whether {@link drain} must be awaited before the next */
  add(page: PublishedPage): boolean {
    this.#encoder.add(page);
    this.#count += 1;
    return this.#encoder.pendingBytes >= pieceBytes;
  }

  /** Hands what was added to the disk, as fast as that takes it. */
  async drain(): Promise<void> {
    const isFull = !this.#gzip.write(this.#encoder.take());
    if (isFull && this.#failure === undefined)
      await Promise.race([once(this.#gzip, "drain").catch(() => undefined), this.#done]);
    this.#check();
  }

  /** Ends the list and makes it durable under its temporary name. */
  async end(): Promise<void> {
    this.#encoder.end(this.#count);
    this.#gzip.end(this.#encoder.take());
    await this.#done;
    this.#open = false;
    this.#check();
    const handle = await open(this.#temporary, "r+");
    await handle.sync().finally(() => handle.close());
  }

  /** Gives the list its name. */
  async commit(path: string): Promise<void> {
    await rename(this.#temporary, path).catch((error: unknown) => {
      throw wrapSystemError(error, `write ${path}`, { path });
    });
  }

  /** Drops what is not committed. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#open) {
      this.#gzip.destroy();
      this.#file.destroy(); // A pipe's source that is destroyed does not end its sink.
      await this.#done;
    }
    await rm(this.#temporary, { force: true });
  }

  #check(): void {
    if (this.#failure !== undefined)
      throw wrapSystemError(this.#failure, `write ${this.#temporary}`, { path: this.#temporary });
  }
}
