
/**
 * Where the pages of sites wait: in memory, as {@link PageHeaps} does, or on disk beyond a bound. Sites and pages are whole numbers
 * from 0.
 */
export interface SitePages {
  /** How many pages of a site wait. */
  count(site: number): number;
  /** The key of the page of a site that is next, the least of them; Infinity if none waits. */
  firstKey(site: number): number;
  /** Takes out that page; undefined if none waits. */
  take(site: number): number | undefined;
}

/**
 * What decides which page of which site is next.
 *
 * - `depth`: breadth first. The page found first among those with the fewest links from the start; the site whose page that is.
 * - `length`: the site with the most pages waiting; of a site, pages by depth.
 * - `batch`: `pages` at a time, those of the highest rank among all that are known when a batch begins; the next begins when all
 *   of it is retrieved.
 * - `partial`: the highest rank, which is computed anew when so many `pages` were retrieved. What is found in between has
 *   the sum of what the pages that lead to it give it.
 * - `optimal`: the highest rank of those given beforehand.
 * - `random`: pages in random order; a number from 0 to 1 is drawn for each.
 *
 * Ranks are by page; `ranks` is asked when they are needed. A page beyond its end, or with a rank below 0 or that is no number, has
 * rank 0.
 *
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, Scheduling Algorithms for Web Crawling, LA-WEB 2004, section 5
 */
export type OrderRule =
  | { readonly kind: "depth" | "length" }
  | { readonly kind: "batch"; readonly pages: number; readonly ranks: () => Float32Array }
  | { readonly kind: "partial"; readonly pages: number; readonly ranks: () => Float32Array }
  | { readonly kind: "optimal"; readonly ranks: Float32Array }
  | { readonly kind: "random"; readonly random: () => number };

/** The names of the orders. */
export const orderNames = ["depth", "length", "batch", "partial", "optimal", "random"] as const;

/** The pages of an order, as they wait and as it ranks them. */
export interface OrderedPages extends SitePages {
  /** How many wait, those too that may not be taken yet. */
  readonly size: number;
  readonly has: (page: number) => boolean;
  readonly reserve: (pages: number, sites: number) => void;
  /** Puts in a page that does not wait. */
  readonly add: (page: number, site: number, depth: number) => void;
}

/** The rank of a page: 0 if it has none, or one that is below 0 or no number. */
export function rankOf(ranks: Float32Array, page: number): number {
  const rank = ranks[page] ?? 0;
  return rank > 0 ? rank : 0;
}
