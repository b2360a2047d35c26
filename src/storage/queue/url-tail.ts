import { Buffer } from "node:buffer";

const headBytes = 8;
const entryHeadBytes = 6;
const firstBytes = 128;

/** Longest URL that is kept, in bytes. */
export const maxUrlBytes = 8192;

/** A URL with its number. */
export interface NumberedUrl {
  readonly number: number;
  readonly url: string;
}

/** URLs as they stand in a block: the first number, then of each how far its number is from that, its length, its bytes. */
export class UrlTail {
  #bytes = Buffer.allocUnsafeSlow(firstBytes);
  #length = headBytes;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Bytes of memory that it takes. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /** The number of the first; undefined if there is none. */
  get first(): number | undefined {
    return this.#count === 0 ? undefined : this.#bytes.readDoubleLE(0);
  }

  /** What a block of these URLs consists of. Valid until the next call. */
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

  /** A tail as it was, from its bytes. */
  static from(bytes: Buffer): UrlTail {
    const tail = new UrlTail();
    for (const { number, url } of readUrls(bytes)) tail.add(number, Buffer.from(url));
    return tail;
  }
}

/**
 * A block of the URLs of one and of those that come behind them.
 *
 * @returns undefined if their numbers are so far from each other that one block cannot have them
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

/** The URLs of a block or a tail, in order. */
export function* readUrls(bytes: Buffer): Generator<NumberedUrl, void, void> {
  const first = bytes.length < headBytes ? 0 : bytes.readDoubleLE(0);
  for (let at = headBytes; at < bytes.length; ) {
    const end = at + entryHeadBytes + bytes.readUInt16LE(at + 4);
    yield { number: first + bytes.readUInt32LE(at), url: bytes.toString("utf8", at + entryHeadBytes, end) };
    at = end;
  }
}
