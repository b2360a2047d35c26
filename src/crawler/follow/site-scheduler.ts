import { type EpochMs, IndexedHeap } from "../../core/index.ts";

/** The state of a site in a scheduler. */
export interface ScheduledSite {
  readonly site: string;
  /** When the next visit is due; undefined during a visit. */
  readonly at: EpochMs | undefined;
  readonly priority: number;
  readonly isPaused: boolean;
  /** Number of its waiting pages, if they count. */
  readonly backlog: number;
}

/** The default priority; sites with a higher one go first. */
export const defaultPriority = 5;
/** The highest priority; the lowest is 0. */
export const highestPriority = 10;

export function isPriority(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= highestPriority;
}

/** Each step of priority counts like being due so much earlier. */
const stepMs = 10 * 60_000;

interface Slot {
  site: string;
  at: EpochMs;
  priority: number;
  isPaused: boolean;
  isUnderWay: boolean;
  backlog: number;
  /** While it is visited: when it is to be visited next at the latest. */
  notAfter: EpochMs;
}

/**
 * Chooses the site to visit next: of the due sites the one that has waited longest, where each step of priority counts
 * like ten minutes of waiting, and so does each power of ten of waiting pages if their number is set (a moderated form
 * of the order *Length* of Castillo and others, LA-WEB 2004, section 5). So no site starves, however many others are
 * due. A site is returned once, until it is given back with its next time.
 *
 * O(log n) per operation; 100,000 sites take some 20 MB with their names.
 */
export class SiteScheduler {
  readonly #slots: (Slot | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #numbers = new Map<string, number>();
  /** Sites not yet due, by time. */
  readonly #waiting = new IndexedHeap();
  /** Due sites, by time less the value of their priority. */
  readonly #due = new IndexedHeap();
  #underWay = 0;

  /** All sites, including paused ones. */
  get size(): number {
    return this.#numbers.size;
  }

  get underWay(): number {
    return this.#underWay;
  }

  has(site: string): boolean {
    return this.#numbers.has(site);
  }

  /** How many sites are due. */
  countDue(now: EpochMs): number {
    this.#ripen(now);
    return this.#due.size;
  }

  /** When the next site is due; in the past if one is due now, Infinity if none waits. */
  get nextAt(): EpochMs {
    return this.#due.size > 0 ? 0 : this.#waiting.firstKey;
  }

  /** For how long the site has waited that is next, since its visit was due. */
  latenessAt(now: EpochMs): number {
    this.#ripen(now);
    const number = this.#due.first;
    const slot = number === undefined ? undefined : this.#slots[number];
    return slot === undefined ? 0 : Math.max(0, now - slot.at);
  }

  /**
   * Adds a site, or changes the time of one that is not being visited.
   *
   * @param at - when the next visit is due
   */
  add(site: string, at: EpochMs, priority: number = defaultPriority): void {
    const known = this.#numbers.get(site);
    const number = known ?? this.#free.pop() ?? this.#slots.length;
    const slot = this.#slots[number] ?? {
      site,
      at,
      priority,
      isPaused: false,
      isUnderWay: false,
      backlog: 0,
      notAfter: Number.POSITIVE_INFINITY,
    };
    slot.at = at;
    slot.priority = priority;
    this.#slots[number] = slot;
    this.#numbers.set(site, number);
    this.#place(number, slot);
  }

  /** Removes a site. If it is being visited, it is not returned again. */
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

  /** Returns the next site to visit; undefined if none is due. */
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

  /** Takes back a site after its visit; no effect if it was removed meanwhile. */
  giveBack(site: string, at: EpochMs): void {
    this.#change(site, (slot) => {
      if (slot.isUnderWay) this.#underWay--;
      slot.isUnderWay = false;
      slot.at = Math.min(at, slot.notAfter);
      slot.notAfter = Number.POSITIVE_INFINITY;
    });
  }

  /** A site is to be visited no later than at a time; one that is being visited, again. */
  expedite(site: string, at: EpochMs): void {
    this.#change(site, (slot) => {
      if (slot.isUnderWay) slot.notAfter = Math.min(slot.notAfter, at);
      else slot.at = Math.min(slot.at, at);
    });
  }

  /** A paused site is not returned; it keeps its time. */
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

  /** Sets how many pages of a site wait; more make it go sooner. */
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

  /** All sites in the order in which they were added. */
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
