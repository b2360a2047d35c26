import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, it } from "node:test";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { Crawler } from "./site-visit.ts";

const trillion = 1_000_000_000_000;
const links: Partial<CrawlSiteOptions> = { sources: ["links"] };

/** Writes without end. */
function flood(response: ServerResponse, piece = Buffer.alloc(16_384, "x")): void {
  if (response.destroyed) return;
  response.write(piece, () => setImmediate(flood, response, piece));
}

async function openLinked(bytes: number): Promise<Crawler> {
  const crawler = await Crawler.open();
  const link = ["a", "b", "c"].map((name) => `<a href="/${name}.html">${name}</a>`).join("");
  crawler.site.set({ "/": link });
  for (const name of ["a", "b", "c"]) crawler.site.set({ [`/${name}.html`]: name.repeat(bytes) });
  return crawler;
}

describe("a page of 10^12 bytes", () => {
  it("that an archive announces is not asked for, nor the next day, and the others come", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/a.html": "a" });
    let asked = 0;
    site.answers.set("/b.html", (_, response) => {
      asked++;
      flood(response.writeHead(200));
    });
    site.distort = (lines) => lines.map((line) => line.replace(/\b1234\b/, `${trillion}`));
    site.publishBase();
    site.set({ "/b.html": "b".repeat(1234) });
    site.publish();
    const first = await crawler.visit({ pageBytes: 1_000_000 });
    assert.ok(first.pages.includes("failed /b.html") && first.pages.includes("created /a.html"), `${first.pages}`);
    assert.deepEqual(Object.keys(crawler.mirror()), ["/a.html"]);
    await crawler.visitNextDay({ pageBytes: 1_000_000 });
    assert.equal(asked, 0);
  });

  it("that a server announces, or sends in chunks without end, replaces no copy and is asked for once a visit", async () => {
    await using crawler = await openLinked(9);
    await crawler.visit(links);
    for (const fields of [{ "content-length": `${trillion}` }, {}]) {
      let requests = 0;
      crawler.site.answers.set("/a.html", (_, response) => {
        requests++;
        flood(response.writeHead(200, fields));
      });
      const visit = await crawler.visitNextDay({ ...links, pageBytes: 100_000 });
      assert.ok(visit.pages.includes("failed /a.html"), `${visit.pages}`);
      assert.equal(requests, 1);
      assert.equal(crawler.mirror()["/a.html"], "aaaaaaaaa");
    }
  });
});

describe("a page that was too large again and again", () => {
  for (const source of ["archives", "links"] as const)
    it(`comes once --max-page is raised, by ${source}`, async () => {
      await using crawler = await openLinked(9);
      const { site } = crawler;
      site.set({ "/b.html": "b".repeat(2000) });
      if (source === "archives") site.publishBase();
      const asks = async (pageBytes: number): Promise<boolean> => {
        const { requests } = await crawler.visitNextDay({ sources: [source], pageBytes });
        return requests.includes("200 /b.html");
      };
      for (let visit = 0; visit < 5; visit++) await asks(1000);
      assert.equal(await asks(1000), false);
      assert.equal(await asks(900), false);
      assert.equal(await asks(3000), true);
      assert.equal(crawler.mirror()["/b.html"]?.length, 2000);
    });
});

describe("the bytes of a site", () => {
  it("are bounded: a page without room has failed, and pages that are held are updated", async () => {
    await using crawler = await openLinked(1000);
    const bounds = { ...links, siteBytes: 2500 };
    const { pages } = await crawler.visit(bounds);
    assert.deepEqual(pages.slice().sort(), ["created /", "created /a.html", "created /b.html", "failed /c.html"]);
    crawler.site.set({ "/a.html": "A".repeat(1001) }, crawler.site.publication + 9);
    await crawler.visitNextDay(bounds);
    assert.equal(crawler.mirror()["/a.html"], "A".repeat(1001));
    assert.equal(crawler.mirror()["/c.html"], undefined);
  });
});

describe("the bytes of a visit", () => {
  it("are bounded: it ends and says so, and the rest comes with the next ones", async () => {
    await using crawler = await openLinked(1000);
    const bounds = { ...links, visitBytes: 1500 };
    const first = await crawler.visit(bounds);
    assert.ok(first.warnings.includes("visit-full"), `${first.warnings}`);
    assert.ok(Object.keys(crawler.mirror()).length < 4);
    for (let visits = 0; visits < 4; visits++) await crawler.visitNextDay(bounds);
    assert.equal(Object.keys(crawler.mirror()).length, 4);
  });
});
