import { once } from "node:events";
import { createWriteStream, readSync, type WriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { deflateSync, inflateSync, type ZlibOptions } from "node:zlib";
import { wrapSystemError } from "../../core/index.ts";
import { maxPathLength } from "../../formats/url/index.ts";
import { adoptFile, renameDurably, temporaryName } from "../../fs/index.ts";
import { decodePages, PageEncoder } from "./page-codec.ts";
import type { PublishedPage, RememberedPage } from "./published-page.ts";

/** First line of a file of pages. */
export const blocksHeader = "tidemark-blocks 1\n";

/**
 * Encoded pages a block, in bytes; some five hundred pages. Whoever looks for one page unpacks one block: blocks of
 * 64 KiB make a file a tenth smaller and a look three times as slow.
 */
const blockBytes: number = 16 * 1024;

/** Largest block that is read; one record has at most 26 KB. */
const maxBlockBytes = 1024 * 1024;

/** Before each block: packed bytes, pages, and bytes of the first page's path, as 32 bits; then that path. */
const headBytes = 12;

/** Paths that are longer take a second read. */
const usualPathBytes = 244;

/** Where a block lies in its file. */
export interface Block {
  /** Path of its first page: the block holds what is from here on up to the next block's. */
  readonly firstPath: string;
  /** Offset of its packed bytes. */
  readonly offset: number;
  readonly packedBytes: number;
  readonly pages: number;
}

/** Writes what goes before a block; the block behind the last has no bytes, all pages' count and no path. */
export function formatBlockHead(packedBytes: number, pages: number, firstPath: string): Buffer {
  const head = Buffer.allocUnsafe(headBytes + firstPath.length);
  head.writeUInt32LE(packedBytes, 0);
  head.writeUInt32LE(pages, 4);
  head.writeUInt32LE(firstPath.length, 8);
  head.write(firstPath, headBytes, "latin1");
  return head;
}

/**
 * Reads where a file's blocks lie. Some hundred bytes are read a block, O(pages / 500).
 *
 * @throws RangeError if it is not a whole file of pages
 */
export function readBlocks(fd: number): Block[] {
  const header = readAt(fd, 0, blocksHeader.length);
  if (header.toString("latin1") !== blocksHeader) throw new RangeError("not a file of pages");
  const blocks: Block[] = [];
  let pages = 0;
  for (let at = blocksHeader.length; ; ) {
    const head = readUpTo(fd, at, headBytes + usualPathBytes);
    if (head.length < headBytes) throw new RangeError("it ends too early");
    const packedBytes = head.readUInt32LE(0);
    const count = head.readUInt32LE(4);
    const pathBytes = head.readUInt32LE(8);
    if (packedBytes > maxBlockBytes || pathBytes > maxPathLength) throw new RangeError("a block too large");
    const offset = at + headBytes + pathBytes;
    const isRead = head.length >= headBytes + pathBytes;
    const path = isRead ? head.subarray(headBytes, headBytes + pathBytes) : readAt(fd, at + headBytes, pathBytes);
    const firstPath = path.toString("latin1");
    const before = blocks.at(-1);
    if (packedBytes === 0) {
      if (count !== pages || pathBytes > 0 || readSync(fd, head, 0, 1, offset) > 0)
        throw new RangeError("another end than was written");
      return blocks;
    }
    if (before !== undefined && firstPath <= before.firstPath) throw new RangeError("blocks out of order");
    blocks.push({ firstPath, offset, packedBytes, pages: count });
    pages += count;
    at = offset + packedBytes;
  }
}

/** Reads the pages of a block. @throws RangeError if they are not what the file's heads say */
export function readBlock(fd: number, block: Block): RememberedPage[] {
  const packed = readAt(fd, block.offset, block.packedBytes);
  // Unpacking a block takes less time than the way to another thread and back.
  const pages = decodePages(inflateSync(packed, { maxOutputLength: maxBlockBytes }));
  if (pages.length !== block.pages || pages[0]?.path !== block.firstPath)
    throw new RangeError("a block that does not belong to its head");
  return pages;
}

function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = readUpTo(fd, position, length);
  if (bytes.length < length) throw new RangeError("it ends too early");
  return bytes;
}

/** Reads fewer bytes only where the file ends. */
function readUpTo(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  for (let read = -1; read !== 0 && filled < length; filled += read)
    read = readSync(fd, bytes, filled, length - filled, position + filled);
  return bytes.subarray(0, filled);
}

/** Bytes that may be on their way to the disk, so that the scan need not wait. */
const maxWaitingBytes = 1024 * 1024;
// A block is as long as this window; compressing one takes less time than the way to another thread and back.
const packing: ZlibOptions = { level: 1, windowBits: 14 };

/** Writes remembered pages, in path order, to a temporary file that is kept or dropped at the end. */
export class PageWriter {
  readonly #encoder: PageEncoder = new PageEncoder(blockBytes);
  /** Where the pages are, whole once {@link end} was awaited, until {@link commit}. */
  readonly path: string;
  readonly #file: WriteStream;
  readonly #written: Promise<void>;
  #firstPath = "";
  #count = 0;

  constructor(folder: string) {
    this.path = temporaryName(join(folder, "pages"));
    const file = createWriteStream(this.path, {
      flags: "wx",
      mode: 0o600,
      flush: true,
      highWaterMark: maxWaitingBytes,
    });
    file.once("open", (fd) => {
      try {
        adoptFile(fd, folder);
      } catch (error) {
        file.destroy(error as Error);
      }
    });
    file.write(blocksHeader, "latin1");
    this.#file = file;
    this.#written = finished(file).catch((error: unknown) => {
      throw wrapSystemError(error, `write ${this.path}`, { path: this.path });
    });
    this.#written.catch(() => undefined);
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
    if (this.#file.errored !== null) await this.#written;
    else if (this.#file.writableNeedDrain) await Promise.race([once(this.#file, "drain"), this.#written]);
  }

  /** Ends the list and makes it durable under its temporary name. */
  async end(): Promise<void> {
    if (this.#encoder.count > 0) this.#cut();
    this.#file.end(formatBlockHead(0, this.#count, ""));
    await this.#written;
  }

  /** Gives the list its name. */
  async commit(path: string): Promise<void> {
    await renameDurably(this.path, path);
  }

  /** Drops what is not committed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#file.destroy();
    await this.#written.catch(() => undefined);
    await rm(this.path, { force: true });
  }

  #step(path: string): boolean {
    if (this.#encoder.count === 1) this.#firstPath = path;
    this.#count += 1;
    if (this.#encoder.sizeBytes >= blockBytes) this.#cut();
    return this.#file.writableNeedDrain;
  }

  #cut(): void {
    const { count } = this.#encoder;
    const packed = deflateSync(this.#encoder.finish(), packing);
    this.#file.write(formatBlockHead(packed.length, count, this.#firstPath));
    this.#file.write(packed);
  }
}
