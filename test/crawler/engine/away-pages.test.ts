import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { fewer, longer } from "../../long-run.ts";
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
  for (const [name, options] of fewer(ways, 2))
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

  it("are looked at again after 90 days where they were refused three times, and not before", async () => {
    await using crawler = await openSite(true, { sources: ["links"] });
    crawler.site.answers.set("/0.html", (_, response) => void response.writeHead(403).end());
    const asked = async (hours: number): Promise<number> => {
      crawler.now += hours * hourMs;
      return askedFor(await crawler.visit({ sources: ["links"] }), ["/0.html"]);
    };
    assert.deepEqual([await asked(24), await asked(24), await asked(24)], [1, 1, 1]);
    assert.deepEqual([await asked(24), await asked(89 * 24 - 25), await asked(2)], [0, 0, 0]);
    assert.deepEqual([await asked(24), await asked(24), await asked(89 * 24)], [1, 0, 1]);
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

  it("let a site that asks for a long rest with them be visited first", async () => {
    const resting = ["/z0.html", "/z1.html", "/z2.html"];
    for (const source of ["archives", "links"] as const) {
      await using crawler = await Crawler.open();
      const { site } = crawler;
      site.set({ "/": ["/a.html", ...resting].map((path) => `<a href="${path}">x</a>`).join("") });
      site.set(Object.fromEntries(["/a.html", ...resting].map((path) => [path, path])));
      const options = { sources: [source] };
      if (source === "archives") site.publishBase();
      else await crawler.visit(options);
      for (const path of resting)
        site.answers.set(path, (_, response) => void response.writeHead(503, { "retry-after": "3600" }).end());
      for (let day = 0; day < 8; day++) {
        site.set({ "/a.html": `a ${day}` });
        if (source === "archives") site.publish();
        const visit = await crawler.visitNextDay(options);
        assert.ok(answered(visit, "/a.html"), `${source}, day ${day}: ${visit.requests.join()}`);
      }
    }
  });

  it("are asked for once a visit, also if they fail in another way this time", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/a.html": "a", "/zz.html": "z" });
    site.answers.set("/zz.html", (_, response) => void response.writeHead(500).end());
    site.publishBase();
    await crawler.visit();
    // So many that results are made durable before the last is asked for.
    site.set(Object.fromEntries(Array.from({ length: longer(150, 2500) }, (_, at) => [`/p${at}.html`, `p${at}`])));
    site.publish();
    site.answers.set("/zz.html", (_, response) => void response.writeHead(404).end());
    const visit = await crawler.visitNextDay();
    assert.equal(askedFor(visit, ["/zz.html"]), 1);
    assert.equal(visit.summary.failed, 1);
  });

  it("do not keep those waiting that another source names", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    const left = Array.from({ length: 12 }, (_, at) => `/left${at}.html`);
    site.set({
      "/": `<a href="/a.html">a</a>`,
      "/a.html": "a",
      ...Object.fromEntries(left.map((path) => [path, path])),
    });
    for (const path of left) site.answers.set(path, (_, response) => void response.writeHead(500).end());
    site.publishBase();
    for (let day = 0; day < 4; day++) await crawler.visitNextDay({ sources: ["archives", "links"] });
    // No archives any more.
    site.files.clear();
    site.set({ "/": `<a href="/new.html">new</a>`, "/new.html": "new" });
    const visit = await crawler.visitNextDay({ sources: ["links"] });
    assert.equal(visit.summary.source, "links");
    assert.ok(answered(visit, "/new.html"), visit.requests.join());
  });

  it("are asked for at once when a sitemap gives them another lastmod", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    const publish = (lastmod: string): void => {
      site.files.set("/sitemap.xml", Buffer.from(urlset(site.origin, [{ path: "/a.html", lastmod }])));
    };
    site.set({ "/a.html": "a" });
    publish("2026-01-01");
    const options = { sources: ["sitemap"] } as const;
    await crawler.visit(options);
    site.answers.set("/a.html", (_, response) => void response.writeHead(500).end());
    publish("2026-01-02");
    for (let day = 0; day < 20; day++) await crawler.visitNextDay(options);
    // The day after one on which it was asked for.
    while (askedFor(await crawler.visitNextDay(options), ["/a.html"]) === 0);
    site.answers.clear();
    site.set({ "/a.html": "repaired" });
    publish("2026-01-03");
    assert.ok(answered(await crawler.visitNextDay(options), "/a.html"));
  });

  it("are read again where they became nearer meanwhile", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    const away = ["/q1.html", "/q2.html", "/p.html"];
    const list = (...paths: readonly string[]): string => paths.map((path) => `<a href="${path}">x</a>`).join("");
    site.set({ "/": list("/x.html"), "/x.html": list(...away), "/q1.html": "q", "/q2.html": "q" });
    site.set({ "/p.html": list("/leaf.html"), "/leaf.html": "leaf" });
    for (const path of away) site.answers.set(path, (_, response) => void response.writeHead(500).end());
    const options = { sources: ["links"], maxDepth: 2 } as const;
    await crawler.visit(options);
    site.set({ "/": list("/x.html", "/p.html") });
    site.answers.clear();
    for (let day = 0; day < 2; day++) await crawler.visitNextDay(options);
    assert.ok("/leaf.html" in crawler.mirror());
  });
});

