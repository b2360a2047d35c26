import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Crawler } from "./site-visit.ts";

const wellKnown = "/.well-known/tidemark/index.gz";
const hourMs = 3_600_000;

async function openCrawler(): Promise<Crawler> {
  const crawler = await Crawler.open();
  crawler.site.set({ "/a.html": "a", "/private/b.html": "b" });
  crawler.site.publishBase();
  return crawler;
}

const unavailable = (_: unknown, response: { writeHead(status: number): { end(): void } }): void =>
  response.writeHead(503).end();

describe("robots.txt", () => {
  it("keeps us from a page until it changes", async () => {
    await using crawler = await openCrawler();
    const { site } = crawler;
    site.robots = "User-agent: *\nDisallow: /private/\n\n";
    site.write();
    const first = await crawler.visit();
    assert.deepEqual(first.pages.toSorted(), ["created /a.html", "disallowed /private/b.html"]);
    assert.deepEqual([first.summary.disallowed, first.summary.pending, first.summary.failed], [1, 0, 0]);
    assert.equal((await crawler.visit()).requests.length, 2);
    site.robots = "User-agent: *\nDisallow: /private/\n\nUser-agent: tidemark\nDisallow:\n\n";
    site.write();
    const third = await crawler.visit();
    assert.deepEqual(third.pages, ["created /private/b.html"]);
    assert.equal(third.summary.disallowed, 0);
  });

  it("is not gone around by a redirect", async () => {
    await using crawler = await openCrawler();
    const { site } = crawler;
    site.robots = "User-agent: *\nDisallow: /private/\n\n";
    site.answers.set("/a.html", (_, response) => response.writeHead(302, { location: "/private/b.html" }).end());
    site.write();
    assert.deepEqual((await crawler.visit()).pages.toSorted(), ["disallowed /a.html", "disallowed /private/b.html"]);
    assert.deepEqual(crawler.mirror(), {});
  });

  for (const status of [404, 410, 403, 401]) {
    it(`that answers ${status} allows everything, and the index is looked for where it usually is`, async () => {
      await using crawler = await openCrawler();
      crawler.site.answers.set("/robots.txt", (_, response) => response.writeHead(status).end());
      const { summary, requests } = await crawler.visit();
      assert.equal(summary.created, 2);
      assert.equal(requests[1], `200 ${wellKnown}`);
    });
  }

  it("that cannot be had keeps us away, unless a copy of the last day is kept", async () => {
    await using crawler = await openCrawler();
    const { site } = crawler;
    site.answers.set("/robots.txt", unavailable);
    const first = await crawler.visit();
    assert.deepEqual([first.summary.source, first.warnings], ["none", ["site-unavailable"]]);
    assert.deepEqual(first.requests, Array(3).fill("503 /robots.txt"));
    assert.deepEqual(first.waitsMs, [500, 500]);
    site.answers.clear();
    await crawler.visit();
    site.set({ "/a.html": "aa" });
    site.publish();
    site.answers.set("/robots.txt", unavailable);
    crawler.now += 23 * hourMs;
    const second = await crawler.visit();
    assert.deepEqual([second.warnings, second.pages], [["robots-kept"], ["updated /a.html"]]);
    crawler.now += 2 * hourMs;
    const third = await crawler.visit();
    assert.deepEqual([third.summary.source, third.warnings], ["none", ["site-unavailable"]]);
  });

  it("that redirects in a circle is as if there were none", async () => {
    await using crawler = await openCrawler();
    crawler.site.answers.set("/robots.txt", (_, response) =>
      response.writeHead(301, { location: "/robots.txt" }).end(),
    );
    assert.equal((await crawler.visit()).summary.created, 2);
  });

  it("may come from another origin, but its index may not", async () => {
    await using crawler = await openCrawler();
    await using other = await openCrawler();
    crawler.site.answers.set("/robots.txt", (_, response) =>
      response.writeHead(302, { location: `${other.site.origin}/robots.txt` }).end(),
    );
    const { warnings, summary, requests } = await crawler.visit();
    assert.deepEqual(warnings, ["foreign-index"]);
    assert.equal(requests[1], `200 ${wellKnown}`);
    assert.equal(summary.created, 2);
    assert.deepEqual(other.site.takeRequests(), ["200 /robots.txt"]);
  });

  it("names an index elsewhere on the site, whose archives lie beside it", async () => {
    await using crawler = await openCrawler();
    const { site } = crawler;
    for (const [path, body] of [...site.files])
      if (path.startsWith("/.well-known/")) {
        site.files.delete(path);
        site.files.set(path.replace("/.well-known/tidemark/", "/changes/"), body);
      }
    site.files.set("/robots.txt", Buffer.from("Archive-Index: /changes/index.gz\n"));
    const { summary, requests } = await crawler.visit();
    assert.equal(summary.created, 2);
    assert.equal(requests[1], "200 /changes/index.gz");
  });

  it("that names no index is believed when it forbids to look for one", async () => {
    await using crawler = await openCrawler();
    crawler.site.files.set("/robots.txt", Buffer.from("User-agent: *\nDisallow: /.well-known/\n"));
    const { warnings, requests, summary } = await crawler.visit();
    assert.deepEqual([warnings, requests, summary.source], [["no-archives"], ["200 /robots.txt"], "none"]);
  });

  it("of a gigabyte is read up to 500 KiB", async () => {
    await using crawler = await openCrawler();
    const { site } = crawler;
    const line = Buffer.from("# nothing\n".repeat(10_000));
    let sentBytes = 0;
    site.answers.set("/robots.txt", (_, response) => {
      response.writeHead(200);
      const send = (): void => {
        for (; sentBytes < 1e9 && response.write(line); ) sentBytes += line.length;
      };
      response.on("drain", send);
      send();
    });
    const { summary } = await crawler.visit();
    assert.equal(summary.created, 2);
    assert.ok(sentBytes < 1e8, `${sentBytes} bytes were taken`);
  });
});
