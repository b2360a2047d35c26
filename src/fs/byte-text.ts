/** Shorter texts are copied letter by letter: a call into native code costs more than they do. */
const shortText = 80;

/**
 * ASCII text that is put together as bytes, in one buffer that grows: millions of lines cost the
 * garbage collector nothing. What is put in must be ASCII; other letters lose their upper bits.
 */
export class ByteText {
  #bytes: Buffer;
  #length = 0;

  /** @param sizeBytes - room at the beginning; it doubles when it is full */
  constructor(sizeBytes: number = 1 << 16) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(sizeBytes, 64));
  }

  /** The buffer; its first {@link length} bytes are the text. Another one after it has grown. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Forgets the text and keeps its memory. */
  clear(): void {
    this.#length = 0;
  }

  /** Appends a text. */
  put(text: string): void {
    const { length } = text;
    this.#reserve(length);
    if (length > shortText) {
      this.#length += this.#bytes.write(text, this.#length, "latin1");
      return;
    }
    const bytes = this.#bytes;
    let at = this.#length;
    for (let letter = 0; letter < length; letter++) bytes[at++] = text.charCodeAt(letter);
    this.#length = at;
  }

  /** Appends a whole number from 0 to 2^53 - 1 in decimal digits. */
  putNumber(value: number): void {
    this.#reserve(16);
    const bytes = this.#bytes;
    let digits = 1;
    for (let bound = 10; value >= bound; bound *= 10) digits += 1;
    const end = this.#length + digits;
    let rest = value;
    let at = end;
    // Up to 31 bits a division is one of whole numbers.
    while (rest > 0x7fff_ffff) {
      const next = Math.floor(rest / 10);
      bytes[--at] = 48 + (rest - next * 10);
      rest = next;
    }
    let small = rest | 0;
    while (at > this.#length) {
      const next = (small / 10) | 0;
      bytes[--at] = 48 + (small - next * 10);
      small = next;
    }
    this.#length = end;
  }

  /** Appends a whole number from 0 on in so many bytes, the highest first: such numbers are in order as their bytes are. */
  putUint(value: number, sizeBytes: number): void {
    this.#reserve(sizeBytes);
    let rest = value;
    for (let at = this.#length + sizeBytes - 1; at >= this.#length; at--) {
      const next = Math.floor(rest / 256);
      this.#bytes[at] = rest - next * 256;
      rest = next;
    }
    this.#length += sizeBytes;
  }

  /** Appends bytes of a buffer. */
  putBytes(source: Buffer, from = 0, to: number = source.length): void {
    this.#reserve(to - from);
    this.#length += source.copy(this.#bytes, this.#length, from, to);
  }

  #reserve(sizeBytes: number): void {
    const wanted = this.#length + sizeBytes;
    if (wanted <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(wanted, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
