import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { urlset } from "./mapped-site.ts";
import { Crawler } from "./site-visit.ts";
import { dayMs, SyncedSite } from "./synced-site.ts";

const wanted = ["/", "/docs/", "/docs/a.html", "/docs/new/b.html"];
const unwanted = ["/docs/old/c.html", "/docs/old/d.html", "/e.png", "/docs/a.html?print=1"];
const exclude = ["/docs/old/", "*.png", "*?print=*"];
const paths = [...wanted, ...unwanted];

async function openSite(): Promise<Crawler> {
  const links = paths.map((path) => `<a href="${path}">x</a>`).join("");
  const crawler = await Crawler.open(Object.fromEntries(paths.map((path) => [path, `<p>${path}${links}`])));
  crawler.site.files.set(
    "/sitemap.xml",
    Buffer.from(
      urlset(
        crawler.site.origin,
        paths.map((path) => ({ path })),
      ),
    ),
  );
  return crawler;
}

/** Pages of those that requests were made for. */
function pagesOf(requests: readonly string[]): string[] {
  return paths.filter((path) => requests.some((request) => request.endsWith(` ${path}`)));
}

const sources: readonly (readonly [string, Partial<CrawlSiteOptions>])[] = [
  ["archives", { sources: ["archives"] }],
  ["sitemaps", { sources: ["sitemap"] }],
  ["links", { sources: ["links"] }],
  ["links by rank", { sources: ["links"], order: "partial", budget: 100 }],
  ["a list", { sources: ["list"], urls: paths }],
];

