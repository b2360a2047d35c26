import { createRandom, pickInteger } from "../../../src/core/random.ts";
import { GraphBuilder } from "../../../src/graph/graph-builder.ts";
import { computePageRank } from "../../../src/graph/page-rank.ts";

/** How a site behaves: as it should, slowly, not at all, or as a trap of pages without end. */
export type SiteKind = "plain" | "slow" | "dead" | "trap";

const sizeExponent = 0.8;
const linksOut = 3;
/** Popular sites and pages are linked to more often: the place of a draw u among n is n * u ^ this. */
const popularity = 3;

/**
 * A Web that is computed, not kept: sizes of sites and in-degrees follow power laws. Each page is reached from the first site's home
 * page: home pages lead to the next home pages, and pages to the next pages of their site.
 */
export class MadeSites {
  readonly sites: number;
  /** By site: the number of its first page among all; one more than there are sites. */
  readonly firsts: Uint32Array;
  readonly #seed: number;
  readonly #isFriendly: boolean;

  /** @param isFriendly - whether all sites are as they should be */
  constructor(sites: number, pages: number, seed: number, isFriendly: boolean) {
    this.sites = sites;
    this.#isFriendly = isFriendly;
    this.#seed = seed;
    this.firsts = new Uint32Array(sites + 1);
    let sum = 0;
    for (let site = 0; site < sites; site++) sum += (site + 1) ** -sizeExponent;
    const rest = Math.max(0, pages - sites);
    // Which site has which size is drawn: the first found are not the largest.
    const random = createRandom(seed);
    const order = Array.from({ length: sites }, (_, at) => at);
    for (let at = sites - 1; at > 0; at--) {
      const other = pickInteger(random, at + 1);
      [order[at], order[other]] = [order[other] as number, order[at] as number];
    }
    const sizes = new Uint32Array(sites);
    for (const [rank, site] of order.entries())
      sizes[site] = 1 + Math.round((rest * (rank + 1) ** -sizeExponent) / sum);
    for (let site = 0; site < sites; site++)
      this.firsts[site + 1] = (this.firsts[site] as number) + (sizes[site] as number);
  }

  get pages(): number {
    return this.firsts[this.sites] as number;
  }

  sizeOf(site: number): number {
    return (this.firsts[site + 1] as number) - (this.firsts[site] as number);
  }

  /** One site in a hundred of each bad kind; the first sites are plain, for others are found through them. */
  kindOf(site: number): SiteKind {
    if (this.#isFriendly || site * 4 < this.sites) return "plain";
    return ({ 17: "slow", 42: "dead", 73: "trap" } as const)[site % 100] ?? "plain";
  }

  hostOf(site: number): string {
    return `www.site${site}.test`;
  }

  siteOf(host: string): number | undefined {
    const site = Number(/^www\.site(\d+)\.test$/.exec(host)?.[1] ?? Number.NaN);
    return site < this.sites ? site : undefined;
  }

  addressOf(site: number): string {
    return `127.${1 + (site >> 16)}.${(site >> 8) & 255}.${site & 255}`;
  }

  pathOf(page: number): string {
    return page === 0 ? "/" : `/p${page}.html`;
  }

  pageOf(path: string): number | undefined {
    if (path === "/") return 0;
    const page = Number(/^\/p([1-9]\d*)\.html$/.exec(path)?.[1] ?? Number.NaN);
    return Number.isNaN(page) ? undefined : page;
  }

  /** PageRank of all pages, by their numbers. */
  ranks(): Float64Array {
    const graph = new GraphBuilder(this.pages);
    for (let site = 0; site < this.sites; site++)
      for (let page = 0; page < this.sizeOf(site); page++)
        for (const [to, at] of this.linksOf(site, page))
          graph.addLink((this.firsts[site] as number) + page, (this.firsts[to] as number) + at);
    return computePageRank(graph.build(), { tolerance: 1e-8 }).ranks;
  }

  /** What a page links to, as sites and pages. */
  linksOf(site: number, page: number): Array<readonly [site: number, page: number]> {
    const random = createRandom(this.#seed + (this.firsts[site] as number) + page);
    const size = this.sizeOf(site);
    const links: Array<readonly [number, number]> = [[site, 0]];
    for (const next of [2 * page + 1, 2 * page + 2]) if (next < size) links.push([site, next]);
    if (page === 0) for (const next of [2 * site + 1, 2 * site + 2]) if (next < this.sites) links.push([next, 0]);
    for (let link = 0; link < linksOut; link++) links.push([site, Math.floor(size * random() ** popularity)]);
    for (let link = 0; link < linksOut; link++) {
      const other = Math.floor(this.sites * random() ** popularity);
      links.push([other, Math.floor(this.sizeOf(other) * random() ** popularity)]);
    }
    return links;
  }
}
