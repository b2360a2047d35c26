import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { servedBy } from "./mirror.ts";
import type { PublishedSite } from "./published-site.ts";
import { Crawler } from "./site-visit.ts";

const wellKnown = "/.well-known/tidemark/index.gz";

/** A site that was visited, and has published twice since: single intervals, and one of both. */
async function openFollowed(): Promise<Crawler & { start: number }> {
  const crawler = await Crawler.open();
  const { site } = crawler;
  site.set({ "/a.html": "1", "/b.html": "1", "/c.html": "1" });
  site.publishBase();
  await crawler.visit();
  const start = site.publication;
  site.set({ "/a.html": "2" });
  site.publish();
  site.set({ "/b.html": "2" });
  site.publish();
  return Object.assign(crawler, { start });
}

describe("an index", () => {
  it("that is not there ends the visit, and pending work is still done", async () => {
    await using crawler = await openFollowed();
    const { site } = crawler;
    await crawler.visit({ budget: 1 });
    site.answers.set(wellKnown, (_, response) => response.writeHead(404).end());
    const { summary, warnings, pages } = await crawler.visit();
    assert.deepEqual([summary.source, warnings, pages], ["none", ["no-archives"], ["updated /b.html"]]);
    assert.deepEqual(crawler.mirror(), servedBy(site));
  });

  for (const [what, body] of [
    ["is empty", ""],
    ["is no index", "<html>Sorry</html>"],
    ["was cut off", gzipSync("tidemark-index 1\nsite\t").subarray(0, 20)],
    ["is a gzip bomb", gzipSync(Buffer.alloc(80 * 1024 * 1024))],
  ] as const) {
    it(`that ${what} is asked for once more, past all caches, and then left`, async () => {
      await using crawler = await openFollowed();
      const { site } = crawler;
      const before = await crawler.visit({ budget: 0 });
      site.answers.set(wellKnown, (_, response) => response.end(body));
      const { summary, warnings } = await crawler.visit();
      assert.deepEqual([summary.source, warnings], ["none", ["site-unavailable"]]);
      assert.deepEqual(summary.cursor, before.summary.cursor);
      assert.equal(summary.updated, 2);
    });
  }

  it("is asked for past all caches the second time", async () => {
    await using crawler = await openFollowed();
    const { site } = crawler;
    const seen: (string | undefined)[] = [];
    site.answers.set(wellKnown, (request, response) => {
      seen.push(request.headers["cache-control"]);
      if (seen.length === 1) response.end("an old page of some cache");
    });
    assert.equal((await crawler.visit()).summary.updated, 2);
    assert.deepEqual(seen, [undefined, "no-cache"]);
  });

  it("or an archive that redirects to what robots.txt disallows is not read from there", async () => {
    await using crawler = await openFollowed();
    const { site } = crawler;
    site.robots = "User-agent: *\nDisallow: /private/\n\n";
    site.set({ "/c.html": "2" });
    site.publish();
    const isArchive = (path: string): boolean => path.endsWith(".gz") && path !== wellKnown;
    const moved = [...site.files.keys()].filter((path) => path.endsWith(".gz"));
    for (const path of moved) {
      site.files.set(`/private${path}`, site.files.get(path) as Buffer);
      site.answers.set(path, (_, response) => response.writeHead(302, { location: `/private${path}` }).end());
    }
    const first = await crawler.visit();
    assert.ok(first.requests.includes(`302 ${wellKnown}`));
    assert.deepEqual([first.summary.source, first.warnings], ["none", ["site-unavailable"]]);
    site.answers.delete(wellKnown);
    const second = await crawler.visit();
    assert.ok(second.requests.some((request) => /^302 /.test(request) && isArchive(request.slice(4))));
    for (const { requests } of [first, second])
      assert.ok(!requests.some((request) => request.includes("/private/")), requests.join());
  });

  it("of another site is read with a warning", async () => {
    await using crawler = await openFollowed();
    const { site } = crawler;
    const text = gunzipSync(site.files.get(wellKnown) ?? "").toString();
    site.files.set(wellKnown, gzipSync(text.replace(/^site\t.*$/m, "site\thttps://example.org/")));
    const { warnings, summary } = await crawler.visit();
    assert.deepEqual([warnings, summary.updated], [["other-site"], 2]);
  });
});

