import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import Database from "libsql";
import type { CrawlSiteOptions } from "../../../../src/crawler/crawl-site-options.ts";
import { MappedSite, sitemapIndex, urlset } from "../mapped-site.ts";
import { PublishedSite } from "../published-site.ts";
import { Crawler, type Visit } from "../site-visit.ts";

const sitemap: Partial<CrawlSiteOptions> = { sources: ["sitemap"] };

async function openSite(
  pages: Readonly<Record<string, string>> = { "/a.html": "a", "/b.html": "b" },
): Promise<Crawler> {
  const crawler = await Crawler.open();
  crawler.site.set(pages);
  return crawler;
}

function put(crawler: Crawler, path: string, content: string | Uint8Array): void {
  crawler.site.files.set(path, Buffer.from(content));
}

function listed(crawler: Crawler, ...paths: readonly string[]): string {
  return urlset(
    crawler.site.origin,
    paths.map((path) => ({ path })),
  );
}

/** Lists whose entries were noted, since the first visit. */
function listsRead({ folder }: Crawler): number {
  const database = new Database(join(folder.path, ".tidemark", "state.db"), { readonly: true });
  try {
    return (database.prepare("SELECT generation FROM site").get() as { generation: number }).generation;
  } finally {
    database.close();
  }
}

function pageRequests({ requests }: Visit): string[] {
  return requests.filter((request) => request.endsWith(".html"));
}