describe("patterns of URLs", () => {
  for (const [name, source] of sources)
    it(`hold for ${name}: what is excluded is not requested, is found once it is wanted, and leaves again`, async () => {
      await using crawler = await openSite();
      const held = (): number => Object.keys(crawler.mirror()).length;
      const first = await crawler.visit({ ...source, exclude });
      assert.deepEqual(pagesOf(first.requests), wanted);
      assert.deepEqual(first.warnings, []);
      assert.deepEqual([held(), first.summary.pending], [wanted.length, 0]);

      const wider = await crawler.visitNextDay(source);
      assert.deepEqual(wider.pages.filter((page) => page.startsWith("created")).length, unwanted.length);
      assert.equal(held(), paths.length);

      const narrow = await crawler.visitNextDay({ ...source, exclude });
      assert.deepEqual(narrow.warnings, ["narrowed"]);
      assert.deepEqual(
        pagesOf(narrow.requests).filter((path) => unwanted.includes(path)),
        [],
      );
      assert.deepEqual(
        narrow.pages.filter((page) => page.startsWith("deleted")).sort(),
        unwanted.map((path) => `deleted ${path}`).sort(),
      );
      assert.deepEqual([held(), narrow.summary.pending], [wanted.length, 0]);

      crawler.site.set({ "/docs/a.html": "changed", "/docs/old/c.html": "changed too" });
      crawler.site.publish();
      const next = await crawler.visitNextDay({ ...source, exclude });
      assert.deepEqual([next.warnings, next.summary.updated, next.summary.created], [[], 1, 0]);
      assert.deepEqual(
        pagesOf(next.requests).filter((path) => unwanted.includes(path)),
        [],
      );
    });

  for (const [name, source] of sources)
    it(`hold for ${name} as a folder in the site's URL`, async () => {
      await using crawler = await openSite();
      const url = `${crawler.site.origin}/docs/`;
      const visit = await crawler.visit({ ...source, url, exclude: ["/docs/old/"] });
      const within = paths.filter((path) => path.startsWith("/docs/") && !path.startsWith("/docs/old/"));
      assert.deepEqual([pagesOf(visit.requests), visit.warnings], [within, []]);
      await crawler.visitNextDay(source);
      assert.equal(Object.keys(crawler.mirror()).length, paths.length);
    });

  it("hold for ResourceSync and its packages", async () => {
    await using site = await SyncedSite.open(40);
    await site.publish({ changeDumps: true });
    const excluded = ["/d1/", "/d2/"];
    const isExcluded = (text: string): boolean => /\/d[12]\//.test(text);
    const first = await site.crawl({ exclude: excluded });
    assert.equal(
      Object.keys(site.held()).length,
      Object.keys(site.served()).filter((path) => !isExcluded(path)).length,
    );
    assert.deepEqual(first.pages.filter(isExcluded), []);
    assert.deepEqual(Object.keys(site.held()).filter(isExcluded), []);
    site.now += dayMs;
    for (let at = 0; at < 30; at++) site.write(`d${at % 7}/${at}.html`, `page ${at} changed, and is longer now`);
    await site.publish({ changeDumps: true });
    site.now += dayMs;
    site.write("new.html", "new");
    await site.publish({ changeDumps: true });
    const second = await site.crawl({ exclude: excluded });
    assert.ok(second.lists.some((request) => request.endsWith(".zip")));
    assert.deepEqual([second.pages.filter(isExcluded), Object.keys(site.held()).filter(isExcluded)], [[], []]);
    assert.equal(site.held()["/d0/0.html"], "page 0 changed, and is longer now");
    await site.crawl();
    site.assertMirrored();
    const narrowed = await site.crawl({ exclude: excluded });
    assert.deepEqual([narrowed.pages.filter(isExcluded), Object.keys(site.held()).filter(isExcluded)], [[], []]);
  });

  it("hold for redirects: the page that leads to an excluded one is told, and its copy stays", async () => {
    await using crawler = await Crawler.open({ "/": '<a href="/a.html">a</a>', "/a.html": "<p>a", "/x/": "<p>x" });
    const options: Partial<CrawlSiteOptions> = { sources: ["links"], exclude: ["/x/"] };
    await crawler.visit(options);
    crawler.site.answers.set("/a.html", (_, response) => response.writeHead(302, { location: "/x/" }).end());
    const moved = await crawler.visitNextDay(options);
    assert.ok(!moved.requests.some((request) => request.endsWith(" /x/")));
    assert.deepEqual(
      moved.pages.filter((page) => page.endsWith("/a.html")),
      ["disallowed /a.html"],
    );
    assert.equal(crawler.mirror()["/a.html"], "<p>a");
    const open = await crawler.visitNextDay({ sources: ["links"] });
    assert.ok(open.requests.some((request) => request.endsWith(" /x/")));
  });

  it("remove nothing while the site cannot be reached, and work that waits is not requested", async () => {
    await using crawler = await openSite();
    const first = await crawler.visit({ budget: 1 });
    assert.equal(first.summary.pending, paths.length - 1);
    crawler.site.files.delete("/robots.txt");
    crawler.site.answers.set("/robots.txt", (_, response) => response.writeHead(503).end());
    const down = await crawler.visitNextDay({ exclude: ["**"] });
    assert.deepEqual([Object.keys(crawler.mirror()).length, down.summary.deleted], [1, 0]);
    crawler.site.answers.delete("/robots.txt");
    crawler.site.write();
    const up = await crawler.visitNextDay({ exclude });
    assert.deepEqual([up.summary.pending, Object.keys(crawler.mirror()).length], [0, wanted.length]);
    assert.deepEqual(
      pagesOf(up.requests).filter((path) => unwanted.includes(path)),
      [],
    );
  });

  it("start links at the pages that are wanted, and say so if there is none", async () => {
    await using crawler = await openSite();
    const options: Partial<CrawlSiteOptions> = { sources: ["links"], include: ["/docs/"] };
    const none = await crawler.visit(options);
    assert.deepEqual([pagesOf(none.requests), none.summary.source], [[], "none"]);
    assert.deepEqual(none.warnings, ["no-start"]);
    await crawler.visit({ ...options, url: `${crawler.site.origin}/docs/` });
    assert.equal(Object.keys(crawler.mirror()).length, paths.filter((path) => path.startsWith("/docs/")).length);
  });
});
