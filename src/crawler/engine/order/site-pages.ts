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
