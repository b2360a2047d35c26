import { grow } from "../../../core/index.ts";
import { type OrderedPages, rankOf } from "./order-rule.ts";
import { PageHeaps } from "./page-heaps.ts";

const inBatch = -1;

/** Pages in batches: those of the current one by rank, and those that wait for another. */
export class BatchPages implements OrderedPages {
  readonly #batch = new PageHeaps();
  /** Pages that wait for another batch, in order of arrival. */
  #waiting = new Int32Array(0);
  #waitingCount = 0;
  /** Pages left in the batch. */
  #batchSize = 0;
  /** By page: its site, counted from 1, while it waits for another batch; {@link inBatch} while it is in the current one. */
  #siteOf = new Int32Array(0);

  get size(): number {
    return this.#waitingCount + this.#batchSize;
  }

  /** Whether the batch is used up and another can begin. */
  get isUsedUp(): boolean {
    return this.#batchSize === 0 && this.#waitingCount > 0;
  }

  reserve(pages: number, sites: number): void {
    this.#batch.reserve(0, sites);
    this.#siteOf = grow(this.#siteOf, pages);
    this.#waiting = grow(this.#waiting, pages);
  }

  has(page: number): boolean {
    return (this.#siteOf[page] ?? 0) !== 0;
  }

  add(page: number, site: number): void {
    this.#siteOf = grow(this.#siteOf, page + 1);
    this.#waiting = grow(this.#waiting, this.#waitingCount + 1);
    this.#siteOf[page] = site + 1;
    this.#waiting[this.#waitingCount++] = page;
  }

  /** Begins a batch with the pages of the highest ranks. O(pages). @returns their sites */
  begin(pages: number, ranks: Float32Array): readonly number[] {
    const waiting = this.#waiting.subarray(0, this.#waitingCount);
    const taken = findLeastTaken(waiting, pages, ranks);
    const sites: number[] = [];
    let equals = taken.equals;
    let kept = 0;
    for (const page of waiting) {
      const rank = rankOf(ranks, page);
      if (rank > taken.rank || (rank === taken.rank && equals-- > 0)) {
        const site = (this.#siteOf[page] as number) - 1;
        if (this.#batch.count(site) === 0) sites.push(site);
        this.#siteOf[page] = inBatch;
        this.#batch.add(site, page, -rank);
        this.#batchSize++;
      } else this.#waiting[kept++] = page;
    }
    this.#waitingCount = kept;
    return sites;
  }

  count(site: number): number {
    return this.#batch.count(site);
  }

  firstKey(site: number): number {
    return this.#batch.firstKey(site);
  }

  take(site: number): number | undefined {
    const page = this.#batch.take(site);
    if (page === undefined) return undefined;
    this.#siteOf[page] = 0;
    this.#batchSize--;
    return page;
  }
}

/** The least of the highest ranks, and how many pages of that rank are among the highest. */
interface LeastRank {
  readonly rank: number;
  readonly equals: number;
}

const halfBits = 16;
const halves = 2 ** halfBits;
/** Bits of the largest non-negative number; negative numbers and NaN have greater ones. */
const infinityBits = 0x7f800000;

/**
 * Finds the least of the highest ranks without sorting: non-negative floating-point numbers have the order of their bits, so
 * two counts of sixteen bits each are enough. O(pages).
 *
 * @param count - how many of the highest
 * @param ranks - by page, as {@link rankOf} has them
 */
function findLeastTaken(pages: Int32Array, count: number, ranks: Float32Array): LeastRank {
  const bits = new Uint32Array(ranks.buffer, ranks.byteOffset, ranks.length);
  const bitsOf = (page: number): number => {
    const own = bits[page] ?? 0;
    return own > infinityBits ? 0 : own;
  };
  if (count >= pages.length) return { rank: 0, equals: pages.length };
  const upper = pick(
    pages,
    count,
    (page) => bitsOf(page) >>> halfBits,
    () => true,
  );
  const lower = pick(
    pages,
    upper.equals,
    (page) => bitsOf(page) & (halves - 1),
    (page) => bitsOf(page) >>> halfBits === upper.value,
  );
  const least = new Uint32Array([upper.value * halves + lower.value]);
  return { rank: new Float32Array(least.buffer)[0] as number, equals: lower.equals };
}

/** The least of the highest values, and how many of that value are among them. */
function pick(
  pages: Int32Array,
  wanted: number,
  partOf: (page: number) => number,
  isMeant: (page: number) => boolean,
): { readonly value: number; readonly equals: number } {
  const counts = new Uint32Array(halves);
  for (const page of pages) {
    if (!isMeant(page)) continue;
    const value = partOf(page);
    counts[value] = (counts[value] as number) + 1;
  }
  let left = wanted;
  for (let value = halves - 1; value >= 0; value--) {
    const here = counts[value] as number;
    if (here >= left) return { value, equals: left };
    left -= here;
  }
  return { value: 0, equals: 0 };
}
