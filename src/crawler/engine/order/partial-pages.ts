import { grow } from "../../../core/index.ts";
import { type OrderedPages, rankOf } from "./order-rule.ts";
import { PageHeaps } from "./page-heaps.ts";

/** A site may have this many outdated entries more than valid ones. */
const staleBorne = 32;

/**
 * Pages by their ranks, or by temporary ones until those are known. A page whose rank rises is added once more; the outdated
 * entry is dropped when it comes to the top, or when half of a site's entries are outdated.
 */
export class PartialPages implements OrderedPages {
  readonly #heaps = new PageHeaps();
  /** By page: its key while it waits. */
  #keys = new Float64Array(0);
  /** By page: its site, counted from 1; the same below 0 once its own rank is known; 0 if it does not wait. */
  #sites = new Int32Array(0);
  /** By site: pages that wait. */
  #counts = new Int32Array(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  reserve(pages: number, sites: number): void {
    this.#heaps.reserve(pages, sites);
    this.#keys = grow(this.#keys, pages);
    this.#sites = grow(this.#sites, pages);
    this.#counts = grow(this.#counts, sites);
  }

  has(page: number): boolean {
    return (this.#sites[page] ?? 0) !== 0;
  }

  /** Adds a page that does not wait; one that was retrieved before starts again. */
  add(page: number, site: number): void {
    this.#keys = grow(this.#keys, page + 1);
    this.#sites = grow(this.#sites, page + 1);
    this.#counts = grow(this.#counts, site + 1);
    this.#keys[page] = 0;
    this.#sites[page] = site + 1;
    this.#counts[site] = (this.#counts[site] as number) + 1;
    this.#size++;
    this.#heaps.add(site, page, 0);
  }

  /** Entries, including outdated ones: after a raise at most 32 and twice its pages for each site. */
  get entries(): number {
    return this.#heaps.size;
  }

  /** Adds to the temporary rank of a page. @returns its site, undefined if it does not wait or has a rank of its own */
  raise(page: number, by: number): number | undefined {
    const site = (this.#sites[page] ?? 0) - 1;
    if (site < 0 || !(by > 0)) return undefined;
    const key = (this.#keys[page] as number) - by;
    this.#keys[page] = key;
    this.#heaps.add(site, page, key);
    if (this.#heaps.count(site) > 2 * this.count(site) + staleBorne) this.#dropAllStale(site);
    return site;
  }

  /** Applies ranks. O(pages). */
  rank(ranks: Float32Array): void {
    for (let site = 0; site < this.#counts.length; site++) {
      this.#heaps.rebuild(site, (page, old) => {
        if (!this.#isTrue(site, page, old)) return undefined;
        const key = -rankOf(ranks, page);
        this.#sites[page] = -(site + 1);
        this.#keys[page] = key;
        return key;
      });
    }
  }

  count(site: number): number {
    return this.#counts[site] ?? 0;
  }

  firstKey(site: number): number {
    return this.#heaps.firstKey(site);
  }

  take(site: number): number | undefined {
    const page = this.#heaps.take(site);
    if (page === undefined) return undefined;
    this.#sites[page] = 0;
    this.#counts[site] = (this.#counts[site] as number) - 1;
    this.#size--;
    this.#dropStale(site);
    return page;
  }

  #isTrue(site: number, page: number, key: number): boolean {
    return Math.abs(this.#sites[page] as number) === site + 1 && this.#keys[page] === key;
  }

  #dropAllStale(site: number): void {
    // A page that was added again may have two entries with its key; after the first, NaN matches none.
    this.#heaps.rebuild(site, (page, key) => {
      if (!this.#isTrue(site, page, key)) return undefined;
      this.#keys[page] = Number.NaN;
      return key;
    });
    this.#heaps.rebuild(site, (page, key) => {
      this.#keys[page] = key;
      return key;
    });
  }

  /** Drops outdated entries from the top. */
  #dropStale(site: number): void {
    if (this.#heaps.count(site) === this.count(site)) return;
    for (let page = this.#heaps.first(site); page !== undefined; page = this.#heaps.first(site)) {
      if (this.#isTrue(site, page, this.#heaps.firstKey(site))) return;
      this.#heaps.take(site);
    }
  }
}
