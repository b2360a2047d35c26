import { type EpochMs, grow, IndexedHeap } from "../../../core/index.ts";
import { emptyHeap, HeapForest } from "./heap-forest.ts";
import type { SitePages } from "./order-rule.ts";

/** Bounds and politeness of turns. */
export interface TurnOptions {
  /** Sites that may be under way at once: r of Castillo et al. */
  readonly connections: number;
  /** Pages of a turn, over one connection: k of Castillo et al. */
  readonly pagesPerTurn: number;
  /**
   * From the end of a turn to the next of that site, and of that address: w of Castillo et al., in milliseconds; for all sites, or
   * by site.
   */
  readonly restMs: number | ((site: number) => number);
  /** The address of a site, a whole number from 0; asked once. Default: each site has one of its own. */
  readonly addressOf?: ((site: number) => number) | undefined;
}

/** A turn of a site: one connection. */
export interface SiteTurn {
  readonly site: number;
  /** From 1 to k pages, in order. */
  readonly pages: readonly number[];
}

// What a site or an address does, in the two lowest bits of its word. Above them is a number, counted from 1: the address of a
// site; of an address the first of its sites that are ready, and a bit that says whether there are more.
const idle = 0;
const ready = 1;
const underWay = 2;
const resting = 3;
const stateBits = 2;

const stateOf = (word: number): number => word & ((1 << stateBits) - 1);
const addressIn = (word: number): number => (word >> stateBits) - 1;
const wordOfSite = (address: number, state: number): number => ((address + 1) << stateBits) | state;
const hasHeap = (word: number): boolean => ((word >> stateBits) & 1) === 1;
/** {@link emptyHeap} if none is ready. */
const firstIn = (word: number): number => (word >> (stateBits + 1)) - 1;
const wordOfAddress = (first: number, isHeap: boolean, state: number): number =>
  ((first + 1) << (stateBits + 1)) | (isHeap && first !== emptyHeap ? 1 << stateBits : 0) | state;

/**
 * The upper heap of Castillo et al.: which site is next. An address has one connection at a time and rests after it, and so do
 * its sites. Three levels: addresses by their best site, the sites of an address, the pages of a site. O(log n) amortised for a
 * turn, O(1) on average to add a page. Memory: 40 bytes a site, 24 more once several of an address are ready. Numbers of sites
 * are below 2^28 - 1.
 */
export class SiteTurns {
  readonly #pages: SitePages;
  readonly #isByLength: boolean;
  readonly #options: TurnOptions;
  /** The sites that are ready of each address that has more than one of them, by what goes first. */
  readonly #sites = new HeapForest();
  /** Addresses that are ready, by their best site. */
  readonly #ready = new IndexedHeap();
  /** By the end of their rests. */
  readonly #addressesAtRest = new IndexedHeap();
  readonly #sitesAtRest = new IndexedHeap();
  #siteWords = new Int32Array(0);
  #addressWords = new Int32Array(0);
  #underWay = 0;

  /**
   * @param by - the site with the least key goes first, or the one with most pages; of equal ones of an address the lower
   *   number, else that of the lower address
   */
  constructor(pages: SitePages, by: "first-key" | "length", options: TurnOptions) {
    this.#pages = pages;
    this.#isByLength = by === "length";
    this.#options = options;
  }

  /** Sites that have a connection. */
  get underWay(): number {
    return this.#underWay;
  }

