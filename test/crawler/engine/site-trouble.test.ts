import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, it } from "node:test";
import { publishedFolder } from "../../../src/formats/archive/archive-index.ts";
import { urlset } from "./mapped-site.ts";
import { Crawler } from "./site-visit.ts";

const elsewhere = (_: IncomingMessage, response: ServerResponse): void =>
  void response.writeHead(302, { location: "https://login.example/" }).end();
const miscoded = (_: IncomingMessage, response: ServerResponse): void =>
  void response.writeHead(200, { "content-encoding": "br" }).end("no brotli at all");

const pages = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `/${letter}${String(at).padStart(2, "0")}.html`);

function linksTo(paths: readonly string[]): string {
  return paths.map((path) => `<a href="${path}">x</a>`).join("");
}

for (const [what, answer] of [
  ["lead to another origin", elsewhere],
  ["have a broken coding", miscoded],
] as const)
  describe(`fifteen pages that ${what}`, () => {
    it("end no visit by links: the server answers", async () => {
      await using crawler = await Crawler.open();
      const first = pages("a", 15);
      const last = pages("b", 5);
      crawler.site.set({ "/": linksTo([...first, ...last]) });
      for (const path of first) crawler.site.answers.set(path, answer);
      for (const path of last) crawler.site.set({ [path]: path });
      const visit = await crawler.visit({ sources: ["links"] });
      assert.deepEqual(visit.warnings, []);
      assert.deepEqual([visit.summary.created, visit.summary.failed], [6, 15]);
    });

    it("end no visit by archives, and are not asked for after the third", async () => {
      await using crawler = await Crawler.open();
      const first = pages("a", 15);
      for (const path of [...first, ...pages("b", 5)]) crawler.site.set({ [path]: path });
      for (const path of first) crawler.site.answers.set(path, answer);
      crawler.site.publishBase();
      const visit = await crawler.visit();
      assert.deepEqual([visit.warnings, visit.summary.created, visit.summary.failed], [[], 5, 15]);
      assert.equal((await crawler.visitNextDay()).summary.failed, 15);
      assert.equal((await crawler.visitNextDay()).summary.failed, 15);
      const fourth = await crawler.visitNextDay();
      assert.deepEqual([fourth.summary.failed, fourth.summary.pageRequests], [0, 0]);
    });
  });

it("what a redirect to another origin hides is no source of changes, and no trouble of the site", async () => {
  await using crawler = await Crawler.open();
  crawler.site.set({ "/": "home" });
  for (const path of [`${publishedFolder}index.gz`, "/.well-known/resourcesync", "/sitemap.xml"])
    crawler.site.answers.set(path, elsewhere);
  const { summary } = await crawler.visit({ sources: ["archives", "resourcesync", "sitemap", "links"] });
  assert.equal(summary.source, "links");
  assert.deepEqual(
    summary.passedOver.map(({ source, code }) => `${source} ${code}`),
    ["archives no-archives", "resourcesync no-resourcesync", "sitemap no-sitemap"],
  );
});

describe("a site that refuses every page", () => {
  const refuse = (_: IncomingMessage, response: ServerResponse): void => void response.writeHead(403).end();
  const refusing = async (): Promise<Crawler> => {
    const crawler = await Crawler.open();
    crawler.site.set({ "/": linksTo(["/a.html", "/b.html"]), "/a.html": "a", "/b.html": "b" });
    return crawler;
  };
  const hourMs = 3_600_000;

  it("is told of, and not where a page is answered", async () => {
    await using crawler = await refusing();
    crawler.site.answers.set("/", refuse);
    assert.deepEqual((await crawler.visit({ sources: ["links"] })).warnings, ["pages-refused"]);
    crawler.site.answers.clear();
    crawler.site.answers.set("/a.html", refuse);
    const { summary, warnings } = await crawler.visitNextDay({ sources: ["links"] });
    assert.deepEqual([summary.failed, warnings], [1, []]);
  });

  it("for some hours keeps its copies, and is asked again on that day", async () => {
    await using crawler = await refusing();
    await crawler.visit({ sources: ["links"] });
    for (const path of ["/", "/a.html", "/b.html"]) crawler.site.answers.set(path, refuse);
    for (let hour = 0; hour < 3; hour++) {
      crawler.now += hourMs;
      assert.deepEqual((await crawler.visit({ sources: ["links"] })).warnings, ["pages-refused"]);
    }
    crawler.site.answers.clear();
    crawler.site.set({ "/a.html": "a 2" });
    crawler.now += 6 * hourMs;
    assert.deepEqual((await crawler.visit({ sources: ["links"] })).pages, ["updated /a.html"]);
  });

  it("for days is asked again for pages that a sitemap gives another lastmod", async () => {
    await using crawler = await refusing();
    const { site } = crawler;
    const publish = (lastmod: string): void => {
      const pages = ["/a.html", "/b.html"].map((path) => ({
        path,
        lastmod: path === "/a.html" ? lastmod : "2026-01-01",
      }));
      site.files.set("/sitemap.xml", Buffer.from(urlset(site.origin, pages)));
    };
    publish("2026-01-01");
    await crawler.visit({ sources: ["sitemap"] });
    for (const path of ["/a.html", "/b.html"]) site.answers.set(path, refuse);
    for (let day = 0; day < 4; day++) await crawler.visitNextDay({ sources: ["sitemap"] });
    assert.equal((await crawler.visitNextDay({ sources: ["sitemap"] })).summary.pageRequests, 0);
    site.answers.clear();
    site.set({ "/a.html": "a 2", "/b.html": "b 2" });
    publish("2026-02-01");
    assert.deepEqual((await crawler.visitNextDay({ sources: ["sitemap"] })).pages, ["updated /a.html"]);
  });
});
