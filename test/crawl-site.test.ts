import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type CrawlSiteOptions, crawlSite } from "../src/crawl-site.ts";
import { mirrorFolderOf } from "../src/store/index.ts";
import { readMirror, servedBy } from "./crawl/mirror.ts";
import { PublishedSite } from "./crawl/published-site.ts";
import { makeTempFolder } from "./temp-folder.ts";

const noDelay = { delay: () => Promise.resolve() };

describe("crawlSite", () => {
  it("mirrors a site, then fetches what changed, then nothing", async () => {
    await using site = await PublishedSite.open();
    using folder = makeTempFolder();
    const options: CrawlSiteOptions = { url: site.origin, into: folder.path, ...noDelay };
    site.set({ "/a.html": "a", "/b/c.html": "c", "/b/": "index", "/s.css": "s" });
    site.publishBase();
    const first = await crawlSite(options);
    assert.equal(first.source, "archives");
    assert.equal(first.created, 4);
    assert.equal(first.pending, 0);
    assert.equal(first.failed, 0);
    assert.deepEqual(readMirror(folder.path, site.origin), {
      "/a.html": "a",
      "/b/c.html": "c",
      "/b/~tidemark-index": "index",
      "/s.css": "s",
    });
    const mirrored = join(folder.path, mirrorFolderOf(site.origin), "a.html");
    assert.equal(statSync(mirrored).mtimeMs / 1000, site.pages.get("/a.html")?.lastModified);

    site.takeRequests();
    site.set({ "/a.html": "aa", "/b/": undefined, "/new.html": "n" }, 1_000_000_000);
    site.publish();
    const second = await crawlSite(options);
    assert.equal(second.created, 1);
    assert.equal(second.updated, 1);
    assert.equal(second.deleted, 1);
    assert.equal(second.unchanged, 2);
    assert.equal(second.pageRequests, 2);
    assert.deepEqual(readMirror(folder.path, site.origin), servedBy(site));

    site.takeRequests();
    const third = await crawlSite(options);
    assert.deepEqual(site.takeRequests(), ["304 /robots.txt", "304 /.well-known/tidemark/index.gz"]);
    assert.equal(third.notModified, 2);
    assert.equal(third.unchanged, 4);
    assert.deepEqual(third.cursor, { epoch: site.epoch, publication: site.publication });
  });
});
