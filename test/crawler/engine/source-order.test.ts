import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, it } from "node:test";
import { sourceNames } from "../../../src/core/crawl-event.ts";
import { Crawler, type Visit } from "./site-visit.ts";
import { dayMs } from "./synced-site.ts";

const index = "/.well-known/tidemark/index.gz";
const resourceSync = "/.well-known/resourcesync";
const all = { sources: sourceNames };

async function openSite(): Promise<Crawler> {
  const crawler = await Crawler.open();
  crawler.site.set({ "/": `<a href="/a.html">a</a>`, "/a.html": "a" });
  return crawler;
}

function looks({ requests }: Visit): string[] {
  return requests.filter((request) => /well-known|sitemap/.test(request));
}

function sitemapOf(crawler: Crawler, ...paths: readonly string[]): Buffer {
  const urls = paths.map((path) => `<url><loc>${crawler.site.origin}${path}</loc></url>`).join("");
  return Buffer.from(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`);
}

const answer =
  (status: number, body = "") =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status, { "content-type": "text/html" }).end(body);

describe("the sources of a site", () => {
  it("are tried in their order, and the summary says why better ones were passed over", async () => {
    await using crawler = await openSite();
    const { summary } = await crawler.visit(all);
    assert.equal(summary.source, "links");
    assert.deepEqual(
      summary.passedOver.map(({ source, code }) => `${source}: ${code}`),
      ["archives: no-archives", "resourcesync: no-resourcesync", "sitemap: no-sitemap"],
    );
    assert.match(summary.passedOver[0]?.why ?? "", /publishes no archives/);
  });

  it("that were absent are looked for again after a week", async () => {
    await using crawler = await openSite();
    const first = await crawler.visit(all);
    const wanted = [`404 ${index}`, `404 ${resourceSync}`, "404 /sitemap.xml"];
    assert.deepEqual(looks(first), wanted);
    for (let day = 1; day < 7; day++) {
      const visit = await crawler.visitNextDay(all);
      assert.deepEqual([looks(visit), visit.summary.passedOver.length], [[], 3]);
      assert.match(visit.summary.passedOver[1]?.why ?? "", /\(asked 2027-01-15\)$/);
    }
    assert.deepEqual(looks(await crawler.visitNextDay(all)), wanted);
    assert.deepEqual(looks(await crawler.visitNextDay(all)), []);
    assert.deepEqual(looks(await crawler.visitNextDay({ ...all, lookAgainMs: 0 })), wanted);
  });

  it("that were absent are looked for again when robots.txt changes, or names them", async () => {
    await using crawler = await openSite();
    await crawler.visit(all);
    crawler.site.files.set("/robots.txt", Buffer.from("User-agent: x\nDisallow:\n"));
    assert.equal(looks(await crawler.visitNextDay(all)).length, 3);
    assert.equal(looks(await crawler.visitNextDay(all)).length, 0);
    crawler.site.files.set("/robots.txt", Buffer.from(`Sitemap: ${crawler.site.origin}/map.xml\n`));
    await crawler.visitNextDay(all);
    crawler.site.files.set("/map.xml", sitemapOf(crawler, "/a.html"));
    assert.equal((await crawler.visitNextDay(all)).summary.source, "sitemap");
  });

  it("that are asked for alone are looked for in every visit", async () => {
    await using crawler = await openSite();
    for (let day = 0; day < 2; day++) {
      const visit = await crawler.visitNextDay({ sources: ["sitemap"] });
      assert.deepEqual(looks(visit), ["404 /sitemap.xml"]);
      assert.deepEqual([visit.summary.source, visit.warnings], ["none", ["no-sitemap"]]);
    }
  });

  it("that were used are not given up for one bad day", async () => {
    await using crawler = await openSite();
    crawler.site.files.set("/sitemap.xml", sitemapOf(crawler, "/a.html"));
    assert.equal((await crawler.visit(all)).summary.source, "sitemap");
    crawler.site.answers.set("/sitemap.xml", answer(404));
    const bad = await crawler.visitNextDay(all);
    assert.deepEqual([bad.summary.source, bad.summary.pageRequests], ["none", 0]);
    assert.ok(bad.warnings.includes("source-missing"));
    crawler.site.answers.clear();
    assert.equal((await crawler.visitNextDay(all)).summary.source, "sitemap");
  });

  it("that were used are missed for three visits and two days before a worse one is used, and looked for in each", async () => {
    await using crawler = await openSite();
    crawler.site.files.set("/sitemap.xml", sitemapOf(crawler, "/a.html"));
    await crawler.visit(all);
    crawler.site.answers.set("/sitemap.xml", answer(404));
    crawler.now += dayMs;
    // Robots.txt changes meanwhile: that says nothing of the sitemap.
    crawler.site.files.set("/robots.txt", Buffer.from("User-agent: x\nDisallow:\n"));
    for (let hour = 0; hour < 48; hour += 6) {
      const { summary, warnings } = await crawler.visit(all);
      assert.deepEqual([summary.source, summary.pageRequests], ["none", 0], `hour ${hour}`);
      assert.ok(warnings.includes("source-missing"));
      crawler.now += dayMs / 4;
    }
    for (let day = 0; day < 10; day++) {
      const visit = await crawler.visit(all);
      assert.equal(visit.summary.source, "links");
      assert.ok(looks(visit).includes("404 /sitemap.xml"), `day ${day}`);
      crawler.now += dayMs;
    }
    crawler.site.answers.clear();
    assert.equal((await crawler.visit(all)).summary.source, "sitemap");
  });

  it("are no longer waited for where they have been in trouble for days", async () => {
    await using crawler = await openSite();
    crawler.site.files.set("/sitemap.xml", sitemapOf(crawler, "/a.html"));
    await crawler.visit(all);
    crawler.site.answers.set("/sitemap.xml", answer(503));
    for (let day = 0; day < 3; day++) assert.equal((await crawler.visitNextDay(all)).summary.source, "none");
    for (let day = 0; day < 3; day++) assert.equal((await crawler.visitNextDay(all)).summary.source, "links");
  });

  it("are not waited for where somebody asks for another", async () => {
    await using crawler = await openSite();
    crawler.site.publishBase();
    await crawler.visit(all);
    crawler.site.files.clear();
    assert.equal((await crawler.visitNextDay({ sources: ["links"] })).summary.source, "links");
  });

  it("that are in trouble are waited for where they were used, and nothing else is asked", async () => {
    await using crawler = await openSite();
    crawler.site.files.set("/sitemap.xml", sitemapOf(crawler, "/a.html"));
    await crawler.visit(all);
    crawler.site.answers.set("/sitemap.xml", answer(503));
    const visit = await crawler.visitNextDay(all);
    assert.deepEqual([visit.summary.source, visit.summary.pageRequests], ["none", 0]);
    assert.equal(visit.warnings.at(-1), "site-unavailable");
  });

  for (const [what, status, body] of [
    ["a page", 200, `<!doctype html><a href="/a.html">a</a>`],
    ["an error", 500, ""],
    ["a refusal", 403, ""],
  ] as const) {
    it(`are passed over where the server answers ${what} to whatever it is asked for`, async () => {
      await using crawler = await openSite();
      for (const path of [index, resourceSync, "/sitemap.xml"]) crawler.site.answers.set(path, answer(status, body));
      const { summary, pages } = await crawler.visit(all);
      assert.deepEqual([summary.source, pages], ["links", ["created /", "created /a.html"]]);
    });
  }

  it("may come and go: what each left is asked for as the next one needs it", async () => {
    await using crawler = await openSite();
    const { site } = crawler;
    site.set({ "/": `<img src="/a.png">`, "/a.html": undefined, "/a.png": "a" });
    await crawler.visit(all);
    site.publishBase();
    assert.equal((await crawler.visitNextDay(all)).summary.source, "archives");
    site.set({ "/a.png": "a 2" });
    site.publish();
    assert.deepEqual((await crawler.visitNextDay(all)).pages, ["updated /a.png"]);
    // Its old validators would say that nothing changed.
    site.set({ "/a.png": "a" });
    site.files.clear();
    for (let day = 0; day < 3; day++) await crawler.visitNextDay(all);
    const visit = await crawler.visitNextDay(all);
    assert.deepEqual([visit.summary.source, visit.pages], ["links", ["updated /a.png"]]);
    assert.equal(crawler.mirror()["/a.png"], "a");
  });
});
