import assert from "node:assert/strict";
import { statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { describe, it } from "node:test";
import { constants, createBrotliCompress, createGzip, gzipSync } from "node:zlib";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { readCrawlChanges } from "../../../src/crawler/read-crawl-changes.ts";
import { listenRaw, plainAnswer, type RawServer } from "../../http/raw-server.ts";
import { fewer } from "../../long-run.ts";
import { MappedSite, sitemapIndex, urlset } from "./mapped-site.ts";
import { readMirror } from "./mirror.ts";
import { Crawler, type Visit } from "./site-visit.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const links: Partial<CrawlSiteOptions> = { sources: ["links"] };
const lists: Partial<CrawlSiteOptions> = { sources: ["sitemap", "links"] };
const mebibyte = 1024 * 1024;
const rules = "User-agent: *\nDisallow: /private/\n";

const unavailable: Answer = (_, response) => void response.writeHead(503, { "retry-after": "1" }).end();

function coded(coding: string, body: Uint8Array): Answer {
  return (_, response) => void response.writeHead(200, { "content-encoding": coding }).end(body);
}

/** Half of a body of which the whole length was said. */
function half(body: string): Answer {
  return (_, response) => {
    response.writeHead(200, { "content-length": body.length });
    response.write(body.slice(0, body.length / 2));
    setImmediate(() => response.destroy());
  };
}

/** A gibibyte that begins with a text, through a coding. Made in pieces: what it takes to make it is no part of what is measured. */
async function makeBomb(text: string, coding: Transform): Promise<Buffer> {
  const pieces: Buffer[] = [];
  coding.on("data", (piece: Buffer) => pieces.push(piece));
  const filling = Buffer.alloc(mebibyte, " ");
  const body = function* (): Generator<Buffer> {
    yield Buffer.from(text.padEnd(mebibyte));
    for (let at = 1; at < 1024; at++) yield filling;
  };
  await pipeline(Readable.from(body()), coding);
  return Buffer.concat(pieces);
}

const bombText = `${rules}<a href="/x.html">`;
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 24 };
const gzipBomb = await makeBomb(bombText, createGzip({ level: 1 }));
const makeBombs: readonly (readonly [string, () => Uint8Array | Promise<Uint8Array>])[] = [
  ["gzip, gzip", () => gzipSync(gzipBomb)],
  ["gzip", () => gzipBomb],
  ["br", () => makeBomb(bombText, createBrotliCompress({ params: brotliParams }))],
];

/** Does something within half a minute of processor time and 150 MB of memory more than before. */
async function withinBounds(act: () => Promise<void>): Promise<void> {
  const before = process.resourceUsage().maxRSS;
  const start = process.cpuUsage();
  await act();
  const grownMb = (process.resourceUsage().maxRSS - before) / 1000;
  assert.ok(grownMb < 150, `it took ${grownMb} MB`);
  const { user, system } = process.cpuUsage(start);
  assert.ok(user + system < 30e6, `it took ${(user + system) / 1e6} s`);
}

async function openLinked(): Promise<Crawler> {
  const crawler = await Crawler.open();
  crawler.site.set({ "/": `<a href="/a.html">a</a><a href="/b.html">b</a>`, "/a.html": "a 1", "/b.html": "b 1" });
  return crawler;
}

