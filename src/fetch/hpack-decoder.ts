import { decodeHuffman } from "./hpack-huffman.ts";
import { DynamicTable, type Field, fieldSize } from "./hpack-table.ts";

/** What the other side may refer to has at most this size; it is what both begin with (RFC 9113 section 6.5.2). */
const tableBytes = 4096;
/** Integers beyond are of no length or index that can be. */
const maxInteger = 2 ** 24;

/** Why a block of fields gave no list. */
export type BlockProblem = "broken" | "too-large";

/** Reads the blocks of fields of one connection, in their order (RFC 7541). */
export class HpackDecoder {
  readonly #table = new DynamicTable(tableBytes);
  #block: Buffer = Buffer.alloc(0);
  #at = 0;

  /**
   * Reads a block.
   *
   * @param maxBytes - bound on the size of its fields, as RFC 9113 section 6.5.2 counts it
   * @returns its fields; after a problem the connection can carry no more
   */
  decode(block: Buffer, maxBytes: number): Field[] | BlockProblem {
    this.#block = block;
    this.#at = 0;
    const fields: Field[] = [];
    let bytes = 0;
    while (this.#at < block.length) {
      const first = block[this.#at] ?? 0;
      if (first >> 5 === 1) {
        const size = this.#readInteger(5);
        // RFC 7541 section 4.2: only before all fields.
        if (size === undefined || size > tableBytes || fields.length > 0) return "broken";
        this.#table.resize(size);
        continue;
      }
      const field = first >= 128 ? this.#readIndexed() : this.#readLiteral(first);
      if (field === undefined) return "broken";
      bytes += fieldSize(field);
      if (bytes > maxBytes) return "too-large";
      fields.push(field);
    }
    return fields;
  }

  #readIndexed(): Field | undefined {
    const index = this.#readInteger(7);
    return index === undefined ? undefined : this.#table.get(index);
  }

  #readLiteral(first: number): Field | undefined {
    const isAdded = first >= 64;
    const index = this.#readInteger(isAdded ? 6 : 4);
    if (index === undefined) return undefined;
    const name = index === 0 ? this.#readString() : this.#table.get(index)?.[0];
    const value = name === undefined ? undefined : this.#readString();
    if (name === undefined || value === undefined) return undefined;
    const field: Field = [name, value];
    if (isAdded) this.#table.add(field);
    return field;
  }

  #readString(): string | undefined {
    const isCoded = (this.#block[this.#at] ?? 0) >= 128;
    const length = this.#readInteger(7);
    if (length === undefined || this.#at + length > this.#block.length) return undefined;
    const start = this.#at;
    this.#at += length;
    if (isCoded) return decodeHuffman(this.#block.subarray(start, this.#at));
    return this.#block.toString("latin1", start, this.#at);
  }

  // RFC 7541 section 5.1.
  #readInteger(prefixBits: number): number | undefined {
    const mask = 2 ** prefixBits - 1;
    const first = this.#block[this.#at++];
    if (first === undefined) return undefined;
    let value = first & mask;
    if (value < mask) return value;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#block[this.#at++];
      if (byte === undefined || factor > maxInteger) return undefined;
      value += (byte & 127) * factor;
      if (byte < 128) return value > maxInteger ? undefined : value;
    }
  }
}
