import type { EpochMs } from "../../../core/index.ts";
import type { Sequencer } from "./sequencer.ts";

/**
 * Takes turns among parts: each part that is ready returns one item before any returns a second. A part is created with its
 * first item and dropped when it is empty; a new one comes after the others. O(1) a turn, plus the parts that are not due.
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

/** A part of a {@link WeightedSequencer}. */
interface WeightedPart<Item> {
  readonly sequencer: Sequencer<Item>;
  /** Its share of the turns is its weight divided by those of all parts that are ready; above 0. */
  readonly weight: number;
}

interface Part<Item> extends WeightedPart<Item> {
  /** Number of its turns divided by its weight; the part with the least is next. */
  pass: number;
  isBehind: boolean;
}

/**
 * Chooses among parts by their weights. Edwards et al. choose at random; this one counts, so that the shares also hold in the
 * short run: while the same parts are ready, each pair is within one turn of the lighter of its proportion. A part that was
 * not ready does not catch up. O(parts).
 */
export class WeightedSequencer<Item> implements Sequencer<Item> {
  readonly #parts: readonly Part<Item>[];
  readonly #partOf: (item: Item) => number;
  /** The pass of the last turn. */
  #pass = 0;

  /**
   * @param partOf - the index in `parts` of an item's part
   * @throws RangeError if a weight is not above 0 and finite
   */
  constructor(parts: readonly WeightedPart<Item>[], partOf: (item: Item) => number) {
    for (const { weight } of parts) {
      if (!(weight > 0 && Number.isFinite(weight))) throw new RangeError(`not a weight: ${weight}`);
    }
    this.#parts = parts.map(({ sequencer, weight }) => ({ sequencer, weight, pass: 0, isBehind: true }));
    this.#partOf = partOf;
  }

  get backlog(): number {
    return this.#parts.reduce((sum, { sequencer }) => sum + sequencer.backlog, 0);
  }

  readyAt(now: EpochMs): EpochMs {
    return Math.min(Number.POSITIVE_INFINITY, ...this.#parts.map(({ sequencer }) => sequencer.readyAt(now)));
  }

  next(now: EpochMs): Item | undefined {
    let first: Part<Item> | undefined;
    for (const part of this.#parts) {
      if (part.sequencer.readyAt(now) > now) {
        part.isBehind = true;
        continue;
      }
      // As if it had just been added: half a turn ahead, so that the heavier of two new parts goes first.
      if (part.isBehind) part.pass = Math.max(part.pass, this.#pass + 0.5 / part.weight);
      part.isBehind = false;
      if (first === undefined || part.pass < first.pass) first = part;
    }
    const item = first?.sequencer.next(now);
    if (first === undefined || item === undefined) return undefined;
    this.#pass = first.pass;
    first.pass += 1 / first.weight;
    return item;
  }

  add(item: Item): void {
    const at = this.#partOf(item);
    const part = this.#parts[at];
    if (part === undefined) throw new RangeError(`there is no part ${at}`);
    part.sequencer.add(item);
  }
}

/** Turns of hosts in a {@link PoliteSequencer}. */
interface PoliteOptions<Part> {
  /** From the end of a host's turn to its next: w of Castillo et al., in milliseconds. */
  readonly restMs: number;
  /** Items of a host's turn: k of Castillo et al. Default 1. */
  readonly itemsPerTurn?: number | undefined;
  /** Hosts that may be under way at once: r of Castillo et al. Default: no bound. */
  readonly connections?: number | undefined;
  /** Of the ready hosts the one of the least key goes first. Default: the one that has been ready for the longest time. */
  readonly keyOf?: ((part: Part, host: string | number) => number) | undefined;
}

interface Host<Part> {
  readonly part: Part;
  /** Infinity while it is under way. */
  notBefore: EpochMs;
  /** Items left in this turn. */
  left: number;
}

/**
 * Politeness towards hosts: one turn of a host at a time, and a rest after each. The caller says when the items are
 * {@link done}; until then the host returns only the rest of its turn. A host's items wait in a sequencer of its own.
 *
 * O(hosts) a turn: a short specification with which {@link CrawlOrder}, made for millions of hosts, is compared.
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
    // The host that has been ready for the longest time comes first.
    this.#hosts.delete(name);
    this.#hosts.set(name, host);
  }

  #readyAtOf({ part, notBefore, left }: Host<Part>, now: EpochMs): EpochMs {
    if (notBefore === Number.POSITIVE_INFINITY) return left > 0 ? part.readyAt(now) : notBefore;
    if (this.#underWay >= (this.#options.connections ?? Number.POSITIVE_INFINITY)) return Number.POSITIVE_INFINITY;
    return Math.max(notBefore, part.readyAt(now));
  }

  /** A host whose turn continues, otherwise the one of the least key, otherwise of the earliest time. */
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
