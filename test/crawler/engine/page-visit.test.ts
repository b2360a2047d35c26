import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { mirrorFolderOf } from "../../../src/storage/mirror/mirror-path.ts";

import { servedBy } from "./mirror.ts";
import { Crawler } from "./site-visit.ts";

type Answer = (response: ServerResponse) => void;

/** A crawler that holds `/a.html` as `old`; the site has published another. */
async function openChanged(): Promise<Crawler & { answer(answer: Answer): void }> {
  const crawler = await Crawler.open();
  const { site } = crawler;
  site.set({ "/a.html": "old" });
  site.publishBase();
  await crawler.visit();
  site.set({ "/a.html": "new" });
  site.publish();
  return Object.assign(crawler, {
    answer: (answer: Answer) => site.answers.set("/a.html", (_, response) => answer(response)),
  });
}

describe("a page", () => {
  it("that differs from its record in the same way twice is accepted as served", async () => {
    await using crawler = await openChanged();
    crawler.answer((response) => response.end("newer"));
    for (const [differing, pending, seen] of [
      [1, 1, ["differs /a.html"]],
      [0, 0, []],
    ] as const) {
      const { summary, pages } = await crawler.visit();
      assert.deepEqual([summary.differing, summary.pending, summary.failed, pages], [differing, pending, 0, seen]);
      assert.deepEqual(crawler.mirror(), { "/a.html": "newer" });
    }
    assert.equal((await crawler.visit()).summary.pageRequests, 0);
    // The whole list is read again: the record is the same.
    crawler.site.epoch = "epoch-000002";
    crawler.site.publishBase();
    assert.equal((await crawler.visit()).summary.pageRequests, 0);
    // Another record is another page.
    crawler.site.set({ "/a.html": "newest" });
    crawler.site.publish();
    assert.equal((await crawler.visit()).summary.pageRequests, 1);
  });

  it("that differs each time in another way is kept as served, asked for twice more, and then accepted", async () => {
    await using crawler = await openChanged();
    let count = 0;
    crawler.answer((response) => response.end(`newer ${count++}`));
    for (const [visit, pending] of [1, 1, 0].entries()) {
      const { summary, pages } = await crawler.visit();
      assert.deepEqual(
        [summary.differing, summary.pending, summary.failed, pages],
        [1, pending, 0, ["differs /a.html"]],
      );
      assert.deepEqual(crawler.mirror(), { "/a.html": `newer ${visit}` });
    }
    assert.equal((await crawler.visit()).summary.pageRequests, 0);
  });

  it("without a digest is taken as served, whatever its size, unless it is older than its record", async () => {
    for (const [servedAt, answers] of [
      [undefined, ["differs"]],
      [-1, ["differs"]],
      [0, ["updated"]],
      [3600, ["updated"]],
    ] as const) {
      await using crawler = await Crawler.open();
      const { site } = crawler;
      site.set({ "/a.html": "old" });
      site.publishBase();
      await crawler.visit();
      site.set({ "/a.html": "new" });
      const lastModified = site.pages.get("/a.html")?.lastModified ?? 0;
      site.distort = (lines) => lines.map((line) => line.replace(/\t[\w-]{11}\t/, "\t-\t"));
      site.publish();
      site.answers.set("/a.html", (_, response) => {
        if (servedAt !== undefined)
          response.setHeader("last-modified", new Date((lastModified + servedAt) * 1000).toUTCString());
        response.end("longer than it was");
      });
      const seen: string[] = [];
      for (let visit = 0; visit < 4; visit++) seen.push(...(await crawler.visit()).pages);
      assert.deepEqual(
        seen,
        answers.map((answer) => `${answer} /a.html`),
        `served at ${servedAt}`,
      );
      assert.deepEqual(crawler.mirror(), { "/a.html": "longer than it was" });
    }
  });

  it("that answers 404 is kept for two visits and deleted on the third, two days after the first", async () => {
    await using crawler = await openChanged();
    crawler.answer((response) => response.writeHead(404).end());
    for (const hours of [0, 1, 1, 45]) {
      crawler.now += hours * 3_600_000;
      const { summary } = await crawler.visit();
      assert.deepEqual([summary.failed, summary.pending, summary.deleted], [1, 1, 0], `${hours} hours later`);
      assert.deepEqual(crawler.mirror(), { "/a.html": "old" });
    }
    crawler.now += 2 * 3_600_000;
    const { summary, pages } = await crawler.visit();
    assert.deepEqual([summary.deleted, summary.pending, pages], [1, 0, ["gone /a.html"]]);
    assert.deepEqual(crawler.mirror(), {});
  });

  it("that answers 410 is deleted at once", async () => {
    await using crawler = await openChanged();
    crawler.answer((response) => response.writeHead(410).end());
    assert.equal((await crawler.visit()).summary.deleted, 1);
    assert.deepEqual(crawler.mirror(), {});
  });

  it("that is refused three times in two days waits until its record changes", async () => {
    await using crawler = await openChanged();
    crawler.answer((response) => response.writeHead(403).end());
    for (const pending of [1, 1, 0]) assert.equal((await crawler.visitNextDay()).summary.pending, pending);
    const { summary, requests } = await crawler.visit();
    assert.deepEqual([summary.pageRequests, requests.length], [0, 2]);
    crawler.site.answers.clear();
    crawler.site.set({ "/a.html": "newest" });
    crawler.site.publish();
    await crawler.visit();
    assert.deepEqual(crawler.mirror(), { "/a.html": "newest" });
  });

  it("is asked for up to three times in a visit while the server is in trouble, and stays work", async () => {
    await using crawler = await openChanged();
    crawler.answer((response) => response.writeHead(503).end());
    const { summary, waitsMs } = await crawler.visit();
    assert.deepEqual([summary.pageRequests, summary.failed, summary.pending], [3, 1, 1]);
    assert.deepEqual(waitsMs, [500, 500]);
    assert.deepEqual(crawler.mirror(), { "/a.html": "old" });
    crawler.site.answers.clear();
    const second = await crawler.visit();
    assert.deepEqual([second.summary.updated, second.waitsMs], [1, [500]], "what is left to wait is kept");
  });

  it("of a server in trouble is waited for longer and longer, and less again after a while", async () => {
    await using crawler = await openChanged();
    crawler.politeness = { random: () => 1 };
    crawler.answer((response) => response.writeHead(503).end());
    assert.deepEqual((await crawler.visit()).waitsMs, [2000, 4000]);
    assert.deepEqual((await crawler.visit()).waitsMs, [8000, 16_000, 32_000]);
    crawler.now += 60_000 + 4 * 30_000;
    assert.deepEqual((await crawler.visit()).waitsMs, [8000, 16_000]);
  });

  it("is asked for again when the server says, if that is soon", async () => {
    await using crawler = await openChanged();
    let requests = 0;
    crawler.answer((response) => {
      if (++requests === 1) response.writeHead(429, { "retry-after": "20" }).end();
    });
    const { summary, waitsMs } = await crawler.visit();
    assert.deepEqual([summary.updated, waitsMs], [1, [20_000]]);
  });

  it("is left for the next visit when the server asks for a long wait", async () => {
    await using crawler = await openChanged();
    crawler.answer((response) => response.writeHead(503, { "retry-after": "3600" }).end());
    const { summary, waitsMs } = await crawler.visit();
    assert.deepEqual([summary.pageRequests, summary.pending, waitsMs], [1, 1, []]);
    crawler.now += 3_000_000;
    const early = await crawler.visit();
    assert.deepEqual([early.requests, early.warnings, early.summary.pending], [[], ["site-unavailable"], 1]);
    crawler.now += 599_000;
    crawler.site.answers.clear();
    const late = await crawler.visit();
    assert.deepEqual([late.waitsMs, late.summary.updated], [[1000], 1]);
  });

  it("is not asked for once the site wants to be left alone, and counts as no failure", async () => {
    await using crawler = await openChanged();
    const { site } = crawler;
    site.set({ "/b.html": "b", "/c.html": "c" });
    site.publish();
    crawler.answer((response) => response.writeHead(429, { "retry-after": "3600" }).end());
    const { summary, warnings, requests } = await crawler.visit();
    assert.deepEqual([summary.pageRequests, summary.failed, summary.pending], [1, 1, 3]);
    assert.deepEqual(warnings, ["site-postponed"]);
    assert.equal(requests.at(-1), "429 /a.html");
  });

  it("is waited for at most a day, whatever the server asks for, and a person is told", async () => {
    for (const [retryAfter, waitMs] of [
      ["99999999999999999999", 86_400_000],
      ["Fri, 31 Dec 9999 23:59:59 GMT", 86_400_000],
      ["-5", 500],
      ["Thu, 01 Jan 1970 00:00:00 GMT", 500],
    ] as const) {
      await using crawler = await openChanged();
      crawler.politeness = { maxWaitMs: 90_000_000 };
      let requests = 0;
      crawler.answer((response) => {
        if (++requests === 1) response.writeHead(503, { "retry-after": retryAfter }).end();
      });
      const { summary, waitsMs, warnings } = await crawler.visit();
      assert.deepEqual([summary.updated, waitsMs], [1, [waitMs]], retryAfter);
      assert.deepEqual(warnings, waitMs > 500 ? ["retry-after-bounded"] : [], retryAfter);
    }
  });

  it("whose connection breaks in the middle does not replace what is held", async () => {
    await using crawler = await openChanged();
    crawler.answer((response) => {
      response.writeHead(200, { "content-length": "3" });
      response.write("ne", () => response.destroy());
    });
    const { summary } = await crawler.visit();
    assert.deepEqual([summary.failed, summary.pending], [1, 1]);
    assert.deepEqual(crawler.mirror(), { "/a.html": "old" });
  });

  it("that is sent a byte a second ends with its time", async () => {
    await using crawler = await openChanged();
    crawler.answer((response) => {
      response.writeHead(200);
      response.write("n");
    });
    const { summary } = await crawler.visit({ timeoutMs: 200 });
    assert.deepEqual([summary.pageRequests, summary.failed, summary.pending], [1, 1, 1]);
  });

  it("that is far longer than its record is refused, and not asked for for ever", async () => {
    await using crawler = await openChanged();
    crawler.answer((response) => response.end(Buffer.alloc(16 * 1024 * 1024 + 100)));
    for (const pending of [1, 1, 0]) {
      const { summary } = await crawler.visit();
      assert.deepEqual([summary.pageRequests, summary.failed, summary.pending], [1, 1, pending]);
    }
    assert.deepEqual(crawler.mirror(), { "/a.html": "old" });
  });

  it("is not asked for again beyond the budget", async () => {
    await using crawler = await openChanged();
    crawler.answer((response) => response.writeHead(503).end());
    assert.equal((await crawler.visit({ budget: 2 })).summary.pageRequests, 2);
  });

  it("that is a gzip file stays one, whatever coding the server names", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    const packed = gzipSync("packed");
    site.set({ "/a.svgz": packed });
    site.publishBase();
    site.answers.set("/a.svgz", (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(packed));
    assert.deepEqual((await crawler.visit()).pages, ["created /a.svgz"]);
  });

  it("follows redirects on its own site only", async () => {
    await using crawler = await openChanged();
    const { site } = crawler;
    site.answers.set("/there", (_, response) => void response.end("new"));
    crawler.answer((response) => response.writeHead(301, { location: "/there" }).end());
    assert.equal((await crawler.visit()).summary.updated, 1);
    site.set({ "/a.html": "newest" });
    site.publish();
    crawler.answer((response) => response.writeHead(301, { location: "http://127.0.0.2:1/there" }).end());
    const { summary } = await crawler.visit();
    assert.deepEqual([summary.failed, summary.pageRequests], [1, 1]);
    assert.deepEqual(crawler.mirror(), { "/a.html": "new" });
  });

  for (const [coding, body] of [
    ["gzip", gzipSync("new")],
    ["br", brotliCompressSync("new")],
    ["gzip", Buffer.from("new")],
    ["identity", Buffer.from("new")],
  ] as const) {
    it(`that is sent as ${coding} (${body.length} bytes) is kept as recorded`, async () => {
      await using crawler = await openChanged();
      crawler.answer((response) => response.writeHead(200, { "content-encoding": coding }).end(body));
      const { summary } = await crawler.visit();
      assert.deepEqual([summary.updated, summary.differing], [1, 0]);
      assert.deepEqual(crawler.mirror(), { "/a.html": "new" });
    });
  }

  it("that is large goes through a file, also where it is coded and where it fails at first", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    const large = Buffer.alloc(900_000, "large ");
    site.set({ "/plain.html": large, "/coded.html": `${large}!`, "/late.html": `${large}?` });
    site.publishBase();
    site.answers.set("/coded.html", (_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(`${large}!`)),
    );
    let requests = 0;
    site.answers.set("/late.html", (_, response) => {
      if (++requests > 1) return;
      response.writeHead(200, { "content-length": large.length });
      response.write(large.subarray(0, 300_000), () => response.destroy());
    });
    const { summary } = await crawler.visit({ concurrency: 2 });
    assert.deepEqual([summary.created, summary.failed, summary.differing], [3, 0, 0]);
    assert.deepEqual(crawler.mirror(), servedBy(site));
  });

  it("whose name is taken by a folder is in it", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/x/y.html": "y", "/x": "x", "/z.html": "z" });
    site.publishBase();
    const { summary, warnings } = await crawler.visit();
    assert.deepEqual([summary.created, summary.failed, warnings], [3, 0, []]);
    assert.deepEqual(crawler.mirror(), { "/x/index.html": "x", "/x/y.html": "y", "/z.html": "z" });
  });

  it("makes room for a folder of its name when it is deleted, and the reverse", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/x": "x", "/y/deep/er": "y" });
    site.publishBase();
    await crawler.visit();
    site.set({ "/x": undefined, "/x/below": "x", "/y/deep/er": undefined, "/y": "y" });
    site.publish();
    assert.equal((await crawler.visit()).summary.failed, 0);
    assert.deepEqual(crawler.mirror(), servedBy(site));
  });

  it("is not fetched when the mirror has its bytes already", async () => {
    await using crawler = await openChanged();
    writeFileSync(join(crawler.folder.path, mirrorFolderOf(crawler.site.origin), "a.html"), "new");
    const { summary } = await crawler.visit();
    assert.deepEqual([summary.pageRequests, summary.unchanged, summary.pending], [0, 1, 0]);
  });
});

