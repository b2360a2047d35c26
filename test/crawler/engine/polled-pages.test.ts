import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { CrawlEvent } from "../../../src/core/index.ts";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { mirrorFolderOf } from "../../../src/storage/mirror/mirror-path.ts";

import { Crawler } from "./site-visit.ts";

const links: Partial<CrawlSiteOptions> = { sources: ["links"] };
const home = `<a href="/a.html">a</a><a href="/b.html">b</a>`;

async function openSite(): Promise<Crawler> {
  const crawler = await Crawler.open();
  crawler.site.set({ "/": home, "/a.html": "a 1", "/b.html": "b 1" });
  return crawler;
}

const status =
  (code: number) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(code).end("x");

describe("a page that was asked for before", () => {
  it("costs a 304 while it stays, and keeps its links", async () => {
    await using crawler = await openSite();
    await crawler.visit(links);
    const again = await crawler.visitNextDay(links);
    assert.deepEqual(again.requests, ["404 /robots.txt", "304 /", "304 /a.html", "304 /b.html"]);
    assert.deepEqual([again.summary.unchanged, again.summary.updated, again.summary.notModified], [3, 0, 3]);
  });

  it("is updated when it changed, and only then", async () => {
    await using crawler = await openSite();
    await crawler.visit(links);
    crawler.site.set({ "/a.html": "a 2" });
    const again = await crawler.visitNextDay(links);
    assert.deepEqual(again.pages, ["updated /a.html"]);
    assert.equal(crawler.mirror()["/a.html"], "a 2");
    assert.deepEqual((await crawler.visitNextDay(links)).pages, []);
  });

  for (const [what, tag] of [
    ["a server without entity tags", () => undefined],
    ["a server whose tags are a time and a length, which three pages share", (body: string) => `"t-${body.length}"`],
  ] as const) {
    it(`is updated when it was written again in the second of the first visit, at ${what}`, async () => {
      await using crawler = await openSite();
      const pages: Record<string, string> = { "/": `${home}<a href="/c.html">c</a>`, "/c.html": "c 1" };
      for (const path of ["/a.html", "/b.html"]) pages[path] = `${path[1]} 1`;
      const second = "Sat, 01 Jan 2022 00:00:00 GMT";
      for (const path of Object.keys(pages))
        crawler.site.answers.set(path, ({ headers }: IncomingMessage, response: ServerResponse): void => {
          const body = pages[path] ?? "";
          const etag = tag(body);
          const { "if-none-match": none, "if-modified-since": since } = headers;
          const isSame = none === undefined ? since === second : none === etag;
          const fields = { date: second, "last-modified": second, "content-type": "text/html" };
          response.writeHead(isSame ? 304 : 200, etag === undefined ? fields : { ...fields, etag });
          response.end(isSame ? undefined : body);
        });
      await crawler.visit(links);
      for (const name of ["a", "b", "c"]) pages[`/${name}.html`] = `${name} 2, longer`;
      const again = await crawler.visitNextDay(links);
      assert.deepEqual(again.pages, ["updated /a.html", "updated /b.html", "updated /c.html"]);
      assert.equal(crawler.mirror()["/c.html"], "c 2, longer");
    });
  }

  it("is deleted at a 410, and at a third 404 in a row", async () => {
    await using crawler = await openSite();
    await crawler.visit(links);
    crawler.site.answers.set("/a.html", status(410));
    crawler.site.answers.set("/b.html", status(404));
    assert.deepEqual((await crawler.visitNextDay(links)).pages, ["gone /a.html", "failed /b.html"]);
    assert.deepEqual(Object.keys(crawler.mirror()).sort(), ["/b.html", "/index.html"]);
    assert.deepEqual((await crawler.visitNextDay(links)).pages, ["failed /b.html"]);
    const third = await crawler.visitNextDay(links);
    assert.deepEqual([third.pages, third.summary.deleted], [["gone /b.html"], 1]);
    assert.deepEqual(Object.keys(crawler.mirror()), ["/index.html"]);
    assert.deepEqual((await crawler.visitNextDay(links)).requests, ["404 /robots.txt", "304 /"]);
    crawler.now += 31 * 86_400_000;
    crawler.site.answers.clear();
    assert.deepEqual((await crawler.visit(links)).pages, ["created /a.html", "created /b.html"]);
  });

  for (const [what, answer] of [
    ["answers 404", status(404)],
    [
      "redirects to a page that says sorry",
      ({ url }: IncomingMessage, response: ServerResponse) =>
        void (url === "/sorry" ? response.end("sorry") : response.writeHead(302, { location: "/sorry" }).end()),
    ],
  ] as const)
    it(`stays where the site ${what} for some hours, and is updated after them`, async () => {
      await using crawler = await openSite();
      await crawler.visit(links);
      for (const path of ["/", "/a.html", "/b.html", "/sorry"]) crawler.site.answers.set(path, answer);
      for (let hour = 0; hour < 3; hour++) {
        crawler.now += 3_600_000;
        assert.equal((await crawler.visit(links)).summary.deleted, 0);
      }
      crawler.site.answers.clear();
      crawler.site.set({ "/a.html": "a 2" });
      crawler.now += 6 * 3_600_000;
      assert.ok((await crawler.visit(links)).pages.includes("updated /a.html"));
      assert.deepEqual([crawler.mirror()["/a.html"], crawler.mirror()["/b.html"]], ["a 2", "b 1"]);
    });

  // A page that redirects has an answer: when it is requested again, the plan of polls says.
  for (const [what, code] of [
    ["is missing", 404],
    ["is gone", 410],
    ["is refused", 403],
    ["is not available", 500],
    ["redirects", 302],
  ] as const)
    for (const isPlanned of code === 302 ? [false] : [false, true])
      it(`that links start from is asked for in each visit while it ${what}${isPlanned ? ", planned" : ""}`, async () => {
        await using crawler = await openSite();
        crawler.site.answers.set("/", (_, response) => void response.writeHead(code, { location: "/sorry" }).end());
        crawler.site.set({ "/sorry": "sorry" });
        for (let hour = 0; hour < 5; hour++) {
          const { requests } = await crawler.visit({ ...links, isPlanned });
          assert.ok(requests.includes(`${code} /`), `visit ${hour}: ${requests.join()}`);
          crawler.now += 3_600_000;
        }
        crawler.site.answers.clear();
        const { pages } = await crawler.visit({ ...links, isPlanned });
        assert.deepEqual(pages, ["created /", "created /a.html", "created /b.html"]);
      });

  it("that was missing once only is as it was", async () => {
    await using crawler = await openSite();
    await crawler.visit(links);
    for (let round = 0; round < 3; round++) {
      crawler.site.answers.set("/a.html", status(404));
      assert.deepEqual((await crawler.visitNextDay(links)).pages, ["failed /a.html"]);
      assert.deepEqual((await crawler.visitNextDay(links)).pages, ["failed /a.html"]);
      crawler.site.answers.clear();
      assert.deepEqual((await crawler.visitNextDay(links)).pages, []);
    }
    assert.equal(crawler.mirror()["/a.html"], "a 1");
  });

  for (const [what, answer] of [
    ["an error", status(500)],
    ["a refusal", status(403)],
    [
      "half a body",
      (_: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { "content-length": 100 });
        response.write("half");
        setImmediate(() => response.destroy());
      },
    ],
    [
      "a coding that is cut off",
      (_: IncomingMessage, response: ServerResponse) =>
        void response
          .writeHead(200, { "content-encoding": "gzip" })
          .end(gzipSync("whole ".repeat(1000)).subarray(0, 30)),
    ],
    [
      "a 304 that nobody asked for",
      (request: IncomingMessage, response: ServerResponse) => {
        delete request.headers["if-none-match"];
        response.writeHead(304).end();
      },
    ],
  ] as const) {
    it(`is not replaced by ${what}, and is asked for whole after it`, async () => {
      await using crawler = await openSite();
      await crawler.visit({ ...links, distrustMs: what.startsWith("a 304") ? 0 : 1e12 });
      crawler.site.answers.set("/a.html", answer);
      const failed = await crawler.visitNextDay({ ...links, distrustMs: what.startsWith("a 304") ? 0 : 1e12 });
      assert.deepEqual([failed.pages, failed.summary.failed], [["failed /a.html"], 1]);
      assert.equal(crawler.mirror()["/a.html"], "a 1");
      crawler.site.answers.clear();
      const again = await crawler.visitNextDay(links);
      assert.ok(again.requests.includes("200 /a.html"), again.requests.join());
      assert.deepEqual([again.pages, again.summary.failed], [[], 0]);
      assert.ok((await crawler.visitNextDay(links)).requests.includes("304 /a.html"));
    });
  }

  it("is fetched whole once it was not for as long as its validators are trusted", async () => {
    await using crawler = await openSite();
    // A server whose validators do not follow its pages.
    crawler.site.answers.set("/a.html", (request, response) => {
      const page = crawler.site.pages.get("/a.html")?.body;
      if (request.headers["if-none-match"] === '"x"') response.writeHead(304, { etag: '"x"' }).end();
      else response.writeHead(200, { etag: '"x"', "content-type": "text/html" }).end(page);
    });
    await crawler.visit(links);
    crawler.site.set({ "/a.html": "a 2" });
    assert.deepEqual((await crawler.visitNextDay(links)).pages, []);
    crawler.now += 89 * 86_400_000;
    assert.deepEqual((await crawler.visit(links)).pages, ["updated /a.html"]);
    assert.equal(crawler.mirror()["/a.html"], "a 2");
  });

  it("is not believed to be unchanged by an entity tag that all pages share", async () => {
    await using crawler = await openSite();
    crawler.site.set({ "/c.html": "c", "/": `${home}<a href="/c.html">c</a>` });
    for (const path of crawler.site.pages.keys())
      crawler.site.answers.set(path, (request, response) => {
        if (request.headers["if-none-match"] === '"build-7"') response.writeHead(304).end();
        else
          response
            .writeHead(200, { etag: '"build-7"', "content-type": "text/html" })
            .end(crawler.site.pages.get(path)?.body);
      });
    await crawler.visit(links);
    crawler.site.set({ "/a.html": "a 2" });
    assert.deepEqual((await crawler.visitNextDay(links)).pages, ["updated /a.html"]);
    crawler.site.set({ "/a.html": "a 3" });
    assert.deepEqual((await crawler.visitNextDay(links)).pages, ["updated /a.html"]);
  });

  it("is unchanged where its bytes are, whatever its entity tag says", async () => {
    await using crawler = await openSite();
    let number = 0;
    crawler.site.answers.set(
      "/a.html",
      (_, response) => void response.writeHead(200, { etag: `"${++number}"`, "content-type": "text/html" }).end("a 1"),
    );
    await crawler.visit(links);
    const again = await crawler.visitNextDay(links);
    assert.deepEqual([again.pages, again.summary.updated, again.summary.unchanged], [[], 0, 3]);
  });

  it("is asked for again by a visit in the same second", async () => {
    await using crawler = await openSite();
    await crawler.visit(links);
    crawler.site.set({ "/a.html": "a 2" });
    assert.deepEqual((await crawler.visit(links)).pages, ["updated /a.html"]);
  });

  it("is the same with and without a coding", async () => {
    await using crawler = await openSite();
    await crawler.visit(links);
    crawler.site.answers.set(
      "/a.html",
      (_, response) => void response.writeHead(200, { "content-encoding": "gzip", etag: '"gz"' }).end(gzipSync("a 1")),
    );
    assert.deepEqual((await crawler.visitNextDay(links)).pages, []);
    // What names a coding that was not applied may be anything: the copy stays.
    crawler.site.answers.set(
      "/a.html",
      (_, response) => void response.writeHead(200, { "content-encoding": "gzip", etag: '"plain"' }).end("a 2"),
    );
    assert.deepEqual((await crawler.visitNextDay(links)).pages, ["failed /a.html"]);
    assert.equal(crawler.mirror()["/a.html"], "a 1");
  });

  it("that leads elsewhere by now is asked for whole, and is given up on the third visit", async () => {
    await using crawler = await openSite();
    await crawler.visit(links);
    // Its own validators make the other page answer 304.
    crawler.site.answers.set("/a.html", (_, response) => void response.writeHead(301, { location: "/c.html" }).end());
    crawler.site.answers.set("/c.html", (request, response) => {
      if (request.headers["if-none-match"] !== undefined) response.writeHead(304).end();
      else response.writeHead(200, { "content-type": "text/html" }).end("c");
    });
    assert.deepEqual((await crawler.visitNextDay(links)).pages, ["created /c.html"]);
    assert.equal(crawler.mirror()["/a.html"], "a 1");
    assert.deepEqual((await crawler.visitNextDay(links)).pages, []);
    assert.deepEqual((await crawler.visitNextDay(links)).pages, ["gone /a.html"]);
    assert.deepEqual(Object.keys(crawler.mirror()).sort(), ["/b.html", "/c.html", "/index.html"]);
  });

  it("that a killed visit kept and did not remember is judged like one that it remembered", async () => {
    await using crawler = await openSite();
    crawler.site.set({
      "/": ["a", "left", "moved", "back"].map((name) => `<a href="/${name}.html">${name}</a>`).join(""),
      "/back.html": "back",
    });
    const folder = join(crawler.folder.path, mirrorFolderOf(crawler.site.origin));
    mkdirSync(folder, { recursive: true });
    for (const name of ["a.html", "left.html", "moved.html", "back.html"]) writeFileSync(join(folder, name), "left");
    crawler.site.answers.set("/moved.html", (_, response) => void response.writeHead(302, { location: "/" }).end());
    crawler.site.answers.set("/back.html", status(404));
    const first = await crawler.visit(links);
    assert.ok(first.requests.includes("404 /left.html") && first.pages.includes("failed /left.html"));
    const all = ["/a.html", "/back.html", "/index.html", "/left.html", "/moved.html"];
    assert.deepEqual(Object.keys(crawler.mirror()).sort(), all);
    assert.notEqual(crawler.mirror()["/a.html"], "left");
    assert.equal(crawler.mirror()["/back.html"], "left");
    crawler.site.answers.delete("/back.html");
    assert.deepEqual((await crawler.visitNextDay(links)).pages, ["failed /left.html", "created /back.html"]);
    assert.deepEqual(Object.keys(crawler.mirror()).sort(), all);
    await crawler.visitNextDay(links);
    assert.deepEqual(Object.keys(crawler.mirror()).sort(), ["/a.html", "/back.html", "/index.html"]);
  });

  it("is moved into the folder where another one needs its name for that", async () => {
    await using crawler = await openSite();
    crawler.site.set({ "/": `<a href="/d">d</a><a href="/d/e">e</a>`, "/d": "d", "/d/e": "e" });
    for (const path of ["/d", "/d/e"])
      crawler.site.answers.set(
        path,
        (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end(path),
      );
    const { summary, warnings } = await crawler.visit(links);
    assert.deepEqual([summary.created, summary.failed, warnings], [3, 0, []]);
    assert.deepEqual([crawler.mirror()["/d/index.html"], crawler.mirror()["/d/e"]], ["/d", "/d/e"]);
  });

  it("waits for its turn under a budget, the likeliest to have changed first", async () => {
    await using crawler = await openSite();
    await crawler.visit(links);
    for (let day = 0; day < 6; day++) {
      crawler.site.set({ "/b.html": `b of day ${day}` });
      await crawler.visitNextDay(links);
    }
    crawler.site.set({ "/b.html": "b 2" });
    assert.deepEqual((await crawler.visitNextDay({ ...links, budget: 1 })).requests, [
      "404 /robots.txt",
      "200 /b.html",
    ]);
  });
});

describe("a list of URLs", () => {
  it("is asked for, and nothing else", async () => {
    await using crawler = await openSite();
    const urls = ["/a.html", `${crawler.site.origin}/b.html#x`, "https://elsewhere.example/", "", "/gone.html"];
    let told: string | undefined;
    const onEvent = (event: CrawlEvent): void => {
      if (event.event === "page" && event.outcome === "gone") told = `${event.path}: ${event.message}`;
    };
    const visit = await crawler.visit({ sources: ["list"], urls, onEvent });
    assert.deepEqual(visit.requests, ["404 /robots.txt", "200 /a.html", "200 /b.html", "404 /gone.html"]);
    assert.equal(told, "/gone.html: 404 Not Found");
    assert.equal(visit.summary.source, "list");
    const fewer = await crawler.visitNextDay({ sources: ["list"], urls: ["/a.html"] });
    // What is missing is looked for in each visit.
    assert.deepEqual(fewer.requests, ["404 /robots.txt", "304 /a.html", "304 /b.html", "404 /gone.html"]);
    const none = await crawler.visitNextDay({ sources: ["list"], urls: [] });
    assert.deepEqual([none.summary.source, none.warnings], ["none", ["empty-list"]]);
  });
});
