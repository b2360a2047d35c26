const leastCapacity = 64;

/**
 * Numbers of slots by a key, the least first; equal keys by the number of the slot. Any slot can be moved or taken out.
 * O(log n) an operation; 16 bytes a slot.
 */
export class SlotHeap {
  #keys = new Float64Array(leastCapacity);
  /** Slots, as a binary heap. */
  #slots = new Int32Array(leastCapacity);
  /** Where a slot stands in the heap, and 1; 0 if it is not there. */
  #places = new Int32Array(leastCapacity);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The slot with the least key; undefined if there is none. */
  get first(): number | undefined {
    return this.#size === 0 ? undefined : this.#slots[0];
  }

  /** The least key; Infinity if there is none. */
  get firstKey(): number {
    return this.first === undefined ? Number.POSITIVE_INFINITY : this.#keyOf(this.first);
  }

  /** Puts a slot in, or gives it another key. */
  set(slot: number, key: number): void {
    this.#grow(slot);
    this.#keys[slot] = key;
    let place = (this.#places[slot] ?? 0) - 1;
    if (place === -1) {
      place = this.#size++;
      this.#put(slot, place);
    }
    this.#sink(this.#rise(place));
  }

  /** Takes a slot out; harmless if it is not there. */
  delete(slot: number): void {
    const place = (this.#places[slot] ?? 0) - 1;
    if (place < 0) return;
    this.#places[slot] = 0;
    const last = this.#at(--this.#size);
    if (last === slot) return;
    this.#put(last, place);
    this.#sink(this.#rise(place));
  }

  #keyOf(slot: number): number {
    return this.#keys[slot] ?? Number.POSITIVE_INFINITY;
  }

  #at(place: number): number {
    return this.#slots[place] ?? -1;
  }

  #put(slot: number, place: number): void {
    this.#slots[place] = slot;
    this.#places[slot] = place + 1;
  }

  #isBefore(a: number, b: number): boolean {
    const difference = this.#keyOf(a) - this.#keyOf(b);
    return difference === 0 ? a < b : difference < 0;
  }

  #rise(from: number): number {
    const slot = this.#at(from);
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.#at(parent);
      if (!this.#isBefore(slot, above)) break;
      this.#put(above, place);
      place = parent;
    }
    this.#put(slot, place);
    return place;
  }

  #sink(from: number): void {
    const slot = this.#at(from);
    let place = from;
    for (let child = 2 * place + 1; child < this.#size; child = 2 * place + 1) {
      if (child + 1 < this.#size && this.#isBefore(this.#at(child + 1), this.#at(child))) child++;
      const below = this.#at(child);
      if (!this.#isBefore(below, slot)) break;
      this.#put(below, place);
      place = child;
    }
    this.#put(slot, place);
  }

  #grow(slot: number): void {
    if (slot < this.#keys.length) return;
    const capacity = Math.max(slot + 1, this.#keys.length * 2);
    const keys = new Float64Array(capacity);
    const slots = new Int32Array(capacity);
    const places = new Int32Array(capacity);
    keys.set(this.#keys);
    slots.set(this.#slots);
    places.set(this.#places);
    this.#keys = keys;
    this.#slots = slots;
    this.#places = places;
  }
}
