import { readSync } from "node:fs";
import { maxPathLength } from "../../formats/url/index.ts";
import { decodePages } from "./page-codec.ts";
import type { RememberedPage } from "./published-page.ts";

/** First line of a file of pages. */
export const blocksHeader = "tidemark-blocks 1\n";

/**
 * Encoded pages a block, in bytes; some five hundred pages. Whoever looks for one page unpacks one block: blocks of
 * 64 KiB make a file a tenth smaller and a look three times as slow.
 */
export const blockBytes: number = 16 * 1024;

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

/** Reads a block's packed bytes. */
export function readPacked(fd: number, { offset, packedBytes }: Block): Buffer {
  return readAt(fd, offset, packedBytes);
}

/** Reads a block's pages from its unpacked bytes. @throws RangeError if they are not what the file's heads say */
export function decodeBlock(bytes: Buffer, block: Block): RememberedPage[] {
  const pages = decodePages(bytes);
  if (pages.length !== block.pages || pages[0]?.path !== block.firstPath)
    throw new RangeError("a block that does not belong to its head");
  return pages;
}

/** Bounds what a block may unpack to. */
export const unpackOptions: { readonly maxOutputLength: number } = { maxOutputLength: maxBlockBytes };

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
