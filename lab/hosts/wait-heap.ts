import type { EpochMs } from "../../src/core/time.ts";

/** Somebody waits. */
export interface Wait {
  readonly at: EpochMs;
  /** Of two that end at once the one that began first comes first. */
  readonly order: number;
  readonly wake: () => void;
  /** Whether it was left before its time. */
  isOver: boolean;
}

function comesBefore(a: Wait, b: Wait): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Waits by their ends. O(log n) for each; those that were left go when their time comes. */
export class WaitHeap {
  readonly #waits: Wait[] = [];
  #added = 0;

  add(at: EpochMs, wake: () => void): Wait {
    const wait: Wait = { at, order: this.#added++, wake, isOver: false };
    const waits = this.#waits;
    let place = waits.push(wait) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = waits[above] as Wait;
      if (comesBefore(other, wait)) break;
      waits[place] = other;
      place = above;
    }
    waits[place] = wait;
    return wait;
  }

  /** Takes out the first wait that ends until then; undefined if there is none. */
  next(until: EpochMs): Wait | undefined {
    for (;;) {
      const [first] = this.#waits;
      if (first === undefined || first.at > until) return undefined;
      this.#takeFirst();
      if (!first.isOver) return first;
    }
  }

  #takeFirst(): void {
    const waits = this.#waits;
    const moved = waits.pop() as Wait;
    if (waits.length === 0) return;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      const right = waits[below + 1];
      if (right !== undefined && comesBefore(right, waits[below] as Wait)) below++;
      const least = waits[below];
      if (least === undefined || comesBefore(moved, least)) break;
      waits[place] = least;
      place = below;
    }
    waits[place] = moved;
  }
}
