/** The array, or a longer one that begins with it. */
export function grow<A extends Float64Array | Int32Array | Uint32Array | Uint8Array>(array: A, length: number): A {
  if (length <= array.length) return array;
  const Kind = array.constructor as new (length: number) => A;
  const longer = new Kind(Math.max(length, Math.ceil(array.length * 1.5), 64));
  longer.set(array);
  return longer;
}

/** Children of a node: those of one lie in one or two lines of a cache. */
const arity = 4;

/**
 * Numbers of slots by a key, the least first; equal keys by the number of the slot, or as the owner of the slots compares them.
 * Any slot can be moved or taken out. O(log n) an operation; 16 bytes a slot.
 *
 * A heap of four children a node, with its keys side by side in the order of the heap: a step down looks at one line of memory,
 * where a heap of numbers that stand for keys elsewhere looks at three.
 */
export class IndexedHeap {
  readonly #tieBreak: ((slot: number, other: number) => boolean) | undefined;
  /** In the order of the heap. */
  #keys = new Float64Array(0);
  #slots = new Int32Array(0);
  /** By slot: where it stands in the heap, counted from 1; 0 if it is not there. */
  #places = new Int32Array(0);
  #size = 0;

  /** @param tieBreak - whether a slot goes before another of the same key. Default: the lower number does */
  constructor(tieBreak?: (slot: number, other: number) => boolean) {
    this.#tieBreak = tieBreak;
  }

  get size(): number {
    return this.#size;
  }

  /** The slot with the least key; undefined if there is none. */
  get first(): number | undefined {
    return this.#size === 0 ? undefined : this.#slots[0];
  }

  /** The least key; Infinity if there is none. */
  get firstKey(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#keys[0] as number);
  }

  /** Whether a slot is there of which this holds. O(slots). */
  some(holds: (slot: number) => boolean): boolean {
    return this.#slots.subarray(0, this.#size).some(holds);
  }

  /** Puts a slot in, or gives it another key. */
  set(slot: number, key: number): void {
    this.#places = grow(this.#places, slot + 1);
    let place = (this.#places[slot] as number) - 1;
    if (place === -1) {
      this.#keys = grow(this.#keys, this.#size + 1);
      this.#slots = grow(this.#slots, this.#size + 1);
      place = this.#size++;
    }
    this.#settle(place, slot, key);
  }

  /** Takes a slot out; harmless if it is not there. */
  delete(slot: number): void {
    const place = (this.#places[slot] ?? 0) - 1;
    if (place < 0) return;
    this.#places[slot] = 0;
    const last = --this.#size;
    if (last !== place) this.#settle(place, this.#slots[last] as number, this.#keys[last] as number);
  }

  /** Puts a slot where there is a gap, or where its key belongs above or below. */
  #settle(gap: number, slot: number, key: number): void {
    let place = gap;
    while (place > 0) {
      const parent = (place - 1) >> 2;
      if (!this.#isBefore(slot, key, parent)) break;
      this.#copy(parent, place);
      place = parent;
    }
    for (let child = arity * place + 1; child < this.#size; child = arity * place + 1) {
      const end = Math.min(child + arity, this.#size);
      let least = child;
      for (let other = child + 1; other < end; other++)
        if (this.#isBefore(this.#slots[other] as number, this.#keys[other] as number, least)) least = other;
      if (this.#isBefore(slot, key, least)) break;
      this.#copy(least, place);
      place = least;
    }
    this.#keys[place] = key;
    this.#slots[place] = slot;
    this.#places[slot] = place + 1;
  }

  #isBefore(slot: number, key: number, place: number): boolean {
    const other = this.#keys[place] as number;
    if (key !== other) return key < other;
    const otherSlot = this.#slots[place] as number;
    return this.#tieBreak === undefined ? slot < otherSlot : this.#tieBreak(slot, otherSlot);
  }

  #copy(from: number, to: number): void {
    const slot = this.#slots[from] as number;
    this.#keys[to] = this.#keys[from] as number;
    this.#slots[to] = slot;
    this.#places[slot] = to + 1;
  }
}
