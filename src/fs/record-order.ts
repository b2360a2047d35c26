/** A record begins with the lengths of its key and of its rest, 32 bits each, little end first. The key and the rest follow. */
export const recordHeadBytes = 8;

/** Bytes of a key that one number holds, see {@link prefixOf}. */
export const prefixBytes = 6;

/** Digits of that number: the bytes, and one less than all of them for the end of the key. */
const digits = 257;

/** Shorter stretches are sorted by insertion. */
const shortStretch = 16;

/** The first bytes of a key as a number: keys of lower numbers go first. */
export function prefixOf(bytes: Uint8Array, start: number, end: number): number {
  let prefix = 0;
  for (let at = start; at < start + prefixBytes; at++)
    prefix = prefix * digits + (at < end ? (bytes[at] as number) + 1 : 0);
  return prefix;
}

/**
 * Sorts records by their keys, byte by byte, and those of one key in the order in which they came: by six bytes of each key, and
 * those that are alike in these by the next six. O(n log n) for n records, and O(bytes) where keys begin alike, whatever their order.
 *
 * @param bytes - all records
 * @param offsets - where each begins; put in order
 */
export function sortRecords(bytes: Buffer, offsets: Uint32Array): void {
  new PrefixSort(bytes, offsets).run();
}

class PrefixSort {
  readonly #bytes: Buffer;
  readonly #offsets: Uint32Array;
  readonly #keys: Float64Array;
  readonly #spareOffsets: Uint32Array;
  readonly #spareKeys: Float64Array;

  constructor(bytes: Buffer, offsets: Uint32Array) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.#keys = new Float64Array(offsets.length);
    this.#spareOffsets = new Uint32Array((offsets.length + 1) >>> 1);
    this.#spareKeys = new Float64Array((offsets.length + 1) >>> 1);
  }

  run(): void {
    const todo = [0, this.#offsets.length, 0];
    while (todo.length > 0) {
      const depth = todo.pop() ?? 0;
      const to = todo.pop() ?? 0;
      const from = todo.pop() ?? 0;
      if (!this.#load(from, to, depth)) this.#sort(from, to);
      for (let start = from; start < to; ) {
        const key = this.#keys[start] ?? 0;
        let end = start + 1;
        while (end < to && this.#keys[end] === key) end++;
        // Whose last digit is 0 is at its end.
        if (end - start > 1 && key % digits !== 0) todo.push(start, end, depth + prefixBytes);
        start = end;
      }
    }
  }

  /** Makes keys. @returns whether they are in order */
  #load(from: number, to: number, depth: number): boolean {
    const bytes = this.#bytes;
    let previous = -1;
    let inOrder = true;
    for (let at = from; at < to; at++) {
      const offset = this.#offsets[at] ?? 0;
      const start = offset + recordHeadBytes;
      const key = prefixOf(bytes, start + depth, start + bytes.readUInt32LE(offset));
      this.#keys[at] = key;
      if (key < previous) inOrder = false;
      previous = key;
    }
    return inOrder;
  }

  /** Merge sort: it keeps equal keys in their order, and no input makes it slow. */
  #sort(from: number, to: number): void {
    if (to - from <= shortStretch) {
      this.#insert(from, to);
      return;
    }
    const middle = (from + to) >>> 1;
    this.#sort(from, middle);
    this.#sort(middle, to);
    if ((this.#keys[middle - 1] ?? 0) > (this.#keys[middle] ?? 0)) this.#merge(from, middle, to);
  }

  #insert(from: number, to: number): void {
    const keys = this.#keys;
    const offsets = this.#offsets;
    for (let at = from + 1; at < to; at++) {
      const key = keys[at] ?? 0;
      const offset = offsets[at] ?? 0;
      let hole = at;
      for (; hole > from && (keys[hole - 1] ?? 0) > key; hole--) {
        keys[hole] = keys[hole - 1] ?? 0;
        offsets[hole] = offsets[hole - 1] ?? 0;
      }
      keys[hole] = key;
      offsets[hole] = offset;
    }
  }

  #merge(from: number, middle: number, to: number): void {
    const keys = this.#keys;
    const offsets = this.#offsets;
    const leftKeys = this.#spareKeys;
    const leftOffsets = this.#spareOffsets;
    leftKeys.set(keys.subarray(from, middle));
    leftOffsets.set(offsets.subarray(from, middle));
    const leftEnd = middle - from;
    let left = 0;
    let right = middle;
    for (let at = from; left < leftEnd; at++) {
      if (right < to && (keys[right] ?? 0) < (leftKeys[left] ?? 0)) {
        keys[at] = keys[right] ?? 0;
        offsets[at] = offsets[right++] ?? 0;
      } else {
        keys[at] = leftKeys[left] ?? 0;
        offsets[at] = leftOffsets[left++] ?? 0;
      }
    }
  }
}