describe("a site in trouble", () => {
  it("is left alone after ten page requests in a row without an answer", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    for (let at = 0; at < 50; at++) {
      site.set({ [`/p${at}.html`]: "p" });
      site.answers.set(`/p${at}.html`, (_, response) => response.writeHead(500).end());
    }
    site.publishBase();
    const { summary, warnings } = await crawler.visit();
    assert.deepEqual([summary.pageRequests, summary.pending, warnings], [10, 50, ["site-in-trouble"]]);
    site.answers.clear();
    assert.equal((await crawler.visit()).summary.created, 50);
  });
});

describe("a hostile site", () => {
  it("cannot write outside its folder", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    const into = join(crawler.folder.path, "deep", "into");
    mkdirSync(into, { recursive: true });
    const paths = [
      "/..%2f..%2fevil",
      "/%2e%2e%2fevil",
      "/a/%2Fetc%2Fpasswd",
      "/C:%5Cevil",
      "/nul%00byte",
      "/.tidemark/state.db",
      `/${"x".repeat(300)}`,
      "/%ff%fe",
    ];
    for (const path of paths) site.set({ [path]: path });
    site.publishBase();
    const { summary } = await crawler.visit({ into });
    assert.deepEqual([summary.created, summary.failed], [paths.length, 0]);
    const { readdirSync } = await import("node:fs");
    assert.deepEqual(readdirSync(crawler.folder.path), ["deep"]);
    assert.deepEqual(readdirSync(join(crawler.folder.path, "deep")), ["into"]);
    assert.deepEqual(readdirSync(into).sort(), [".tidemark", mirrorFolderOf(site.origin)]);
  });
});
