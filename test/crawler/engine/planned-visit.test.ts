import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { longer } from "../../long-run.ts";
import { MappedSite, urlset } from "./mapped-site.ts";
import { Crawler, type Visit } from "./site-visit.ts";

const planned: Partial<CrawlSiteOptions> = { sources: ["sitemap"], isPlanned: true };
const pagesOf = ({ requests }: Visit): string[] => requests.filter((request) => request.endsWith(".html"));

/** How a visit to a page without a file ends, as the server has it. */
const missed = (path: string): string => `404 ${path}`;

describe("visits by plan", () => {
  for (const rest of [{}, { budget: 5 }]) {
    it(`ask at once for what a sitemap lists no more, until it is known to be gone: ${JSON.stringify(rest)}`, async () => {
      for (const hasDates of [true, false]) {
        await using crawler = await Crawler.open();
        const publish = (...paths: readonly string[]): void => {
          const lastmod = hasDates ? { lastmod: "2026-01-01" } : {};
          const text = urlset(
            crawler.site.origin,
            paths.map((path) => ({ path, ...lastmod })),
          );
          crawler.site.files.set("/sitemap.xml", Buffer.from(text));
        };
        crawler.site.set({ "/a.html": "a", "/b.html": "b", "/c.html": "c" });
        publish("/a.html", "/b.html", "/c.html");
        await crawler.visit({ ...planned, ...rest });
        crawler.site.set({ "/a.html": undefined });
        publish("/c.html");
        const visits: string[][] = [];
        for (const hours of [1, 1, 48]) {
          crawler.now += hours * 3_600_000;
          visits.push(pagesOf(await crawler.visit({ ...planned, ...rest })));
        }
        for (const requests of visits) assert.ok(requests.includes(missed("/a.html")), JSON.stringify(visits));
        // What is there, though no list names it, is asked for at once as well, and then again by its plan.
        assert.ok(visits[0]?.includes("304 /b.html"), JSON.stringify(visits));
        if (!("budget" in rest)) assert.deepEqual(visits.slice(1), [[missed("/a.html")], [missed("/a.html")]]);
        assert.deepEqual(Object.keys(crawler.mirror()).sort(), ["/b.html", "/c.html"]);
      }
    });
  }

  it("ask again in the next visit for what could not be had, whatever the site says of itself", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    const byLinks = { sources: ["links"], isPlanned: true } as const;
    site.set({ "/": '<a href="/a.html">a</a><a href="/b.html">b</a>', "/a.html": "a", "/b.html": "b" });
    await crawler.visit(byLinks);
    site.answers.set("/a.html", (_, response) => void response.writeHead(403).end());
    site.set({ "/b.html": undefined });
    crawler.now += 10 * 86_400_000;
    const ask = async (): Promise<string[]> => pagesOf(await crawler.visit(byLinks)).sort();
    assert.deepEqual(await ask(), ["403 /a.html", missed("/b.html")]);
    crawler.now += 3_600_000;
    assert.deepEqual(await ask(), ["403 /a.html", missed("/b.html")]);
    site.answers.clear();
    crawler.now += 48 * 3_600_000;
    assert.deepEqual(await ask(), ["200 /a.html", missed("/b.html")]);
    crawler.now += 3_600_000;
    assert.deepEqual(await ask(), []);
    assert.deepEqual(
      Object.keys(crawler.mirror()).filter((path) => path.endsWith(".html")),
      ["/a.html", "/index.html"],
    );
  });

  it("ask for pages that were requested by a clock that was two months ahead", async () => {
    const day = 86_400_000;
    for (const options of [planned, { ...planned, budget: 5 }, { sources: ["links"] as const, isPlanned: false }]) {
      await using crawler = await Crawler.open();
      const { site } = crawler;
      const byLinks = { ...options, sources: ["links"] as const };
      site.set({ "/": '<a href="/a.html">a</a>', "/a.html": "a" });
      const began = crawler.now;
      await crawler.visit(byLinks);
      crawler.now = began + 60 * day;
      assert.deepEqual(pagesOf(await crawler.visit(byLinks)), ["304 /a.html"]);
      const asked: string[] = [];
      for (const days of [5, 45]) {
        crawler.now = began + days * day;
        asked.push(...pagesOf(await crawler.visit(byLinks)));
      }
      assert.ok(asked.includes("304 /a.html"), JSON.stringify([options, asked]));
    }
  });

  it("ask under a budget first for what changed and is likely to stay as it is", async () => {
    await using mapped = await MappedSite.open(6);
    const { crawler } = mapped;
    await crawler.visit(planned);
    for (let day = 0; day < 6; day++) {
      mapped.nextDay();
      for (const path of ["/0.html", "/1.html", "/2.html"]) mapped.change(path);
      mapped.publish();
      assert.equal(pagesOf(await crawler.visit(planned)).filter((request) => request.startsWith("200 ")).length, 3);
    }
    mapped.nextDay();
    for (const path of ["/0.html", "/1.html", "/2.html", "/4.html"]) mapped.change(path);
    mapped.publish();
    assert.deepEqual(pagesOf(await crawler.visit({ ...planned, budget: 1 })), ["200 /4.html"]);
  });

  it("ask under a budget first for what changed longer ago, where nothing else is known", async () => {
    await using mapped = await MappedSite.open(3);
    const { crawler } = mapped;
    await crawler.visit(planned);
    mapped.nextDay();
    mapped.change("/2.html");
    for (let day = 0; day < 9; day++) mapped.nextDay();
    mapped.change("/1.html");
    mapped.publish();
    crawler.now += 3_600_000;
    assert.deepEqual(pagesOf(await crawler.visit({ ...planned, budget: 1 })), ["200 /2.html"]);
    assert.deepEqual(pagesOf(await crawler.visit({ ...planned, budget: 1 })), ["200 /1.html"]);
  });

  it("ask under a budget at once for what changed although much else is refused", async () => {
    await using mapped = await MappedSite.open(6);
    const { crawler } = mapped;
    await crawler.visit(planned);
    for (const path of ["/0.html", "/1.html", "/2.html"])
      crawler.site.answers.set(path, (_, response) => void response.writeHead(403).end());
    for (let day = 0; day < 3; day++) {
      mapped.nextDay();
      for (const path of ["/0.html", "/1.html", "/2.html"]) mapped.change(path);
      if (day === 2) mapped.change("/4.html");
      mapped.publish();
      const asked = pagesOf(await crawler.visit({ ...planned, budget: 2 }));
      if (day === 2) assert.ok(asked.includes("200 /4.html"), JSON.stringify(asked));
    }
  });

  it("ask for a page as soon as its lastmod moves, before that is proved to be true", async () => {
    await using mapped = await MappedSite.open(5);
    const { crawler } = mapped;
    await crawler.visit(planned);
    mapped.nextDay();
    mapped.change("/3.html");
    mapped.publish();
    assert.deepEqual(pagesOf(await crawler.visit(planned)), ["200 /3.html"]);
    mapped.nextDay();
    assert.deepEqual(pagesOf(await crawler.visit(planned)), []);
  });

  it("ask for pages of which nothing is known after 2.5 days, and the later the longer they stay equal", async () => {
    await using crawler = await Crawler.open();
    crawler.site.set({ "/a.html": "a" });
    crawler.site.files.set("/sitemap.xml", Buffer.from(urlset(crawler.site.origin, [{ path: "/a.html" }])));
    const days: number[] = [];
    for (let day = 0; day < 40; day++) if (pagesOf(await crawler.visitNextDay(planned)).length > 0) days.push(day);
    assert.deepEqual(days.slice(0, 2), [0, 3]);
    const waits = days.slice(1).map((day, at) => day - (days[at] ?? 0));
    assert.deepEqual(
      waits,
      waits.toSorted((a, b) => a - b),
    );
    assert.ok(days.length >= 5 && days.length <= 9, days.join());
  });

  it("take a page that is new to them for one as lively as the others of its site", async () => {
    const paths = Array.from({ length: longer(25, 60) }, (_, at) => `/${at}.html`);
    const askedForNew = async (areLively: boolean): Promise<number> => {
      await using crawler = await Crawler.open();
      const list = (all: readonly string[]): void => {
        const text = urlset(
          crawler.site.origin,
          all.map((path) => ({ path })),
        );
        crawler.site.files.set("/sitemap.xml", Buffer.from(text));
      };
      const live = (day: number): void => {
        crawler.site.set(Object.fromEntries(paths.map((path) => [path, areLively ? `${path} ${day}` : path])));
      };
      list(paths);
      for (let day = 0; day < 30; day++) {
        live(day);
        await crawler.visitNextDay(planned);
      }
      crawler.site.set({ "/new.html": "new" });
      list([...paths, "/new.html"]);
      await crawler.visitNextDay(planned);
      for (let day = 1; day < longer(8, 60); day++) {
        if (pagesOf(await crawler.visitNextDay(planned)).some((request) => request.endsWith("/new.html"))) return day;
      }
      return Number.POSITIVE_INFINITY;
    };
    const [lively, quiet] = [await askedForNew(true), await askedForNew(false)];
    assert.ok(lively <= 2 && quiet >= 5, `${lively} and ${quiet} days`);
  });
});
