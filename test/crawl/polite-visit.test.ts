import assert from "node:assert/strict";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { CrawlEvent } from "../../src/model/index.ts";
import { makeTempFolder } from "../temp-folder.ts";
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

  it("of a site with a Crawl-delay of an hour goes on in portions, and never faster on average", async () => {
    await using crawler = await openCrawler(30, "User-agent: *\nCrawl-delay: 3600\n\n");
    let visits = 0;
    let requests = 0;
    const began = crawler.now;
    for (; visits < 100; visits++) {
      const visit = await crawler.visit();
      requests += visit.requests.length;
      assert.ok(requests <= 10 + (crawler.now - began) / 3_600_000, `${requests} requests`);
      if (visit.summary.source === "archives" && visit.summary.pending === 0) break;
      crawler.now += 12 * 3_600_000;
    }
    assert.ok(visits < 20, `${visits} visits`);
    assert.equal(crawler.site.pages.size, Object.keys(crawler.mirror()).length);
  });
});
