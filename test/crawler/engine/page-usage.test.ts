import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { formatUsage } from "../../../src/core/usage.ts";
import { readCrawlChanges } from "../../../src/crawler/read-crawl-changes.ts";
import { urlset } from "./mapped-site.ts";
import { Crawler } from "./site-visit.ts";
import { dayMs, SyncedSite } from "./synced-site.ts";

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

  it("are no change where the response states what robots.txt states already", async () => {
    await using crawler = await openPage();
    crawler.site.robots = "User-agent: *\nContent-Usage: train-ai=n\n";
    crawler.site.write();
    await crawler.visit(links);
    const first = readSeen(crawler);
    crawler.site.answers.set("/a.html", (_, response) => response.setHeader("content-usage", "train-ai=n"));
    await crawler.visitNextDay(links);
    assert.deepEqual(readSeen(crawler, first.number).lines, []);
  });

  it("of robots.txt are known of bodies that lay in the mirror", async () => {
    await using crawler = await openPage();
    await crawler.visit();
    rmSync(join(crawler.folder.path, ".tidemark"), { recursive: true });
    crawler.site.robots = "User-agent: *\nContent-Usage: /a train-ai=n\n";
    crawler.site.write();
    const visit = await crawler.visit();
    assert.equal(visit.summary.pageRequests, 0);
    assert.deepEqual(readSeen(crawler).lines, ["created /: ", "created /a.html: train-ai=n"]);
  });

  it("of robots.txt are known of pages that came in packages", async () => {
    await using site = await SyncedSite.open(40);
    await site.publish({ changeDumps: true });
    await site.crawl();
    site.now += dayMs;
    for (let at = 0; at < 40; at++) site.write(`d${at % 7}/${at}.html`, `page ${at} changed, and is longer now`);
    site.write("robots.txt", "User-agent: *\nContent-Signal: /d1/ ai-train=no\n");
    await site.publish({ changeDumps: true });
    site.now += dayMs;
    site.write("new.html", "new");
    await site.publish({ changeDumps: true });
    const visit = await site.crawl();
    assert.ok(visit.summary.packedPages > 0);
    using seen = readCrawlChanges({ store: site.mirror });
    const stated = [...seen.changes].filter(({ path }) => path.startsWith("/d1/"));
    assert.ok(stated.length > 0);
    for (const { usage } of stated) assert.deepEqual(usage, { "train-ai": "n" });
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

const respected = ["archives", "sitemap", "links"] as const;

for (const source of respected)
  describe(`respected preferences of a site followed by its ${source}`, () => {
    const options = { sources: [source], respectUsage: ["train-ai"] } as const;
    const paths = ["/", "/a.html", "/b/c.html", "/b/d.html"];

    async function openSite(): Promise<Crawler> {
      const links = paths.map((path) => `<a href="${path}">x</a>`).join("");
      const crawler = await Crawler.open(Object.fromEntries(paths.map((path) => [path, `<p>${path}${links}`])));
      const { site } = crawler;
      const listed = paths.map((path) => ({ path }));
      site.files.set("/sitemap.xml", Buffer.from(urlset(site.origin, listed)));
      return crawler;
    }
    const names = (crawler: Crawler): string[] => Object.keys(crawler.mirror()).sort();
    const all = ["/a.html", "/b/c.html", "/b/d.html", "/index.html"];

    it("of robots.txt: such pages are not requested, leave, and come back", async () => {
      await using crawler = await openSite();
      const { site } = crawler;
      site.robots = "User-agent: *\nContent-Usage: /b/ train-ai=n, search=y\nContent-Usage: /b/d search=n\n";
      site.write();
      const first = await crawler.visit(options);
      const kept = ["/a.html", "/b/d.html", "/index.html"];
      assert.deepEqual(names(crawler), kept);
      assert.ok(!first.requests.some((request) => request.endsWith(" /b/c.html")));
      assert.deepEqual([first.warnings, first.summary.pending], [[], 0]);

      site.robots = "User-agent: *\nContent-Signal: search=yes\n";
      site.write();
      await crawler.visitNextDay(options);
      assert.deepEqual(names(crawler), all);

      site.robots = "User-agent: *\nContent-Signal: /b/ ai-train=no\n";
      site.write();
      const seen = readSeen(crawler);
      const last = await crawler.visitNextDay(options);
      assert.deepEqual(names(crawler), ["/a.html", "/index.html"]);
      assert.deepEqual([last.warnings, last.summary.deleted], [["narrowed"], 2]);
      assert.deepEqual(
        readSeen(crawler, seen.number).lines.filter((line) => line.startsWith("deleted")),
        ["deleted /b/c.html: ", "deleted /b/d.html: "],
      );
    });

    it("of a response: the body is not kept, a held one leaves, and it comes back", async () => {
      await using crawler = await openSite();
      const { site } = crawler;
      let stated = "train-ai=n";
      site.answers.set("/a.html", (_, response) => {
        if (stated !== "") response.setHeader("content-usage", stated);
      });
      const first = await crawler.visit(options);
      const kept = all.filter((name) => name !== "/a.html");
      assert.deepEqual(names(crawler), kept);
      assert.ok(first.pages.includes("disallowed /a.html"));
      assert.equal(first.summary.disallowed, 1);
      assert.ok(!readSeen(crawler).lines.some((line) => line.includes("/a.html")));

      // Also the page's own start leads to the others.
      stated = "train-ai=y, search=n";
      const second = await crawler.visitNextDay(options);
      assert.deepEqual(names(crawler), all);
      assert.ok(second.pages.includes("created /a.html"));

      stated = "train-ai=n";
      site.set({ "/a.html": "<p>other" }, site.publication + 100);
      if (source === "archives") site.publish();
      const seen = readSeen(crawler);
      const third = await crawler.visitNextDay(options);
      assert.deepEqual(names(crawler), kept);
      assert.deepEqual([third.summary.deleted, third.summary.updated], [1, 0]);
      assert.deepEqual(readSeen(crawler, seen.number).lines, ["deleted /a.html: "]);

      // What stays so is asked for less and less often, and not forgotten.
      for (let visits = 0; visits < 4; visits++) await crawler.visitNextDay(options);
      stated = "";
      crawler.now += 8 * 86_400_000;
      const back = await crawler.visit(options);
      assert.deepEqual(names(crawler), all);
      assert.deepEqual([back.summary.pending, back.summary.disallowed], [0, 0]);
    });

    it("of both hold for what was kept before the option was given, until it is taken away", async () => {
      await using crawler = await openSite();
      const { site } = crawler;
      site.robots = "User-agent: *\nContent-Usage: /b/c train-ai=n\n";
      site.write();
      site.answers.set("/a.html", (_, response) => response.setHeader("x-robots-tag", "noai"));
      await crawler.visit({ sources: [source] });
      assert.deepEqual(names(crawler), all);
      const narrowed = await crawler.visitNextDay(options);
      assert.deepEqual(names(crawler), ["/b/d.html", "/index.html"]);
      assert.deepEqual(narrowed.warnings, ["narrowed"]);
      await crawler.visitNextDay({ sources: [source] });
      assert.deepEqual(names(crawler), all);
    });
  });

describe("the option to respect preferences", () => {
  it("is refused with WARC files, and with a use that there is not", async () => {
    await using crawler = await Crawler.open({ "/": "a" });
    for (const keep of ["warc", "wacz"] as const)
      await assert.rejects(crawler.visit({ keep, respectUsage: ["search"] }), /WARC files/);
    await assert.rejects(crawler.visit({ respectUsage: ["train" as "train-ai"] }), /no use train/);
  });

  it("removes a held page of which a 304 states something else", async () => {
    await using crawler = await Crawler.open({ "/": '<a href="/a.html">a</a>', "/a.html": "a" });
    const options = { sources: ["links"], respectUsage: ["search"] } as const;
    await crawler.visit(options);
    crawler.site.answers.set("/a.html", (_, response) => response.setHeader("content-usage", "search=n"));
    const visit = await crawler.visitNextDay(options);
    assert.ok(visit.requests.includes("304 /a.html"));
    assert.deepEqual(Object.keys(crawler.mirror()), ["/index.html"]);
  });

  it("does not take a body that lies in the mirror for one that may be kept", async () => {
    await using crawler = await Crawler.open({ "/": "a", "/a.html": "a" });
    await crawler.visit();
    rmSync(join(crawler.folder.path, ".tidemark"), { recursive: true });
    crawler.site.answers.set("/a.html", (_, response) => response.setHeader("content-usage", "search=n"));
    await crawler.visit({ respectUsage: ["search"] });
    assert.deepEqual(Object.keys(crawler.mirror()), ["/index.html"]);
  });
});
