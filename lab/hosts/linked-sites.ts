import { encodeText } from "../experiment/byte-text.ts";
import type { Web } from "../webs/web.ts";

/** The pages of a web as sites serve them: HTML with their links. */
export class LinkedSites {
  readonly #web: Web;
  readonly #originOf: (site: number) => string;
  readonly #sites: ReadonlyMap<string, number>;
  readonly #homes: ReadonlySet<number>;

  /** @param originOf - another one for each site */
  constructor(web: Web, originOf: (site: number) => string) {
    this.#web = web;
    this.#originOf = originOf;
    this.#sites = new Map(Array.from(web.homes, (_, site) => [originOf(site), site]));
    this.#homes = new Set(web.homes);
  }

  /** Home page of each site. */
  get homes(): readonly string[] {
    return Array.from(this.#web.homes, (page) => this.urlOf(page));
  }

  urlOf(page: number): string {
    const path = this.#homes.has(page) ? "/" : `/page-${page}.html`;
    return `${this.#originOf(this.#web.siteOf[page] ?? 0)}${path}`;
  }

  /** The page of an origin and a path; undefined if there is none. */
  pageOf(origin: string, path: string): number | undefined {
    const site = this.#sites.get(origin);
    if (site === undefined) return undefined;
    if (path === "/") return this.#web.homes[site];
    const page = Number(/^\/page-(\d+)\.html$/.exec(path)?.[1]);
    return this.#web.siteOf[page] === site && !this.#homes.has(page) ? page : undefined;
  }

  bodyOf(page: number): Uint8Array {
    const { offsets, targets } = this.#web.graph;
    const links = Array.from(
      targets.subarray(offsets[page], offsets[page + 1]),
      (to) => `<a href="${this.urlOf(to)}">page</a>`,
    );
    return encodeText(`<!doctype html><title>Page ${page}</title>${links.join("\n")}`);
  }
}