describe("pages that redirect to disallowed ones", () => {
  const robots = "User-agent: *\nDisallow: /login\n";
  const redirect = ({ site }: Crawler, isOn: boolean): void => {
    if (!isOn) site.answers.clear();
    else
      for (const path of ["/a.html", "/b.html"])
        site.answers.set(path, (_, response) => void response.writeHead(302, { location: "/login?next=x" }).end());
  };
  const openPages = async (): Promise<Crawler> => {
    const crawler = await Crawler.open();
    crawler.site.set({ "/": '<a href="/a.html">a</a><a href="/b.html">b</a>', "/a.html": "a 1", "/b.html": "b 1" });
    return crawler;
  };

  it("for an hour are as they were after it, where links are followed", async () => {
    await using crawler = await openPages();
    crawler.site.files.set("/robots.txt", Buffer.from(robots));
    await crawler.visit({ sources: ["links"] });
    redirect(crawler, true);
    crawler.site.set({ "/a.html": "a 2" });
    const during = await crawler.visitNextDay({ sources: ["links"] });
    assert.deepEqual(during.pages, ["disallowed /a.html", "disallowed /b.html"]);
    assert.ok(!during.requests.some((request) => request.includes("/login")));
    assert.deepEqual([during.summary.failed, crawler.mirror()["/a.html"]], [0, "a 1"]);
    redirect(crawler, false);
    assert.deepEqual((await crawler.visitNextDay({ sources: ["links"] })).pages, ["updated /a.html"]);
  });

  it("for an hour are as they were after it, where a sitemap names them, also if patterns exclude the target", async () => {
    await using crawler = await openPages();
    const { site } = crawler;
    const name = (lastmod: string): void => {
      const pages = ["/a.html", "/b.html"].map((path) => ({ path, lastmod }));
      site.files.set("/sitemap.xml", Buffer.from(urlset(site.origin, pages)));
    };
    const options: Partial<CrawlSiteOptions> = { sources: ["sitemap"], exclude: ["/login"] };
    name("2026-01-01");
    await crawler.visit(options);
    redirect(crawler, true);
    for (let day = 0; day < 30; day++) await crawler.visitNextDay(options);
    redirect(crawler, false);
    site.set({ "/a.html": "a 2" });
    name("2026-01-02");
    assert.deepEqual((await crawler.visitNextDay(options)).pages, ["updated /a.html"]);
  });

  it("for an hour are as they were after it, where the site publishes its changes", async () => {
    await using crawler = await openPages();
    crawler.site.robots = `${robots}\n`;
    crawler.site.publishBase();
    await crawler.visit();
    crawler.site.set({ "/a.html": "a 2" });
    crawler.site.publish();
    redirect(crawler, true);
    const during = await crawler.visitNextDay();
    assert.deepEqual([during.pages, during.summary.pending], [["disallowed /a.html"], 1]);
    redirect(crawler, false);
    const after = await crawler.visitNextDay();
    assert.deepEqual([after.pages, after.summary.pending], [["updated /a.html"], 0]);
  });

  it("for long are asked for ever more rarely, and kept within a week after it", async () => {
    await using crawler = await openPages();
    crawler.site.files.set("/robots.txt", Buffer.from(robots));
    redirect(crawler, true);
    let asked = 0;
    for (let day = 0; day < 40; day++)
      asked += askedFor(await crawler.visitNextDay({ sources: ["links"] }), ["/a.html"]);
    assert.ok(asked >= 8 && asked <= 14, `${asked} in 40 days`);
    redirect(crawler, false);
    for (let day = 0; day < 8; day++) await crawler.visitNextDay({ sources: ["links"] });
    assert.equal(crawler.mirror()["/a.html"], "a 1");
  });
});

describe("a site of which as many pages are kept as are to be", () => {
  it("is refreshed within a budget, with the pages that only lead on", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    const lists = Array.from({ length: 60 }, (_, at) => `/l${at}.html`);
    const pictures = Array.from({ length: 20 }, (_, at) => `/i${at}.png`);
    site.set({ "/": [...lists, ...pictures].map((path) => `<a href="${path}">x</a>`).join("") });
    site.set(
      Object.fromEntries([
        ...lists.map((path) => [path, `<a href="/">x</a>`]),
        ...pictures.map((path) => [path, path]),
      ]),
    );
    const options: Partial<CrawlSiteOptions> = { sources: ["links"], maxPages: 20, types: ["image/png"] };
    assert.equal((await crawler.visit(options)).summary.created, 20);
    for (let day = 0; day < 20; day++) {
      site.set(Object.fromEntries(pictures.map((path) => [path, `${path} ${day}`])));
      assert.equal((await crawler.visitNextDay({ ...options, budget: 10 })).summary.pageRequests, 10, `day ${day}`);
    }
  });

  it("has no fewer pages after work that an earlier source left", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    const left = Array.from({ length: 10 }, (_, at) => `/w${at}.html`);
    const named = Array.from({ length: 20 }, (_, at) => `/t${at}.html`);
    site.set(Object.fromEntries(left.map((path) => [path, path])));
    site.publishBase();
    await crawler.visit({ budget: 1, sources: ["archives", "links"] });
    site.files.clear();
    site.set({ "/": named.map((path) => `<a href="${path}">x</a>`).join("") });
    site.set(Object.fromEntries(named.map((path) => [path, path])));
    const { summary } = await crawler.visitNextDay({ sources: ["links"], maxPages: 20 });
    assert.deepEqual([summary.created, summary.pending], [19, 0]);
  });
});
