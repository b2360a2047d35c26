import { grow } from "../../../core/index.ts";
import { isBefore, lastParent, rise, sink } from "./quad-heap.ts";

// A site's row: where its segment begins, how many places it has, how many of them the heap takes and where in it the run begins,
// whether the heap may have what goes before the end of the run, the page that is first, and, as a floating-point number, its key.
// Most of what a turn asks of a site is in its row, for most rows are in no cache.
const rowBytes = 32;
const rowFields = rowBytes / 4;
const sizeAt = 1;
const heapAt = 2;
const runAt = 3;
const mixedAt = 4;
const firstAt = 5;
const firstKeyAt = 3;

/** A heap of so many pages is sorted whole. */
const shortHeap = 64;
/** So large a part of a longer one is sorted in advance: one in 2 ** runBits. */
const runBits = 2;
/** More at once would hold up the thread. */
const longestRun = 2 ** 16;

const leastSegment = 4;
/** Places of a segment that is moved with all others. */
const roomFor = (pages: number): number => (pages === 0 ? 0 : Math.max(leastSegment, Math.ceil(pages * 1.25)));

/**
 * The pages of many sites, each site's by key, the least first, of equal keys the lower number. A page may be there more than
 * once. The pages of a site are a segment of arrays that all sites share: 12 bytes a page, up to 23 with room to grow, and 32
 * a site, whose segment has room for at least four pages. Gaps that moved segments leave are closed when all are moved.
 *
 * A segment has a heap at its beginning and a run at its end: pages that were taken out of the heap in advance, in order, a
 * quarter of it at a time, at most 65,536. The heap is then often in the processor's cache, and a run is read sequentially.
 * O(log n) amortised to take, O(1) on average to add, whatever the number of sites.
 *
 * @see P. Sanders, Fast Priority Queues for Cached Memory, ACM Journal of Experimental Algorithmics 5, 2000
 */
export class PageHeaps {
  #keys = new Float64Array(0);
  #pages = new Int32Array(0);
  #rowKeys = new Float64Array(0);
  #rows = new Int32Array(this.#rowKeys.buffer);
  /** Places of segments and gaps. */
  #used = 0;
  /** Pages of all sites. */
  #size = 0;
  #runKeys = new Float64Array(0);
  #runPages = new Int32Array(0);

  get #sites(): number {
    return Math.floor(this.#rows.length / rowFields);
  }

  /** How many pages all sites have. */
  get size(): number {
    return this.#size;
  }

  /** Allocated places, including gaps. */
  get places(): number {
    return this.#keys.length;
  }

