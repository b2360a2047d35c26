import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { CrawlSummary } from "../../src/core/crawl-event.ts";
import { boundShare } from "../../src/crawler/engine/revisit/sample-bounds.ts";
import { pollingRequestsOf } from "../../src/crawler/visit-cost.ts";
import { formatCrawlPage } from "../../src/report/crawl-page.ts";
import {
  type CrawlReportOptions,
  notModifiedBytes,
  readCrawlReport,
  type SiteReport,
} from "../../src/report/crawl-report.ts";
import { openStore } from "../../src/storage/state/store.ts";
import { runProgram } from "../cli/run-program.ts";
import { Crawler } from "../crawler/engine/site-visit.ts";
import { makeTempFolder } from "../temp-folder.ts";

const pages = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`/p${at}.html`, "x".repeat(100)]));

/** A crawler that visited a site of twenty pages, and a day later again when one had changed and one was new. */
async function openVisited(): Promise<Crawler> {
  const crawler = await Crawler.open();
  crawler.site.set(pages);
  crawler.site.publishBase();
  await crawler.visit();
  crawler.now += 86_400_000;
  crawler.site.set({ "/p0.html": "y".repeat(100), "/new.html": "z".repeat(100) });
  crawler.site.publish();
  await crawler.visit();
  return crawler;
}

async function reportOf(crawler: Crawler, options: Partial<CrawlReportOptions> = {}): Promise<SiteReport> {
  const [report, ...others] = await readCrawlReport({ store: crawler.folder.path, delayMs: 0, ...options });
  assert.ok(report !== undefined);
  assert.deepEqual(others, []);
  return report;
}

