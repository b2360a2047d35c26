import type { EpochMs } from "../../../core/index.ts";
import type { Sequencer } from "./sequencer.ts";

/** How a {@link PoliteSequencer} gives hosts their turns. */
export interface PoliteOptions<Part> {
  /** From the end of a host's turn to its next: w of Castillo et al., in milliseconds. */
  readonly restMs: number;
  /** Items that a host gives before it is to be told that they are done: k of Castillo et al. Default 1. */
  readonly itemsPerTurn?: number | undefined;
  /** Hosts that may be under way at once: r of Castillo et al. Default: no bound. */
  readonly connections?: number | undefined;
  /** Of the hosts that are ready the one of the least key goes first. Default: who is ready for the longest time. */
  readonly keyOf?: ((part: Part, host: string | number) => number) | undefined;
}

interface Host<Part> {
  readonly part: Part;
  /** Infinity while it is under way. */
  notBefore: EpochMs;
  /** Items that it may still give in this turn. */
  left: number;
}

/**
 * Spares hosts: one turn of a host at a time, and a rest after each. Who got items says that they are {@link done}; until then
 * the host gives only what is left of its turn. A host's items wait in a sequencer of its own.
 *
 * O(hosts) a turn: this one says what is right, in few lines, and is held beside {@link CrawlOrder}, which is made for
 * millions.
 */
export class PoliteSequencer<Item, Part extends Sequencer<Item> = Sequencer<Item>> implements Sequencer<Item> {
  readonly #hostOf: (item: Item) => string | number;
  readonly #make: (host: string | number) => Part;
  readonly #options: PoliteOptions<Part>;
  readonly #hosts = new Map<string | number, Host<Part>>();
  #backlog = 0;
  #underWay = 0;

  constructor(
    hostOf: (item: Item) => string | number,
    make: (host: string | number) => Part,
    options: PoliteOptions<Part>,
  ) {
    this.#hostOf = hostOf;
    this.#make = make;
    this.#options = options;
  }

  get backlog(): number {
    return this.#backlog;
  }

  readyAt(now: EpochMs): EpochMs {
    let least = Number.POSITIVE_INFINITY;
    for (const host of this.#hosts.values()) least = Math.min(least, this.#readyAtOf(host, now));
    return least;
  }

  next(now: EpochMs): Item | undefined {
    const host = this.#choose(now);
    const item = host?.part.next(now);
    if (host === undefined || item === undefined) return undefined;
    if (host.notBefore !== Number.POSITIVE_INFINITY) {
      host.notBefore = Number.POSITIVE_INFINITY;
      host.left = this.#options.itemsPerTurn ?? 1;
      this.#underWay++;
    }
    host.left--;
    this.#backlog--;
    return item;
  }

  add(item: Item): void {
    const name = this.#hostOf(item);
    let host = this.#hosts.get(name);
    if (host === undefined) {
      host = { part: this.#make(name), notBefore: Number.NEGATIVE_INFINITY, left: 0 };
      this.#hosts.set(name, host);
    }
    host.part.add(item);
    this.#backlog++;
  }

  /**
   * Ends the turn of a host; without effect if it has none.
   *
   * @param notBefore - a later time than the end of its rest, if the host wants one
   */
  done(name: string | number, now: EpochMs, notBefore: EpochMs = now): void {
    const host = this.#hosts.get(name);
    if (host?.notBefore !== Number.POSITIVE_INFINITY) return;
    host.notBefore = Math.max(now + this.#options.restMs, notBefore);
    host.left = 0;
    this.#underWay--;
    // Who is ready for the longest time stands first.
    this.#hosts.delete(name);
    this.#hosts.set(name, host);
  }

  #readyAtOf({ part, notBefore, left }: Host<Part>, now: EpochMs): EpochMs {
    if (notBefore === Number.POSITIVE_INFINITY) return left > 0 ? part.readyAt(now) : notBefore;
    if (this.#underWay >= (this.#options.connections ?? Number.POSITIVE_INFINITY)) return Number.POSITIVE_INFINITY;
    return Math.max(notBefore, part.readyAt(now));
  }

  /** A host whose turn goes on, else the one of the least key, else of the earliest time. */
  #choose(now: EpochMs): Host<Part> | undefined {
    const keyOf = this.#options.keyOf ?? (() => 0);
    let first: Host<Part> | undefined;
    let firstKey = 0;
    for (const [name, host] of this.#hosts) {
      if (host.part.backlog === 0 && host.notBefore <= now) this.#hosts.delete(name);
      if (this.#readyAtOf(host, now) > now) continue;
      if (host.left > 0) return host;
      const key = keyOf(host.part, name);
      const isFirst = first === undefined || key < firstKey || (key === firstKey && host.notBefore < first.notBefore);
      if (isFirst) [first, firstKey] = [host, key];
    }
    return first;
  }
}