describe("an archive", () => {
  it("that a proxy has unpacked is read as well", async () => {
    await using crawler = await openFollowed();
    const { site } = crawler;
    for (const [path, body] of site.files) if (path.endsWith(".gz")) site.files.set(path, gunzipSync(body));
    const { summary, warnings } = await crawler.visit();
    assert.deepEqual([summary.updated, warnings], [2, []]);
  });

  it("that is broken in a cache is asked for past it", async () => {
    await using crawler = await openFollowed();
    const { site } = crawler;
    const [path = ""] = site.archivesFrom(crawler.start);
    site.answers.set(path, (request, response) => {
      if (request.headers["cache-control"] !== "no-cache") response.end("broken");
    });
    const { summary, warnings } = await crawler.visit();
    assert.deepEqual([summary.updated, warnings], [2, []]);
  });

  it("that is missing is gone around by another chain", async () => {
    await using crawler = await openFollowed();
    const { site } = crawler;
    site.merged.push([crawler.start, site.publication]);
    site.write();
    const merged = site
      .archivesFrom(crawler.start)
      .find((path) => path.includes(new Date(site.publication * 1000).toISOString().slice(0, 10).replaceAll("-", "")));
    assert.ok(merged !== undefined);
    site.files.delete(merged);
    const { summary, warnings, requests } = await crawler.visit();
    assert.deepEqual([summary.updated, warnings], [2, ["bad-archive"]]);
    assert.equal(requests.filter((request) => request === `404 ${merged}`).length, 2);
    assert.equal(requests.filter((request) => request.endsWith(wellKnown)).length, 2);
  });

  it("that is missing is gone around by the base when there is no other chain", async () => {
    await using crawler = await openFollowed();
    const { site } = crawler;
    const [path = ""] = site.archivesFrom(crawler.start);
    site.set({ "/c.html": undefined });
    site.publish();
    site.rebase();
    site.files.delete(path);
    const { summary, warnings, requests } = await crawler.visit();
    assert.deepEqual(warnings, ["bad-archive"]);
    assert.deepEqual([summary.updated, summary.deleted, summary.pageRequests], [2, 1, 2]);
    assert.ok(requests.some((request) => request.includes(".base.")));
    assert.deepEqual(crawler.mirror(), servedBy(site));
  });

  for (const [what, change] of [
    ["has other content than its name says", (text: string) => text.replace("/a.html", "/x.html")],
    ["is a gzip bomb", () => "tm1\n".padEnd(40 * 1024 * 1024, "\n")],
  ] as const) {
    it(`that ${what} is never applied`, async () => {
      await using crawler = await openFollowed();
      const { site } = crawler;
      const [path = ""] = site.archivesFrom(crawler.start);
      const before = (await crawler.visit()).summary.cursor;
      assert.ok(before !== undefined);
      site.set({ "/a.html": "3" });
      const from = site.publication;
      site.publish();
      const [next = ""] = site.archivesFrom(from);
      assert.notEqual(next, path);
      site.files.set(next, gzipSync(change(gunzipSync(site.files.get(next) ?? "").toString())));
      const { summary, warnings } = await crawler.visit();
      assert.deepEqual([summary.source, summary.cursor], ["none", before]);
      assert.deepEqual(warnings, ["bad-archive", "site-unavailable"]);
    });
  }

  it("is replaced by the base after two chains were broken", async () => {
    await using crawler = await openFollowed();
    const { site, start } = crawler;
    const second = site.publication;
    site.set({ "/c.html": "2" });
    site.publish();
    site.merged.push([start, site.publication], [start, second]);
    site.rebase();
    const isBase = (path: string): boolean => path.includes(".base.");
    const broken = site.archivesFrom(start).filter((path) => !isBase(path));
    assert.equal(broken.length, 3);
    for (const path of broken) site.files.delete(path);
    const { warnings, summary } = await crawler.visit();
    assert.deepEqual([warnings, summary.updated], [["bad-archive", "bad-archive"], 3]);
  });

  const wrongs: readonly [string, (site: PublishedSite) => void][] = [
    ["whose lines are not in the order of paths", (site) => (site.distort = (lines) => lines.toReversed())],
    ["in which a path stands twice", (site) => (site.distort = (lines) => lines.map(() => lines[0] ?? ""))],
    ["that holds fewer changes than the index says", (site) => (site.distort = (lines) => lines.slice(1))],
    ["that has a line that is no change", (site) => (site.distort = (lines) => ["C\tno", ...lines.slice(1)])],
  ];
  for (const [what, distort] of wrongs) {
    it(`${what} is never applied`, async () => {
      await using crawler = await openFollowed();
      const { site } = crawler;
      await crawler.visit();
      distort(site);
      site.set({ "/a.html": "3", "/b.html": "3" });
      site.publish();
      const { summary, warnings } = await crawler.visit();
      assert.deepEqual([summary.source, summary.pageRequests], ["none", 0]);
      assert.ok(warnings.includes("bad-archive"));
    });
  }

  it("is not asked for elsewhere than beside the index", async () => {
    await using crawler = await openFollowed();
    const { site } = crawler;
    const text = gunzipSync(site.files.get(wellKnown) ?? "").toString();
    site.files.set(wellKnown, gzipSync(text.replace(/\n(?=\d{8}T\d{6}Z_)/, "\nhttp://example.org/")));
    const { summary, warnings } = await crawler.visit();
    assert.deepEqual([summary.source, warnings], ["none", ["site-unavailable"]]);
  });
});

