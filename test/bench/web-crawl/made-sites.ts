import { createRandom, pickInteger } from "../../../src/core/random.ts";
import { GraphBuilder } from "../../../src/graph/graph-builder.ts";
import { computePageRank } from "../../../src/graph/page-rank.ts";

/**
 * How a site behaves: as it should, slowly, not at all, or as a trap of pages without end; a site whose robots.txt forbids all, cannot be
 * read, or has a Crawl-delay; one that publishes archives, or a sitemap, made by the exporter.
 */
export type SiteKind =
  | "plain"
  | "slow"
  | "dead"
  | "trap"
  | "forbidden"
  | "broken-robots"
  | "delayed"
  | "archives"
  | "sitemap";

/** By the last two digits of a site's number, with the most pages that such a site has: it takes its time, or is exported first. */
const kinds: Readonly<Record<number, readonly [SiteKind, number]>> = {
  5: ["archives", 300],
  17: ["slow", 1000],
  31: ["sitemap", 300],
  42: ["dead", 1000],
  55: ["archives", 300],
  61: ["forbidden", 1000],
  66: ["broken-robots", 1000],
  73: ["trap", 1000],
  88: ["delayed", 60],
};
/** Of a site of the kind `delayed`. */
export const crawlDelayMs = 500;

const sizeExponent = 0.8;
const linksOut = 3;
/** Popular sites and pages are linked to more often: the place of a draw u among n is n * u ^ this. */
const popularity = 3;
const filler = `<p>${"The page has some text, as pages do. ".repeat(40)}</p>`;

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

  /** One or two sites in a hundred of each kind; the first half is plain, for others are found through its home pages. */
  kindOf(site: number): SiteKind {
    if (this.#isFriendly || site * 2 < this.sites) return "plain";
    const [kind, most] = kinds[site % 100] ?? ["plain", Infinity];
    return this.sizeOf(site) <= most ? kind : "plain";
  }

  /** Whether the pages of a site may be requested, and are there. */
  isInScope(site: number): boolean {
    const kind = this.kindOf(site);
    return kind !== "dead" && kind !== "forbidden" && kind !== "broken-robots";
  }

  robotsOf(site: number): string {
    const kind = this.kindOf(site);
    if (kind === "forbidden") return "User-agent: *\nDisallow: /\n";
    const delay = kind === "delayed" ? `Crawl-delay: ${crawlDelayMs / 1000}\n` : "";
    return `User-agent: *\n${delay}Disallow: /private/\n`;
  }

  hostOf(site: number): string {
    return `www.site${site}.test`;
  }

  siteOf(host: string): number | undefined {
    const site = Number(/^www\.site(\d+)\.test$/.exec(host)?.[1] ?? Number.NaN);
    return site < this.sites ? site : undefined;
  }

  /** Every tenth site shares the address of the one before. */
  addressNumberOf(site: number): number {
    return site % 10 === 9 ? site - 1 : site;
  }

  addressOf(of: number): string {
    const site = this.addressNumberOf(of);
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

  htmlOf(site: number, page: number, port: number): string {
    const links = this.linksOf(site, page).map(([to, at]) => {
      const origin = to === site ? "" : `http://${this.hostOf(to)}:${port}`;
      return `<a href="${origin}${this.pathOf(at)}">page ${at}</a>`;
    });
    const trap = this.kindOf(site) === "trap" ? `<a href="/trap/1/">next</a>` : "";
    const hidden = page % 10 === 0 ? `<a href="/private/${page}">private</a>` : "";
    const title = this.hostOf(site) + this.pathOf(page);
    return `<!doctype html><title>${title}</title>${filler}${links.join("\n")}${hidden}${trap}`;
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
