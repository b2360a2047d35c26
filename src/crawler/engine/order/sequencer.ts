import { type EpochMs, IndexedHeap } from "../../../core/index.ts";

/**
 * Where items, mostly URLs, wait for their turn. Some sequencers hold items, others combine sequencers; they nest as deeply
 * as a policy needs. The times passed in never decrease.
 *
 * @see J. Edwards, K. McCurley, J. Tomlin, An Adaptive Model for Optimizing Performance of an Incremental Web Crawler,
 *   section 3
 */
export interface Sequencer<Item> {
  /** Items that wait, due or not. */
  readonly backlog: number;
  /** When {@link next} returns an item: `now` or earlier if it does now, Infinity if something must happen first. */
  readyAt(now: EpochMs): EpochMs;
  /** Removes and returns the item whose turn it is; undefined if none is due. */
  next(now: EpochMs): Item | undefined;
  add(item: Item): void;
}

/** {@link Sequencer.readyAt} of a sequencer without times. */
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
    // Items that were returned are dropped before they are half of the array.
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

/** Stores the items of a sequencer durably. */
export interface ItemKeeper<Item> {
  keep(item: Item): void;
  finish(item: Item): void;
  /** Kept items that are not finished, in the order in which they were kept. */
  waiting(): Iterable<Item>;
  /** Makes all of it durable. */
  flush(): void;
}

/**
 * A sequencer whose items outlive the process: an item is kept until it is finished. One that was returned but not finished
 * when the process ended is returned again.
 */
export class KeptSequencer<Item> implements Sequencer<Item> {
  readonly #inner: Sequencer<Item>;
  readonly #keeper: ItemKeeper<Item>;

  /** Adds the kept items to the sequencer. O(items). @param inner - empty */
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

  /** Notes that an item need not be returned again. */
  finish(item: Item): void {
    this.#keeper.finish(item);
  }

  flush(): void {
    this.#keeper.flush();
  }
}
