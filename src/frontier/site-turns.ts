import type { EpochMs } from "../model/index.ts";
import { emptyHeap, grow, HeapForest } from "./heap-forest.ts";
import type { SitePages } from "./site-pages.ts";

/** How many connections there are, and how sites are spared. */
export interface TurnOptions {
  /** Sites that may be under way at once: r of Castillo et al. */
  readonly connections: number;
  /** Pages that a site gives in one turn, over one connection: k of Castillo et al. */
  readonly pagesPerTurn: number;
  /** From the end of a turn to the next of that site, and of that address: w of Castillo et al., in milliseconds. */
  readonly restMs: number;
  /** The address of a site, a whole number from 0; asked once. Default: each site has one of its own. */
  readonly addressOf?: ((site: number) => number) | undefined;
}

/** A connection to a site. */
export interface SiteTurn {
  readonly site: number;
  /** From 1 to k pages, in the order in which they are to be asked for. */
  readonly pages: readonly number[];
}

// What a site or an address does.
const idle = 0;
const ready = 1;
const underWay = 2;
const resting = 3;

/**
 * The upper heap of Castillo et al.: which site is next. An address has one connection at a time and rests after it, and so do its
 * sites. Three levels: addresses by their best site, the sites of an address, the pages of a site. O(log n) amortised for a turn, O(1)
 * to note that a site got a page; 25 bytes a site and as many an address.
 */
export class SiteTurns {
  readonly #pages: SitePages;
  readonly #isByLength: boolean;
  readonly #options: TurnOptions;
  /** Those of an address by what goes first, and all that rest by the end of their rests. */
  readonly #sites = new HeapForest();
  /** Those that are ready by their best site, and those that rest by the end of their rests. */
  readonly #addresses = new HeapForest();
  #siteStates = new Uint8Array(0);
  #addressStates = new Uint8Array(0);
  /** By site, counted from 1; 0 if it was not asked for. */
  #addressOf = new Int32Array(0);
  /** By address: one more than the root of the heap of its sites. */
  #roots = new Int32Array(0);
  #first = emptyHeap;
  #firstAddressAtRest = emptyHeap;
  #firstSiteAtRest = emptyHeap;
  #underWay = 0;

  /** @param by - the site with the least key goes first, or the one with most pages; of equal ones the lower number */
  constructor(pages: SitePages, by: "first-key" | "length", options: TurnOptions) {
    this.#pages = pages;
    this.#isByLength = by === "length";
    this.#options = options;
  }

  /** Sites that have a connection. */
  get underWay(): number {
    return this.#underWay;
  }

  /** When {@link next} gives a turn: `now` or earlier if it does so now; Infinity if nothing is due. */
  readyAt(now: EpochMs): EpochMs {
    if (this.#underWay >= this.#options.connections) return Number.POSITIVE_INFINITY;
    this.#wake(now);
    if (this.#first !== emptyHeap) return now;
    const address = this.#firstAddressAtRest;
    const site = this.#firstSiteAtRest;
    return Math.min(
      address === emptyHeap ? Number.POSITIVE_INFINITY : this.#addresses.keyOf(address),
      site === emptyHeap ? Number.POSITIVE_INFINITY : this.#sites.keyOf(site),
    );
  }

  /** Gives the best site that may be asked now a connection; undefined if there is none. */
  next(now: EpochMs): SiteTurn | undefined {
    if (this.readyAt(now) > now) return undefined;
    const address = this.#first;
    const site = (this.#roots[address] as number) - 1;
    this.#first = this.#addresses.pop(address);
    this.#roots[address] = this.#sites.pop(site) + 1;
    this.#addressStates[address] = underWay;
    this.#siteStates[site] = underWay;
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
   * @param notBefore - a later time than the end of its rest, if the site wants one; its address does not wait for it
   * @throws RangeError if the site has no turn
   */
  done(site: number, now: EpochMs, notBefore: EpochMs = now): void {
    if (this.#siteStates[site] !== underWay) throw new RangeError(`site ${site} is not under way`);
    const address = this.#addressOfSite(site);
    const restsUntil = now + this.#options.restMs;
    this.#underWay--;
    this.#addressStates[address] = resting;
    this.#firstAddressAtRest = this.#addresses.insert(this.#firstAddressAtRest, address, restsUntil);
    if (notBefore > restsUntil) {
      this.#siteStates[site] = resting;
      this.#firstSiteAtRest = this.#sites.insert(this.#firstSiteAtRest, site, notBefore);
    } else {
      this.#siteStates[site] = idle;
      this.touch(site);
    }
  }

  /** Notes that pages of a site came, or that their keys are others. */
  touch(site: number): void {
    const address = this.#addressOfSite(site);
    const state = this.#siteStates[site];
    if (state === underWay || state === resting || this.#pages.count(site) === 0) return;
    const key = this.#isByLength ? -this.#pages.count(site) : this.#pages.firstKey(site);
    const root = (this.#roots[address] as number) - 1;
    if (state === ready) {
      if (this.#sites.keyOf(site) === key) return;
      this.#roots[address] = this.#sites.rekey(root, site, key) + 1;
    } else {
      this.#siteStates[site] = ready;
      this.#roots[address] = this.#sites.insert(root, site, key) + 1;
    }
    this.#offer(address);
  }

  /** Notes that the keys of many sites are others. O(sites). */
  touchAll(): void {
    for (let site = 0; site < this.#siteStates.length; site++) if (this.#siteStates[site] === ready) this.touch(site);
  }

  /** Lets an address that is free stand in the line as its best site does. */
  #offer(address: number): void {
    const root = (this.#roots[address] as number) - 1;
    if (root === emptyHeap) return;
    const key = this.#sites.keyOf(root);
    if (this.#addressStates[address] === ready) this.#first = this.#addresses.rekey(this.#first, address, key);
    else if (this.#addressStates[address] === idle) {
      this.#addressStates[address] = ready;
      this.#first = this.#addresses.insert(this.#first, address, key);
    }
  }

  #wake(now: EpochMs): void {
    for (let site = this.#firstSiteAtRest; site !== emptyHeap; site = this.#firstSiteAtRest) {
      if (this.#sites.keyOf(site) > now) break;
      this.#firstSiteAtRest = this.#sites.pop(site);
      this.#siteStates[site] = idle;
      this.touch(site);
    }
    for (let address = this.#firstAddressAtRest; address !== emptyHeap; address = this.#firstAddressAtRest) {
      if (this.#addresses.keyOf(address) > now) break;
      this.#firstAddressAtRest = this.#addresses.pop(address);
      this.#addressStates[address] = idle;
      this.#offer(address);
    }
  }

  #addressOfSite(site: number): number {
    const known = this.#addressOf[site] ?? 0;
    if (known > 0) return known - 1;
    const address = this.#options.addressOf?.(site) ?? site;
    this.#addressOf = grow(this.#addressOf, site + 1);
    this.#siteStates = grow(this.#siteStates, site + 1);
    this.#addressStates = grow(this.#addressStates, address + 1);
    this.#roots = grow(this.#roots, address + 1);
    this.#addressOf[site] = address + 1;
    return address;
  }
}