describe("a bomb", async () => {
  for (const [coding, make] of fewer(makeBombs, 3)) {
    const bomb = await make();
    it(`coded as ${coding} is no page, and replaces none`, async () => {
      await using crawler = await openLinked();
      await crawler.visit(links);
      crawler.site.answers.set("/a.html", coded(coding, bomb));
      crawler.site.set({ "/b.html": "b 2" });
      await withinBounds(async () => {
        assert.deepEqual((await crawler.visitNextDay(links)).pages, ["failed /a.html", "updated /b.html"]);
      });
      assert.equal(crawler.mirror()["/a.html"], "a 1");
    });

    it(`coded as ${coding} is no page of a site with archives`, async () => {
      await using crawler = await openLinked();
      crawler.site.publishBase();
      await crawler.visit();
      crawler.site.set({ "/a.html": "a 2", "/b.html": "b 2" });
      crawler.site.publish();
      crawler.site.answers.set("/a.html", coded(coding, bomb));
      await withinBounds(async () => {
        const { pages } = await crawler.visitNextDay();
        assert.deepEqual(pages.toSorted(), ["failed /a.html", "updated /b.html"]);
      });
      assert.equal(crawler.mirror()["/a.html"], "a 1");
      crawler.site.answers.clear();
      assert.deepEqual((await crawler.visitNextDay()).pages, ["updated /a.html"]);
    });

    it(`coded as ${coding} is no sitemap, and nothing is gone for it`, async () => {
      await using site = await MappedSite.open(5);
      const { crawler } = site;
      await crawler.visit(lists);
      site.nextDay();
      site.change("/3.html", true);
      crawler.site.answers.set("/sitemap.xml", coded(coding, bomb));
      await withinBounds(async () => {
        const { pages, summary } = await crawler.visit(lists);
        assert.deepEqual([pages, summary.source, summary.deleted], [[], "none", 0]);
      });
      // Where it stays so, links are followed.
      for (let day = 0; day < 3; day++) {
        site.nextDay();
        assert.equal((await crawler.visit(lists)).summary.deleted, 0);
      }
      assert.deepEqual(site.stale(), []);
    });

    it(`coded as ${coding} is a robots.txt as far as robots.txt is read`, async () => {
      await using crawler = await openLinked();
      crawler.site.set({ "/": `<a href="/private/a.html">a</a><a href="/b.html">b</a>`, "/private/a.html": "a" });
      crawler.site.answers.set("/robots.txt", coded(coding, bomb));
      await withinBounds(async () => {
        const { pages } = await crawler.visit(links);
        assert.deepEqual(pages.toSorted(), ["created /", "created /b.html", "disallowed /private/a.html"]);
      });
    });
  }

  it("is a file of gzip as well: a sitemap of a gibibyte is none", async () => {
    await using crawler = await openLinked();
    crawler.site.answers.set("/sitemap.xml", (_, response) => void response.end(gzipBomb));
    await withinBounds(async () => {
      const { summary } = await crawler.visit(lists);
      assert.deepEqual([summary.source, summary.created], ["links", 3]);
    });
  });

  const laughs = Array.from({ length: 20 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join("");
  const doctype = `<!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]>`;
  for (const [what, text] of [
    ["sitemap", `${doctype}${urlset("&l20;", [{ path: "/a.html" }])}`],
    ["sitemap index", `${doctype}${sitemapIndex("&l20;")}`],
    ["feed", `${doctype}<rss version="2.0"><channel><item><link>&l20;</link></item></channel></rss>`],
    ["feed of Atom", `${doctype}<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>&l20;</id></entry></feed>`],
  ] as const) {
    it(`of entities is no ${what}, and nothing is gone for it`, async () => {
      await using site = await MappedSite.open(5);
      const { crawler } = site;
      await crawler.visit(lists);
      site.nextDay();
      crawler.site.answers.set("/sitemap.xml", (_, response) => void response.end(text));
      await withinBounds(async () => {
        const { pages, summary } = await crawler.visit(lists);
        assert.deepEqual([pages, summary.source, summary.deleted], [[], "none", 0]);
      });
      assert.deepEqual(site.stale(), []);
    });
  }
});

describe("a robots.txt that changes in the middle of a visit", () => {
  it("holds from the next visit on: what it disallows by then stays as it is, and is not asked for", async () => {
    await using crawler = await openLinked();
    const { site } = crawler;
    site.files.set("/robots.txt", Buffer.from("User-agent: *\nDisallow: /nothing/\n"));
    site.answers.set("/a.html", () => site.files.set("/robots.txt", Buffer.from("User-agent: *\nDisallow: /b.html\n")));
    assert.deepEqual((await crawler.visit(links)).pages, ["created /", "created /a.html", "created /b.html"]);
    site.set({ "/a.html": "a 2", "/b.html": "b 2" });
    const next = await crawler.visitNextDay(links);
    assert.deepEqual(next.pages.toSorted(), ["disallowed /b.html", "updated /a.html"]);
    assert.deepEqual([crawler.mirror()["/b.html"], next.summary.deleted], ["b 1", 0]);
    site.files.delete("/robots.txt");
    assert.deepEqual((await crawler.visitNextDay(links)).pages, ["updated /b.html"]);
  });

  it("holds after a day also where the visit takes longer", async () => {
    await using crawler = await openLinked();
    const { site } = crawler;
    const hour = 3_600_000;
    for (const [path, hours] of [
      ["/", 0],
      ["/a.html", 25],
      ["/b.html", 0],
    ] as const)
      site.answers.set(path, () => {
        crawler.now += hours * hour;
        site.files.set("/robots.txt", Buffer.from(hours === 0 ? "" : "User-agent: *\nDisallow: /b.html\n"));
      });
    const visit = await crawler.visit(links);
    assert.deepEqual(visit.pages, ["created /", "created /a.html", "disallowed /b.html"]);
    assert.deepEqual(visit.requests, ["404 /robots.txt", "200 /", "200 /a.html", "200 /robots.txt"]);
  });
});

describe("a storm of 503", () => {
  const storm = (crawler: Crawler, paths: Iterable<string>): void => {
    for (const path of paths) crawler.site.answers.set(path, unavailable);
  };

  for (const [what, answer] of [
    ["503", unavailable],
    ["429", (_: IncomingMessage, response: ServerResponse) => void response.writeHead(429).end()],
    ["closed connections", (request: IncomingMessage) => void request.socket.destroy()],
  ] as const) {
    it(`(${what}) replaces and deletes nothing of a polled site, and ends the visit early`, async () => {
      await using site = await MappedSite.open(40);
      const { crawler } = site;
      await crawler.visit(lists);
      const before = crawler.mirror();
      for (let day = 0; day < 4; day++) {
        site.nextDay();
        site.change(`/${day}.html`);
        site.change(`/new-${day}.html`);
        site.publish();
        for (const path of crawler.site.pages.keys()) crawler.site.answers.set(path, answer);
        const visit = await crawler.visit(lists);
        assert.deepEqual([visit.summary.deleted, visit.summary.updated, visit.summary.created], [0, 0, 0]);
        assert.ok(visit.warnings.includes("site-in-trouble"), visit.warnings.join());
        assert.ok(visit.requests.length < 40, `${visit.requests.length} requests`);
        assert.deepEqual(crawler.mirror(), before);
      }
      crawler.site.answers.clear();
      site.nextDay();
      await crawler.visit(lists);
      assert.deepEqual(site.stale(), []);
    });
  }

  it("in the middle of a visit leaves what came before it, and the rest is work", async () => {
    await using site = await MappedSite.open(40);
    const { crawler } = site;
    let served = 0;
    for (const path of [...crawler.site.pages.keys()])
      crawler.site.answers.set(path, (request, response) => {
        if (++served > 15) unavailable(request, response);
      });
    const { summary } = await crawler.visit(lists);
    assert.deepEqual([summary.created, summary.deleted, summary.failed + summary.pending], [15, 0, 25]);
    crawler.site.answers.clear();
    site.nextDay();
    const again = await crawler.visit(lists);
    assert.equal(again.summary.created, 25);
    assert.deepEqual(site.stale(), []);
  });

  it("for robots.txt or the sitemap alone deletes nothing and asks for no page instead", async () => {
    for (const path of ["/robots.txt", "/sitemap.xml"]) {
      await using site = await MappedSite.open(5);
      const { crawler } = site;
      crawler.site.files.set("/robots.txt", Buffer.from(`Sitemap: ${crawler.site.origin}/sitemap.xml\n`));
      await crawler.visit(lists);
      const before = crawler.mirror();
      crawler.now += 2 * 86_400_000;
      storm(crawler, [path]);
      const { requests, summary } = await crawler.visit(lists);
      assert.ok(
        requests.every((request) => !request.endsWith(".html")),
        requests.join(),
      );
      assert.deepEqual([summary.source, summary.deleted], ["none", 0]);
      assert.deepEqual(crawler.mirror(), before);
    }
  });
});

describe("an answer that nobody asked for", () => {
  for (const [what, answer] of [
    [
      "304",
      (request: IncomingMessage, response: ServerResponse) => {
        delete request.headers["if-none-match"];
        response.writeHead(304).end();
      },
    ],
    ["half a body", half("User-agent: *\nDisallow:\n<urlset></urlset>".padEnd(1000))],
    [
      "206",
      (_: IncomingMessage, response: ServerResponse) =>
        void response.writeHead(206, { "content-range": "bytes 0-0/10", "content-length": 1 }).end("x"),
    ],
  ] as const) {
    it(`(${what}) is no robots.txt: the site is left alone`, async () => {
      await using crawler = await openLinked();
      crawler.site.answers.set("/robots.txt", answer);
      const { summary, requests } = await crawler.visit(links);
      assert.equal(summary.source, "none");
      assert.ok(
        requests.every((request) => request.endsWith("/robots.txt")),
        requests.join(),
      );
    });

    it(`(${what}) is no sitemap: nothing is gone for it`, async () => {
      await using site = await MappedSite.open(5);
      const { crawler } = site;
      crawler.site.files.set("/robots.txt", Buffer.from(`Sitemap: ${crawler.site.origin}/sitemap.xml\n`));
      crawler.site.answers.set("/sitemap.xml", answer);
      assert.deepEqual((await crawler.visit(lists)).summary.created, 0);
      crawler.site.answers.clear();
      site.nextDay();
      assert.deepEqual((await crawler.visit(lists)).summary.created, 5);
    });

    it(`(${what}) is no index and no archive: nothing is gone for it`, async () => {
      await using crawler = await openLinked();
      crawler.site.publishBase();
      for (const path of [...crawler.site.files.keys()])
        if (path !== "/robots.txt") crawler.site.answers.set(path, answer);
      const first = await crawler.visit();
      assert.deepEqual([first.summary.created, first.summary.cursor], [0, undefined]);
      crawler.site.answers.clear();
      assert.equal((await crawler.visitNextDay()).summary.created, 3);
      crawler.site.set({ "/a.html": undefined });
      crawler.site.publish();
      for (const path of [...crawler.site.files.keys()])
        if (path !== "/robots.txt") crawler.site.answers.set(path, answer);
      assert.equal((await crawler.visitNextDay()).summary.deleted, 0);
      assert.equal(crawler.mirror()["/a.html"], "a 1");
      crawler.site.answers.clear();
      assert.equal((await crawler.visitNextDay()).summary.deleted, 1);
    });
  }
});

describe("an ETag that all of a site shares", () => {
  it("hides neither a change of a page nor what its sitemap names by now", async () => {
    await using site = await MappedSite.open(5);
    const { crawler } = site;
    const share = (): void => {
      for (const path of [...crawler.site.pages.keys(), "/sitemap.xml"])
        crawler.site.answers.set(path, (request, response) => {
          if (request.headers["if-none-match"] === '"build-7"') response.writeHead(304, { etag: '"build-7"' }).end();
          else {
            const body = crawler.site.files.get(path) ?? crawler.site.pages.get(path)?.body;
            response.writeHead(200, { etag: '"build-7"', "content-type": "text/html" }).end(body);
          }
        });
    };
    share();
    await crawler.visit(lists);
    for (let day = 0; day < 6; day++) {
      site.nextDay();
      site.change(`/${day % 5}.html`);
      site.change(`/new-${day}.html`);
      site.publish();
      share();
      await crawler.visit(lists);
      assert.deepEqual(site.stale(), [], `day ${day}`);
    }
  });
});

describe("sitemaps without end", () => {
  it("that each name all others are remembered in bounded space, and told of in few lines", async () => {
    await using crawler = await openLinked();
    const { site } = crawler;
    const names = Array.from({ length: 130 }, (_, at) => `${site.origin}/${at}.xml${"x".repeat(1000)}`);
    const foreign = Array.from({ length: 100 }, (_, at) => `https://elsewhere.example/${at}.xml`);
    const all = Buffer.from(sitemapIndex(...names, ...foreign));
    site.files.set("/sitemap.xml", all);
    for (const name of names) site.files.set(name.slice(site.origin.length), all);
    const page = `${site.origin}/129.xml${"x".repeat(1000)}`;
    site.files.set(page.slice(site.origin.length), Buffer.from(urlset(site.origin, [{ path: "/a.html" }])));
    await withinBounds(async () => {
      const { pages, warnings } = await crawler.visit(lists);
      assert.deepEqual(pages, ["created /a.html"]);
      assert.equal(warnings.length, 21);
    });
    const state = statSync(join(crawler.folder.path, ".tidemark", "state.db"));
    assert.ok(state.size < 12 * mebibyte, `the state has ${state.size} bytes`);
    site.files.set(page.slice(site.origin.length), Buffer.from(urlset(site.origin, [{ path: "/b.html" }])));
    assert.deepEqual((await crawler.visitNextDay(lists)).pages, ["created /b.html"]);
  });
});

/** A site of which every byte is the test's own, and a crawler that has visited it when all was well. */
async function visitRaw(answers: Record<string, string>): Promise<{
  readonly crawler: Crawler;
  readonly server: RawServer;
  readonly visit: () => Promise<Visit>;
  readonly mirror: () => Record<string, string>;
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const good: Record<string, string> = {
    "/": plainAnswer(200, ["Content-Type: text/html"], `<a href="/a">a</a><a href="/b">b</a>`),
    "/a": plainAnswer(200, ["Content-Type: text/html"], "a 1"),
    "/b": plainAnswer(200, ["Content-Type: text/html"], "b 1"),
  };
  const crawler = await Crawler.open();
  const server = await listenRaw((socket, head) => {
    const path = head.split(" ")[1] ?? "";
    socket.write(good[path] ?? plainAnswer(404), "latin1");
  });
  const visit = (): Promise<Visit> => crawler.visitNextDay({ ...links, url: server.origin, timeoutMs: 2000 });
  await visit();
  good["/b"] = plainAnswer(200, ["Content-Type: text/html"], "b 2");
  Object.assign(good, answers);
  return {
    crawler,
    server,
    visit,
    mirror: () => readMirror(crawler.folder.path, server.origin),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await crawler[Symbol.asyncDispose]();
    },
  };
}

function oddField(field: string): string {
  return `HTTP/1.1 200 OK\r\n${field}\r\nContent-Length: 3\r\n\r\na 2`;
}

describe("an answer of odd bytes", () => {
  const bytes = Array.from({ length: 128 }, (_, at) => String.fromCharCode(128 + at)).join("");
  for (const [what, answer] of [
    ["a folded field", oddField("X: a\r\n b")],
    ["a NUL", oddField('ETag: "a\0b"')],
    ["a field of a megabyte", oddField(`X: ${"x".repeat(mebibyte)}`)],
    [
      "fields of a megabyte",
      oddField(Array.from({ length: 10_000 }, (_, at) => `X-${at}: ${"y".repeat(90)}`).join("\r\n")),
    ],
    ["no status", "nonsense\r\n\r\n"],
    ["a length that is larger than the body", "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\na 2"],
    ["a length in words", "HTTP/1.1 200 OK\r\nContent-Length: three\r\n\r\na 2"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\na 2"],
    [
      "a length beside chunks",
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na 2\r\n0\r\n\r\n",
    ],
    ["a range of more than there is", "HTTP/1.1 206 OK\r\nContent-Range: bytes 0-2/3\r\nContent-Length: 3\r\n\r\na 2"],
    ["a range that is elsewhere", "HTTP/1.1 206 OK\r\nContent-Range: bytes 5-7/3\r\nContent-Length: 3\r\n\r\na 2"],
  ] as const) {
    it(`(${what}) replaces nothing, and the next page is asked for`, async () => {
      await using raw = await visitRaw({ "/a": answer });
      const { pages } = await raw.visit();
      assert.deepEqual(pages, ["failed /a", "updated /b"]);
      assert.equal(raw.mirror()["/a"], "a 1");
    });
  }

  for (const [what, answer] of [
    ["every byte above ASCII", oddField(`ETag: "${bytes}"\r\nLast-Modified: ${bytes}`)],
    ["a range where none belongs", oddField("Content-Range: bytes 5-9/10")],
    ["an ETag that is too long to be sent back", oddField(`ETag: "${"x".repeat(5000)}"`)],
    ["a date beyond all dates", oddField("Last-Modified: Mon, 31 Dec 275761 23:59:59 GMT")],
  ] as const) {
    it(`(${what}) is a page, and is asked for once more`, async () => {
      await using raw = await visitRaw({ "/a": answer });
      assert.deepEqual((await raw.visit()).pages, ["updated /a", "updated /b"]);
      assert.equal(raw.mirror()["/a"], "a 2");
      assert.deepEqual((await raw.visit()).pages, []);
      if (!what.startsWith("every")) return;
      const last = raw.server.heads.findLast((head) => head.startsWith("GET /a ")) ?? "";
      assert.ok(last.includes(`if-none-match: "${bytes}"`), "the validator did not come back byte for byte");
    });
  }

  it("names no media type that would be two columns, or control a terminal", async () => {
    await using raw = await visitRaw({
      "/a": oddField("Content-Type: text/x\ty\x9b31m"),
      "/b": oddField(`Content-Type: text/${"x".repeat(5000)}`),
    });
    await raw.visit();
    using seen = readCrawlChanges({ store: raw.crawler.folder.path });
    const types = [...seen.changes].map(({ page }) => page?.mediaType);
    assert.deepEqual(types.toSorted(), ["application/octet-stream", "application/octet-stream", "text/html"]);
  });
});

describe("a redirect", () => {
  it("that leads in a circle, to a file, inside, or to another host or port is not followed", async () => {
    await using other = await openLinked();
    const { port } = new URL(other.site.origin);
    for (const location of [
      "/a.html",
      "file:///etc/passwd",
      "data:text/html,x",
      "javascript:alert(1)",
      other.site.origin,
      `http://localhost:${port}/`,
      `http://[::1]:${port}/`,
      `//0.0.0.0:${port}/`,
      `http://2130706433:${port}/`,
      "http://169.254.169.254/latest/meta-data/",
      "http://[::ffff:169.254.169.254]/",
      "http://metadata.google.internal/",
      "http://user:password@elsewhere.example/",
      "\\\\elsewhere.example\\a",
      "http://",
    ]) {
      await using crawler = await openLinked();
      await crawler.visit(links);
      crawler.site.answers.set("/a.html", (_, response) => void response.writeHead(302, { location }).end("moved"));
      crawler.site.set({ "/b.html": "b 2" });
      const { pages, requests } = await crawler.visitNextDay(links);
      assert.deepEqual(pages, ["failed /a.html", "updated /b.html"], location);
      assert.ok(requests.length < 10, requests.join());
      assert.equal(crawler.mirror()["/a.html"], "a 1");
    }
    assert.deepEqual(other.site.takeRequests(), []);
  });

  it("of another after another ends, and so does a visit to pages that all lead on", async () => {
    await using crawler = await openLinked();
    for (let at = 0; at < 200; at++)
      crawler.site.answers.set(
        at === 0 ? "/a.html" : `/to/${at}`,
        (_, response) =>
          void response.writeHead(302, { location: `/to/${at + 1}` }).end(`<a href="/to/${at + 2}">on</a>`),
      );
    const { pages, requests } = await crawler.visit(links);
    assert.deepEqual(pages, ["created /", "failed /a.html", "created /b.html"]);
    assert.ok(requests.length < 15, `${requests.length} requests`);
  });
});
