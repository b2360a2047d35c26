/** Links of a page. */
const linksAPage = 4;
const damping = 0.85;
const sweeps = 3;
/** As many pages of a site as Castillo et al. take. */
const maxPagesOfSite = 25_000;

/**
 * A web that is made of numbers alone, so that it takes no memory beside what is measured: sites of power-law sizes, pages
 * numbered in the order in which a breadth-first crawl finds them, four links a page that prefer low numbers.
 */
export class MadeWeb {
  readonly pages: number;
  readonly #sizes: Int32Array;
  #ranks: Float32Array | undefined;

  /** @param skew - of a site's size: the site at place p has a share of p ** -skew */
  constructor(pages: number, sites: number, skew = 0.8) {
    this.pages = pages;
    this.#sizes = new Int32Array(sites).fill(1);
    let sum = 0;
    for (let site = 0; site < sites; site++) sum += (site + 1) ** -skew;
    let left = pages - sites;
    const grant = (site: number, wanted: number): void => {
      const size = this.#sizes[site] as number;
      const granted = Math.max(0, Math.min(left, wanted, maxPagesOfSite - size));
      this.#sizes[site] = size + granted;
      left -= granted;
    };
    for (let site = 0; site < sites; site++) grant(site, Math.floor((pages - sites) * ((site + 1) ** -skew / sum)));
    for (let round = Math.ceil(left / sites); left > 0; round++)
      for (let site = 0; site < sites; site++) grant(site, round);
  }

  get sites(): number {
    return this.#sizes.length;
  }

  /** Tells of every page: its number, its site, its links from the start. */
  tellPages(tell: (page: number, site: number, depth: number) => void): void {
    let page = 0;
    // Sites that have more pages than were told, so that this takes no time beside what is measured.
    let open = Int32Array.from({ length: this.sites }, (_, site) => site);
    for (let round = 0; page < this.pages; round++) {
      const depth = Math.ceil(Math.log10(round + 1));
      open = open.filter((site) => (this.#sizes[site] as number) > round);
      for (const site of open) tell(page++, site, depth);
    }
  }

  /** Tells of the pages that a page leads to, and what each gets of its rank if it is 1. */
  tellLinks(page: number, tell: (target: number, share: number) => void): void {
    for (let link = 0; link < linksAPage; link++) {
      const mixed = Math.imul(page * linksAPage + link + 1, 0x9e3779b1) >>> 0;
      const even = ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
      tell(Math.floor(this.pages * even * even), 1 / linksAPage);
    }
  }

  /** PageRank over the links of the pages that were retrieved, begun from the last one. O(pages). */
  rank(isRetrieved: (page: number) => boolean): Float32Array {
    let ranks: Float32Array = this.#ranks ?? new Float32Array(this.pages).fill(1 / this.pages);
    for (let sweep = 0; sweep < sweeps; sweep++) {
      const next: Float32Array = new Float32Array(this.pages);
      let dangling = 0;
      for (let page = 0; page < this.pages; page++) {
        const rank = ranks[page] as number;
        if (!isRetrieved(page)) dangling += rank;
        else
          this.tellLinks(page, (target, share) => {
            next[target] = (next[target] as number) + damping * rank * share;
          });
      }
      const rest = (1 - damping + damping * dangling) / this.pages;
      for (let page = 0; page < this.pages; page++) next[page] = (next[page] as number) + rest;
      ranks = next;
    }
    this.#ranks = ranks;
    return ranks;
  }
}
