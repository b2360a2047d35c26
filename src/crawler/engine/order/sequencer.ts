import { type EpochMs, IndexedHeap } from "../../../core/index.ts";

/**
 * Where items, mostly URLs, wait for their turn. Some hold items themselves, others combine sequencers; since both are
 * sequencers, they nest as deeply as a policy needs.
 *
 * Times that are passed in do not run backwards.
 *
 * @see J. Edwards, K. McCurley, J. Tomlin, An Adaptive Model for Optimizing Performance of an Incremental Web Crawler,
 *   section 3
 */
export interface Sequencer<Item> {
  /** How many items wait, those too whose time has not come. */
  readonly backlog: number;
  /** When {@link next} gives an item: `now` or earlier if it does so now, Infinity if something must happen first. */
  readyAt(now: EpochMs): EpochMs;
  /** Takes out the item whose turn it is; undefined if none may be given now. */
  next(now: EpochMs): Item | undefined;
  /** Puts an item in. */
  add(item: Item): void;
}

/** {@link Sequencer.readyAt} of what has no times of its own. */
function readyIfAny(backlog: number, now: EpochMs): EpochMs {
  return backlog > 0 ? now : Number.POSITIVE_INFINITY;
}

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
