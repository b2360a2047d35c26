import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatUsage } from "../../../src/core/usage.ts";
import { readCrawlChanges } from "../../../src/crawler/read-crawl-changes.ts";
import { Crawler } from "./site-visit.ts";

/** Changes since a number, as `kind path: preferences`, and the next number. */
function readSeen(crawler: Crawler, after = 0): { lines: string[]; number: number } {
  using first = readCrawlChanges({ store: crawler.folder.path });
  const { epoch } = first.cursor;
  using seen = readCrawlChanges({ store: crawler.folder.path, cursor: { epoch, number: after } });
  const lines = [...seen.changes].map(({ kind, path, usage }) => `${kind} ${path}: ${formatUsage(usage ?? {})}`);
  return { lines: lines.sort(), number: seen.cursor.number };
}

const sources = [["archives"], ["links"]] as const;

for (const [source] of sources)
  describe(`preferences about use of a site followed by its ${source}`, () => {
    it("are recorded with each page, by response, page and robots.txt", async () => {
      await using crawler = await Crawler.open();
      const { site } = crawler;
      site.robots = "User-agent: *\nContent-Signal: search=yes\nContent-Usage: /b train-ai=n\n";
      const links = ["/a.html", "/b.html", "/c.html", "/i.png"].map((path) => `<a href="${path}">x</a>`).join("");
      const meta = '<head><meta name="robots" content="noai"></head>';
      site.set({ "/": links, "/a.html": "a", "/b.html": "b", "/c.html": `${meta}c`, "/i.png": "i" });
      site.answers.set("/a.html", (_, response) => response.setHeader("content-usage", "train-ai=y, search=n"));
      site.answers.set("/i.png", (_, response) => {
        response.setHeader("x-robots-tag", ["googlebot: noindex", "noimageai"]);
        response.setHeader("tdm-reservation", "0");
      });
      site.publishBase();
      const usages = new Map<string, unknown>();
      await crawler.visit({
        sources: [source],
        onEvent: (event) => event.event === "page" && usages.set(event.path, event.usage),
      });
      assert.deepEqual(readSeen(crawler).lines, [
        "created /: search=y",
        "created /a.html: train-ai=y, search=n",
        "created /b.html: train-ai=n, search=y",
        "created /c.html: train-ai=n, ai-use=n, search=y",
        "created /i.png: train-ai=n, ai-use=n, search=y",
      ]);
      assert.deepEqual(usages.get("/a.html"), { "train-ai": "y", search: "n" });
    });
  });

describe("preferences about use that change", () => {
  async function openPage(): Promise<Crawler> {
    return await Crawler.open({ "/": '<a href="/a.html">a</a>', "/a.html": "a" });
  }
  const links = { sources: ["links"] } as const;

  it("are a change of the page, once, though its bytes are the same", async () => {
    await using crawler = await openPage();
    await crawler.visit(links);
    const first = readSeen(crawler);
    assert.deepEqual(first.lines, ["created /: ", "created /a.html: "]);
    crawler.site.robots = "User-agent: tidemark\nContent-Usage: /a train-ai=n\n";
    crawler.site.write();
    const visit = await crawler.visitNextDay(links);
    assert.deepEqual([visit.summary.updated, visit.pages], [0, []]);
    const second = readSeen(crawler, first.number);
    assert.deepEqual(second.lines, ["updated /a.html: train-ai=n"]);
    await crawler.visitNextDay(links);
    assert.deepEqual(readSeen(crawler, second.number).lines, []);
    crawler.site.robots = "";
    crawler.site.write();
    await crawler.visitNextDay(links);
    assert.deepEqual(readSeen(crawler, second.number).lines, ["updated /a.html: "]);
  });

  it("are not taken back by a 304 without them, but by a new body", async () => {
    await using crawler = await openPage();
    const { site } = crawler;
    let isStated = true;
    site.answers.set("/a.html", (_, response) => {
      if (isStated) response.setHeader("content-usage", "train-ai=n");
    });
    await crawler.visit(links);
    const first = readSeen(crawler);
    assert.deepEqual(first.lines, ["created /: ", "created /a.html: train-ai=n"]);
    isStated = false;
    const same = await crawler.visitNextDay(links);
    assert.ok(same.requests.includes("304 /a.html"));
    assert.deepEqual(readSeen(crawler, first.number).lines, []);
    site.set({ "/a.html": "b" }, site.publication + 100);
    await crawler.visitNextDay(links);
    assert.deepEqual(readSeen(crawler, first.number).lines, ["updated /a.html: "]);
  });

  it("are taken from a 304 that has them", async () => {
    await using crawler = await openPage();
    await crawler.visit(links);
    const first = readSeen(crawler);
    crawler.site.answers.set("/a.html", (_, response) => response.setHeader("content-usage", "search=n"));
    const same = await crawler.visitNextDay(links);
    assert.ok(same.requests.includes("304 /a.html"));
    assert.deepEqual(readSeen(crawler, first.number).lines, ["updated /a.html: search=n"]);
  });
});