  /** Allocates for this many pages, and for sites below a number. */
  reserve(pages: number, sites: number): void {
    if (sites > this.#sites) {
      this.#rowKeys = grow(this.#rowKeys, (sites * rowBytes) / 8);
      this.#rows = new Int32Array(this.#rowKeys.buffer);
    }
    if (pages > this.#keys.length) this.#moveAll({ places: pages - this.#size });
  }

  /** How many pages a site has. */
  count(site: number): number {
    if (site >= this.#sites) return 0;
    const at = site * rowFields;
    return this.#field(at, heapAt) + this.#field(at, sizeAt) - this.#field(at, runAt);
  }

  /** The least key of a site; Infinity if it has no page. */
  firstKey(site: number): number {
    return this.count(site) === 0 ? Number.POSITIVE_INFINITY : this.#firstKey(site);
  }

  /** The page with the least key; undefined if there is none. */
  first(site: number): number | undefined {
    return this.count(site) === 0 ? undefined : this.#field(site * rowFields, firstAt);
  }

  /**
   * Adds a page, even if it is there.
   *
   * @throws RangeError if the key is no number
   */
  add(site: number, page: number, key: number): void {
    if (Number.isNaN(key)) throw new RangeError(`the key of page ${page} is no number`);
    this.reserve(0, site + 1);
    const at = site * rowFields;
    if (this.#field(at, heapAt) === this.#field(at, runAt)) this.#widen(at);
    const count = this.count(site);
    const heap = this.#field(at, heapAt);
    const base = this.#field(at, 0);
    const size = this.#field(at, sizeAt);
    if (this.#field(at, runAt) < size && key <= (this.#keys[base + size - 1] as number)) this.#rows[at + mixedAt] = 1;
    this.#rows[at + heapAt] = heap + 1;
    this.#size++;
    rise(this.#keys, this.#pages, base, heap, key, page);
    if (count > 0) {
      const first = this.#firstKey(site);
      if (key > first || (key === first && page > this.#field(at, firstAt))) return;
    }
    this.#rows[at + firstAt] = page;
    this.#rowKeys[(at >> 1) + firstKeyAt] = key;
  }

  /** Removes and returns the page with the least key; undefined if there is none. */
  take(site: number): number | undefined {
    if (this.count(site) === 0) return undefined;
    const at = site * rowFields;
    const page = this.#field(at, firstAt);
    const run = this.#field(at, runAt);
    if (this.#firstPlace(at) === this.#field(at, 0) + run) this.#rows[at + runAt] = run + 1;
    else this.#pop(at);
    this.#size--;
    if (this.#field(at, runAt) === this.#field(at, sizeAt) && this.#field(at, heapAt) > 1) this.#beginRun(at);
    this.#noteFirst(at);
    return page;
  }

  /**
   * Changes the keys of all pages of a site. O(pages of the site).
   *
   * @param keyFor - returns undefined to remove the page
   */
  rebuild(site: number, keyFor: (page: number, key: number) => number | undefined): void {
    const count = this.count(site);
    if (count === 0) return;
    const at = site * rowFields;
    const base = this.#field(at, 0);
    const heap = this.#field(at, heapAt);
    const gap = this.#field(at, runAt) - heap;
    let kept = 0;
    for (let number = 0; number < count; number++) {
      const place = base + (number < heap ? number : number + gap);
      const page = this.#pages[place] as number;
      const key = keyFor(page, this.#keys[place] as number);
      if (key === undefined) continue;
      this.#keys[base + kept] = key;
      this.#pages[base + kept] = page;
      kept++;
    }
    this.#size += kept - count;
    this.#rows[at + heapAt] = kept;
    this.#rows[at + runAt] = this.#field(at, sizeAt);
    const [keys, pages] = [this.#keys, this.#pages];
    for (let node = lastParent(kept); node >= 0; node--)
      sink(keys, pages, base, kept, node, keys[base + node] as number, pages[base + node] as number);
    this.#noteFirst(at);
  }

  #field(at: number, field: number): number {
    return this.#rows[at + field] as number;
  }

  #firstKey(site: number): number {
    return this.#rowKeys[(site * rowFields) / 2 + firstKeyAt] as number;
  }

  /** Place of the page with the least key, if there is one. */
  #firstPlace(at: number): number {
    const base = this.#field(at, 0);
    const run = base + this.#field(at, runAt);
    if (this.#field(at, heapAt) === 0) return run;
    if (run === base + this.#field(at, sizeAt)) return base;
    if (this.#field(at, mixedAt) === 0) return run;
    const [keys, pages] = [this.#keys, this.#pages];
    return isBefore(keys, pages, keys[base] as number, pages[base] as number, run) ? base : run;
  }

  /** Notes what is first in the row. */
  #noteFirst(at: number): void {
    const place = this.#firstPlace(at);
    if (place === this.#field(at, 0) + this.#field(at, sizeAt)) return;
    this.#rows[at + firstAt] = this.#pages[place] as number;
    this.#rowKeys[(at >> 1) + firstKeyAt] = this.#keys[place] as number;
  }

  /** Takes the least page out of a heap. */
  #pop(at: number): void {
    const base = this.#field(at, 0);
    const last = this.#field(at, heapAt) - 1;
    this.#rows[at + heapAt] = last;
    sink(this.#keys, this.#pages, base, last, 0, this.#keys[base + last] as number, this.#pages[base + last] as number);
  }

  /** Moves the least pages of a heap, in order, to the run. */
  #beginRun(at: number): void {
    const base = this.#field(at, 0);
    const heap = this.#field(at, heapAt);
    const length = heap > shortHeap ? Math.min(heap >> runBits, longestRun) : heap;
    this.#runKeys = grow(this.#runKeys, length);
    this.#runPages = grow(this.#runPages, length);
    for (let place = 0; place < length; place++) {
      this.#runKeys[place] = this.#keys[base] as number;
      this.#runPages[place] = this.#pages[base] as number;
      this.#pop(at);
    }
    const run = this.#field(at, sizeAt) - length;
    this.#rows[at + runAt] = run;
    this.#rows[at + mixedAt] = 0;
    for (let place = 0; place < length; place++) {
      this.#keys[base + run + place] = this.#runKeys[place] as number;
      this.#pages[base + run + place] = this.#runPages[place] as number;
    }
  }

  /** Gives a site whose segment is full a longer one. */
  #widen(at: number): void {
    const size = Math.max(leastSegment, Math.ceil(this.#field(at, sizeAt) * 1.5));
    if (this.#used + size > this.#keys.length) {
      this.#moveAll({ at, size });
      return;
    }
    const base = this.#used;
    this.#used += size;
    for (const array of [this.#keys, this.#pages]) this.#move(array, array, at, base, size);
    this.#settle(at, base, size);
  }

  /** Moves all segments to new arrays without gaps, with free places behind them, or with one segment made longer. */
  #moveAll({ places = 0, at = -1, size: longer = 0 }): void {
    const sizeOf = (site: number): number => (site * rowFields === at ? longer : roomFor(this.count(site)));
    let length = places + this.#sites;
    for (let site = 0; site < this.#sites; site++) length += sizeOf(site);
    length = Math.ceil(length * 1.25);
    // One after the other, so that only one of them is there twice.
    this.#keys = this.#moveTo(this.#keys, new Float64Array(length), sizeOf);
    this.#pages = this.#moveTo(this.#pages, new Int32Array(length), sizeOf);
    this.#used = 0;
    for (let site = 0; site < this.#sites; site++) {
      const size = sizeOf(site);
      this.#settle(site * rowFields, this.#used, size);
      this.#used += size;
    }
  }

  #moveTo<A extends Float64Array | Int32Array>(from: A, to: A, sizeOf: (site: number) => number): A {
    let base = 0;
    for (let site = 0; site < this.#sites; site++) {
      const size = sizeOf(site);
      this.#move(from, to, site * rowFields, base, size);
      base += size;
    }
    return to;
  }

  /** Copies a segment to where it has other places. */
  #move<A extends Float64Array | Int32Array>(from: A, to: A, at: number, base: number, size: number): void {
    const old = this.#field(at, 0);
    const heap = this.#field(at, heapAt);
    const shift = this.#field(at, sizeAt) - size;
    for (let place = 0; place < heap; place++) to[base + place] = from[old + place] as number;
    for (let place = this.#field(at, runAt) - shift; place < size; place++)
      to[base + place] = from[old + place + shift] as number;
  }

  /** Notes where a segment is now. */
  #settle(at: number, base: number, size: number): void {
    this.#rows[at + runAt] = size - (this.#field(at, sizeAt) - this.#field(at, runAt));
    this.#rows[at] = base;
    this.#rows[at + sizeAt] = size;
  }
}
