import { emptyHeap, grow, HeapForest } from "./heap-forest.ts";
import type { SitePages } from "./site-pages.ts";

/** The pages of sites in memory, each site's by their keys: 24 bytes a page, 8 a site. */
export class PageHeaps implements SitePages {
  /** Labels are the pages' sites, counted from 1; 0 if a page does not wait. */
  readonly #forest = new HeapForest();
  /** By site: one more than the root of its heap; 0 if there is none. */
  #roots = new Int32Array(0);
  #counts = new Int32Array(0);
  #size = 0;

  /** How many pages wait. */
  get size(): number {
    return this.#size;
  }

  /** Makes room at once for pages and sites below these numbers. */
  reserve(pages: number, sites: number): void {
    this.#forest.reserve(pages);
    this.#roots = grow(this.#roots, sites);
    this.#counts = grow(this.#counts, sites);
  }

  has(page: number): boolean {
    return this.#forest.labelOf(page) > 0;
  }

  /** The key of a page that waits. */
  keyOf(page: number): number {
    return this.#forest.keyOf(page);
  }

  /** The site of a page that waits. */
  siteOf(page: number): number {
    return this.#forest.labelOf(page) - 1;
  }

  /** Puts in a page that does not wait yet. O(1). */
  add(page: number, site: number, key: number): void {
    this.reserve(page + 1, site + 1);
    this.#forest.label(page, site + 1);
    this.#roots[site] = this.#forest.insert((this.#roots[site] as number) - 1, page, key) + 1;
    this.#counts[site] = (this.#counts[site] as number) + 1;
    this.#size++;
  }

  /** Gives a page that waits another key. O(1) for a lesser one, else O(log n). */
  rekey(page: number, key: number): void {
    const site = this.siteOf(page);
    this.#roots[site] = this.#forest.rekey((this.#roots[site] as number) - 1, page, key) + 1;
  }

  /** Gives all pages that wait other keys. O(pages ever added). */
  rekeyAll(keyOf: (page: number) => number): void {
    this.#roots.fill(emptyHeap + 1);
    for (let page = 0; page < this.#forest.capacity; page++) {
      if (!this.has(page)) continue;
      const site = this.siteOf(page);
      this.#roots[site] = this.#forest.insert((this.#roots[site] as number) - 1, page, keyOf(page)) + 1;
    }
  }

  count(site: number): number {
    return this.#counts[site] ?? 0;
  }

  firstKey(site: number): number {
    const root = (this.#roots[site] ?? 0) - 1;
    return root === emptyHeap ? Number.POSITIVE_INFINITY : this.#forest.keyOf(root);
  }

  take(site: number): number | undefined {
    const page = (this.#roots[site] ?? 0) - 1;
    if (page === emptyHeap) return undefined;
    this.#roots[site] = this.#forest.pop(page) + 1;
    this.#counts[site] = (this.#counts[site] as number) - 1;
    this.#forest.label(page, 0);
    this.#size--;
    return page;
  }
}