describe("sitemaps", () => {
  it("are those that robots.txt names, or the one at the usual place", async () => {
    await using crawler = await openSite();
    put(crawler, "/sitemap.xml", listed(crawler, "/a.html"));
    assert.deepEqual((await crawler.visit(sitemap)).pages, ["created /a.html"]);
    put(crawler, "/robots.txt", `Sitemap: ${crawler.site.origin}/map.xml\n`);
    put(crawler, "/map.xml", listed(crawler, "/b.html"));
    const named = await crawler.visitNextDay(sitemap);
    assert.ok(!named.requests.includes("200 /sitemap.xml"));
    assert.deepEqual(named.pages, ["created /b.html"]);
  });

  for (const [name, content, page] of [
    ["Atom", `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="1.html"/></entry></feed>`, "/blog/1.html"],
    ["RSS", `<rss version="2.0"><channel><item><link>2026/1.html</link></item></channel></rss>`, "/blog/2026/1.html"],
    [
      "a sitemap",
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>../1.html</loc></url></urlset>`,
      "/1.html",
    ],
    // RFC 4287 section 2, XML Base section 4.
    [
      "Atom with xml:base",
      `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/news/"><entry xml:base="2026/"><link href="1.html"/></entry></feed>`,
      "/news/2026/1.html",
    ],
  ] as const)
    it(`of a folder may have relative locations, as ${name}, also after a redirect`, async () => {
      await using crawler = await openSite({ [page]: "page" });
      put(crawler, "/robots.txt", `Sitemap: ${crawler.site.origin}/feed.xml\n`);
      crawler.site.answers.set("/feed.xml", (_, response) =>
        response.writeHead(301, { location: "/blog/feed.xml" }).end(),
      );
      put(crawler, "/blog/feed.xml", content);
      assert.deepEqual((await crawler.visit(sitemap)).pages, [`created ${page}`]);
    });

  it("with relative locations name other pages where they redirect to another folder", async () => {
    await using crawler = await openSite({ "/blog/1.html": "1", "/news/1.html": "2" });
    for (const folder of ["/blog", "/news"]) {
      const location = `${folder}/sitemap.xml`;
      crawler.site.answers.set("/sitemap.xml", (_, response) => response.writeHead(301, { location }).end());
      crawler.site.answers.set(location, (_, response) =>
        response.end(`<urlset><url><loc>1.html</loc></url></urlset>`),
      );
      assert.deepEqual((await crawler.visitNextDay(sitemap)).pages, [`created ${folder}/1.html`]);
    }
  });

  it("leave alone what an xml:base says to be of another site", async () => {
    await using crawler = await openSite();
    const link = `<link href="/a.html"/>`;
    put(
      crawler,
      "/sitemap.xml",
      `<feed xmlns="http://www.w3.org/2005/Atom"><entry xml:base="https://elsewhere.example/">${link}</entry><entry><link href="/b.html"/></entry></feed>`,
    );
    assert.deepEqual((await crawler.visit(sitemap)).pages, ["created /b.html"]);
  });

  it("of other sites are passed over, and the one at the usual place is read", async () => {
    await using crawler = await openSite();
    put(crawler, "/robots.txt", "Sitemap: https://elsewhere.example/map.xml\n");
    assert.match((await crawler.visit(sitemap)).summary.passedOver[0]?.why ?? "", /elsewhere\.example/);
    put(
      crawler,
      "/sitemap.xml",
      `${listed(crawler, "/a.html").replace("</urlset>", "")}<url><loc>https://elsewhere.example/b.html</loc></url></urlset>`,
    );
    assert.deepEqual((await crawler.visitNextDay(sitemap)).pages, ["created /a.html"]);
  });

  it("lie on another host where robots.txt says so, and its rules hold there", async () => {
    await using crawler = await openSite();
    await using other = await PublishedSite.open();
    const { site } = crawler;
    put(crawler, "/robots.txt", `Sitemap: ${other.origin}/map.xml\n`);
    put(crawler, "/own.xml", listed(crawler, "/b.html"));
    const index = sitemapIndex(
      ...[`${other.origin}/part.xml`, `${other.origin}/secret.xml`],
      ...[`${site.origin}/own.xml`, "https://third.example/map.xml"],
    );
    other.files.set("/robots.txt", Buffer.from("User-agent: *\nDisallow: /secret\n"));
    other.files.set("/map.xml", Buffer.from(index));
    const foreign = urlset(other.origin, [{ path: "/c.html" }]).replace(/^.*?<urlset[^>]*>/, "");
    other.files.set("/part.xml", Buffer.from(`${listed(crawler, "/a.html").replace("</urlset>", "")}${foreign}`));
    const near = { ...sitemap, allowPrivate: true };
    const first = await crawler.visit(near);
    assert.deepEqual(first.pages, ["created /a.html", "created /b.html"]);
    assert.deepEqual(first.warnings, ["other-origin", "disallowed"]);
    assert.deepEqual(other.takeRequests(), ["200 /robots.txt", "200 /map.xml", "200 /part.xml"]);
    await crawler.visitNextDay(near);
    assert.deepEqual(other.takeRequests(), ["200 /robots.txt", "304 /map.xml", "304 /part.xml"]);
  });

  it("lie on another host that cannot be reached, or must not be: the one at the usual place is read", async () => {
    await using crawler = await openSite();
    await using other = await PublishedSite.open();
    put(crawler, "/robots.txt", `Sitemap: ${other.origin}/map.xml\n`);
    put(crawler, "/sitemap.xml", sitemapIndex(`${other.origin}/map.xml`, `${crawler.site.origin}/1.xml`));
    put(crawler, "/1.xml", listed(crawler, "/b.html"));
    other.files.set("/map.xml", Buffer.from(listed(crawler, "/a.html")));
    // A host of the same machine may only be asked if that is allowed; what an index says of others never counts.
    assert.deepEqual((await crawler.visit(sitemap)).pages, ["created /b.html"]);
    assert.deepEqual(other.takeRequests(), []);
    for (const path of ["/map.xml", "/robots.txt"]) {
      other.answers.set(path, (_, response) => response.writeHead(503).end());
      const visit = await crawler.visitNextDay({ ...sitemap, allowPrivate: true });
      assert.equal(visit.summary.source, "sitemap");
      assert.ok(visit.requests.includes("304 /sitemap.xml"));
      const wanted = path === "/map.xml" ? "503 /map.xml" : "503 /robots.txt";
      assert.equal(other.takeRequests().at(-1), wanted);
    }
  });

  it("come in indexes, gzip'd or not, and are not read again while they are unchanged", async () => {
    await using crawler = await openSite({ "/a.html": "a", "/b.html": "b", "/c.html": "c" });
    const { origin } = crawler.site;
    put(crawler, "/sitemap.xml", sitemapIndex(`${origin}/1.xml.gz`, `${origin}/2.xml`));
    put(crawler, "/1.xml.gz", gzipSync(listed(crawler, "/a.html")));
    put(crawler, "/2.xml", listed(crawler, "/b.html"));
    assert.deepEqual((await crawler.visit(sitemap)).pages, ["created /a.html", "created /b.html"]);
    const again = await crawler.visitNextDay(sitemap);
    assert.deepEqual(again.requests.slice(1, 4), ["304 /sitemap.xml", "304 /1.xml.gz", "304 /2.xml"]);
    put(crawler, "/2.xml", listed(crawler, "/c.html"));
    const changed = await crawler.visitNextDay(sitemap);
    assert.deepEqual(changed.requests.slice(1, 4), ["304 /sitemap.xml", "304 /1.xml.gz", "200 /2.xml"]);
    assert.deepEqual(changed.pages, ["created /c.html"]);
    assert.deepEqual(Object.keys(crawler.mirror()).length, 3);
  });

  it("without validators are read again only if their content is another, or has dates in the future", async () => {
    await using crawler = await openSite({ "/a.html": "a", "/b.html": "b", "/c.html": "c" });
    const { origin } = crawler.site;
    for (const name of ["/sitemap.xml", "/1.xml", "/2.xml"])
      crawler.site.answers.set(name, (_, response) => response.end(crawler.site.files.get(name)));
    put(crawler, "/sitemap.xml", sitemapIndex(`${origin}/1.xml`, `${origin}/2.xml`));
    put(crawler, "/1.xml", gzipSync(listed(crawler, "/a.html"), { level: 1 }));
    put(crawler, "/2.xml", listed(crawler, "/b.html"));
    await crawler.visit(sitemap);
    assert.equal(listsRead(crawler), 3);
    // The same content in another coding.
    put(crawler, "/1.xml", listed(crawler, "/a.html"));
    const again = await crawler.visitNextDay(sitemap);
    assert.deepEqual(again.requests.slice(1, 4), ["200 /sitemap.xml", "200 /1.xml", "200 /2.xml"]);
    assert.equal(listsRead(crawler), 3);
    put(crawler, "/2.xml", urlset(origin, [{ path: "/c.html", lastmod: "2027-01-20" }]));
    assert.deepEqual((await crawler.visitNextDay(sitemap)).pages, ["created /c.html"]);
    assert.equal(listsRead(crawler), 4);
    await crawler.visitNextDay(sitemap);
    assert.equal(listsRead(crawler), 5);
    assert.equal(Object.keys(crawler.mirror()).length, 3);
    put(crawler, "/sitemap.xml", sitemapIndex(`${origin}/1.xml`));
    crawler.site.answers.set("/b.html", (_, response) => response.writeHead(410).end());
    assert.deepEqual((await crawler.visitNextDay(sitemap)).pages, ["gone /b.html"]);
  });

  for (const [what, content] of [
    ["that is cut off", (text: string) => text.slice(0, -12)],
    ["with an entity bomb", (text: string) => `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${text}`],
    ["that is another document", () => "<html><body>sorry</body></html>"],
    ["of a broken gzip", () => gzipSync("x".repeat(1000)).subarray(0, 20)],
  ] as const) {
    it(`${what}: the others are read, and nothing that is named no more is believed to be gone`, async () => {
      await using crawler = await openSite({ "/a.html": "a", "/b.html": "b", "/c.html": "c" });
      const { origin } = crawler.site;
      put(crawler, "/sitemap.xml", sitemapIndex(`${origin}/1.xml`, `${origin}/2.xml`));
      put(crawler, "/1.xml", listed(crawler, "/a.html"));
      put(crawler, "/2.xml", listed(crawler, "/b.html"));
      await crawler.visit(sitemap);
      put(crawler, "/1.xml", content(listed(crawler, "/a.html")));
      put(crawler, "/2.xml", listed(crawler, "/b.html", "/c.html"));
      const visit = await crawler.visitNextDay(sitemap);
      assert.deepEqual([visit.pages, visit.warnings.length], [["created /c.html"], 1]);
      assert.equal(Object.keys(crawler.mirror()).length, 3);
    });
  }

  it("that name themselves and each other without end are read once each, and not too deep", async () => {
    await using crawler = await openSite();
    const { origin } = crawler.site;
    for (let at = 0; at < 10; at++) {
      const path = at === 0 ? "/sitemap.xml" : `/${at}.xml`;
      put(
        crawler,
        path,
        sitemapIndex(`${origin}/sitemap.xml`, `${origin}/${at + 1}.xml`, "https://elsewhere.example/x.xml"),
      );
    }
    put(crawler, "/1.xml", sitemapIndex(`${origin}/2.xml`, `${origin}/pages.xml`));
    put(crawler, "/pages.xml", listed(crawler, "/a.html"));
    const visit = await crawler.visit(sitemap);
    assert.deepEqual(visit.requests.filter((request) => request.endsWith(".xml")).length, 4);
    assert.deepEqual(visit.pages, ["created /a.html"]);
    assert.ok(visit.warnings.includes("too-deep") && visit.warnings.includes("other-origin"));
  });

  it("that robots.txt disallows are not asked for", async () => {
    await using crawler = await openSite();
    put(crawler, "/sitemap.xml", listed(crawler, "/a.html"));
    put(crawler, "/robots.txt", "User-agent: *\nDisallow: /sitemap.xml\n");
    const visit = await crawler.visit(sitemap);
    assert.deepEqual([visit.requests, visit.summary.source], [["200 /robots.txt"], "none"]);
  });

  it("that redirect to disallowed ones are no sitemaps, by the rules of the host that is asked", async () => {
    await using crawler = await openSite();
    await using other = await PublishedSite.open();
    const { site } = crawler;
    const near = { ...sitemap, allowPrivate: true };
    put(crawler, "/private/map.xml", listed(crawler, "/a.html"));
    put(crawler, "/robots.txt", `User-agent: *\nDisallow: /private/\nSitemap: ${site.origin}/sitemap.xml\n`);
    site.answers.set("/sitemap.xml", (_, response) => response.writeHead(302, { location: "/private/map.xml" }).end());
    const visit = await crawler.visit(near);
    assert.deepEqual(visit.requests, ["200 /robots.txt", "302 /sitemap.xml"]);
    assert.deepEqual([visit.summary.source, visit.warnings], ["none", ["no-sitemap"]]);
    put(crawler, "/robots.txt", `User-agent: *\nDisallow: /secret/\nSitemap: ${other.origin}/map.xml\n`);
    other.files.set("/robots.txt", Buffer.from("User-agent: *\nDisallow: /private/\n"));
    for (const [folder, requests] of [
      ["/private/", ["200 /robots.txt", "302 /map.xml"]],
      ["/secret/", ["200 /robots.txt", "302 /map.xml", "200 /secret/map.xml"]],
    ] as const) {
      other.answers.set("/map.xml", (_, response) => response.writeHead(302, { location: `${folder}map.xml` }).end());
      other.files.set(`${folder}map.xml`, Buffer.from(listed(crawler, "/a.html")));
      await crawler.visitNextDay(near);
      assert.deepEqual(other.takeRequests(), requests);
    }
  });

  it("no longer name a page: it is asked for, and deleted only if the server says so", async () => {
    await using site = await MappedSite.open(5);
    const { crawler } = site;
    await crawler.visit(sitemap);
    site.nextDay();
    site.lastmods.delete("/0.html");
    site.lastmods.delete("/1.html");
    crawler.site.set({ "/0.html": undefined });
    crawler.site.answers.set("/0.html", (_, response) => void response.writeHead(410).end());
    site.publish();
    const visit = await crawler.visit(sitemap);
    assert.deepEqual(visit.pages, ["gone /0.html"]);
    assert.ok(visit.requests.includes("304 /1.html"));
    assert.deepEqual(site.stale(), []);
  });

  it("list pages of other types than are wanted: those are not asked for", async () => {
    await using crawler = await openSite({ "/a.html": "a", "/b.png": "b" });
    put(crawler, "/sitemap.xml", listed(crawler, "/a.html", "/b.png"));
    const visit = await crawler.visit({ ...sitemap, types: ["image/*"] });
    assert.deepEqual([visit.pages, pageRequests(visit)], [["created /b.png"], []]);
  });

  for (const isPlanned of [false, true])
    it(`list pages that were not kept for their types: once those are wanted they come whole${isPlanned ? ", planned" : ""}`, async () => {
      await using crawler = await openSite({ "/a.html": "a" });
      const { origin } = crawler.site;
      crawler.site.answers.set("/report", (request, response) => {
        const head = { etag: '"r"', "content-type": "application/pdf" };
        if (request.headers["if-none-match"] === '"r"') response.writeHead(304, head).end();
        else response.writeHead(200, head).end("%PDF");
      });
      const pages = ["/a.html", "/report"].map((path) => ({ path, lastmod: "2026-01-01" }));
      put(crawler, "/sitemap.xml", urlset(origin, pages));
      const html = { ...sitemap, isPlanned, types: ["text/html"] };
      assert.deepEqual((await crawler.visit(html)).pages, ["created /a.html"]);
      assert.ok(!(await crawler.visitNextDay(html)).requests.includes("200 /report"));
      const all = await crawler.visitNextDay({ ...sitemap, isPlanned });
      assert.deepEqual([all.pages, crawler.mirror()["/report"]], [["created /report"], "%PDF"]);
      assert.ok(!(await crawler.visitNextDay({ ...sitemap, isPlanned })).requests.includes("200 /report"));
    });
});

