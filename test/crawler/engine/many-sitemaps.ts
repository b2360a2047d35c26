import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { Crawler, type Visit } from "./site-visit.ts";

/** How such a site is visited. */
export const sitemaps: Partial<CrawlSiteOptions> = { sources: ["sitemap", "links"] };

/** A site whose robots.txt names many sitemaps, each with a page of its own, or as many pages as there are. */
export async function openSite(count: number, pages: number = count): Promise<Crawler> {
  const crawler = await Crawler.open();
  const { site } = crawler;
  const numbers = Array.from({ length: count }, (_, at) => at);
  site.set(Object.fromEntries(numbers.slice(0, pages).map((at) => [`/p${at}.html`, `page ${at}`])));
  for (const at of numbers) list(crawler, at, [at % pages]);
  site.files.set("/robots.txt", Buffer.from(numbers.map((at) => `Sitemap: ${site.origin}/s${at}.xml\n`).join("")));
  return crawler;
}

/** Lists pages in a sitemap. */
export function list(crawler: Crawler, at: number, pages: readonly number[]): void {
  const urls = pages.map((page) => `<url><loc>${crawler.site.origin}/p${page}.html</loc></url>`).join("");
  const text = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`;
  crawler.site.files.set(`/s${at}.xml`, Buffer.from(text));
}

/** The requests for sitemaps among those of a visit. */
export function listsOf({ requests }: Visit): string[] {
  return requests.filter((request) => /\/s\d+\.xml$/.test(request));
}
