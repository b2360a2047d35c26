import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
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
  for (let attempt = 1; attempt <= 3; attempt++) {
    const { requests } = await visit(crawler);
    assert.ok(requests.includes("404 /7.html"), `visit ${attempt}`);
  }
  assert.equal("/7.html" in crawler.mirror(), false);
});

test("that a page is gone is no lie of its lastmod", async () => {
  // Its old date stays in the list while it is asked for three times.
  await using crawler = await openTrusting("/7.html");
  assert.equal("/7.html" in crawler.mirror(), false);
  assert.ok(pagesAsked(await visit(crawler)) < 99, "the sitemap is trusted");
});

test("a page that was gone is asked for as soon as a sitemap says that it is there again", async () => {
  await using crawler = await openTrusting();
  const { site } = crawler;
  const gone = (_: unknown, response: ServerResponse): void => void response.writeHead(410).end();
  for (const path of ["/7.html", "/8.html"]) {
    site.set({ [path]: undefined });
    site.answers.set(path, gone);
  }
  publish(crawler);
  assert.deepEqual((await visit(crawler)).pages, ["gone /7.html", "gone /8.html"]);
  // A list that goes on naming it says nothing new, and is looked into once.
  publish(crawler, ["/7.html"]);
  assert.ok((await visit(crawler)).requests.includes("410 /7.html"));
  for (let day = 0; day < 3; day++) {
    site.set({ "/0.html": `changed on day ${day}` }, 1_700_001_000 + day);
    publish(crawler, ["/7.html"]);
    assert.ok((await visit(crawler)).requests.every((request) => !/\/[78]\.html/.test(request)));
  }
  site.answers.clear();
  site.set({ "/7.html": "as it was" }, 1_700_500_000);
  site.set({ "/8.html": "as it was" }, 1_700_000_000);
  publish(crawler);
  assert.deepEqual((await visit(crawler)).pages, ["created /7.html", "created /8.html"]);
});
