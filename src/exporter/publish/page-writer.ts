import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync, type ZlibOptions } from "node:zlib";
import { wrapSystemError } from "../../core/index.ts";
import { adoptFile, renameDurably, temporaryName } from "../../fs/index.ts";
import { blockBytes, blocksHeader, formatBlockHead } from "./page-blocks.ts";
import { PageEncoder } from "./page-codec.ts";
import type { PublishedPage } from "./published-page.ts";

/** Bytes that are written at a time. */
const pieceBytes = 256 * 1024;
/** Pieces that may be on their way to the disk, so that the scan need not wait. */
const maxInFlight = 4;
// A block is as long as this window; compressing one takes less time than the way to another thread and back.
const packing: ZlibOptions = { level: 1, windowBits: 14 };

/** Writes remembered pages, in path order, to a temporary file that is kept or dropped at the end. */
export class PageWriter {
  readonly #encoder: PageEncoder = new PageEncoder(blockBytes);
  readonly #temporary: string;
  readonly #file: Promise<FileHandle>;
  #firstPath = "";
  #count = 0;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #inFlight = 0;
  #tail: Promise<void>;
  #failure: unknown;
  #isClosed = false;

  constructor(folder: string) {
    this.#temporary = temporaryName(join(folder, "pages"));
    this.#file = open(this.#temporary, "wx", 0o600).then((file) => {
      adoptFile(file.fd, folder);
      return file;
    });
    this.#tail = this.#write(Buffer.from(blocksHeader, "latin1"));
  }

  /** Where the pages are, whole once {@link end} was awaited, until {@link commit}. */
  get path(): string {
    return this.#temporary;
  }

  /** How many were added. */
  get count(): number {
    return this.#count;
  }

  /** Appends a page. @returns whether {@link drain} must be awaited before the next */
  add(page: PublishedPage): boolean {
    this.#encoder.add(page);
    return this.#step(page.path);
  }

  /** Appends that a page is there no more. @returns whether {@link drain} must be awaited before the next */
  addGone(path: string): boolean {
    this.#encoder.addGone(path);
    return this.#step(path);
  }

  /** Waits until there is room for more. */
  async drain(): Promise<void> {
    if (this.#inFlight >= maxInFlight) await this.#tail;
    this.#check();
  }

  /** Ends the list and makes it durable under its temporary name. */
  async end(): Promise<void> {
    if (this.#encoder.count > 0) this.#cut();
    this.#append(formatBlockHead(0, this.#count, ""));
    this.#send();
    await this.#tail;
    this.#check();
    const file = await this.#file;
    await file.sync();
    await this.#close();
  }

  /** Gives the list its name. */
  async commit(path: string): Promise<void> {
    await renameDurably(this.#temporary, path);
  }

  /** Drops what is not committed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tail;
    await this.#close();
    await rm(this.#temporary, { force: true });
  }

  #step(path: string): boolean {
    if (this.#encoder.count === 1) this.#firstPath = path;
    this.#count += 1;
    if (this.#encoder.sizeBytes >= blockBytes) this.#cut();
    return this.#inFlight >= maxInFlight;
  }

  #cut(): void {
    const { count } = this.#encoder;
    const packed = deflateSync(this.#encoder.finish(), packing);
    this.#append(formatBlockHead(packed.length, count, this.#firstPath), packed);
    if (this.#waitingBytes >= pieceBytes) this.#send();
  }

  #append(...pieces: readonly Buffer[]): void {
    for (const piece of pieces) {
      this.#waiting.push(piece);
      this.#waitingBytes += piece.length;
    }
  }

  #send(): void {
    const piece = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#inFlight += 1;
    this.#tail = this.#tail.then(async () => {
      await this.#write(piece);
      this.#inFlight -= 1;
    });
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      const file = await this.#file;
      for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
    } catch (error) {
      this.#failure = error;
    }
  }

  async #close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#file.then(
      (file) => file.close(),
      () => undefined,
    );
  }

  #check(): void {
    if (this.#failure !== undefined)
      throw wrapSystemError(this.#failure, `write ${this.#temporary}`, { path: this.#temporary });
  }
}