describe("readCrawlReport", () => {
  it("gives what visits cost beside polling and downloading all", async () => {
    await using crawler = await openVisited();
    const { site, heldPages, heldBytes, visits, sum, missed } = await reportOf(crawler);
    assert.deepEqual([site, heldPages, heldBytes, missed], [crawler.site.origin, 21, 2100, undefined]);
    const [first, second] = visits;
    assert.deepEqual(
      [first?.created, first?.polling.requests, first?.download],
      [20, 20, { requests: 20, bytes: 2000 }],
    );
    assert.deepEqual([second?.created, second?.updated, second?.source], [1, 1, "archives"]);
    assert.deepEqual(second?.polling, { requests: 21, bytes: 200 + 19 * notModifiedBytes });
    assert.equal((second?.at ?? 0) - (first?.at ?? 0), 86_400);
    assert.equal(sum.visits, 2);
    assert.equal(sum.requests, (first?.requests ?? 0) + (second?.requests ?? 0));
    assert.deepEqual(sum.download, { requests: 41, bytes: 4100 });
    assert.equal((await reportOf(crawler, { since: crawler.now })).visits.length, 1);
    assert.equal((await reportOf(crawler, { since: crawler.now + 1000 })).sum.requests, 0);
  });

  it("takes pages for as large as they came, compressed", async () => {
    await using crawler = await Crawler.open();
    const names = Array.from({ length: 10 }, (_, at) => `/${at}.html`);
    crawler.site.set({ "/": names.map((name) => `<a href="${name}">page</a>`).join("") });
    const packed = gzipSync("x".repeat(5000));
    for (const name of ["/", ...names])
      crawler.site.answers.set(name, (_, response) => {
        response.writeHead(200, { "content-encoding": "gzip", "content-type": "text/html" });
        response.end(name === "/" ? gzipSync(crawler.site.pages.get("/")?.body ?? "") : packed);
      });
    await crawler.visit({ sources: ["links"] });
    const { heldPages, visits, sum } = await reportOf(crawler);
    assert.deepEqual([heldPages, visits[0]?.created], [11, 11]);
    assert.ok(sum.bytes < 1000, `${sum.bytes} bytes`);
    assert.ok(sum.download.bytes <= sum.bytes && sum.polling.bytes <= sum.bytes, JSON.stringify(sum));
  });

  it("counts a 304 of a visit as large as one of polling: who polls each page saves nothing", async () => {
    await using crawler = await Crawler.open();
    const names = Array.from({ length: 10 }, (_, at) => `/${at}.html`);
    crawler.site.set({ "/": names.map((name) => `<a href="${name}">page</a>`).join("") });
    for (const name of names) crawler.site.set({ [name]: "x".repeat(5000) });
    await crawler.visit({ sources: ["links"] });
    crawler.now += 86_400_000;
    const { summary } = await crawler.visit({ sources: ["links"] });
    assert.deepEqual([summary.notModified, summary.pageBytes], [11, 0]);
    const [, polled] = (await reportOf(crawler)).visits;
    assert.equal(polled?.polling.bytes, 11 * notModifiedBytes);
    assert.equal(polled?.bytes, summary.metadataBytes + 11 * notModifiedBytes);
  });

  it("counts nothing as saved by a visit that asked for nothing, for no page's time had come", async () => {
    await using crawler = await Crawler.open();
    crawler.site.set({ "/": '<a href="/a.html">a</a>', "/a.html": "a" });
    const planned = { isPlanned: true, sources: ["links"] } as const;
    await crawler.visit(planned);
    crawler.now += 1000;
    const { summary } = await crawler.visit(planned);
    assert.deepEqual([summary.requests, summary.unchanged], [0, 2]);
    const [, idle] = (await reportOf(crawler)).visits;
    assert.deepEqual(
      [idle?.polling, idle?.download],
      [
        { requests: 0, bytes: 0 },
        { requests: 0, bytes: 0 },
      ],
    );
    assert.equal(pollingRequestsOf(summary), 0);
  });

  it("proves by a sample that nothing was missed", async () => {
    await using crawler = await openVisited();
    crawler.site.takeRequests();
    const { missed } = await reportOf(crawler, { check: 10, seed: 1 });
    assert.deepEqual([missed?.checked, missed?.differing, missed?.failed, missed?.seed], [10, 0, 0, 1]);
    assert.ok(Math.abs((missed?.missedShareAtMost ?? 1) - (1 - 0.05 ** 0.1)) < 1e-12);
    const asked = crawler.site.takeRequests();
    assert.deepEqual([asked.length, missed?.requests, asked[0]], [11, 11, "200 /robots.txt"]);
    assert.ok(asked.every((request) => request.startsWith("200 ")));
    // Of all pages nothing is left to chance.
    assert.equal((await reportOf(crawler, { check: 1000 })).missed?.missedShareAtMost, 0);
  });

  it("finds pages that changed unseen or went, and tells those from later changes, and from what cannot be compared", async () => {
    await using crawler = await openVisited();
    const { site } = crawler;
    // What was modified is compared with the last visit.
    crawler.now = Date.now() - 3_600_000;
    await crawler.visit();
    site.set({ "/p1.html": "silent", "/p2.html": "y".repeat(2_000_000), "/p3.html": undefined });
    site.answers.set("/p4.html", (_, response) => {
      response.setHeader("last-modified", new Date(Date.now() - 1000).toUTCString());
    });
    site.set({ "/p4.html": "later" });
    site.answers.set("/p5.html", (_, response) => response.writeHead(500).end());
    const { missed } = await reportOf(crawler, { check: 1000 });
    assert.deepEqual(missed?.examples, ["/p1.html", "/p2.html", "/p3.html"]);
    assert.deepEqual([missed?.checked, missed?.differing, missed?.later, missed?.failed], [19, 3, 1, 1]);
    assert.equal(missed?.missedShareAtMost, boundShare(19, 3));
    // Which visits are shown does not change what a visit could have seen.
    const since = Date.now() + 1000;
    assert.deepEqual((await reportOf(crawler, { check: 1000, since })).missed?.examples, missed?.examples);
  });

  it("asks for nothing that robots.txt does not allow", async () => {
    await using crawler = await openVisited();
    crawler.site.robots = "User-agent: *\nDisallow: /p1\n\n";
    crawler.site.write();
    crawler.site.takeRequests();
    const { missed } = await reportOf(crawler, { check: 1000 });
    assert.deepEqual([missed?.checked, missed?.failed], [10, 11]);
    assert.ok(!crawler.site.takeRequests().some((request) => request.includes("/p1")));
    crawler.site.answers.set("/robots.txt", (_, response) => response.writeHead(503).end());
    assert.equal((await reportOf(crawler, { check: 5 })).missed?.checked, 0);
  });

  it("remembers a thousand visits to a site", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const visit = { source: "links" } as CrawlSummary;
    const { memory } = store.openSite("https://a.example");
    store.openSite("https://b.example").memory.rememberVisit(5, visit);
    for (let at = 0; at < 1010; at++) memory.rememberVisit(at, visit);
    return (async () => {
      const [a, b] = await readCrawlReport({ store: folder.path });
      assert.deepEqual([a?.visits.length, a?.visits[0]?.at, a?.visits.at(-1)?.at], [1000, 10, 1009]);
      assert.equal(b?.visits.length, 1);
    })();
  });

  it("is refused without a state, and of a site that is not there; and stops when told", async () => {
    await using crawler = await openVisited();
    await assert.rejects(readCrawlReport({ store: join(crawler.folder.path, "none") }), {
      name: "TidemarkError",
      code: "not-found",
    });
    await assert.rejects(reportOf(crawler, { url: "https://elsewhere.example/" }), {
      name: "TidemarkError",
      code: "bad-option",
    });
    await assert.rejects(reportOf(crawler, { check: 3, signal: AbortSignal.abort() }), {
      name: "TidemarkError",
      code: "aborted",
    });
  });

  it("is printed as a table, and as lines of JSON; what was missed ends the program with 3", async () => {
    await using crawler = await openVisited();
    const { path } = crawler.folder;
    const table = await runProgram("report", path, "--check", "5", "--delay", "0");
    assert.deepEqual([table.code, table.stderr], [0, ""]);
    assert.match(table.stdout, /^http:\S+: 21 pages, 2\.1 KiB held; 2 visits\n/);
    assert.match(table.stdout, /\nsum +\d+ .*\npolling each page +41 .*\ndownloading all +41 /);
    assert.match(
      table.stdout,
      /\ncheck: 5 pages fetched, 0 differ from the copies \(seed \d+\)\nwith 95 % confidence at most 45\.1 %/,
    );
    crawler.site.set({ "/p7.html": "silent" });
    const missed = await runProgram("report", path, "--check", "100", "--delay", "0");
    assert.equal(missed.code, 3);
    assert.match(missed.stdout, /\n {2}\/p7\.html\n$/);
    const lines = (await runProgram("report", path, "--json")).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ event }) => event),
      ["site-report", "summary"],
    );
    assert.equal(lines[0].sum.visits, 2);
    for (const args of [
      ["--check", "0"],
      ["--seed", "1"],
      ["--delay", "1"],
      ["--site", "x"],
      ["--since", "x"],
    ])
      assert.equal((await runProgram("report", path, ...args)).code, 2);
    assert.equal((await runProgram("report", join(path, "none"))).code, 4);
  });
});