  /**
   * When {@link next} returns a turn: `now` or earlier if it does now; Infinity if nothing is due. O(sites and addresses at rest) if none is
   * under way or ready: nobody is to wait for the rest of a site that has no pages.
   */
  readyAt(now: EpochMs): EpochMs {
    if (this.#underWay >= this.#options.connections) return Number.POSITIVE_INFINITY;
    this.#wake(now);
    if (this.#ready.size > 0) return now;
    if (this.#underWay === 0 && !this.#hasPagesAtRest()) return Number.POSITIVE_INFINITY;
    return Math.min(this.#addressesAtRest.firstKey, this.#sitesAtRest.firstKey);
  }

  /** Begins the turn of the best site that is ready; undefined if there is none. */
  next(now: EpochMs): SiteTurn | undefined {
    if (this.readyAt(now) > now) return undefined;
    const address = this.#ready.first as number;
    const word = this.#addressWords[address] as number;
    const site = firstIn(word);
    this.#ready.delete(address);
    this.#addressWords[address] = wordOfAddress(
      hasHeap(word) ? this.#sites.pop(site) : emptyHeap,
      hasHeap(word),
      underWay,
    );
    this.#siteWords[site] = wordOfSite(address, underWay);
    this.#underWay++;
    const pages: number[] = [];
    while (pages.length < this.#options.pagesPerTurn) {
      const page = this.#pages.take(site);
      if (page === undefined) break;
      pages.push(page);
    }
    return { site, pages };
  }

  /**
   * Ends a site's turn.
   *
   * @param notBefore - of its next turn, if later than the end of its rest; its address does not wait for it
   * @throws RangeError if the site has no turn
   */
  done(site: number, now: EpochMs, notBefore: EpochMs = now): void {
    if (stateOf(this.#siteWords[site] ?? 0) !== underWay) throw new RangeError(`site ${site} is not under way`);
    const address = this.#addressOf(site);
    const { restMs } = this.#options;
    const restsUntil = now + (typeof restMs === "number" ? restMs : restMs(site));
    this.#underWay--;
    this.#setState(address, resting);
    this.#addressesAtRest.set(address, restsUntil);
    if (notBefore > restsUntil) {
      this.#siteWords[site] = wordOfSite(address, resting);
      this.#sitesAtRest.set(site, notBefore);
    } else {
      this.#siteWords[site] = wordOfSite(address, idle);
      this.touch(site);
    }
  }

  /** Notes that pages of a site were added, or that their keys changed. */
  touch(site: number): void {
    const address = this.#addressOf(site);
    const state = stateOf(this.#siteWords[site] as number);
    if (state === underWay || state === resting || this.#pages.count(site) === 0) return;
    const word = this.#addressWords[address] as number;
    let first = firstIn(word);
    let isHeap = hasHeap(word);
    if (state !== ready && first !== emptyHeap && !isHeap) {
      this.#sites.insert(emptyHeap, first, this.#keyOf(first));
      isHeap = true;
    }
    if (!isHeap) first = site;
    else if (state !== ready) first = this.#sites.insert(first, site, this.#keyOf(site));
    else first = this.#sites.rekey(first, site, this.#keyOf(site));
    this.#siteWords[site] = wordOfSite(address, ready);
    this.#addressWords[address] = wordOfAddress(first, isHeap, stateOf(word));
    this.#offer(address);
  }

  /** Notes that the keys of many sites changed. O(sites). */
  touchAll(): void {
    for (let site = 0; site < this.#siteWords.length; site++)
      if (stateOf(this.#siteWords[site] as number) === ready) this.touch(site);
  }

  /** Gives a free address the key of its best site. */
  #offer(address: number): void {
    const word = this.#addressWords[address] as number;
    const state = stateOf(word);
    const first = firstIn(word);
    if (first === emptyHeap || (state !== ready && state !== idle)) return;
    if (state === idle) this.#setState(address, ready);
    this.#ready.set(address, this.#keyOf(first));
  }

  #wake(now: EpochMs): void {
    for (let site = this.#sitesAtRest.first; site !== undefined; site = this.#sitesAtRest.first) {
      if (this.#sitesAtRest.firstKey > now) break;
      this.#sitesAtRest.delete(site);
      this.#siteWords[site] = wordOfSite(this.#addressOf(site), idle);
      this.touch(site);
    }
    for (let address = this.#addressesAtRest.first; address !== undefined; address = this.#addressesAtRest.first) {
      if (this.#addressesAtRest.firstKey > now) break;
      this.#addressesAtRest.delete(address);
      this.#setState(address, idle);
      this.#offer(address);
    }
  }

  #hasPagesAtRest(): boolean {
    return (
      this.#addressesAtRest.some((address) => firstIn(this.#addressWords[address] as number) !== emptyHeap) ||
      this.#sitesAtRest.some((site) => this.#pages.count(site) > 0)
    );
  }

  #keyOf(site: number): number {
    return this.#isByLength ? -this.#pages.count(site) : this.#pages.firstKey(site);
  }

  #setState(address: number, state: number): void {
    const word = this.#addressWords[address] as number;
    this.#addressWords[address] = wordOfAddress(firstIn(word), hasHeap(word), state);
  }

  #addressOf(site: number): number {
    const known = addressIn(this.#siteWords[site] ?? 0);
    if (known !== -1) return known;
    const address = this.#options.addressOf?.(site) ?? site;
    this.#siteWords = grow(this.#siteWords, site + 1);
    this.#addressWords = grow(this.#addressWords, address + 1);
    this.#siteWords[site] = wordOfSite(address, idle);
    return address;
  }
}
