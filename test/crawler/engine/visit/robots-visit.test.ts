import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { describe, it } from "node:test";
import { robotsFreshMs } from "../../../../src/crawler/engine/visit/robots-freshness.ts";
import { makeTempFolder } from "../../../temp-folder.ts";
import { Crawler } from "../site-visit.ts";

const wellKnown = "/.well-known/tidemark/index.gz";
const hourMs = 3_600_000;

async function openCrawler(): Promise<Crawler> {
  const crawler = await Crawler.open();
  crawler.site.set({ "/a.html": "a", "/private/b.html": "b" });
  crawler.site.publishBase();
  return crawler;
}

/** A site without archives, whose robots.txt is served with a field `Cache-Control`, and confirmed with that or another. */
async function openPlainSite(cacheControl?: string, confirmed = cacheControl): Promise<Crawler> {
  const crawler = await Crawler.open();
  crawler.site.answers.set("/robots.txt", (request, response) => {
    const isKnown = request.headers["if-none-match"] === '"1"';
    const field = isKnown ? confirmed : cacheControl;
    const fields = { etag: '"1"', ...(field ? { "cache-control": field } : {}) };
    if (isKnown) response.writeHead(304, fields).end();
    else response.writeHead(200, fields).end("User-agent: *\nDisallow: /private/\n");
  });
  return crawler;
}

