import { formatW3cDate } from "../../../src/formats/time/w3c-date.ts";
import { Crawler } from "./site-visit.ts";

const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** A page as a sitemap lists it. */
export interface Listed {
  readonly path: string;
  readonly lastmod?: string | undefined;
}

export function urlset(origin: string, pages: Iterable<Listed>): string {
  const urls = [...pages].map(({ path, lastmod }) => {
    const date = lastmod === undefined ? "" : `<lastmod>${lastmod}</lastmod>`;
    return `<url><loc>${origin}${path}</loc>${date}</url>`;
  });
  return `<?xml version="1.0"?><urlset ${namespace}>${urls.join("")}</urlset>`;
}

export function sitemapIndex(...locations: readonly string[]): string {
  return `<sitemapindex ${namespace}>${locations.map((loc) => `<sitemap><loc>${loc}</loc></sitemap>`).join("")}</sitemapindex>`;
}

/** A site of many pages with a sitemap, and days on which some of them change. */
export class MappedSite implements AsyncDisposable {
  readonly crawler: Crawler;
  readonly lastmods: Map<string, string> = new Map();
  day = 0;

  constructor(crawler: Crawler, pages: number) {
    this.crawler = crawler;
    for (let at = 0; at < pages; at++) this.change(`/${at}.html`);
    this.publish();
  }

  static async open(pages: number): Promise<MappedSite> {
    return new MappedSite(await Crawler.open(), pages);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.crawler[Symbol.asyncDispose]();
  }

  get today(): string {
    return formatW3cDate(Math.floor(this.crawler.now / 1000));
  }

  /** Changes a page, and says so in the sitemap unless it is done in silence. */
  change(path: string, isSilent = false): void {
    this.crawler.site.set({ [path]: `${path} of day ${this.day}` });
    if (!isSilent) this.lastmods.set(path, this.today);
  }

  /** The next day begins. */
  nextDay(): void {
    this.day++;
    this.crawler.now += 86_400_000;
  }

  /** Writes the sitemap anew. */
  publish(name = "/sitemap.xml"): void {
    const pages = [...this.lastmods].map(([path, lastmod]) => ({ path, lastmod }));
    this.crawler.site.files.set(name, Buffer.from(urlset(this.crawler.site.origin, pages)));
  }

  /** Paths whose copy in the mirror is not what the site serves. */
  stale(): string[] {
    const mirror = this.crawler.mirror();
    return [...this.crawler.site.pages].flatMap(([path, { body }]) => (mirror[path] === body ? [] : [path]));
  }
}
