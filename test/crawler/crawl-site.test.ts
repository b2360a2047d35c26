import assert from "node:assert/strict";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { TidemarkError } from "../../src/core/error.ts";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import { mirrorFolderOf } from "../../src/storage/mirror/mirror-path.ts";

import { servedBy } from "./engine/mirror.ts";
import { Crawler } from "./engine/site-visit.ts";

const wellKnown = "/.well-known/tidemark/index.gz";
const manyPages = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`/p${at}.html`, `page ${at}`]));

describe("crawlSite", () => {
  it("mirrors a site, then fetches what changed, then nothing", async () => {
    await using crawler = await Crawler.open({ "/a.html": "a", "/b/c.html": "c", "/b/": "index", "/s.css": "s" });
    const { site } = crawler;
    const first = await crawler.visit();
    assert.deepEqual(
      [first.summary.source, first.summary.created, first.summary.pending, first.summary.failed],
      ["archives", 4, 0, 0],
    );
    assert.deepEqual(crawler.mirror(), {
      "/a.html": "a",
      "/b/c.html": "c",
      "/b/index.html": "index",
      "/s.css": "s",
    });
    const mirrored = join(crawler.folder.path, mirrorFolderOf(site.origin), "a.html");
    assert.equal(statSync(mirrored).mtimeMs / 1000, site.pages.get("/a.html")?.lastModified);

    site.set({ "/a.html": "aa", "/b/": undefined, "/new.html": "n" }, 1_000_000_000);
    site.publish();
    const { summary } = await crawler.visit();
    assert.deepEqual([summary.created, summary.updated, summary.deleted, summary.unchanged], [1, 1, 1, 2]);
    assert.equal(summary.pageRequests, 2);
    assert.deepEqual(crawler.mirror(), servedBy(site));

    const third = await crawler.visit();
    assert.deepEqual(third.requests, ["304 /robots.txt", `304 ${wellKnown}`]);
    assert.deepEqual([third.summary.notModified, third.summary.unchanged], [2, 4]);
    assert.deepEqual(third.summary.cursor, { epoch: site.epoch, publication: site.publication });
  });

  it("applies the changes of several publications, the last of a page winning", async () => {
    await using crawler = await Crawler.open({ "/a.html": "1", "/gone.html": "1" });
    const { site } = crawler;
    await crawler.visit();
    const start = site.publication;
    site.set({ "/a.html": "2", "/gone.html": undefined, "/brief.html": "1" });
    site.publish();
    site.set({ "/a.html": "3", "/brief.html": undefined });
    site.publish();
    site.set({ "/gone.html": "again" });
    site.publish();
    site.merged.push([start, site.publication]);
    site.write();
    const { summary, requests } = await crawler.visit();
    assert.equal(summary.pageRequests, 2);
    // One archive of pages and one of deletions, where the single publications have five.
    assert.equal(requests.filter((request) => /\.(?:other|text-html)\./.test(request)).length, 2);
    assert.deepEqual(crawler.mirror(), servedBy(site));
  });

  it("does the rest another time when the budget is spent", async () => {
    await using crawler = await Crawler.open(manyPages);
    const { site } = crawler;
    for (const concurrency of [1, 3, 4]) {
      const { summary } = await crawler.visit({ budget: 10, concurrency });
      assert.equal(summary.pageRequests, 10);
    }
    assert.deepEqual(crawler.mirror(), servedBy(site));
    assert.equal((await crawler.visit()).summary.pending, 0);
  });

  it("keeps what it did when it is stopped, and goes on from there", async () => {
    await using crawler = await Crawler.open(manyPages);
    const { site } = crawler;
    const stop = new AbortController();
    let fetched = 0;
    const stopped = crawler.visit({
      signal: stop.signal,
      onEvent: (event) => {
        if (event.event === "page" && ++fetched === 7) stop.abort();
      },
    });
    await assert.rejects(stopped, (error) => error instanceof TidemarkError && error.code === "aborted");
    const { summary } = await crawler.visit();
    assert.equal(summary.pageRequests, 30 - fetched);
    assert.deepEqual(crawler.mirror(), servedBy(site));
  });

  it("stops while it reads archives without moving the cursor", async () => {
    await using crawler = await Crawler.open(manyPages);
    const stop = new AbortController();
    const stopped = crawler.visit({ signal: stop.signal, onEvent: (event) => event.event === "plan" && stop.abort() });
    await assert.rejects(stopped, (error) => error instanceof TidemarkError && error.code === "aborted");
    assert.equal((await crawler.visit()).summary.created, 30);
  });

  it("takes over bodies by their digest when the state is lost", async () => {
    await using crawler = await Crawler.open(manyPages);
    const { site } = crawler;
    await crawler.visit();
    rmSync(join(crawler.folder.path, ".tidemark"), { recursive: true });
    site.set({ "/p3.html": "PAGE 3" });
    site.publish();
    const { summary } = await crawler.visit();
    assert.deepEqual([summary.pageRequests, summary.unchanged], [1, 29]);
    assert.deepEqual(crawler.mirror(), servedBy(site));
  });

  it("looks at what a crawl left behind that died before it could say so", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    const mirrored = (path: string): string => join(crawler.folder.path, mirrorFolderOf(site.origin), path);
    site.set({ "/restored.html": "old", "/deleted.html": "old" }, 5);
    site.publishBase();
    await crawler.visit();
    site.set({ "/restored.html": "new", "/deleted.html": undefined, "/brief.html": "brief" });
    site.publish();
    await crawler.visit({ budget: 0 });
    // What a kill leaves: bodies in their places and out of them, and the work not yet settled.
    writeFileSync(mirrored("restored.html"), "new");
    writeFileSync(mirrored("brief.html"), "brief");
    site.set({ "/restored.html": "old", "/deleted.html": "old" }, 5);
    site.set({ "/brief.html": undefined });
    site.publish();
    await crawler.visit();
    assert.deepEqual(crawler.mirror(), servedBy(site));
  });

  it("fetches everything again when the mirror is lost", async () => {
    await using crawler = await Crawler.open(manyPages);
    const { site } = crawler;
    await crawler.visit();
    rmSync(join(crawler.folder.path, mirrorFolderOf(site.origin)), { recursive: true });
    assert.equal((await crawler.visit()).summary.created, 30);
    assert.deepEqual(crawler.mirror(), servedBy(site));
  });

  it("deletes what a new epoch does not list, and does not fetch what it lists unchanged", async () => {
    await using crawler = await Crawler.open(manyPages);
    const { site } = crawler;
    await crawler.visit();
    site.epoch = "epoch-000002";
    site.set({ "/p1.html": undefined, "/p2.html": "new" });
    site.publishBase();
    const { summary } = await crawler.visit();
    assert.deepEqual([summary.deleted, summary.updated, summary.pageRequests], [1, 1, 1]);
    assert.deepEqual(crawler.mirror(), servedBy(site));
  });

  it("does nothing with an index that is older than its cursor", async () => {
    await using crawler = await Crawler.open({ "/a.html": "1" });
    const { site } = crawler;
    const old = site.files.get(wellKnown);
    assert.ok(old !== undefined);
    site.set({ "/a.html": "2" });
    site.publish();
    await crawler.visit();
    const { publication } = site;
    site.files.set(wellKnown, old);
    const { summary, warnings } = await crawler.visit();
    assert.deepEqual(warnings, ["stale-index"]);
    assert.equal(summary.cursor?.publication, publication);
    assert.deepEqual(crawler.mirror(), { "/a.html": "2" });
  });

  it("reads only the types that are asked for, and all of them when that changes", async () => {
    await using crawler = await Crawler.open({ "/a.html": "a", "/b.css": "b", "/c.png": "c" });
    const { site } = crawler;
    const first = await crawler.visit({ types: ["text/html", "image/*"] });
    assert.deepEqual(Object.keys(crawler.mirror()).sort(), ["/a.html", "/c.png"]);
    assert.ok(!first.requests.some((request) => request.includes("text-css")));
    const second = await crawler.visit();
    assert.deepEqual(second.pages, ["created /b.css"]);
    // Pages of other types are forgotten, their files left alone; what is gone of the wanted types is deleted.
    site.set({ "/a.html": undefined });
    site.publish();
    const third = await crawler.visit({ types: ["text/html"] });
    assert.deepEqual(third.pages, ["deleted /a.html"]);
    assert.deepEqual(Object.keys(crawler.mirror()).sort(), ["/b.css", "/c.png"]);
  });

  it("passes over older pages on a first visit with a date, and follows every change after it", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/old.html": "old" }, 1_000_000_000);
    site.set({ "/recent.html": "recent" }, 1_600_000_000);
    site.publishBase();
    const first = await crawler.visit({ since: 1_500_000_000_000 });
    assert.deepEqual(first.pages, ["created /recent.html"]);
    site.set({ "/restored.html": "restored" }, 900_000_000);
    site.publish();
    assert.deepEqual((await crawler.visit({ since: 1_500_000_000_000 })).pages, ["created /restored.html"]);
    // A new base lists it as an old page; it is held, and stays.
    site.epoch = "epoch-000002";
    site.publishBase();
    const again = await crawler.visit();
    assert.deepEqual([again.pages, again.summary.unchanged], [[], 2]);
    const earlier = await crawler.visit({ since: 950_000_000_000 });
    assert.deepEqual(earlier.pages, ["created /old.html"]);
  });

  it("reads the chain from a date that the chains reach", async () => {
    await using crawler = await Crawler.open({ "/a.html": "a" });
    const { site } = crawler;
    site.set({ "/b.html": "b" }, 5);
    site.publish();
    const boundary = site.publication;
    site.set({ "/c.html": "c" }, 5);
    site.publish();
    const { pages, requests } = await crawler.visit({ since: (boundary + 3600) * 1000 });
    assert.deepEqual(pages, ["created /c.html"]);
    assert.equal(requests.length, 4);
  });

  it("keeps several sites in one state, each in its own folder", async () => {
    await using one = await Crawler.open();
    await using two = await Crawler.open();
    for (const { site } of [one, two]) {
      site.set({ "/a.html": site.origin });
      site.publishBase();
      assert.equal((await crawlSite({ url: site.origin, into: one.folder.path })).created, 1);
    }
    const { unchanged, requests } = await crawlSite({ url: two.site.origin, into: one.folder.path });
    assert.deepEqual([unchanged, requests], [1, 2]);
  });

  it("refuses what is no site, and no media type, before it opens anything", async () => {
    using folder = (await import("../temp-folder.ts")).makeTempFolder();
    const into = join(folder.path, "into");
    for (const options of [
      { url: "ftp://example.org/" },
      { url: "example.org" },
      { url: "http://h/", types: ["html"] },
    ])
      await assert.rejects(
        crawlSite({ into, ...options }),
        (error) => error instanceof TidemarkError && error.code === "bad-option",
      );
    assert.throws(() => statSync(into));
  });

  it("says that the path of a URL is ignored, and sends no user and password", async () => {
    await using crawler = await Crawler.open({ "/a.html": "a" });
    const { site } = crawler;
    const url = site.origin.replace("http://", "http://user:pass@");
    const { warnings, summary } = await crawler.visit({ url: `${url}/some/page?x` });
    assert.deepEqual(warnings, ["path-ignored"]);
    assert.equal(summary.site, site.origin);
  });
});
