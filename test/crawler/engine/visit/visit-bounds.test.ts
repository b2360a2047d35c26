import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { VisitBounds } from "../../../../src/crawler/engine/visit/visit-bounds.ts";
import { Crawler } from "../site-visit.ts";

const kibibyte = 1024;
const small = { pageBytes: 100 * kibibyte } as const;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const endless: Answer = (_, response) => {
  const more = (): void => void (response.destroyed || response.write("x".repeat(4096), () => setImmediate(more)));
  more();
};
const announcing: Answer = (_, response) => {
  response.writeHead(200, { "content-length": 1e12 });
  response.write("x".repeat(4096));
};
const bomb: Answer = (_, response) =>
  void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(1024 * kibibyte)));

async function openSite(): Promise<Crawler> {
  const crawler = await Crawler.open();
  crawler.site.set({ "/": '<a href="/a.html">a</a><a href="/b.html">b</a>', "/a.html": "a 1", "/b.html": "b 1" });
  crawler.site.publishBase();
  return crawler;
}

for (const source of ["links", "archives"] as const)
  for (const [what, answer] of [
    ["is endless", endless],
    ["announces 10^12 bytes", announcing],
    ["is a bomb", bomb],
  ] as const)
    it(`a page that ${what} is refused with a reason, three times, and the copy stays (${source})`, async () => {
      await using crawler = await openSite();
      const options = { sources: [source], ...small };
      await crawler.visit(options);
      crawler.site.set({ "/a.html": "a 2", "/b.html": "b 2" });
      crawler.site.publish();
      crawler.site.answers.set("/a.html", answer);
      for (let visit = 0; visit < 3; visit++)
        assert.ok((await crawler.visitNextDay(options)).pages.includes("failed /a.html"));
      const last = await crawler.visitNextDay(options);
      assert.deepEqual(last.pages, []);
      assert.deepEqual([crawler.mirror()["/a.html"], crawler.mirror()["/b.html"]], ["a 1", "b 2"]);
    });

it("a page that archives say is too large is not asked for, and told so", async () => {
  await using crawler = await openSite();
  crawler.site.set({ "/a.html": "x".repeat(200 * kibibyte) });
  crawler.site.publish();
  const messages: (string | undefined)[] = [];
  const visit = await crawler.visit({
    ...small,
    onEvent: (event) => void (event.event === "page" && event.outcome === "failed" && messages.push(event.message)),
  });
  assert.ok(!visit.requests.some((request) => request.endsWith("/a.html")), visit.requests.join());
  assert.deepEqual(messages, ["the page is said to have 204800 bytes, and 102400 are allowed (--max-page)"]);
  assert.deepEqual([visit.summary.created, visit.summary.failed], [2, 1]);
});

describe("a visit that may receive so much", () => {
  it("ends in order, and the next goes on; what was under way is no trouble of its page", async () => {
    await using crawler = await Crawler.open();
    for (let at = 0; at < 9; at++) crawler.site.set({ [`/${at}.html`]: `${at}`.repeat(40 * kibibyte) });
    crawler.site.publishBase();
    const options = { visitBytes: 100 * kibibyte };
    let created = 0;
    for (let visits = 1; created < 9; visits++) {
      assert.ok(visits < 9);
      const { summary, warnings } = await crawler.visitNextDay(options);
      assert.ok(summary.pageBytes <= 100 * kibibyte + 65_536, `${summary.pageBytes}`);
      assert.equal(summary.failed, 0);
      created += summary.created;
      assert.deepEqual(warnings.includes("visit-full"), created < 9, warnings.join());
    }
    assert.equal(Object.keys(crawler.mirror()).length, 9);
  });
});

describe("a site of which so much may be held", () => {
  it("is kept up to that; held pages are updated, further ones are refused", async () => {
    await using crawler = await Crawler.open();
    for (let at = 0; at < 9; at++) crawler.site.set({ [`/${at}.html`]: `${at}`.repeat(40 * kibibyte) });
    crawler.site.publishBase();
    const options = { siteBytes: 100 * kibibyte };
    const first = await crawler.visit(options);
    assert.deepEqual([first.summary.created, first.summary.failed], [2, 7]);
    crawler.site.set({ "/0.html": "new" });
    crawler.site.publish();
    const next = await crawler.visitNextDay(options);
    assert.deepEqual([next.summary.updated, next.summary.created, next.summary.failed], [1, 1, 6]);
    const held = Object.values(crawler.mirror()).reduce((sum, body) => sum + body.length, 0);
    assert.ok(held <= 100 * kibibyte, `${held}`);
  });

  it("counts what came and is not kept only while it comes", () => {
    const bounds = new VisitBounds({ siteBytes: 100 });
    bounds.begin(40);
    {
      using room = bounds.openPage();
      assert.equal(room.take(60), undefined);
      assert.equal(room.take(1)?.reason, "too-large");
    }
    {
      using room = bounds.openPage(40);
      assert.equal(room.take(100), undefined);
      room.keep(100);
    }
    assert.equal(bounds.refuse(undefined, undefined)?.reason, "too-large");
    assert.equal(bounds.refuse(undefined, 100), undefined);
  });
});
