import type { EpochMs } from "../../../core/index.ts";
import { BatchPages } from "./batch-pages.ts";
import type { OrderedPages, OrderRule } from "./order-rule.ts";
import { PartialPages } from "./partial-pages.ts";
import { type SiteTurn, SiteTurns, type TurnOptions } from "./site-turns.ts";
import { StaticPages } from "./static-pages.ts";

function makePages(rule: OrderRule): OrderedPages {
  if (rule.kind === "batch") return new BatchPages();
  if (rule.kind === "partial") return new PartialPages();
  return new StaticPages(rule);
}

/**
 * Which page of which site is next, for millions of pages: a heap of sites over a heap of pages for each, in typed arrays. Pages
 * and sites are whole numbers from 0, preferably without gaps. A site and an address have one connection at a time; after k
 * pages they rest for w.
 *
 * Memory: about 25 bytes a page (40 while arrays grow; with `partial` 12 more, twice that if many are raised) and 75 a site
 * with up to four pages. {@link add} is O(1) on average, {@link next} O(log n) amortised; with `batch` and `partial` each
 * recomputation of ranks costs O(pages).
 *
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, Scheduling Algorithms for Web Crawling, LA-WEB 2004, sections 4 to 6
 */
export class CrawlOrder {
  readonly #rule: OrderRule;
  readonly #pages: OrderedPages;
  readonly #turns: SiteTurns;
  /** With `partial`: pages of the current turn of each site. */
  readonly #given = new Map<number, number>();
  #sinceRanks = 0;

  /** @throws RangeError if ranks are to be recomputed after less than a page */
  constructor(rule: OrderRule, options: TurnOptions) {
    if ((rule.kind === "batch" || rule.kind === "partial") && !(rule.pages >= 1))
      throw new RangeError(`ranks cannot be computed after ${rule.pages} pages`);
    this.#rule = rule;
    this.#pages = makePages(rule);
    this.#turns = new SiteTurns(this.#pages, rule.kind === "length" ? "length" : "first-key", options);
  }

  get backlog(): number {
    return this.#pages.size;
  }

  /** Sites that have a connection. */
  get underWay(): number {
    return this.#turns.underWay;
  }

  /** Allocates for pages and sites below these numbers, which avoids copying while they grow. */
  reserve(pages: number, sites: number): void {
    this.#pages.reserve(pages, sites);
  }

  /**
   * Adds a page; without effect if it waits already.
   *
   * @param depth - links from the start
   */
  add(page: number, site: number, depth: number): void {
    if (this.#pages.has(page)) return;
    this.#pages.add(page, site, depth);
    this.#turns.touch(site);
  }

  /**
   * Notes that a retrieved page links to another: with `partial` the temporary rank of that one rises, unless it has a rank
   * already. Without effect in other orders.
   *
   * @param by - the rank of the linking page divided by the number of its links
   */
  raise(page: number, by: number): void {
    const pages = this.#pages;
    if (!(pages instanceof PartialPages)) return;
    const site = pages.raise(page, by);
    if (site !== undefined) this.#turns.touch(site);
  }

  /** When {@link next} returns a turn: `now` or earlier if it does now; Infinity if a turn must end, or a page be added, first. */
  readyAt(now: EpochMs): EpochMs {
    this.#beginBatch();
    return this.#turns.readyAt(now);
  }

  /** Begins the turn of the next site, with up to k of its pages. */
  next(now: EpochMs): SiteTurn | undefined {
    this.#beginBatch();
    const turn = this.#turns.next(now);
    if (turn !== undefined && this.#rule.kind === "partial") this.#given.set(turn.site, turn.pages.length);
    return turn;
  }

  /**
   * Ends a site's turn.
   *
   * @param notBefore - of its next turn, if later than the end of its rest
   * @throws RangeError if the site has no turn
   */
  done(site: number, now: EpochMs, notBefore?: EpochMs): void {
    this.#turns.done(site, now, notBefore);
    const rule = this.#rule;
    if (rule.kind !== "partial") return;
    this.#sinceRanks += this.#given.get(site) ?? 0;
    this.#given.delete(site);
    if (this.#sinceRanks < rule.pages) return;
    this.#sinceRanks = 0;
    (this.#pages as PartialPages).rank(rule.ranks());
    this.#turns.touchAll();
  }

  #beginBatch(): void {
    const pages = this.#pages;
    if (this.#rule.kind !== "batch" || !(pages instanceof BatchPages) || !pages.isUsedUp) return;
    if (this.#turns.underWay > 0) return;
    for (const site of pages.begin(this.#rule.pages, this.#rule.ranks())) this.#turns.touch(site);
  }
}
