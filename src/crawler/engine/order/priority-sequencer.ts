import type { EpochMs } from "../../../core/index.ts";
import { readyIfAny, type Sequencer } from "./sequencer.ts";

interface Entry<Item> {
  readonly item: Item;
  readonly key: number;
  readonly number: number;
}

function isBefore<Item>(a: Entry<Item>, b: Entry<Item>): boolean {
  return a.key < b.key || (a.key === b.key && a.number < b.number);
}

/** The item of the least key first; of equal keys what was added first. O(log n). */
export class PrioritySequencer<Item> implements Sequencer<Item> {
  readonly #keyOf: (item: Item) => number;
  /** A heap: no entry is before the one at half its place. */
  readonly #heap: Entry<Item>[] = [];
  #added = 0;

  /** @param keyOf - asked once, when an item is added */
  constructor(keyOf: (item: Item) => number) {
    this.#keyOf = keyOf;
  }

  get backlog(): number {
    return this.#heap.length;
  }

  /** Key of the item that is next; Infinity if there is none. */
  get firstKey(): number {
    return this.#heap[0]?.key ?? Number.POSITIVE_INFINITY;
  }

  readyAt(now: EpochMs): EpochMs {
    return readyIfAny(this.backlog, now);
  }

  next(): Item | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return undefined;
    if (this.#heap.length > 0) this.#sink(last);
    return first.item;
  }

  add(item: Item): void {
    const heap = this.#heap;
    const entry = { item, key: this.#keyOf(item), number: this.#added++ };
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = entry;
  }

  #sink(entry: Entry<Item>): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      let child = heap[below];
      if (child === undefined) break;
      const other = heap[below + 1];
      if (other !== undefined && isBefore(other, child)) {
        child = other;
        below++;
      }
      if (!isBefore(child, entry)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = entry;
  }
}