/** What visits so many hours after the first ask of robots.txt. */
async function robotsRequests(crawler: Crawler, hours: readonly number[]): Promise<string[][]> {
  const start = crawler.now;
  const asked: string[][] = [];
  for (const hour of hours) {
    crawler.now = start + hour * hourMs;
    const { requests } = await crawler.visit();
    asked.push(requests.filter((request) => request.endsWith(" /robots.txt")));
  }
  return asked;
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

  it("is obeyed under the name that is sent, everywhere, and judged anew when that changes", async () => {
    await using crawler = await openCrawler();
    const { site } = crawler;
    site.robots = [
      "User-agent: tidemark\nDisallow: /private/\n",
      "User-agent: MyBot\nDisallow: /a\nCrawl-delay: 7\n",
      "User-agent: *\nDisallow: /\n\n",
    ].join("\n");
    site.write();
    const userAgent = "Mozilla/5.0 (compatible; MyBot/1.0; +http://example.org/bot)";
    const first = await crawler.visit({ userAgent });
    assert.deepEqual(first.pages.toSorted(), ["created /private/b.html", "disallowed /a.html"]);
    assert.deepEqual(new Set(first.waitsMs), new Set([7000]));
    const second = await crawler.visit();
    assert.deepEqual(second.pages, ["created /a.html"]);
    assert.equal(second.requests[0], "200 /robots.txt", "what was received under another name is not revalidated");
    site.set({ "/a.html": "new", "/private/b.html": "new" });
    site.publish();
    assert.deepEqual((await crawler.visit()).pages.toSorted(), ["disallowed /private/b.html", "updated /a.html"]);
    assert.deepEqual((await crawler.visit({ userAgent })).pages, ["updated /private/b.html"]);
    // No group names it: the one of this program holds.
    assert.deepEqual((await crawler.visit({ userAgent: "Another/1.0" })).requests[0], "200 /robots.txt");
    await assert.rejects(crawler.visit({ userAgent: "/1.0" }), { code: "bad-option" });
  });

  it("of a site without archives is not taken from memory under another name", async () => {
    await using crawler = await openPlainSite();
    const asked = async (userAgent: string): Promise<boolean> =>
      (await crawler.visit({ userAgent })).requests.includes("200 /robots.txt");
    assert.deepEqual(
      [await asked("a/1"), await asked("A/2"), await asked("b/1"), await asked("b/1")],
      [true, false, true, false],
    );
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
    const { warnings, summary, requests } = await crawler.visit({ allowPrivate: true });
    assert.deepEqual(warnings, ["foreign-index"]);
    assert.equal(requests[1], `200 ${wellKnown}`);
    assert.equal(summary.created, 2);
    assert.deepEqual(other.site.takeRequests(), ["200 /robots.txt"]);
  });

  it("that redirects to another port is not read, and the site is left alone until it can be (RFC 9309 section 2.3.1.2)", async () => {
    await using crawler = await openCrawler();
    await using other = await openCrawler();
    other.site.files.set("/robots.txt", Buffer.from("User-agent: *\nDisallow: /\n"));
    crawler.site.answers.set("/robots.txt", (_, response) =>
      response.writeHead(301, { location: `${other.site.origin}/robots.txt` }).end(),
    );
    const options = { sources: ["links"] } as const;
    for (let day = 0; day < 3; day++) {
      const { requests, warnings, summary } = await crawler.visitNextDay(options);
      assert.deepEqual([requests, other.site.takeRequests()], [["301 /robots.txt"], []]);
      assert.deepEqual([warnings, summary.source], [["site-unavailable"], "none"]);
    }
    crawler.site.answers.clear();
    assert.ok((await crawler.visitNextDay()).pages.includes("created /a.html"));
  });

  it("does not lead to an address inside", async () => {
    await using crawler = await openCrawler();
    await using other = await openCrawler();
    const { port } = new URL(other.site.origin);
    for (const location of [`http://localhost:${port}/robots.txt`, "http://169.254.169.254/", "file:///etc/passwd"]) {
      crawler.site.answers.set("/robots.txt", (_, response) => response.writeHead(302, { location }).end());
      await crawler.visit();
    }
    assert.deepEqual(other.site.takeRequests(), []);
  });

  it("is asked before a redirect is followed", async () => {
    await using crawler = await openCrawler();
    crawler.site.files.set("/robots.txt", Buffer.from("User-agent: *\nDisallow: /private/\n"));
    crawler.site.answers.set("/a.html", (_, response) => response.writeHead(302, { location: "/private/x" }).end());
    const { pages, requests, summary } = await crawler.visit();
    assert.ok(pages.includes("disallowed /a.html"));
    assert.ok(requests.every((request) => !request.includes("/private/")));
    assert.equal(summary.failed, 0);
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

describe("a copy of robots.txt", () => {
  const [asked, confirmed, kept] = [["200 /robots.txt"], ["304 /robots.txt"], []];

  it("is used for a day where there are no archives, and then confirmed", async () => {
    await using crawler = await openPlainSite();
    assert.deepEqual(await robotsRequests(crawler, [0, 1, 23.9, 24, 47.9, 48]), [
      asked,
      kept,
      kept,
      confirmed,
      kept,
      confirmed,
    ]);
  });

  it("is used as long as its max-age says, at most a day", async () => {
    await using hour = await openPlainSite("public, max-age=3600");
    assert.deepEqual(await robotsRequests(hour, [0, 0.9, 1, 1.9, 2]), [asked, kept, confirmed, kept, confirmed]);
    await using week = await openPlainSite("max-age=604800");
    assert.deepEqual(await robotsRequests(week, [0, 23, 25]), [asked, kept, confirmed]);
    await using never = await openPlainSite("no-cache");
    assert.deepEqual(await robotsRequests(never, [0, 0.1, 0.2]), [asked, confirmed, confirmed]);
    await using silent = await openPlainSite("max-age=3600", "");
    assert.deepEqual(await robotsRequests(silent, [0, 1, 1.9, 2]), [asked, confirmed, kept, confirmed]);
    await using other = await openPlainSite("max-age=3600", "max-age=7200");
    assert.deepEqual(await robotsRequests(other, [0, 1, 2.9, 3]), [asked, confirmed, kept, confirmed]);
  });

  it("is confirmed at each visit where it names archives", async () => {
    await using crawler = await openCrawler();
    assert.deepEqual((await crawler.visit()).requests[0], "200 /robots.txt");
    for (let visit = 0; visit < 2; visit++)
      assert.deepEqual((await crawler.visit()).requests, ["304 /robots.txt", `304 ${wellKnown}`]);
  });

  it("has its rules while it is used", async () => {
    await using crawler = await openCrawler();
    const { site } = crawler;
    site.files.set("/robots.txt", Buffer.from("User-agent: *\nDisallow: /private/\n"));
    assert.equal((await crawler.visit()).requests[0], "200 /robots.txt");
    site.set({ "/private/b.html": "bb", "/private/c.html": "c", "/a.html": "aa" });
    site.publish();
    site.files.set("/robots.txt", Buffer.from("User-agent: *\nDisallow: /a\n"));
    const second = await crawler.visit();
    assert.ok(!second.requests.includes("200 /robots.txt"));
    assert.deepEqual(second.pages.toSorted(), [
      "disallowed /private/b.html",
      "disallowed /private/c.html",
      "updated /a.html",
    ]);
    crawler.now += 25 * hourMs;
    const third = await crawler.visit();
    assert.equal(third.requests[0], "200 /robots.txt");
    assert.deepEqual(third.pages.toSorted(), ["created /private/b.html", "created /private/c.html"]);
  });

  it("that there is none is used too, and one that is refused is not", async () => {
    await using none = await Crawler.open();
    assert.deepEqual(await robotsRequests(none, [0, 23, 25]), [["404 /robots.txt"], kept, ["404 /robots.txt"]]);
    await using secret = await Crawler.open();
    secret.site.answers.set("/robots.txt", (_, response) => response.writeHead(403).end());
    assert.deepEqual(await robotsRequests(secret, [0, 1]), [["403 /robots.txt"], ["403 /robots.txt"]]);
  });

  it("holds for a day though it is stale, while the server is in trouble, and is asked for in each visit", async () => {
    await using crawler = await openPlainSite("max-age=60");
    await crawler.visit();
    for (const status of [429, 503]) {
      crawler.site.answers.set("/robots.txt", (_, response) => response.writeHead(status).end());
      crawler.now += 11 * hourMs;
      const { warnings, requests } = await crawler.visit();
      assert.deepEqual([warnings[0], requests[0]], ["robots-kept", `${status} /robots.txt`]);
    }
    crawler.now += 3 * hourMs;
    assert.deepEqual((await crawler.visit()).warnings, ["site-unavailable"]);
  });

  it("that took long is not asked for again after a kill before the index came", async () => {
    await using crawler = await openCrawler();
    const { site } = crawler;
    await crawler.visit();
    crawler.now += 48 * hourMs;
    using killed = makeTempFolder();
    site.around = (response, serve) => {
      if (response.req.url === "/robots.txt") crawler.now += 3000;
      // What a kill leaves at this moment.
      else cpSync(crawler.folder.path, killed.path, { recursive: true });
      serve();
    };
    await crawler.visit();
    site.around = (_, serve) => serve();
    assert.deepEqual((await crawler.visit({ into: killed.path })).requests[0], `304 ${wellKnown}`);
  });

  it("from the future is confirmed", async () => {
    await using crawler = await openPlainSite();
    assert.deepEqual(await robotsRequests(crawler, [0, -1, -0.5]), [asked, confirmed, kept]);
  });
});

describe("how long a copy of robots.txt is fresh", () => {
  const rows: ReadonlyArray<readonly [string | undefined, number]> = [
    [undefined, 24 * hourMs],
    ["public, must-revalidate", 24 * hourMs],
    ["max-age=10", 10_000],
    ['MAX-AGE = "10"', 10_000],
    ["max-age=20, max-age=10", 10_000],
    ["max-age=10, max-age=20", 10_000],
    ["s-maxage=10, max-age=20", 20_000],
    ["max-age=99999999999999999999", 24 * hourMs],
    ["max-age=0", 0],
    ["max-age=-1", 0],
    ["max-age", 0],
    ["max-age=1.5", 0],
    ["max-age=60, no-cache", 0],
    ["no-store", 0],
    ['no-cache="set-cookie"', 0],
    [",;=, ,", 24 * hourMs],
  ];
  for (const [cacheControl, freshMs] of rows) {
    it(`by ${JSON.stringify(cacheControl)}`, () => {
      assert.equal(robotsFreshMs(cacheControl), freshMs);
    });
  }
});
