import { IndexedHeap } from "../../../core/index.ts";

/** The best of a stream: a heap of at most `capacity` items, whose worst is on top. O(log capacity) an item. */
export class BestItems<Item> {
  readonly #capacity: number;
  readonly #compare: (a: Item, b: Item) => number;
  readonly #items: Item[] = [];
  readonly #worst = new IndexedHeap((slot, other) => this.#compareSlots(slot, other) > 0);

  /** @param compare - negative if the first is better; never 0 for different items, so that order of arrival is no matter */
  constructor(capacity: number, compare: (a: Item, b: Item) => number) {
    this.#capacity = capacity;
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Takes an item, and lets the worst go if there are too many. */
  add(item: Item): void {
    let slot = this.#items.length;
    if (slot >= this.#capacity) {
      const worst = this.#worst.first;
      if (worst === undefined || this.#compare(item, this.#items[worst] as Item) >= 0) return;
      slot = worst;
    }
    this.#items[slot] = item;
    this.#worst.set(slot, 0);
  }

  /** What was kept, best first. */
  sorted(): Item[] {
    return [...this.#items].sort(this.#compare);
  }

  #compareSlots(slot: number, other: number): number {
    return this.#compare(this.#items[slot] as Item, this.#items[other] as Item);
  }
}
