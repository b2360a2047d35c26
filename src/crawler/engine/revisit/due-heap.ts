/** Numbered things by the time at which they are due, the earliest on top. Typed arrays; O(log n) a step, O(n) to make. */
export class DueHeap {
  /** When each is due; set by {@link set} only. */
  readonly #due: Float64Array;
  readonly #order: Uint32Array;
  readonly #places: Int32Array;
  #size: number;

  /** @param due - by number; taken over, not copied. NaN is never in the heap */
  constructor(due: Float64Array) {
    const count = due.length;
    this.#due = due;
    this.#order = new Uint32Array(count);
    this.#places = new Int32Array(count).fill(-1);
    this.#size = 0;
    for (let item = 0; item < count; item++) {
      if (Number.isNaN(due[item])) continue;
      this.#order[this.#size] = item;
      this.#places[item] = this.#size;
      this.#size += 1;
    }
    this.#heapify();
  }

  get size(): number {
    return this.#size;
  }

  /** The item that is due first, or -1 of an empty heap. */
  get top(): number {
    return this.#size > 0 ? (this.#order[0] ?? -1) : -1;
  }

  dueOf(item: number): number {
    return this.#due[item] ?? Number.NaN;
  }

  /** Moves an item that is in the heap. */
  set(item: number, due: number): void {
    const before = this.#due[item] ?? 0;
    this.#due[item] = due;
    const place = this.#places[item] ?? -1;
    if (place < 0) return;
    if (due < before) this.#rise(place);
    else this.#sink(place);
  }

  /** Takes an item out for good. */
  remove(item: number): void {
    const place = this.#places[item] ?? -1;
    if (place < 0) return;
    this.#places[item] = -1;
    this.#size -= 1;
    if (place === this.#size) return;
    const moved = this.#order[this.#size] ?? 0;
    this.#put(moved, place);
    this.#rise(place);
    this.#sink(this.#places[moved] ?? place);
  }

  /** Sets all dues of the items in the heap anew. O(n). */
  reset(dueOf: (item: number) => number): void {
    for (let place = 0; place < this.#size; place++) {
      const item = this.#order[place] ?? 0;
      this.#due[item] = dueOf(item);
    }
    this.#heapify();
  }

  #heapify(): void {
    for (let place = (this.#size >> 1) - 1; place >= 0; place--) this.#sink(place);
  }

  #put(item: number, place: number): void {
    this.#order[place] = item;
    this.#places[item] = place;
  }

  #rise(from: number): void {
    const item = this.#order[from] ?? 0;
    const due = this.#due[item] ?? 0;
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const other = this.#order[parent] ?? 0;
      if ((this.#due[other] ?? 0) <= due) break;
      this.#put(other, place);
      place = parent;
    }
    this.#put(item, place);
  }

  #sink(from: number): void {
    const item = this.#order[from] ?? 0;
    const due = this.#due[item] ?? 0;
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= this.#size) break;
      const right = child + 1;
      if (right < this.#size && (this.#due[this.#order[right] ?? 0] ?? 0) < (this.#due[this.#order[child] ?? 0] ?? 0)) {
        child = right;
      }
      const other = this.#order[child] ?? 0;
      if ((this.#due[other] ?? 0) >= due) break;
      this.#put(other, place);
      place = child;
    }
    this.#put(item, place);
  }
}
