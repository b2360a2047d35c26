import assert from "node:assert/strict";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { describe, it } from "node:test";
import { publishedFolder } from "../../../src/formats/archive/archive-index.ts";
import { urlset } from "./mapped-site.ts";
import { Crawler } from "./site-visit.ts";

const modified = "Sat, 01 Jan 2022 00:00:00 GMT";
const later = "Sun, 02 Jan 2022 00:00:00 GMT";

/**
 * Serves a body with two validators once, and then says 304 in three ways: with neither, with a new entity tag, and with
 * neither again.
 */
class Confirming {
  readonly sent: IncomingHttpHeaders[] = [];
  readonly #body: string | Uint8Array;

  constructor(body: string | Uint8Array) {
    this.#body = body;
  }

  readonly answer = ({ headers }: IncomingMessage, response: ServerResponse): void => {
    this.sent.push(headers);
    const count = this.sent.length;
    if (count === 1) response.writeHead(200, { etag: '"1"', "last-modified": modified }).end(this.#body);
    else if (count === 3) response.writeHead(304, { etag: '"2"', "last-modified": later }).end();
    else response.writeHead(304).end();
  };

  check(): void {
    assert.deepEqual(
      this.sent.map((headers) => [headers["if-none-match"], headers["if-modified-since"]]),
      [
        [undefined, undefined],
        ['"1"', modified],
        ['"1"', modified],
        ['"2"', later],
        ['"2"', later],
      ],
    );
  }
}

describe("validators after a 304: what it leaves out stays, what it says replaces what was known", () => {
  it("of a page, also where it leaves out one of two", async () => {
    await using crawler = await Crawler.open();
    const page = new Confirming("a page");
    crawler.site.answers.set("/", page.answer);
    for (let visit = 0; visit < 5; visit++) await crawler.visitNextDay({ sources: ["links"] });
    page.check();
  });

  it("of robots.txt", async () => {
    await using crawler = await Crawler.open();
    const robots = new Confirming("User-agent: *\nDisallow: /x\n");
    crawler.site.set({ "/": "home" });
    crawler.site.answers.set("/robots.txt", robots.answer);
    for (let visit = 0; visit < 5; visit++) await crawler.visitNextDay({ sources: ["links"] });
    robots.check();
  });

  it("of the index of archives", async () => {
    await using crawler = await Crawler.open();
    crawler.site.set({ "/": "home" });
    crawler.site.publishBase();
    const path = `${publishedFolder}index.gz`;
    const index = new Confirming(crawler.site.files.get(path) ?? "");
    crawler.site.answers.set(path, index.answer);
    for (let visit = 0; visit < 5; visit++) await crawler.visitNextDay();
    index.check();
  });

  it("of an index that had the entity tag of robots.txt, which is not sent while both have it", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/": "home" });
    site.publishBase();
    const sent: (string | undefined)[] = [];
    const robots = site.files.get("/robots.txt");
    site.answers.set("/robots.txt", (_, response) => {
      response.writeHead(200, { etag: sent.length < 2 ? '"1"' : '"2"' }).end(robots);
    });
    const path = `${publishedFolder}index.gz`;
    const index = site.files.get(path);
    site.answers.set(path, ({ headers }, response) => {
      sent.push(headers["if-none-match"]);
      if (sent.length === 1) response.writeHead(200, { etag: '"1"', "last-modified": modified }).end(index);
      else response.writeHead(304).end();
    });
    for (let visit = 0; visit < 3; visit++) await crawler.visitNextDay();
    assert.deepEqual(sent, [undefined, undefined, '"1"']);
  });

  it("of a sitemap", async () => {
    await using crawler = await Crawler.open();
    crawler.site.set({ "/": "home" });
    const sitemap = new Confirming(urlset(crawler.site.origin, [{ path: "/" }]));
    crawler.site.answers.set("/sitemap.xml", sitemap.answer);
    for (let visit = 0; visit < 5; visit++) await crawler.visitNextDay({ sources: ["sitemap"] });
    sitemap.check();
  });

  it("of the documents of ResourceSync", async () => {
    await using crawler = await Crawler.open();
    const { origin } = crawler.site;
    crawler.site.set({ "/": "home" });
    const document = (capability: string, times: string, entries: string): Confirming =>
      new Confirming(
        `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">
         <rs:md capability="${capability}" ${times}/>${entries}</urlset>`,
      );
    const entry = (path: string, md: string): string => `<url><loc>${origin}${path}</loc><rs:md ${md}/></url>`;
    const documents = new Map([
      ["/.well-known/resourcesync", document("description", "", entry("/c.xml", 'capability="capabilitylist"'))],
      ["/c.xml", document("capabilitylist", "", entry("/r.xml", 'capability="resourcelist"'))],
      ["/r.xml", document("resourcelist", 'at="2022-01-01T00:00:00Z"', entry("/", 'length="4"'))],
    ]);
    for (const [path, { answer }] of documents) crawler.site.answers.set(path, answer);
    for (let visit = 0; visit < 5; visit++) await crawler.visitNextDay({ sources: ["resourcesync"] });
    for (const each of documents.values()) each.check();
  });
});
