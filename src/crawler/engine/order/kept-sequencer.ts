import type { EpochMs } from "../../../core/index.ts";
import type { Sequencer } from "./sequencer.ts";

/** Where the items of a sequencer are kept, so that they outlive the process. */
export interface ItemKeeper<Item> {
  /** Keeps an item that waits from now on. */
  keep(item: Item): void;
  /** Forgets an item. */
  finish(item: Item): void;
  /** The items that were kept and are not finished, those that were given too, in the order in which they were kept. */
  waiting(): Iterable<Item>;
  /** Makes all of it durable. */
  flush(): void;
}

/**
 * A sequencer whose items outlive the process: what was added is kept until it is finished, and what was given and not
 * finished when the process ended is given again.
 */
export class KeptSequencer<Item> implements Sequencer<Item> {
  readonly #inner: Sequencer<Item>;
  readonly #keeper: ItemKeeper<Item>;

  /** Puts what waits into the sequencer. O(items). @param inner - an empty one */
  constructor(inner: Sequencer<Item>, keeper: ItemKeeper<Item>) {
    this.#inner = inner;
    this.#keeper = keeper;
    for (const item of keeper.waiting()) inner.add(item);
  }

  get backlog(): number {
    return this.#inner.backlog;
  }

  readyAt(now: EpochMs): EpochMs {
    return this.#inner.readyAt(now);
  }

  next(now: EpochMs): Item | undefined {
    return this.#inner.next(now);
  }

  add(item: Item): void {
    this.#keeper.keep(item);
    this.#inner.add(item);
  }

  /** Notes that an item that was given need not be given again. */
  finish(item: Item): void {
    this.#keeper.finish(item);
  }

  flush(): void {
    this.#keeper.flush();
  }
}
