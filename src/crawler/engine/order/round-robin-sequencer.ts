import type { EpochMs } from "../../../core/index.ts";
import type { Sequencer } from "./sequencer.ts";

/**
 * Takes turns among parts: each that has an item to give gives one before any gives a second. A part is made when its first
 * item comes, and let go of when it is empty. A new part waits until the others have had their turn. O(1) a turn, and one
 * more for each part whose time has not come.
 */
export class RoundRobinSequencer<Item> implements Sequencer<Item> {
  readonly #partOf: (item: Item) => string | number;
  readonly #make: (part: string | number) => Sequencer<Item>;
  /** In the order of their turns. */
  readonly #parts = new Map<string | number, Sequencer<Item>>();
  #backlog = 0;

  /**
   * @param partOf - the part that an item belongs to
   * @param make - makes a part's own sequencer
   */
  constructor(partOf: (item: Item) => string | number, make: (part: string | number) => Sequencer<Item>) {
    this.#partOf = partOf;
    this.#make = make;
  }

  get backlog(): number {
    return this.#backlog;
  }

  readyAt(now: EpochMs): EpochMs {
    let least = Number.POSITIVE_INFINITY;
    for (const part of this.#parts.values()) {
      least = Math.min(least, part.readyAt(now));
      if (least <= now) break;
    }
    return least;
  }

  next(now: EpochMs): Item | undefined {
    for (const [name, part] of this.#parts) {
      if (part.readyAt(now) > now) continue;
      const item = part.next(now);
      if (item === undefined) continue;
      this.#parts.delete(name);
      if (part.backlog > 0) this.#parts.set(name, part);
      this.#backlog--;
      return item;
    }
    return undefined;
  }

  add(item: Item): void {
    const name = this.#partOf(item);
    let part = this.#parts.get(name);
    if (part === undefined) {
      part = this.#make(name);
      this.#parts.set(name, part);
    }
    part.add(item);
    this.#backlog++;
  }
}
