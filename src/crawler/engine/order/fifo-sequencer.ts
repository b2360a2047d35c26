import type { EpochMs } from "../../../core/index.ts";
import { readyIfAny, type Sequencer } from "./sequencer.ts";

/** First in, first out. O(1), amortised. */
export class FifoSequencer<Item> implements Sequencer<Item> {
  #items: Item[] = [];
  #first = 0;

  get backlog(): number {
    return this.#items.length - this.#first;
  }

  readyAt(now: EpochMs): EpochMs {
    return readyIfAny(this.backlog, now);
  }

  next(): Item | undefined {
    if (this.backlog === 0) return undefined;
    const item = this.#items[this.#first++];
    // What was given is let go of before it is half of what is held.
    if (this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  add(item: Item): void {
    this.#items.push(item);
  }
}
