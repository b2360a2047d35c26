const firstBytes = 64 * 1024;
const nothing = new Uint8Array(0);

/**
 * A body in memory. Its cost follows the number of bytes, however small the pieces.
 *
 * A list of pieces would cost a hundred bytes per piece: a server must not exhaust memory by sending single bytes.
 */
export class BodyBuffer {
  #bytes: Uint8Array = nothing;
  #length = 0;

  /** Adds a piece. The first is not copied, because most bodies come in one piece. */
  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) {
      this.#bytes = piece;
    } else {
      if (length > this.#bytes.length || this.#bytes.length === this.#length) this.#grow(length);
      this.#bytes.set(piece, this.#length);
    }
    this.#length = length;
  }

  /** The bytes so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(neededBytes: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(firstBytes, 2 * neededBytes));
    grown.set(this.bytes);
    this.#bytes = grown;
  }
}
