import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { list, listsOf, openSite, sitemaps } from "./many-sitemaps.ts";
import { sitemapIndex } from "./mapped-site.ts";

describe("many sitemaps", () => {
  it("are read over several visits under a budget, each once, and pages have their turn in each visit", async () => {
    await using crawler = await openSite(60);
    const asked: string[] = [];
    let visits = 0;
    for (; asked.length < 60; visits++) {
      const visit = await crawler.visitNextDay({ ...sitemaps, budget: 20 });
      assert.equal(visit.summary.source, "sitemap");
      assert.ok(listsOf(visit).length <= 20 && visit.summary.pageRequests <= 20, `visit ${visits}`);
      assert.ok(visit.summary.created > 0);
      assert.equal(visit.warnings.includes("sitemaps-left"), asked.length + 20 < 60);
      asked.push(...listsOf(visit));
    }
    assert.deepEqual([visits, new Set(asked).size], [3, 60]);
    assert.equal(Object.keys(crawler.mirror()).length, 60);
    // The next round asks for all of them again, with their validators.
    const next = listsOf(await crawler.visitNextDay({ ...sitemaps, budget: 20 }));
    assert.deepEqual(
      next,
      Array.from({ length: 20 }, (_, at) => `304 /s${at}.xml`),
    );
  });

  it("that lack a page make it due once all of them were read, and delete nothing before", async () => {
    await using crawler = await openSite(60);
    await crawler.visit(sitemaps);
    assert.equal(Object.keys(crawler.mirror()).length, 60);
    list(crawler, 0, []);
    list(crawler, 59, [59, 0]);
    for (let visit = 0; visit < 3; visit++) {
      const { summary } = await crawler.visitNextDay({ ...sitemaps, budget: 20 });
      assert.deepEqual([summary.deleted, summary.failed], [0, 0]);
    }
    assert.equal(Object.keys(crawler.mirror()).length, 60);
  });

  it("below indexes of indexes are there, though a visit came no further than those", async () => {
    await using crawler = await openSite(12);
    const { files, origin } = crawler.site;
    const each = Array.from({ length: 12 }, (_, at) => at);
    files.set("/robots.txt", Buffer.from(`Sitemap: ${origin}/index.xml\n`));
    files.set("/index.xml", Buffer.from(sitemapIndex(...each.map((at) => `${origin}/i${at}.xml`))));
    for (const at of each) files.set(`/i${at}.xml`, Buffer.from(sitemapIndex(`${origin}/s${at}.xml`)));
    const found: string[] = [];
    const passedOver: string[] = [];
    for (let visit = 0; visit < 3; visit++) {
      const { summary, warnings } = await crawler.visitNextDay({ ...sitemaps, budget: 4 });
      found.push(`${summary.source}${warnings.includes("sitemaps-left") ? ", more left" : ""}`);
      passedOver.push(...summary.passedOver.map(({ code }) => code));
    }
    assert.deepEqual(found, ["sitemap, more left", "sitemap, more left", "sitemap"]);
    assert.deepEqual(passedOver, []);
    assert.equal(Object.keys(crawler.mirror()).length, 8);
  });

  it("that cannot be used are asked for once a round, and do not keep those behind them waiting", async () => {
    await using crawler = await openSite(60);
    for (let at = 0; at < 30; at++) crawler.site.files.delete(`/s${at}.xml`);
    const asked: string[] = [];
    for (let visit = 0; visit < 3; visit++)
      asked.push(...listsOf(await crawler.visitNextDay({ ...sitemaps, budget: 20 })));
    assert.equal(new Set(asked).size, 60);
    assert.equal(asked.length, 60);
  });

  it("that a site in trouble does not give are left after some, and the reading does not end in a loop", async () => {
    await using crawler = await openSite(60);
    const { site } = crawler;
    await crawler.visit({ ...sitemaps, budget: 4 });
    for (let at = 20; at < 60; at++)
      site.answers.set(`/s${at}.xml`, (_, response) => void response.writeHead(500).end());
    const visit = await crawler.visitNextDay(sitemaps);
    assert.ok(new Set(listsOf(visit).filter((request) => request.startsWith("500"))).size <= 10);
    site.answers.clear();
    await crawler.visitNextDay(sitemaps);
    assert.equal(Object.keys(crawler.mirror()).length, 60);
  });

  it("take a part of the time only: pages that are known come before the rest of the lists", async () => {
    await using crawler = await openSite(40);
    // A request of each kind takes ten seconds.
    crawler.site.around = (_, serve) => {
      crawler.now += 10_000;
      serve();
    };
    const { requests } = await crawler.visit(sitemaps);
    const firstPage = requests.findIndex((request) => /\/p\d+\.html$/.test(request));
    const lastList = requests.findLastIndex((request) => /\/s\d+\.xml$/.test(request));
    assert.ok(firstPage > 0 && firstPage <= 20, `the first page is request ${firstPage}`);
    assert.ok(lastList > firstPage);
    assert.equal(Object.keys(crawler.mirror()).length, 40);
  });
});