describe("formatCrawlPage", () => {
  it("shows sums, figures and tables, and runs nothing", async () => {
    await using crawler = await openVisited();
    const page = join(crawler.folder.path, "report.html");
    const { code, stderr } = await runProgram("report", crawler.folder.path, "--html", page);
    assert.equal(code, 0, stderr);
    const text = readFileSync(page, "utf8");
    assert.match(text, /2 visits to 1 site took \d+ requests/);
    assert.match(text, /Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'/);
    assert.equal(text.match(/<svg /g)?.length, 2);
    assert.doesNotMatch(text, /<script|Missed changes/);
  });

  it("escapes what a store says, and has no figure without visits", async () => {
    const costs = { requests: 0, bytes: 0 };
    const sum = { visits: 0, created: 0, updated: 0, deleted: 0, ...costs, polling: costs, download: costs };
    const missed = {
      requests: 10,
      checked: 10,
      differing: 1,
      later: 0,
      failed: 0,
      missedShareAtMost: 0.25,
      examples: [],
      seed: 1,
    };
    const site = {
      site: "http://a.example/<script>",
      heldPages: 0,
      heldBytes: 0,
      visits: [],
      sum,
      next: { at: 1_790_000_000_000, failures: 3, isPaused: false },
      missed,
    };
    const page = await formatCrawlPage([site], "What <visits> cost", "9.9.9");
    assert.doesNotMatch(page, /<script|<svg|<visits>/);
    assert.match(page, /No visit is stored\./);
    assert.match(page, /Missed changes.*25 %/s);
    assert.match(page, /Sites in back-off.*<td class="n">3<\/td><td class="at">2026-09-21 14:13:20Z<\/td>/s);
  });
});