describe("what docs/format.md leaves to a reader", () => {
  it("is a path that stands in a base twice: it is asked for and held once", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/a.html": "a", "/b.html": "b" });
    site.distort = (lines) => lines.map((line) => line.replace("/b.html", "/a.html"));
    site.publishBase();
    const { summary } = await crawler.visit();
    assert.deepEqual([summary.source, summary.pageRequests], ["archives", 1]);
    assert.deepEqual(Object.keys(crawler.mirror()), ["/a.html"]);
  });

  it("is a number of pages that does not fit: the visit goes on, and nothing rests on it", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/a.html": "a" });
    site.publishBase();
    const text = gunzipSync(site.files.get(wellKnown) ?? "").toString();
    site.files.set(wellKnown, gzipSync(text.replace("\npages\t1\n", "\npages\t7\n")));
    const { summary, warnings } = await crawler.visit();
    assert.deepEqual([summary.source, summary.created, warnings], ["archives", 1, []]);
    assert.equal((await crawler.visit()).summary.requests, 2);
  });

  it("is a deletion that is told again, and one of a page that is not held", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/a.html": "a", "/b.html": "b" });
    site.publishBase();
    await crawler.visit();
    site.distort = (lines) => lines.map((line) => line.replace(/^U\t.*\t/, "D\t0\t-\t-\t-\t"));
    for (const body of ["2", "3"]) {
      site.set({ "/b.html": body });
      site.publish();
    }
    const { summary, warnings } = await crawler.visit();
    assert.deepEqual([summary.deleted, summary.failed, warnings], [1, 0, []]);
    assert.deepEqual(Object.keys(crawler.mirror()), ["/a.html"]);
    // It comes a second time in another reading, too.
    site.set({ "/b.html": "4" });
    site.publish();
    assert.deepEqual((await crawler.visit()).summary.deleted, 0);
  });

  for (const [value, requested] of [
    ["/changes/index.gz", "/changes/index.gz"],
    ["changes/index.gz # moved last year", "/changes/index.gz"],
    ["changes/index.gz#part", "/changes/index.gz"],
    ["/changes/index.gz?v=2", "/changes/index.gz"],
    ["//elsewhere.example/index.gz", wellKnown],
    ["# nothing", wellKnown],
  ] as const) {
    it(`is "Archive-Index: ${value}": ${requested} is asked for`, async () => {
      await using crawler = await Crawler.open();
      const { site } = crawler;
      site.set({ "/a.html": "a" });
      site.publishBase();
      site.files.set("/robots.txt", Buffer.from(`Archive-Index: ${value}\n`));
      const { requests } = await crawler.visit();
      assert.match(requests[1] ?? "", new RegExp(`^\\d+ ${requested.replaceAll(".", "\\.")}$`));
    });
  }
});

describe("a base", () => {
  const wrongs: readonly [string, (site: PublishedSite) => void][] = [
    ["with a deletion in it", (site) => (site.distort = () => ["D\t-\t-\t-\t-\t/a.html"])],
    [
      "whose list is of another publication",
      (site) => (site.distortList = (list) => list.replace(/(?<=publication\t)\d{4}/, "2022")),
    ],
    [
      "whose list says another number of pages",
      (site) => (site.distortList = (list) => list.replace("pages\t1", "pages\t2")),
    ],
    ["whose list is none", (site) => (site.distortList = () => "<html>")],
  ];
  for (const [what, distort] of wrongs) {
    it(`${what} is never applied`, async () => {
      await using crawler = await Crawler.open();
      const { site } = crawler;
      site.set({ "/a.html": "a" });
      distort(site);
      site.publishBase();
      const { summary, warnings } = await crawler.visit();
      assert.deepEqual([summary.source, summary.pageRequests], ["none", 0]);
      assert.deepEqual(warnings, ["bad-archive", "bad-archive", "bad-archive", "site-unavailable"]);
    });
  }
});
