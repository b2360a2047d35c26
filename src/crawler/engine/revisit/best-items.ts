/** The best of a stream: a heap of at most `capacity` items, whose worst is on top. O(log capacity) an item. */
export class BestItems<Item> {
  readonly #capacity: number;
  readonly #compare: (a: Item, b: Item) => number;
  readonly #heap: Item[] = [];

  /** @param compare - negative if the first is better; never 0 for different items, so that order of arrival is no matter */
  constructor(capacity: number, compare: (a: Item, b: Item) => number) {
    this.#capacity = capacity;
    this.#compare = compare;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Takes an item, and lets the worst go if there are too many. */
  add(item: Item): void {
    const heap = this.#heap;
    if (heap.length < this.#capacity) {
      heap.push(item);
      this.#rise(heap.length - 1);
      return;
    }
    const worst = heap[0];
    if (worst === undefined || this.#compare(item, worst) >= 0) return;
    heap[0] = item;
    this.#sink();
  }

  /** What was kept, best first. */
  sorted(): Item[] {
    return [...this.#heap].sort(this.#compare);
  }

  /** Whether the item at one place is worse than that at another; a place without an item is never. */
  #isWorse(at: number, than: number): boolean {
    const a = this.#heap[at];
    const b = this.#heap[than];
    return a !== undefined && b !== undefined && this.#compare(a, b) > 0;
  }

  #swap(at: number, with_: number): void {
    const a = this.#heap[at];
    const b = this.#heap[with_];
    if (a === undefined || b === undefined) return;
    this.#heap[at] = b;
    this.#heap[with_] = a;
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorse(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const worse = this.#isWorse(left + 1, left) ? left + 1 : left;
      if (!this.#isWorse(worse, at)) return;
      this.#swap(at, worse);
      at = worse;
    }
  }
}
