/** Bytes of a path that a key holds: a double holds whole numbers of 48 bits. */
const keyBytes = 6;

/** Shorter stretches are sorted by insertion. */
const shortStretch = 16;

/**
 * Sorts records by their paths, byte by byte, and such of one path in the order in which they came.
 *
 * A record begins with the length of its path in two bytes, little end first, and the path, which has no zero byte.
 * Six bytes of each path at a time are its key; records of one key are sorted again by the next six. O(n log n) for n
 * records, and O(bytes) where paths begin alike, whatever their order.
 *
 * @param bytes - all records
 * @param offsets - where each begins; put in order
 */
export function sortByPath(bytes: Uint8Array, offsets: Uint32Array): void {
  new PathSort(bytes, offsets).run();
}

class PathSort {
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;
  readonly #keys: Float64Array;
  readonly #spareOffsets: Uint32Array;
  readonly #spareKeys: Float64Array;

  constructor(bytes: Uint8Array, offsets: Uint32Array) {
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
        // A key that ends with a zero byte is the end of its path.
        if (end - start > 1 && key % 256 !== 0) todo.push(start, end, depth + keyBytes);
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
      const end = offset + 2 + ((bytes[offset] ?? 0) | ((bytes[offset + 1] ?? 0) << 8));
      const start = offset + 2 + depth;
      let key = 0;
      for (let byte = start; byte < start + keyBytes; byte++) key = key * 256 + (byte < end ? (bytes[byte] ?? 0) : 0);
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
