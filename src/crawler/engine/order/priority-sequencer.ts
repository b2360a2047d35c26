import { type EpochMs, IndexedHeap } from "../../../core/index.ts";
import { readyIfAny, type Sequencer } from "./sequencer.ts";

/** The item of the least key first; of equal keys what was added first. O(log n). */
export class PrioritySequencer<Item> implements Sequencer<Item> {
  readonly #keyOf: (item: Item) => number;
  /** By slot: an item, and its number in the order of arrival. */
  readonly #items: (Item | undefined)[] = [];
  readonly #arrivals: number[] = [];
  readonly #freeSlots: number[] = [];
  readonly #heap = new IndexedHeap(
    (slot, other) => (this.#arrivals[slot] as number) < (this.#arrivals[other] as number),
  );
  #added = 0;

  /** @param keyOf - asked once, when an item is added */
  constructor(keyOf: (item: Item) => number) {
    this.#keyOf = keyOf;
  }

  get backlog(): number {
    return this.#heap.size;
  }

  /** Key of the item that is next; Infinity if there is none. */
  get firstKey(): number {
    return this.#heap.firstKey;
  }

  readyAt(now: EpochMs): EpochMs {
    return readyIfAny(this.backlog, now);
  }

  next(): Item | undefined {
    const slot = this.#heap.first;
    if (slot === undefined) return undefined;
    const item = this.#items[slot];
    this.#heap.delete(slot);
    this.#items[slot] = undefined;
    this.#freeSlots.push(slot);
    return item;
  }

  add(item: Item): void {
    const slot = this.#freeSlots.pop() ?? this.#items.length;
    this.#items[slot] = item;
    this.#arrivals[slot] = this.#added++;
    this.#heap.set(slot, this.#keyOf(item));
  }
}
