import assert from "node:assert/strict";
import { test } from "node:test";
import { Crawler, type Visit } from "./site-visit.ts";

const dayMs = 86_400_000;

/** A sitemap of all pages of the site, each with its own date, beside the pages that are listed wrongly. */
function publish(crawler: Crawler, alsoListed: readonly string[] = []): void {
  const { site } = crawler;
  const entries = [...site.pages.keys(), ...alsoListed].map((path) => {
    const lastmod = new Date((site.pages.get(path)?.lastModified ?? 1_700_000_000) * 1000).toISOString();
    return `<url><loc>${site.origin}${path}</loc><lastmod>${lastmod}</lastmod></url>`;
  });
  const text = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join("")}</urlset>`;
  site.files.set("/sitemap.xml", Buffer.from(text));
}

/**
 * A crawler that has come to trust a sitemap: of a hundred pages one changes each day and says so.
 *
 * @param gone - a page that is deleted after the first visit, and still listed
 */
async function openTrusting(gone?: string): Promise<Crawler> {
  const crawler = await Crawler.open();
  for (let page = 0; page < 100; page++) crawler.site.set({ [`/${page}.html`]: `page ${page}` });
  for (let day = 0; day <= 4; day++) {
    crawler.site.set({ "/0.html": `day ${day}` }, 1_700_000_000 + day);
    if (day === 1 && gone !== undefined) crawler.site.set({ [gone]: undefined });
    publish(crawler, day > 0 && gone !== undefined ? [gone] : []);
    await visit(crawler);
  }
  return crawler;
}

async function visit(crawler: Crawler): Promise<Visit> {
  crawler.now += dayMs;
  return await crawler.visit({ sources: ["sitemap"] });
}

const pagesAsked = ({ requests }: Visit): number => requests.filter((request) => request.endsWith(".html")).length;

test("a page that a trusted sitemap lists no more is asked for until it is known to be gone", async () => {
  await using crawler = await openTrusting();
  assert.ok(pagesAsked(await visit(crawler)) < 100, "the sitemap is trusted");
  crawler.site.set({ "/7.html": undefined });
  publish(crawler);
  for (let strike = 1; strike <= 3; strike++) {
    const { requests } = await visit(crawler);
    assert.ok(requests.includes("404 /7.html"), `visit ${strike}`);
  }
  assert.equal("/7.html" in crawler.mirror(), false);
});

test("that a page is gone is no lie of its lastmod", async () => {
  // Its old date stays in the list while it is asked for three times.
  await using crawler = await openTrusting("/7.html");
  assert.equal("/7.html" in crawler.mirror(), false);
  assert.ok(pagesAsked(await visit(crawler)) < 99, "the sitemap is trusted");
});
