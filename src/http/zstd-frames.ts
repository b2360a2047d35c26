const [frameMagic, skippableMagic] = [0xfd2fb528, 0x184d2a5];
const fieldBytes = { magic: 4, size: 4, descriptor: 1, block: 3 } as const;
const dictionaryBytes: readonly number[] = [0, 1, 2, 4];
const contentSizeBytes: readonly number[] = [0, 2, 4, 8];
/** Frames of a body: each costs a call of the decoder, and may have eight bytes only. */
const maxFrames = 10_000;
/** Type of a block whose content is one byte, however often it comes out. */
const repeated = 1;

/**
 * Finds the ends of the frames of a zstd body. Node drops what follows a frame in the same piece, and Node 22 takes a
 * frame that is cut off for a whole one.
 *
 * @see RFC 8878 section 3.1
 */
export class ZstdFrames {
  #field: keyof typeof fieldBytes = "magic";
  #value = 0;
  #read = 0;
  /** Bytes that are passed over before the next field. */
  #skip = 0;
  #hasChecksum = false;
  #frames = 0;

  /** Whether a frame ended with the last byte, or none has begun. */
  get isWhole(): boolean {
    return this.#field === "magic" && this.#read === 0 && this.#skip === 0;
  }

  /** Whether there are more frames than a body may have. */
  get areTooMany(): boolean {
    return this.#frames > maxFrames;
  }

  /** The parts of the next piece, none of which has bytes of two frames. */
  split(piece: Uint8Array): Uint8Array[] {
    const parts: Uint8Array[] = [];
    let start = 0;
    for (let at = 0; at < piece.length; ) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, piece.length - at);
        this.#skip -= step;
        at += step;
      } else {
        this.#value += (piece[at++] ?? 0) * 256 ** this.#read++;
        if (this.#read === fieldBytes[this.#field]) this.#takeField(this.#value);
      }
      if (!this.isWhole && at < piece.length) continue;
      parts.push(piece.subarray(start, at));
      start = at;
    }
    return parts;
  }

  #takeField(value: number): void {
    this.#value = 0;
    this.#read = 0;
    if (this.#field === "magic") {
      this.#frames++;
      if (value === frameMagic) this.#field = "descriptor";
      else if (value >>> 4 === skippableMagic) this.#field = "size";
      // The decoder refuses it.
      else this.#skip = Number.POSITIVE_INFINITY;
    } else if (this.#field === "size") {
      this.#field = "magic";
      this.#skip = value;
    } else if (this.#field === "descriptor") {
      const isSingle = (value & 32) !== 0;
      const sizeBytes = isSingle && value < 64 ? 1 : (contentSizeBytes[value >> 6] ?? 0);
      this.#field = "block";
      this.#hasChecksum = (value & 4) !== 0;
      this.#skip = (isSingle ? 0 : 1) + (dictionaryBytes[value & 3] ?? 0) + sizeBytes;
    } else {
      const isLast = (value & 1) !== 0;
      this.#skip = (((value >> 1) & 3) === repeated ? 1 : value >> 3) + (isLast && this.#hasChecksum ? 4 : 0);
      if (isLast) this.#field = "magic";
    }
  }
}