describe("a sitemap's lastmod", () => {
  /** Visits on some days, on each of which one page changes and the sitemap says so; the last visit. */
  async function prove(site: MappedSite, days: number): Promise<Visit> {
    let visit = await site.crawler.visit(sitemap);
    for (let day = 1; day <= days; day++) {
      site.nextDay();
      site.change(`/${day}.html`);
      site.publish();
      visit = await site.crawler.visit(sitemap);
      assert.deepEqual(site.stale(), []);
    }
    return visit;
  }

  it("is trusted after three looks that proved it: only pages that moved and a sample are asked for", async () => {
    await using site = await MappedSite.open(60);
    assert.equal(pageRequests(await prove(site, 3)).length, 60);
    site.nextDay();
    site.change("/40.html");
    site.publish();
    const visit = await site.crawler.visit(sitemap);
    assert.equal(pageRequests(visit).length, 21);
    assert.equal(new Set(visit.requests).size, visit.requests.length);
    assert.deepEqual(visit.pages, ["updated /40.html"]);
  });

  it("that is trusted keeps no page waiting for more than 90 days; under a budget the oldest come first", async () => {
    await using site = await MappedSite.open(60);
    const askedOn = new Map<string, number>();
    const visit = async (options: Partial<CrawlSiteOptions> = {}): Promise<string[]> => {
      const asked = pageRequests(await site.crawler.visit({ ...sitemap, ...options })).map((it) =>
        it.slice("200 ".length),
      );
      for (const path of asked) askedOn.set(path, site.day);
      return asked;
    };
    await prove(site, 3);
    for (const path of site.lastmods.keys()) askedOn.set(path, site.day);
    for (let day = 0; day < 2; day++) {
      site.nextDay();
      await visit();
    }
    for (let day = 0; day < 62; day++) site.nextDay();
    assert.equal((await visit()).length, 20, "a sample, before any page has waited for three quarters of 90 days");
    for (let day = 0; day < 25; day++) site.nextDay();
    const waitedBefore = new Map([...askedOn].map(([path, day]) => [path, site.day - day]));
    // The sample comes first, and then 8 that have waited for 91 or 92 days.
    const some = (await visit({ budget: 28 })).slice(20);
    const left = [...askedOn].filter(([path, day]) => day < site.day && !some.includes(path)).map(([path]) => path);
    const waitsOf = (paths: readonly string[]): number[] => paths.map((path) => waitedBefore.get(path) ?? 0);
    assert.equal(some.length, 8);
    assert.ok(Math.min(...waitsOf(some)) >= Math.max(...waitsOf(left)), `${waitsOf(some)} before ${waitsOf(left)}`);
    site.nextDay();
    await visit();
    assert.ok(Math.min(...askedOn.values()) >= site.day - 90, [...askedOn.values()].join(" "));
  });

  it("that is trusted finds new pages, and those that are named no more", async () => {
    await using site = await MappedSite.open(60);
    await prove(site, 3);
    site.nextDay();
    site.change("/new.html");
    for (const path of ["/7.html", "/8.html"]) site.lastmods.delete(path);
    site.crawler.site.set({ "/7.html": undefined });
    site.publish();
    const visit = await site.crawler.visit(sitemap);
    assert.deepEqual(visit.pages, ["created /new.html", "failed /7.html"]);
    assert.ok(visit.requests.includes("304 /8.html"));
    site.nextDay();
    assert.deepEqual((await site.crawler.visit(sitemap)).pages, ["failed /7.html"]);
    site.nextDay();
    assert.deepEqual((await site.crawler.visit(sitemap)).pages, ["gone /7.html"]);
    assert.deepEqual(site.stale(), []);
  });

  it("of one part may be unchanged while another part names a page no more", async () => {
    await using site = await MappedSite.open(60);
    const { crawler } = site;
    const { origin } = crawler.site;
    await prove(site, 3);
    const pages = [...site.lastmods].map(([path, lastmod]) => ({ path, lastmod }));
    put(crawler, "/sitemap.xml", sitemapIndex(`${origin}/1.xml`, `${origin}/2.xml`));
    put(crawler, "/1.xml", urlset(origin, pages.slice(0, 30)));
    put(crawler, "/2.xml", urlset(origin, pages.slice(30)));
    site.nextDay();
    await crawler.visit(sitemap);
    const last = pages.at(-1)?.path ?? "";
    crawler.site.answers.set(last, (_, response) => void response.writeHead(410).end());
    put(crawler, "/2.xml", urlset(origin, pages.slice(30, -1)));
    site.nextDay();
    const visit = await crawler.visit(sitemap);
    assert.ok(visit.requests.includes("304 /1.xml") && pageRequests(visit).length < 30);
    assert.deepEqual(visit.pages, [`gone ${last}`]);
  });

  it("that a page has not leaves the page to be asked for in every visit", async () => {
    await using site = await MappedSite.open(60);
    await prove(site, 3);
    const text = site.crawler.site.files.get("/sitemap.xml")?.toString() ?? "";
    site.nextDay();
    put(site.crawler, "/sitemap.xml", text.replace(/(\/50\.html<\/loc>)<lastmod>[^<]*<\/lastmod>/, "$1"));
    site.change("/50.html", true);
    const visit = await site.crawler.visit(sitemap);
    assert.deepEqual(visit.pages, ["updated /50.html"]);
    assert.ok(pageRequests(visit).length < 30);
    site.change("/50.html", true);
    site.crawler.site.set({ "/50.html": "once more" });
    site.nextDay();
    assert.deepEqual((await site.crawler.visit(sitemap)).pages, ["updated /50.html"]);
  });

  it("that is a build's stamp misses nothing", async () => {
    await using site = await MappedSite.open(30);
    for (let day = 0; day < 8; day++) {
      for (const path of site.lastmods.keys()) site.lastmods.set(path, site.today);
      site.change(`/${day}.html`, true);
      site.publish();
      await site.crawler.visit(sitemap);
      assert.deepEqual(site.stale(), []);
      site.nextDay();
    }
  });

  it("that never moves is never trusted, and misses nothing", async () => {
    await using site = await MappedSite.open(30);
    for (let day = 0; day < 8; day++) {
      site.change(`/${day}.html`, true);
      await site.crawler.visit(sitemap);
      assert.deepEqual(site.stale(), []);
      site.nextDay();
    }
  });

  it("that begins to lie after it was trusted is found out, and misses nothing from then on", async () => {
    await using site = await MappedSite.open(60);
    await prove(site, 4);
    let looks = 0;
    for (; looks < 3; looks++) {
      site.nextDay();
      for (let at = 0; at < 12; at++) site.change(`/${(looks * 12 + at) % 60}.html`, true);
      site.change(`/${50 + looks}.html`);
      site.publish();
      await site.crawler.visit(sitemap);
    }
    for (let day = 0; day < 4; day++) {
      site.nextDay();
      site.change(`/${day}.html`, true);
      await site.crawler.visit(sitemap);
      assert.deepEqual(site.stale(), [], `day ${day}`);
    }
  });

  it("that lies in the future says nothing: the page is asked for in every visit", async () => {
    await using site = await MappedSite.open(30);
    for (const path of site.lastmods.keys()) site.lastmods.set(path, "2099-01-01");
    site.publish();
    for (let day = 0; day < 6; day++) {
      site.change(`/${day}.html`, true);
      await site.crawler.visit(sitemap);
      assert.deepEqual(site.stale(), []);
      site.nextDay();
    }
  });

  it("that moved while a visit ended early is not forgotten", async () => {
    await using site = await MappedSite.open(60);
    await prove(site, 3);
    site.nextDay();
    for (let at = 10; at < 30; at++) site.change(`/${at}.html`);
    site.publish();
    const abort = new AbortController();
    site.crawler.site.answers.set("/15.html", () => abort.abort());
    await assert.rejects(site.crawler.visit({ ...sitemap, signal: abort.signal }), { code: "aborted" });
    const before = site.crawler.site
      .takeRequests()
      .filter((request) => request.startsWith("200 ") && request.endsWith(".html"));
    site.crawler.site.answers.clear();
    site.nextDay();
    const rest = await site.crawler.visit(sitemap);
    assert.deepEqual(site.stale(), []);
    const whole = [
      ...before,
      ...rest.requests.filter((request) => request.startsWith("200 ") && request.endsWith(".html")),
    ];
    assert.ok(whole.length <= 22 && new Set(whole).size === 20, whole.join());
  });
});

describe("other forms of sitemaps", () => {
  it("are read: a text of URLs, and feeds, from which nothing is taken to be complete", async () => {
    await using crawler = await openSite({ "/a.html": "a", "/b.html": "b", "/c.html": "c", "/d.html": "d" });
    const { origin } = crawler.site;
    put(crawler, "/robots.txt", ["1.txt", "2.rss", "3.atom"].map((name) => `Sitemap: ${origin}/${name}\n`).join(""));
    put(crawler, "/1.txt", gzipSync(`${origin}/a.html\r\n`));
    put(crawler, "/2.rss", `<rss><channel><item><link>${origin}/b.html</link></item></channel></rss>`);
    put(crawler, "/3.atom", `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/c.html"/></entry></feed>`);
    assert.deepEqual((await crawler.visit(sitemap)).pages, ["created /a.html", "created /b.html", "created /c.html"]);
    put(crawler, "/2.rss", `<rss><channel><item><link>${origin}/d.html</link></item></channel></rss>`);
    const visit = await crawler.visitNextDay(sitemap);
    assert.deepEqual([visit.pages, visit.summary.deleted], [["created /d.html"], 0]);
    assert.equal(Object.keys(crawler.mirror()).length, 4);
  });
});
