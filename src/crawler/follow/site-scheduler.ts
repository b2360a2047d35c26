import { type EpochMs, IndexedHeap } from "../../core/index.ts";

/** Where a site of a scheduler stands. */
export interface ScheduledSite {
  readonly site: string;
  /** When it is to be visited next; undefined while it is visited. */
  readonly at: EpochMs | undefined;
  readonly priority: number;
  readonly isPaused: boolean;
  /** Pages of it that wait, as far as that counts. */
  readonly backlog: number;
}

/** The priority of a site of which nothing is said; more goes first. */
export const defaultPriority = 5;
/** The most that a priority can be; the least is 0. */
export const highestPriority = 10;
/** A site goes before others that became due so much earlier, for each step of its priority above theirs. */
const stepMs = 10 * 60_000;

interface Slot {
  site: string;
  at: EpochMs;
  priority: number;
  isPaused: boolean;
  isUnderWay: boolean;
  backlog: number;
}

/**
 * Which site is visited next: of those that are due the one that has waited longest, where each step of priority counts
 * as ten minutes of waiting, and so does each power of ten of the pages that wait if it is told of them (the order *Length* of Castillo
 * and others, LA-WEB 2004, section 5, tempered). So no site waits for ever, however many others are due all the time. A site is given out
 * once, until it is given back with its next time.
 *
 * O(log n) an operation; 100,000 sites take some 20 MB with their names.
 */
export class SiteScheduler {
  readonly #slots: (Slot | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #numbers = new Map<string, number>();
  /** Sites that are not due yet, by their time. */
  readonly #waiting = new IndexedHeap();
  /** Sites that are due, by their time less what their priority is worth. */
  readonly #due = new IndexedHeap();
  #underWay = 0;

  /** Sites, paused ones too. */
  get size(): number {
    return this.#numbers.size;
  }

  get underWay(): number {
    return this.#underWay;
  }

  has(site: string): boolean {
    return this.#numbers.has(site);
  }

  /** How many sites could be visited now. */
  countDue(now: EpochMs): number {
    this.#ripen(now);
    return this.#due.size;
  }

  /** When the next site can be visited; a time that is past if one is due, Infinity if none waits. */
  get nextAt(): EpochMs {
    return this.#due.size > 0 ? 0 : this.#waiting.firstKey;
  }

  /**
   * Adds a site, or sets another time for one that is not being visited.
   *
   * @param at - when it is to be visited
   */
  add(site: string, at: EpochMs, priority: number = defaultPriority): void {
    const known = this.#numbers.get(site);
    const number = known ?? this.#free.pop() ?? this.#slots.length;
    const slot = this.#slots[number] ?? { site, at, priority, isPaused: false, isUnderWay: false, backlog: 0 };
    slot.at = at;
    slot.priority = priority;
    this.#slots[number] = slot;
    this.#numbers.set(site, number);
    this.#place(number, slot);
  }

  /** Takes a site out. One that is being visited is not given out again. */
  remove(site: string): void {
    const number = this.#numbers.get(site);
    if (number === undefined) return;
    this.#numbers.delete(site);
    if (this.#slots[number]?.isUnderWay === true) this.#underWay--;
    this.#slots[number] = undefined;
    this.#waiting.delete(number);
    this.#due.delete(number);
    this.#free.push(number);
  }

  /** Gives out the site whose turn it is; undefined if none is due. */
  next(now: EpochMs): string | undefined {
    this.#ripen(now);
    const number = this.#due.first;
    const slot = number === undefined ? undefined : this.#slots[number];
    if (number === undefined || slot === undefined) return undefined;
    this.#due.delete(number);
    slot.isUnderWay = true;
    this.#underWay++;
    return slot.site;
  }

  /** Takes a site back that was given out; without effect if it was removed meanwhile. */
  giveBack(site: string, at: EpochMs): void {
    this.#change(site, (slot) => {
      if (slot.isUnderWay) this.#underWay--;
      slot.isUnderWay = false;
      slot.at = at;
    });
  }

  /** A site that is paused is not given out; it keeps its time. */
  setPaused(site: string, isPaused: boolean): void {
    this.#change(site, (slot) => {
      slot.isPaused = isPaused;
    });
  }

  setPriority(site: string, priority: number): void {
    this.#change(site, (slot) => {
      slot.priority = priority;
    });
  }

  /** Tells how many pages of a site wait, which brings its turn nearer. */
  setBacklog(site: string, pages: number): void {
    this.#change(site, (slot) => {
      slot.backlog = pages;
    });
  }

  entryOf(site: string): ScheduledSite | undefined {
    const number = this.#numbers.get(site);
    const slot = number === undefined ? undefined : this.#slots[number];
    if (slot === undefined) return undefined;
    const { at, priority, isPaused, isUnderWay, backlog } = slot;
    return { site, at: isUnderWay ? undefined : at, priority, isPaused, backlog };
  }

  /** All sites, in the order in which they came. */
  sites(): IterableIterator<string> {
    return this.#numbers.keys();
  }

  #change(site: string, change: (slot: Slot) => void): void {
    const number = this.#numbers.get(site);
    const slot = number === undefined ? undefined : this.#slots[number];
    if (number === undefined || slot === undefined) return;
    change(slot);
    this.#place(number, slot);
  }

  #place(number: number, slot: Slot): void {
    this.#due.delete(number);
    if (slot.isPaused || slot.isUnderWay) this.#waiting.delete(number);
    else this.#waiting.set(number, slot.at);
  }

  #ripen(now: EpochMs): void {
    for (let number = this.#waiting.first; number !== undefined; number = this.#waiting.first) {
      const slot = this.#slots[number];
      if (slot === undefined || slot.at > now) return;
      this.#waiting.delete(number);
      this.#due.set(number, slot.at - (slot.priority + Math.log10(1 + slot.backlog)) * stepMs);
    }
  }
}
