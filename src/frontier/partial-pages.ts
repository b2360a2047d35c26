import { grow } from "./heap-forest.ts";
import type { OrderedPages } from "./order-rule.ts";
import { PageHeaps } from "./page-heaps.ts";

/** Pages by their ranks, and by temporary ones until those are known. */
export class PartialPages extends PageHeaps implements OrderedPages {
  /** By page: 1 once its own rank is known; a page that comes again after it was retrieved begins anew. */
  #isRanked = new Uint8Array(0);

  override add(page: number, site: number): void {
    this.#isRanked = grow(this.#isRanked, page + 1);
    this.#isRanked[page] = 0;
    super.add(page, site, 0);
  }

  /** Adds to the temporary rank of a page. @returns its site, undefined if it does not wait or has a rank of its own */
  raise(page: number, by: number): number | undefined {
    if (!this.has(page) || this.#isRanked[page] === 1) return undefined;
    this.rekey(page, this.keyOf(page) - by);
    return this.siteOf(page);
  }

  /** Takes over ranks. O(pages). */
  rank(ranks: Float32Array): void {
    this.rekeyAll((page) => {
      this.#isRanked[page] = 1;
      return -(ranks[page] ?? 0);
    });
  }
}
