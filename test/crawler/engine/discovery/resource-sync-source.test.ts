import assert from "node:assert/strict";
import { rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { CrawlSiteOptions } from "../../../../src/crawler/crawl-site-options.ts";
import { Crawler } from "../site-visit.ts";
import { dayMs, SyncedSite } from "../synced-site.ts";

describe("ResourceSync", () => {
  it("keeps a mirror equal day by day, at a request a changed page and few for the lists", async () => {
    await using site = await SyncedSite.open(40);
    await site.publish();
    const first = await site.crawl();
    assert.deepEqual([first.summary.source, first.pages.length], ["resourcesync", 40]);
    site.assertMirrored();
    for (let day = 1; day <= 8; day++) {
      site.now += dayMs;
      site.write(`d${day % 7}/${day}.html`, `changed on day ${day}`);
      site.write(`new/${day}.html`, "new");
      if (day > 2) site.remove(`new/${day - 2}.html`);
      await site.publish();
      const visit = await site.crawl();
      assert.equal(visit.summary.pageRequests, 2, visit.pages.join());
      assert.ok(visit.lists.length <= 6, visit.lists.join());
      site.assertMirrored();
    }
    site.now += dayMs;
    const quiet = await site.crawl();
    assert.deepEqual([quiet.pages, quiet.summary.source], [[], "resourcesync"]);
  });

  it("misses nothing where some days are not visited", async () => {
    await using site = await SyncedSite.open(20);
    await site.publish();
    await site.crawl();
    for (let day = 1; day <= 9; day++) {
      site.now += dayMs;
      site.write(`d1/${day % 3}.html`, `day ${day}`);
      // Neither size nor time tells these apart.
      utimesSync(join(site.docroot, `d1/${day % 3}.html`), 1_700_000_000, 1_700_000_000);
      await site.publish();
      if (day % 4 !== 0) continue;
      const visit = await site.crawl();
      assert.equal(visit.summary.pageRequests, 3, [...visit.lists, ...visit.pages].join());
      site.assertMirrored();
    }
  });

  it("takes what changed after the resource list was made from the change lists, on a first visit too", async () => {
    await using site = await SyncedSite.open(20);
    await site.publish();
    for (let day = 1; day <= 3; day++) {
      site.now += dayMs;
      site.write("d0/0.html", `day ${day}`);
      site.write(`new/${day}.html`, "new");
      await site.publish();
    }
    const { summary } = await site.crawl();
    assert.deepEqual([summary.created, summary.differing, summary.failed], [23, 0, 0]);
    site.assertMirrored();
  });

  it("reads the whole list where the change lists do not reach back", async () => {
    await using site = await SyncedSite.open(20);
    await site.publish();
    await site.crawl();
    site.now += dayMs;
    site.write("d0/0.html", "changed");
    site.remove("d1/1.html");
    await site.publish();
    site.unpublish(/changelist/);
    const visit = await site.crawl();
    assert.deepEqual([visit.summary.updated, visit.summary.deleted], [1, 1]);
    site.assertMirrored();
  });

  it("of some types fetches those only, and others when they are wanted", async () => {
    await using site = await SyncedSite.open(5);
    site.write("i.png", "png");
    await site.publish();
    assert.deepEqual((await site.crawl({ types: ["image/*"] })).pages, ["200 /i.png"]);
    site.now += dayMs;
    assert.equal((await site.crawl()).pages.length, 5);
    site.assertMirrored();
  });

  it("that did not change costs a 304 a document and no body", async () => {
    await using site = await SyncedSite.open(20);
    await site.publish();
    await site.crawl();
    site.now += dayMs;
    site.write("d0/0.html", "changed");
    await site.publish();
    const changed = await site.crawl();
    assert.equal(changed.summary.updated, 1);
    const quiet = await site.crawl();
    // Of this kind: robots.txt, description, capability list, change lists and the part that is open.
    assert.ok(quiet.lists.length >= 4 && quiet.lists.length <= 6, quiet.lists.join());
    assert.deepEqual([...new Set(quiet.lists.map((request) => request.slice(0, 4)))], ["304 "]);
    const { metadataBytes, requests, notModified } = quiet.summary;
    assert.deepEqual([metadataBytes, requests, notModified], [0, quiet.lists.length, quiet.lists.length]);
    // Neither in the list that changes next is anything missed, nor are the others read again.
    site.now += dayMs;
    site.write("d1/1.html", "changed too");
    await site.publish();
    assert.equal((await site.crawl()).summary.updated, 1);
    site.assertMirrored();
  });

  it("is asked with validators as they were received, byte for byte", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/a.html": "a" });
    const asked: unknown[] = [];
    // Weak, with what is no letter in it, and a date as nobody writes it any more (RFC 9110 section 5.6.7).
    const etag = 'W/"a,\u00e9 b"';
    const modified = "Sunday, 06-Nov-94 08:49:37 GMT";
    const publish = (path: string, capability: string, ...entries: readonly string[]): void => {
      const body = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">
        <rs:md capability="${capability}" at="2027-01-01T00:00:00Z"/>${entries.join("")}</urlset>`;
      site.answers.set(path, (request, response) => {
        const { "if-none-match": tag, "if-modified-since": since } = request.headers;
        asked.push([path, tag, since]);
        const isSame = tag === etag && since === modified;
        response.writeHead(isSame ? 304 : 200, { etag, "last-modified": modified }).end(isSame ? undefined : body);
      });
    };
    const entry = (path: string, md: string): string => `<url><loc>${site.origin}${path}</loc>${md}</url>`;
    publish("/.well-known/resourcesync", "description", entry("/caps.xml", '<rs:md capability="capabilitylist"/>'));
    publish("/caps.xml", "capabilitylist", entry("/list.xml", '<rs:md capability="resourcelist"/>'));
    publish("/list.xml", "resourcelist", entry("/a.html", ""));
    const sources = { sources: ["resourcesync"] as const };
    assert.equal((await crawler.visit(sources)).summary.created, 1);
    const places = ["/.well-known/resourcesync", "/caps.xml", "/list.xml"];
    assert.deepEqual(
      asked.splice(0),
      places.map((path) => [path, undefined, undefined]),
    );
    const quiet = await crawler.visit(sources);
    assert.deepEqual(
      asked,
      places.map((path) => [path, etag, modified]),
    );
    assert.deepEqual([quiet.summary.source, quiet.summary.notModified], ["resourcesync", 3]);
  });

  it("without change lists costs as little, and reads the whole list once a part of it changed", async () => {
    await using site = await SyncedSite.open(20);
    await site.publish();
    site.splitResourceList(3);
    site.dropChangeLists();
    const first = await site.crawl();
    assert.deepEqual([first.summary.source, first.summary.created], ["resourcesync", 20]);
    const quiet = await site.crawl();
    assert.deepEqual(
      quiet.lists.filter((request) => !request.startsWith("304 ")),
      [],
    );
    assert.equal(quiet.lists.filter((request) => request.includes("part-")).length, 3);
    // The index is as it was, and only the last part says what is gone.
    site.dropFromPart(2);
    const visit = await site.crawl();
    const parts = visit.lists.filter((request) => request.includes("part-"));
    assert.deepEqual(
      [visit.summary.deleted, parts.map((request) => request.replace(/ .*part-/, " "))],
      [1, ["304 0.xml", "304 1.xml", "200 2.xml", "200 0.xml", "200 1.xml"]],
    );
    assert.deepEqual(
      (await site.crawl()).lists.filter((request) => !request.startsWith("304 ")),
      [],
    );
  });

  it("whose index leaves a part out is read as a whole, though no part changed", async () => {
    await using site = await SyncedSite.open(21);
    await site.publish();
    site.splitResourceList(3);
    site.dropChangeLists();
    await site.crawl();
    site.splitResourceList(3, 2);
    assert.equal((await site.crawl()).summary.deleted, 7);
  });

  it("remembers no change list where one could not be read", async () => {
    await using site = await SyncedSite.open(5);
    await site.publish();
    await site.crawl();
    site.now += dayMs;
    site.write("d0/0.html", "changed");
    // Nothing is new in the list of resources, which is asked for instead: it does not say what changed since.
    await site.withOldResourceList(() => site.publish());
    const whole = site.addToIndex("changelist.xml", "gone.xml");
    const { summary, lists } = await site.crawl();
    assert.deepEqual([summary.source, summary.updated], ["none", 0]);
    assert.deepEqual(
      summary.passedOver.map(({ code }) => code),
      ["resourcesync-unusable"],
    );
    assert.deepEqual(
      lists.slice(-2).map((request) => request.replace(/ .*\//, " ")),
      ["404 gone.xml", "304 resourcelist.xml"],
    );
    whole();
    assert.equal((await site.crawl()).summary.updated, 1);
    site.assertMirrored();
  });

  it("that ends in the middle is gone on with", async () => {
    await using site = await SyncedSite.open(30);
    await site.publish();
    const abort = new AbortController();
    let asked = 0;
    const onEvent: CrawlSiteOptions["onEvent"] = ({ event }) => {
      if (event === "page" && ++asked === 10) abort.abort();
    };
    await assert.rejects(site.crawl({ signal: abort.signal, onEvent }), { code: "aborted" });
    const rest = await site.crawl();
    assert.ok(rest.pages.length <= 20, String(rest.pages.length));
    site.assertMirrored();
  });

  it("in trouble leaves the mirror as it is, and is gone on with", async () => {
    await using site = await SyncedSite.open(5);
    await site.publish();
    await site.crawl();
    site.now += dayMs;
    site.write("d0/0.html", "changed");
    await site.publish();
    site.unpublish(/resourcelist|changelist/);
    const visit = await site.crawl();
    assert.deepEqual([visit.summary.source, visit.summary.deleted], ["none", 0]);
    site.now += dayMs;
    site.write("d0/0.html", "changed again");
    rmSync(join(site.docroot, "..", "state"), { recursive: true });
    await site.publish();
    await site.crawl();
    site.assertMirrored();
  });
});
