import { Buffer } from "node:buffer";
import { type BlockTable, noBlock } from "./block-table.ts";

const headBytes = 8;
const entryHeadBytes = 6;
const firstBytes = 128;

/** Longest URL that is kept, in bytes. */
export const maxUrlBytes = 8192;

export interface NumberedUrl {
  readonly number: number;
  readonly url: string;
}

/** URLs as a block holds them: the first number, then for each URL the distance of its number from the first, its length, its bytes. */
export class UrlTail {
  #bytes = Buffer.allocUnsafeSlow(firstBytes);
  #length = headBytes;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get capacity(): number {
    return this.#bytes.length;
  }

  /** The number of the first; undefined if there is none. */
  get first(): number | undefined {
    return this.#count === 0 ? undefined : this.#bytes.readDoubleLE(0);
  }

  /** The bytes of a block of these URLs. Valid until the next call. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** @param number - greater than the one before, by less than 2^32 */
  add(number: number, url: Uint8Array): void {
    const end = this.#length + entryHeadBytes + url.length;
    if (end > this.#bytes.length) {
      const longer = Buffer.allocUnsafeSlow(Math.max(end, this.#bytes.length * 2));
      longer.set(this.bytes);
      this.#bytes = longer;
    }
    if (this.#count === 0) this.#bytes.writeDoubleLE(number, 0);
    this.#bytes.writeUInt32LE(number - this.#bytes.readDoubleLE(0), this.#length);
    this.#bytes.writeUInt16LE(url.length, this.#length + 4);
    this.#bytes.set(url, this.#length + entryHeadBytes);
    this.#length = end;
    this.#count++;
  }
}

/**
 * A block of the URLs of a block and of those that follow.
 *
 * @returns undefined if their numbers are too far apart for one block
 */
export function joinUrls(block: Buffer, behind: Buffer): Buffer | undefined {
  const shift = behind.readDoubleLE(0) - block.readDoubleLE(0);
  const joined = Buffer.concat([block, behind.subarray(headBytes)]);
  for (let at = block.length; at < joined.length; ) {
    const number = joined.readUInt32LE(at) + shift;
    if (number >= 2 ** 32) return undefined;
    joined.writeUInt32LE(number, at);
    at += entryHeadBytes + joined.readUInt16LE(at + 4);
  }
  return joined;
}

export function* readUrls(bytes: Buffer): Generator<NumberedUrl, void, void> {
  const first = bytes.length < headBytes ? 0 : bytes.readDoubleLE(0);
  for (let at = headBytes; at < bytes.length; ) {
    const end = at + entryHeadBytes + bytes.readUInt16LE(at + 4);
    yield { number: first + bytes.readUInt32LE(at), url: bytes.toString("utf8", at + entryHeadBytes, end) };
    at = end;
  }
}

interface LoadedBlock {
  readonly urls: readonly NumberedUrl[];
  readonly bytes: number;
}

/** The URLs of a site with one priority, first in, first out: blocks on disk, then those that are in no block yet. */
export class UrlLane {
  readonly site: number;
  readonly lane: number;
  firstBlock: number = noBlock;
  lastBlock: number = noBlock;
  count = 0;
  tail: UrlTail | undefined;
  loaded: LoadedBlock | undefined;

  constructor(site: number, lane: number) {
    this.site = site;
    this.lane = lane;
  }

  /** The number of the URL that is next; Infinity if none waits. */
  firstNumber(table: BlockTable): number {
    if (this.firstBlock !== noBlock) return table.firstOf(this.firstBlock);
    return this.tail?.first ?? Number.POSITIVE_INFINITY;
  }

  add(number: number, url: Buffer): void {
    this.tail ??= new UrlTail();
    this.tail.add(number, url);
    this.count++;
  }

  append(block: number, table: BlockTable): void {
    if (this.lastBlock === noBlock) this.firstBlock = block;
    else table.link(this.lastBlock, block);
    this.lastBlock = block;
  }

  /** Takes out a block, wherever it is; without effect if it is not there. O(blocks before it). */
  remove(block: number, table: BlockTable): void {
    let before = noBlock;
    for (let at = this.firstBlock; at !== noBlock; before = at, at = table.nextOf(at)) {
      if (at !== block) continue;
      const next = table.nextOf(at);
      if (before === noBlock) this.firstBlock = next;
      else table.link(before, next);
      if (next === noBlock) this.lastBlock = before;
      table.link(block, noBlock);
      return;
    }
  }

  *blocks(table: BlockTable): Generator<number, void, void> {
    for (let at = this.firstBlock; at !== noBlock; at = table.nextOf(at)) yield at;
  }
}

/** The first blocks of lanes, as many as a bound on memory allows; the least recently used is dropped first. */
export class LoadedBlocks {
  readonly #maxBytes: number;
  readonly #lanes = new Set<UrlLane>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The first block of a lane, read if it is not in memory. */
  of(lane: UrlLane, read: (block: number) => Buffer): LoadedBlock {
    this.#lanes.delete(lane);
    this.#lanes.add(lane);
    if (lane.loaded !== undefined) return lane.loaded;
    const bytes = read(lane.firstBlock);
    const loaded = { urls: [...readUrls(bytes)], bytes: bytes.length * 2 };
    lane.loaded = loaded;
    this.#bytes += loaded.bytes;
    for (const oldest of this.#lanes) {
      if (this.#bytes <= this.#maxBytes || oldest === lane) break;
      this.drop(oldest);
    }
    return loaded;
  }

  drop(lane: UrlLane): void {
    this.#bytes -= lane.loaded?.bytes ?? 0;
    lane.loaded = undefined;
    this.#lanes.delete(lane);
  }
}
