import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CrawlSiteOptions } from "../../src/crawl-site.ts";
import { urlset } from "./mapped-site.ts";
import { Crawler, type Visit } from "./site-visit.ts";

const hourMs = 3_600_000;
const bad = ["/0.html", "/1.html", "/2.html", "/3.html", "/4.html"];
const good = ["/5.html", "/6.html", "/7.html", "/8.html", "/9.html"];

/** A site whose first pages answer 500 from now on, after it was visited or before. */
async function openSite(isVisited: boolean, options: Partial<CrawlSiteOptions>): Promise<Crawler> {
  const crawler = await Crawler.open();
  const { site } = crawler;
  site.set(Object.fromEntries([...bad, ...good].map((path) => [path, path])));
  site.set({ "/": [...bad, ...good].map((path) => `<a href="${path}">x</a>`).join("") });
  if (isVisited) await crawler.visit(options);
  for (const path of bad) site.answers.set(path, (_, response) => void response.writeHead(500).end());
  return crawler;
}

const answered = (visit: Visit, path: string): boolean =>
  visit.requests.some((line) => /^(?:200|304) /.test(line) && line.endsWith(path));
const askedFor = (visit: Visit, paths: readonly string[]): number =>
  visit.requests.filter((line) => paths.some((path) => line.endsWith(path))).length;

describe("pages that cannot be had", () => {
  const ways: readonly [string, Partial<CrawlSiteOptions>][] = [
    ["all pages", { sources: ["links"] }],
    ["pages by plan", { sources: ["links"], isPlanned: true }],
    ["pages within a budget", { sources: ["links"], budget: 12 }],
  ];
  for (const [name, options] of ways)
    for (const isVisited of [true, false])
      it(`keep no others waiting: ${name}, ${isVisited ? "held" : "new"}`, async () => {
        await using crawler = await openSite(isVisited, { sources: ["links"] });
        const seen = new Set<string>();
        for (let visit = 0; visit < 8; visit++) {
          crawler.now += 24 * hourMs;
          const now = await crawler.visit(options);
          for (const path of good) if (answered(now, path)) seen.add(path);
        }
        assert.deepEqual([...seen].sort(), good);
        // They are asked for again, in their turn, until they can be had.
        crawler.site.answers.clear();
        for (let visit = 0; visit < 10; visit++) {
          crawler.now += 24 * hourMs;
          const now = await crawler.visit(options);
          for (const path of bad) if (answered(now, path)) seen.add(path);
        }
        assert.deepEqual([...seen].sort(), [...bad, ...good]);
      });

  it("keep no others waiting of a site that publishes its changes", async () => {
    await using crawler = await openSite(false, {});
    // In the order of paths the first is the one that has no name.
    crawler.site.publishBase();
    const visits = [await crawler.visit(), await crawler.visit()];
    assert.deepEqual(
      visits.map(({ summary }) => summary.created),
      [1, good.length],
    );
    crawler.site.answers.clear();
    assert.equal((await crawler.visit()).summary.created, bad.length);
  });

  it("are asked for once a visit after three visits, and then ever more rarely", async () => {
    await using crawler = await openSite(true, { sources: ["links"] });
    const days: number[] = [];
    for (let day = 0; day < 40; day++) {
      crawler.now += 24 * hourMs;
      days.push(askedFor(await crawler.visit({ sources: ["links"] }), ["/0.html"]));
    }
    assert.deepEqual(days.slice(0, 3), [3, 3, 3]);
    assert.ok(
      days.slice(3).every((count) => count <= 1),
      days.join(),
    );
    const later = days.slice(12).reduce((sum, count) => sum + count, 0);
    assert.ok(later >= 3 && later <= 6, `${later} in 28 days`);
  });

  it("do not hide that the whole site is in trouble", async () => {
    await using crawler = await openSite(true, { sources: ["links"] });
    for (const path of ["/", ...good])
      crawler.site.answers.set(path, (_, response) => void response.writeHead(503).end());
    for (let visit = 0; visit < 4; visit++) {
      crawler.now += 24 * hourMs;
      const now = await crawler.visit({ sources: ["links"] });
      assert.ok(now.summary.pageRequests <= 10, `${now.summary.pageRequests}`);
      assert.ok(
        now.warnings.includes("site-in-trouble") ||
          now.warnings.includes("site-unavailable") ||
          now.summary.pageRequests < 10,
        now.warnings.join(),
      );
    }
    crawler.site.answers.clear();
    for (let visit = 0; visit < 3; visit++) {
      crawler.now += 24 * hourMs;
      await crawler.visit({ sources: ["links"] });
    }
    assert.equal((await crawler.visitNextDay({ sources: ["links"] })).summary.failed, 0);
  });

  it("do not become more than are to be kept once they can be had", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set(Object.fromEntries([...bad, ...good].map((path) => [path, path])));
    site.files.set(
      "/sitemap.xml",
      Buffer.from(
        urlset(
          site.origin,
          [...bad, ...good].map((path) => ({ path })),
        ),
      ),
    );
    for (const path of bad) site.answers.set(path, (_, response) => void response.writeHead(403).end());
    const options = { sources: ["sitemap"], maxPages: 5 } as const;
    const first = await crawler.visit(options);
    assert.deepEqual([first.summary.created, first.summary.pending], [5, 0]);
    site.answers.clear();
    assert.equal((await crawler.visitNextDay(options)).summary.created, 0);
    assert.equal((await crawler.visitNextDay({ ...options, maxPages: 10 })).summary.created, 5);
  });
});
