import assert from "node:assert/strict";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { CrawlEvent } from "../../../src/core/crawl-event.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { ListedSite } from "./listed-site.ts";
import { sitemapIndex, urlset } from "./mapped-site.ts";
import { PublishedSite } from "./published-site.ts";
import { Crawler } from "./site-visit.ts";

async function openCrawler(pages: number, robots = ""): Promise<Crawler> {
  const crawler = await Crawler.open();
  const { site } = crawler;
  site.robots = robots;
  for (let at = 0; at < pages; at++) site.set({ [`/p${at}.html`]: `page ${at}` });
  site.publishBase();
  return crawler;
}

describe("a polite visit", () => {
  it("to a site of one's own has no rests, unless they are asked for", async () => {
    await using crawler = await openCrawler(30);
    assert.deepEqual((await crawler.visit()).waitsMs, []);
    await using other = await openCrawler(30);
    other.politeness = { loopbackRests: true, pagesBeforeRest: 10, restMs: 15_000 };
    // robots.txt, index, list of the base, its archive and 30 pages.
    const { requests, waitsMs } = await other.visit();
    assert.deepEqual([requests.length, waitsMs], [34, [15_000, 15_000, 15_000]]);
  });

  it("to a site with archives has a second's rest after a hundred requests, to others fifteen after ten", async () => {
    await using crawler = await openCrawler(120);
    crawler.politeness = { loopbackRests: true };
    assert.deepEqual((await crawler.visit()).waitsMs, [1000]);
    await using other = await openCrawler(20);
    other.politeness = { loopbackRests: true };
    other.site.answers.set("/.well-known/tidemark/index.gz", (_, response) => response.writeHead(404).end());
    for (let visit = 0; visit < 6; visit++) {
      const { requests, waitsMs } = await other.visit();
      assert.deepEqual([requests.length, waitsMs], [2, visit === 5 ? [15_000] : []], `visit ${visit}`);
    }
  });

  it("that is killed while it waits within a reading leaves the time that it was told", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/a.html": "a" });
    site.publishBase();
    const archive = [...site.files.keys()].find((path) => path.includes("text-html")) ?? "";
    site.answers.set(archive, (_, response) => {
      site.answers.clear();
      response.writeHead(503, { "retry-after": "120" }).end();
    });
    using killed = makeTempFolder();
    let diedAt = 0;
    const first = await crawler.visit({
      onEvent: (event) => {
        if (event.event !== "waiting" || event.why !== "retry-after") return;
        diedAt = crawler.now;
        // What a kill leaves at this moment.
        cpSync(crawler.folder.path, killed.path, { recursive: true });
      },
    });
    assert.deepEqual([first.summary.created, first.waitsMs], [1, [120_000]]);
    assert.ok(!readdirSync(join(crawler.folder.path, ".tidemark")).some((name) => name.includes("clock")));
    crawler.now = diedAt;
    const again = await crawler.visit({ into: killed.path });
    assert.deepEqual([again.summary.created, again.waitsMs], [1, [120_000]]);
  });

  it("keeps a Crawl-delay, also between robots.txt and what comes next, and on the next visit", async () => {
    await using crawler = await openCrawler(3, "User-agent: *\nCrawl-delay: 2.5\n\n");
    const events: CrawlEvent[] = [];
    const { waitsMs, requests } = await crawler.visit({ concurrency: 4, onEvent: (event) => void events.push(event) });
    assert.equal(requests.length, 7);
    assert.deepEqual(waitsMs, Array(6).fill(2500));
    const told = events.filter((event) => event.event === "waiting");
    assert.equal(told.length, 6);
    assert.deepEqual(told[0], {
      event: "waiting",
      site: crawler.site.origin,
      untilMs: 1_800_000_002_500,
      why: "crawl-delay",
    });
    assert.deepEqual((await crawler.visit()).waitsMs, [2500, 2500]);
  });

  it("of a site with a Crawl-delay of an hour makes one request, and the mirror is whole after as many visits as it takes", async () => {
    await using crawler = await openCrawler(8, "User-agent: *\nCrawl-delay: 3600\n\n");
    const { site } = crawler;
    // Pages that say nothing of themselves, so that there is one request for each.
    const askedAt: number[] = [];
    const serve = site.around;
    site.around = (response, answer) => {
      askedAt.push(crawler.now);
      serve(response, answer);
    };
    let visits = 0;
    for (; visits < 40; visits++) {
      const { summary, requests, warnings } = await crawler.visit();
      assert.ok(requests.length <= 1, requests.join());
      if (summary.pending > 0) assert.ok(warnings.length <= 1, warnings.join());
      if (summary.source === "archives" && summary.pending === 0) break;
      crawler.now += 25 * 3_600_000;
    }
    assert.equal(site.pages.size, Object.keys(crawler.mirror()).length);
    assert.ok(visits < 25, `${visits} visits`);
    for (const [at, time] of askedAt.entries()) assert.ok(at === 0 || time - (askedAt[at - 1] ?? 0) >= 3_600_000);
  });

  it("of a site with a Crawl-delay of an hour and sitemaps reads a list, then its pages, then the next, and all of it again", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/a.html": "a", "/b.html": "b", "/c.html": "c" });
    site.files.set("/robots.txt", Buffer.from(`User-agent: *\nCrawl-delay: 3600\nSitemap: ${site.origin}/maps.xml\n`));
    site.files.set("/maps.xml", Buffer.from(sitemapIndex(`${site.origin}/1.xml`, `${site.origin}/2.xml`)));
    site.files.set("/1.xml", Buffer.from(urlset(site.origin, [{ path: "/a.html" }, { path: "/b.html" }])));
    site.files.set("/2.xml", Buffer.from(urlset(site.origin, [{ path: "/c.html" }])));
    const asked: string[] = [];
    for (let visit = 0; visit < 26; visit++) {
      const { requests } = await crawler.visit({ sources: ["archives", "resourcesync", "sitemap", "links"] });
      assert.ok(requests.length <= 1, requests.join());
      asked.push(...requests.map((request) => request.slice(4)));
      crawler.now += 2 * 3_600_000;
    }
    const first = ["/maps.xml", "/1.xml", "/a.html", "/b.html", "/2.xml", "/c.html", "/a.html", "/b.html"];
    const second = ["/maps.xml", "/1.xml", "/2.xml", "/a.html", "/b.html", "/c.html"];
    const sought = ["/.well-known/tidemark/index.gz", "/.well-known/resourcesync"];
    const withoutRobots = asked.filter((path) => path !== "/robots.txt");
    assert.deepEqual(withoutRobots.slice(0, 16), [...sought, ...first, ...second]);
  });

  it("concludes nothing from lists that a Crawl-delay kept it from asking for", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/": "start", "/a.html": "a" });
    site.files.set("/robots.txt", Buffer.from(`User-agent: *\nCrawl-delay: 3600\nSitemap: ${site.origin}/map.xml\n`));
    site.files.set("/map.xml", Buffer.from(urlset(site.origin, [{ path: "/a.html" }])));
    const sources: string[] = [];
    for (let visit = 0; visit < 7; visit++) {
      sources.push((await crawler.visit({ sources: ["archives", "resourcesync", "sitemap", "links"] })).summary.source);
      crawler.now += 25 * 3_600_000;
    }
    assert.deepEqual(sources, [...Array(5).fill("none"), "sitemap", "sitemap"]);
  });

  it("of a site with a Crawl-delay of an hour and ResourceSync reads its documents, then its pages, and all of it again", async () => {
    await using listed = await ListedSite.open();
    const { crawler } = listed;
    const robots = "User-agent: *\nCrawl-delay: 3600\n";
    crawler.site.files.set("/robots.txt", Buffer.from(robots));
    const visitEach = async (hours: number, visits: number): Promise<string[]> => {
      const asked: string[] = [];
      for (let visit = 0; visit < visits; visit++) {
        crawler.now += hours * 3_600_000;
        const { requests } = await crawler.visit({ sources: ["resourcesync", "links"] });
        assert.ok(requests.length <= 1, requests.join());
        asked.push(...requests.filter((request) => !request.endsWith("/robots.txt")));
      }
      return asked.map((request) => request.slice(4));
    };
    const documents = ["/.well-known/resourcesync", "/caps.xml"];
    assert.deepEqual(await visitEach(2, 6), [...documents, "/list.xml", "/", "/a.html"]);
    assert.deepEqual(Object.values(crawler.mirror()), ["a", `<a href="/a.html">a</a>`]);
    // What changed since is in the change list.
    crawler.site.set({ "/a.html": "b" });
    listed.listChanges({});
    assert.deepEqual(await visitEach(2, 5), [...documents, "/changes.xml", "/a.html", ...documents.slice(0, 1)]);
    assert.equal(crawler.mirror()["/a.html"], "b");
  });

  it("whose sitemap lies on a host with a Crawl-delay of an hour polls the pages of the site itself each day", async () => {
    await using crawler = await Crawler.open();
    await using other = await PublishedSite.open();
    const { site } = crawler;
    site.set({ "/": `<a href="/a.html">a</a>`, "/a.html": "a" });
    site.files.set("/robots.txt", Buffer.from(`Sitemap: ${other.origin}/map.xml\n`));
    other.files.set("/robots.txt", Buffer.from("User-agent: *\nCrawl-delay: 3600\n"));
    for (let day = 0; day < 4; day++) {
      const { requests } = await crawler.visit({ sources: ["sitemap", "links"], allowPrivate: true });
      assert.deepEqual(
        requests.filter((request) => /\/(?:a\.html)?$/.test(request)).map((request) => request.slice(4)),
        ["/", "/a.html"],
        `day ${day}`,
      );
      assert.deepEqual(other.takeRequests(), ["200 /robots.txt"]);
      crawler.now += 25 * 3_600_000;
    }
  });

  it("keeps a Crawl-delay before each request: redirects, lists, what was lost, and the first after a kill", async () => {
    await using crawler = await openCrawler(4, "");
    const { site } = crawler;
    site.robots = "User-agent: *\nCrawl-delay: 5\n\n";
    site.write();
    const askedAt: [number, string][] = [];
    let losses = 0;
    site.around = (response, serve) => {
      askedAt.push([crawler.now, response.req.url ?? ""]);
      // An answer takes its time.
      crawler.now += 300;
      // Now and then a connection that was used before is closed without an answer.
      if (response.req.url === "/p3.html" && losses++ === 0) response.destroy();
      else serve();
    };
    site.files.set("/rules.txt", site.files.get("/robots.txt") as Buffer);
    site.answers.set("/robots.txt", (_, response) => response.writeHead(301, { location: "/rules.txt" }).end());
    site.answers.set("/p0.html", (_, response) => response.writeHead(302, { location: "/p0b.html" }).end());
    site.answers.set("/p0b.html", (_, response) => response.writeHead(302, { location: "/p1.html" }).end());
    site.answers.set("/p2.html", (_, response) => {
      if (askedAt.filter(([, path]) => path === "/p2.html").length === 1) response.writeHead(500).end();
    });
    using killed = makeTempFolder();
    const controller = new AbortController();
    const first = await crawler
      .visit({
        signal: controller.signal,
        onEvent: (event) => {
          if (event.event !== "waiting" || askedAt.length !== 6) return;
          cpSync(crawler.folder.path, killed.path, { recursive: true });
          controller.abort();
        },
      })
      .catch(() => undefined);
    assert.equal(first, undefined);
    const { summary } = await crawler.visit({ into: killed.path });
    assert.equal(summary.pending, 0);
    const early = askedAt.flatMap(([time, path], at) => {
      const before = askedAt[at - 1];
      // Until the first robots.txt was read, nobody knows of a delay.
      return before !== undefined && at > 1 && time - before[0] < 5300
        ? [`${path} ${time - before[0]} ms after ${before[1]}`]
        : [];
    });
    assert.deepEqual(early, []);
    assert.equal(losses >= 2, true);
  });
});
