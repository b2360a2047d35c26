import { Buffer } from "node:buffer";
import { closeSync, fdatasyncSync, openSync } from "node:fs";
import { crc32 } from "node:zlib";
import { wrapSystemError } from "../../core/index.ts";
import { readAt, writeWhole } from "../../fs/index.ts";
import { corrupt, openRecord, sealRecord } from "./record-file.ts";

const hashesABlock = 512;
const blocksAPiece = 128;
const blockBytes = hashesABlock * 8;

function bytesOf(array: Float64Array | Uint32Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

function hashesOf(bytes: Buffer): Float64Array {
  const hashes = new Float64Array(bytes.length / 8);
  bytes.copy(bytesOf(hashes));
  return hashes;
}

/** The place of the first element that is not below a value. */
function lowerBound(sorted: Float64Array, value: number, from: number): number {
  let low = from;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Numbers of URLs in ascending order, in a file that is written once; 12 bytes of memory for 512. */
export class HashRun implements Disposable {
  readonly path: string;
  readonly count: number;
  readonly #fd: number;
  /** By block: its first number, and its CRC-32. */
  readonly #firsts: Float64Array;
  readonly #checks: Uint32Array;

  /**
   * Opens a run.
   *
   * @throws TidemarkError `state-corrupt` if it is not what was written
   */
  constructor(path: string, count: number) {
    this.path = path;
    this.count = count;
    const blocks = Math.ceil(count / hashesABlock);
    try {
      this.#fd = openSync(path, "r");
    } catch (error) {
      throw wrapSystemError(error, `read ${path}`, { path });
    }
    const tail = openRecord(readAt(this.#fd, count * 8, blocks * 12 + 8), 0);
    if (tail?.length !== blocks * 12) throw corrupt(path);
    this.#firsts = hashesOf(tail.subarray(0, blocks * 8));
    this.#checks = new Uint32Array(blocks);
    tail.copy(bytesOf(this.#checks), 0, blocks * 8);
  }

  /** Writes numbers that come in order, and makes them durable. @returns how many they are */
  static write(path: string, pieces: Iterable<Float64Array>): number {
    const firsts: number[] = [];
    const checks: number[] = [];
    let count = 0;
    const fd = openSync(path, "w", 0o644);
    try {
      for (const piece of blocksOf(pieces)) {
        for (let at = 0; at < piece.length; at += hashesABlock) {
          firsts.push(piece[at] as number);
          checks.push(crc32(bytesOf(piece.subarray(at, at + hashesABlock))));
        }
        writeWhole(fd, bytesOf(piece));
        count += piece.length;
      }
      const tail = [bytesOf(Float64Array.from(firsts)), bytesOf(Uint32Array.from(checks))];
      writeWhole(fd, sealRecord(Buffer.concat(tail)));
      fdatasyncSync(fd);
    } catch (error) {
      throw wrapSystemError(error, `write ${path}`, { path });
    } finally {
      closeSync(fd);
    }
    return count;
  }

  /** Marks which of some numbers it has. Reads each block that may have one once. @param wanted - in order */
  find(wanted: Float64Array, isFound: Uint8Array): void {
    let block = -1;
    let hashes: Float64Array = new Float64Array(0);
    let from = 0;
    for (const [at, hashed] of wanted.entries()) {
      const next = this.#blockOf(hashed, Math.max(0, block));
      if (next < 0) continue;
      if (next !== block) {
        block = next;
        hashes = this.#read(block, 1);
        from = 0;
      }
      from = lowerBound(hashes, hashed, from);
      if (hashes[from] === hashed) isFound[at] = 1;
    }
  }

  *pieces(): Generator<Float64Array, void, void> {
    for (let block = 0; block < this.#firsts.length; block += blocksAPiece) yield this.#read(block, blocksAPiece);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  /** The last block that begins at a number or before it, not before another block; -1 if there is none. */
  #blockOf(hashed: number, from: number): number {
    const next = lowerBound(this.#firsts, hashed, from);
    return this.#firsts[next] === hashed ? next : next - 1;
  }

  #read(block: number, blocks: number): Float64Array {
    const from = block * hashesABlock;
    const count = Math.min(blocks * hashesABlock, this.count - from);
    const bytes = readAt(this.#fd, from * 8, count * 8);
    for (let at = 0; at < bytes.length; at += blockBytes) {
      const check = this.#checks[block + at / blockBytes];
      if (crc32(bytes.subarray(at, at + blockBytes)) !== check) throw corrupt(this.path);
    }
    if (bytes.length !== count * 8) throw corrupt(this.path);
    return hashesOf(bytes);
  }
}

/** The same numbers in pieces of whole blocks, but for the last. */
function* blocksOf(pieces: Iterable<Float64Array>): Generator<Float64Array, void, void> {
  let full = new Float64Array(hashesABlock * blocksAPiece);
  let filled = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + full.length - filled);
      full.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < full.length) continue;
      yield full;
      full = new Float64Array(full.length);
      filled = 0;
    }
  }
  if (filled > 0) yield full.subarray(0, filled);
}

export function* mergeHashes(
  a: Iterable<Float64Array>,
  b: Iterable<Float64Array>,
): Generator<Float64Array, void, void> {
  const lists = [a[Symbol.iterator](), b[Symbol.iterator]()] as const;
  const open = lists.map((list) => ({ list, piece: new Float64Array(0), at: 0 }));
  const out = new Float64Array(hashesABlock * blocksAPiece);
  const refill = (one: (typeof open)[number]): boolean => {
    while (one.at === one.piece.length) {
      const next = one.list.next();
      if (next.done === true) return false;
      one.piece = next.value as Float64Array<ArrayBuffer>;
      one.at = 0;
    }
    return true;
  };
  const [left, right] = open;
  if (left === undefined || right === undefined) return;
  while (refill(left) && refill(right)) {
    let filled = 0;
    const { piece: x } = left;
    const { piece: y } = right;
    while (left.at < x.length && right.at < y.length && filled < out.length) {
      const isLeft = (x[left.at] as number) <= (y[right.at] as number);
      out[filled++] = (isLeft ? x[left.at++] : y[right.at++]) as number;
    }
    yield out.subarray(0, filled);
  }
  for (const one of open)
    while (refill(one)) {
      yield one.piece.subarray(one.at);
      one.at = one.piece.length;
    }
}
