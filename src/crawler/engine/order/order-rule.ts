/**
 * Where the pages of sites wait: in memory, as in `PageHeaps`, or on disk. Sites and pages are whole numbers from 0.
 */
export interface SitePages {
  /** How many pages of a site wait. */
  count(site: number): number;
  /** The least key of the waiting pages of a site; Infinity if none waits. */
  firstKey(site: number): number;
  /** Removes and returns that page; undefined if none waits. */
  take(site: number): number | undefined;
}

/**
 * What decides which page of which site is next.
 *
 * - `depth`: breadth first. The page with the fewest links from the start, of equal ones the one found first.
 * - `length`: the site with the most pages waiting; of a site, pages by depth.
 * - `batch`: `pages` at a time, those of the highest rank known when a batch begins; the next one begins when all of them are
 *   retrieved.
 * - `partial`: the highest rank; ranks are recomputed after every `pages` retrieved pages. A page found in between has a
 *   temporary rank, the sum of the shares of the pages that link to it.
 * - `optimal`: the highest rank of those given beforehand.
 * - `random`: pages in random order; a number from 0 to 1 is drawn for each.
 *
 * Ranks are by page. A page beyond the end, or whose rank is negative or NaN, has rank 0.
 *
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, Scheduling Algorithms for Web Crawling, LA-WEB 2004, section 5
 */
export type OrderRule =
  | { readonly kind: "depth" | "length" }
  | { readonly kind: "batch"; readonly pages: number; readonly ranks: () => Float32Array }
  | { readonly kind: "partial"; readonly pages: number; readonly ranks: () => Float32Array }
  | { readonly kind: "optimal"; readonly ranks: Float32Array }
  | { readonly kind: "random"; readonly random: () => number };

export const orderNames = ["depth", "length", "batch", "partial", "optimal", "random"] as const;

/** The waiting pages of an order. */
export interface OrderedPages extends SitePages {
  /** Waiting pages, including those that may not be taken yet. */
  readonly size: number;
  readonly has: (page: number) => boolean;
  readonly reserve: (pages: number, sites: number) => void;
  /** Adds a page that does not wait. */
  readonly add: (page: number, site: number, depth: number) => void;
}

export function rankOf(ranks: Float32Array, page: number): number {
  const rank = ranks[page] ?? 0;
  return rank > 0 ? rank : 0;
}
