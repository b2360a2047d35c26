import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { TidemarkError } from "../../../src/core/error.ts";
import type { Page } from "../../../src/core/page.ts";
import { crawlSite } from "../../../src/crawler/crawl-site.ts";
import { mirrorPathOf } from "../../../src/storage/mirror/mirror-path.ts";
import { readMirror } from "../../crawler/engine/mirror.ts";
import { listenSite, type SiteServer } from "../../site-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { countsOf, digestOf, type Run, TestSite, warningsOf } from "../publish/test-site.ts";

async function* bytesOf(...pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece);
}

const isBadOption = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof TidemarkError, String(error));
  assert.equal(error.code, "bad-option");
  assert.match(error.message, pattern);
  return true;
};

function pageOf(site: TestSite, path: string): Page {
  const page = site.hold().get(path);
  assert.ok(page !== undefined, path);
  return page;
}

const problemsOf = ({ events }: Run) => events.flatMap((event) => (event.event === "item-error" ? [event.code] : []));

test("files and listed pages are published as one site, and a list that did not change costs no write", async () => {
  using site = new TestSite();
  site.write("about.html", "about", 1_700_000_000);
  site.write("z.css", "z", 1_700_000_000);
  const urls = join(site.folder, "list.tsv");
  const digest = digestOf("body");
  const list = [
    "https://example.org/about.html\t2020-01-01T00:00:00Z\t1",
    "/news?id=2",
    `/news?id=1\t2025-02-03T04:05:06Z\t4\t${digest}\ttext/plain`,
    "/paper.pdf?download",
    "/shop/index.php",
    "/sized\t-\t7",
  ];
  writeFileSync(urls, `${list.join("\n")}\n`);
  const first = await site.export({ urls });
  assert.equal(countsOf(first), "7 pages: 7 created, 0 updated, 0 deleted, 0 touched");
  assert.deepEqual(first.summary.listed, { pages: 5, shadowed: 1 });
  assert.equal(first.summary.probes, undefined);
  const { publication } = first.summary;
  const type = "text/html";
  const unsaid = { sizeBytes: undefined, lastModified: publication, mediaType: type, digest: undefined };
  const holding = site.hold();
  assert.deepEqual(
    ["/news?id=1", "/news?id=2", "/paper.pdf?download", "/shop/index.php", "/sized"].map((path) => holding.get(path)),
    [
      {
        path: "/news?id=1",
        sizeBytes: 4,
        lastModified: Date.UTC(2025, 1, 3, 4, 5, 6) / 1000,
        mediaType: "text/plain",
        digest,
      },
      { path: "/news?id=2", ...unsaid },
      { path: "/paper.pdf?download", ...unsaid, mediaType: "application/pdf" },
      { path: "/shop/index.php", ...unsaid },
      { path: "/sized", ...unsaid, sizeBytes: 7 },
    ],
  );
  assert.equal(holding.get("/about.html")?.sizeBytes, 5, "the file counts");
  const [published, state] = [site.snapshot(), site.snapshot(site.stateDir)];
  const second = await site.export({ urls });
  assert.equal(countsOf(second), "7 pages: 0 created, 0 updated, 0 deleted, 0 touched");
  assert.equal(second.summary.bytesWritten, 0);
  assert.deepEqual([site.snapshot(), site.snapshot(site.stateDir)], [published, state]);
});

test("a list that changed updates, and one that shrank deletes", async () => {
  using site = new TestSite();
  site.write("file.html", "file");
  const lists = ["/a\t2025-01-01\n/b\t2025-01-01\t5\n/c\n/d\n", "/a\t2025-01-02\n/b\t2025-01-01\t6\n/d\n/e\n"];
  await site.export({ urls: bytesOf(lists[0] ?? "") });
  const second = await site.export({ urls: bytesOf(lists[1] ?? "") });
  assert.equal(countsOf(second), "5 pages: 1 created, 2 updated, 1 deleted, 0 touched");
  assert.deepEqual([...site.hold().keys()].sort(), ["/a", "/b", "/d", "/e", "/file.html"]);
  assert.equal(pageOf(site, "/a").lastModified, Date.UTC(2025, 0, 2) / 1000);
  assert.equal(pageOf(site, "/b").lastModified, second.summary.publication);
});

test("an export that leaves out a list of the last one is refused, and nothing is changed", async () => {
  using site = new TestSite();
  site.write("file.html", "file");
  const urls = join(site.folder, "list");
  const sitemapFrom = join(site.folder, "cms.xml");
  writeFileSync(urls, "/a\n");
  writeFileSync(
    sitemapFrom,
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.org/b</loc></url></urlset>',
  );
  await site.export({ urls, sitemapFrom });
  assert.deepEqual([...site.hold().keys()].sort(), ["/a", "/b", "/file.html"]);
  const published = site.snapshot();
  await assert.rejects(site.export(), isBadOption(/had --urls and --sitemap-from/));
  await assert.rejects(site.export({ urls }), isBadOption(/had --sitemap-from/));
  await assert.rejects(site.export({ sitemapFrom, dryRun: true }), isBadOption(/had --urls/));
  assert.deepEqual(site.snapshot(), published);
  const fewer = await site.export({ urls, allowFewerLists: true });
  assert.equal(countsOf(fewer), "2 pages: 0 created, 0 updated, 1 deleted, 0 touched");
  await assert.rejects(site.export(), isBadOption(/had --urls;/));
  await site.export({ allowFewerLists: true });
  assert.equal(countsOf(await site.export()), "1 pages: 0 created, 0 updated, 0 deleted, 0 touched");
});

test("that a list is not there any more is remembered, also when no page went with it", async () => {
  using site = new TestSite();
  site.write("a.html", "file");
  await site.export();
  await site.export({ urls: bytesOf("/a.html\n") });
  await assert.rejects(site.export(), isBadOption(/had --urls/));
  const run = await site.export({ allowFewerLists: true });
  assert.equal(run.summary.published, false);
  await site.export();
});

test("a page that becomes a file, or a file that becomes a listed page, is the same page", async () => {
  using site = new TestSite();
  const list = `/a.html\t2025-01-01\t4\t${digestOf("body")}\n/b.html\n/other\n`;
  site.write("b.html", "b", 1_700_000_000);
  await site.export({ urls: bytesOf(list) });
  site.write("a.html", "body", 1_750_000_000);
  site.remove("b.html");
  const run = await site.export({ urls: bytesOf(list) });
  assert.equal(countsOf(run), "3 pages: 0 created, 0 updated, 0 deleted, 1 touched");
  assert.equal(pageOf(site, "/a.html").lastModified, Date.UTC(2025, 0, 1) / 1000);
  site.write("a.html", "BODY", 1_750_000_000);
  assert.equal(
    countsOf(await site.export({ urls: bytesOf(list) })),
    "3 pages: 0 created, 1 updated, 0 deleted, 0 touched",
  );
});

test("a stream is read again when the state turns out to be corrupt after it was read", async () => {
  using site = new TestSite();
  site.write("file.html", "file");
  // More than the memory of pages is read at a time: what is wrong is met on the way.
  const paths = Array.from({ length: 50_000 }, (_, at) => `/${createHash("sha256").update(`${at}`).digest("hex")}`);
  const stream = () => bytesOf(`${paths.slice(0, 9).join("\n")}\n/`, `${paths.slice(9).join("\n").slice(1)}\n`);
  const first = await site.export({ urls: stream() });
  const [name = ""] = readdirSync(site.stateDir).filter((file) => file.startsWith("pages-"));
  const path = join(site.stateDir, name);
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2);
  bytes.fill(7, middle, middle + 1000);
  writeFileSync(path, bytes);
  const second = await site.export({ urls: stream() });
  assert.deepEqual(warningsOf(second), ["state-corrupt"]);
  assert.notEqual(second.summary.epoch, first.summary.epoch);
  assert.equal(countsOf(second), "50001 pages: 50001 created, 0 updated, 0 deleted, 0 touched");
});

test("an empty document root with a list is a site; an empty list is none", async () => {
  using site = new TestSite();
  assert.equal(
    countsOf(await site.export({ urls: bytesOf("/a\n") })),
    "1 pages: 1 created, 0 updated, 0 deleted, 0 touched",
  );
  await assert.rejects(site.export({ urls: bytesOf("") }), isBadOption(/is a page of/));
  const run = await site.export({ urls: bytesOf(""), allowEmpty: true });
  assert.equal(countsOf(run), "0 pages: 0 created, 0 updated, 1 deleted, 0 touched");
});

test("options that say nothing to each other are refused", async () => {
  using site = new TestSite();
  await assert.rejects(site.export({ probe: true }), isBadOption(/neither/));
  await assert.rejects(site.export({ urlsFormat: "csv" }), isBadOption(/missing/));
  for (const how of [{ probeBudget: -1 }, { probeDelayMs: 0.5 }, { probeConcurrency: 0 }, { probeConcurrency: 65 }]) {
    await assert.rejects(site.export({ urls: bytesOf("/a\n"), probe: true, ...how }), isBadOption(/whole number/));
    await assert.rejects(site.export({ urls: bytesOf("/a\n"), ...how }), isBadOption(/which is missing/));
  }
});

/** A server of a site's published files, with pages that a handler makes. */
async function serve(site: TestSite, made: Map<string, string>): Promise<SiteServer> {
  return await listenSite((request, response) => {
    const path = request.url ?? "/";
    const body = made.get(path);
    if (body !== undefined) {
      const etag = `"${createHash("md5").update(body).digest("hex")}"`;
      const isSame = request.headers["if-none-match"] === etag;
      response.writeHead(isSame ? 304 : 200, { "content-type": "text/html", etag }).end(isSame ? undefined : body);
      return;
    }
    const file = join(site.docroot, decodeURIComponent(path));
    if (existsSync(file) && statSync(file).isFile()) response.writeHead(200).end(readFileSync(file));
    else response.writeHead(404).end();
  });
}

test("the server is asked for pages without a last-modified, within the budget, and says what changed", async () => {
  using site = new TestSite();
  const made = new Map([
    ["/a", "a"],
    ["/b", "b"],
    ["/c", "c"],
  ]);
  await using server = await serve(site, made);
  const list = "/a\n/b\n/c\n/dated\t2025-01-01\n/gone\n";
  const asked = (): string[] => server.requests.splice(0).filter((request) => request !== "GET /robots.txt");
  const run = async (budget: number, dryRun = false): Promise<Run> =>
    await site.export({
      baseUrl: server.origin,
      urls: bytesOf(list),
      probe: true,
      probeBudget: budget,
      probeDelayMs: 0,
      dryRun,
    });
  const trial = await run(10, true);
  assert.deepEqual([trial.summary.probes?.asked, trial.summary.probes?.deferred], [0, 4]);
  assert.deepEqual(asked(), []);
  assert.ok(!existsSync(site.stateDir));
  const first = await run(3);
  assert.deepEqual(asked(), ["GET /a", "GET /b", "GET /c"]);
  assert.deepEqual(first.summary.probes, { asked: 3, same: 0, fetched: 3, gone: 0, troubled: 0, deferred: 1 });
  assert.deepEqual(pageOf(site, "/b"), {
    path: "/b",
    sizeBytes: 1,
    lastModified: pageOf(site, "/b").lastModified,
    mediaType: "text/html",
    digest: digestOf("b"),
  });
  made.set("/b", "changed");
  const second = await run(10);
  assert.deepEqual(asked().sort(), ["GET /a", "GET /b", "GET /c", "GET /gone"]);
  assert.deepEqual(second.summary.probes, { asked: 4, same: 2, fetched: 1, gone: 1, troubled: 0, deferred: 0 });
  assert.equal(countsOf(second), "4 pages: 0 created, 1 updated, 1 deleted, 0 touched");
  assert.equal(pageOf(site, "/b").digest, digestOf("changed"));
});

test("a sitemap that the server gives lists pages; while a part of it cannot be had nothing is deleted", async () => {
  using site = new TestSite();
  site.write("file.html", "file");
  const made = new Map<string, string>();
  await using server = await serve(site, made);
  const url = (path: string, day: string) => `<url><loc>${server.origin}${path}</loc><lastmod>${day}</lastmod></url>`;
  const schema = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
  made.set(
    "/cms.xml",
    `<sitemapindex ${schema}>${["one", "two"].map((name) => `<sitemap><loc>${server.origin}/${name}.xml</loc></sitemap>`).join("")}</sitemapindex>`,
  );
  made.set("/one.xml", `<urlset ${schema}>${url("/a", "2025-01-01")}${url("/b", "2025-01-01")}</urlset>`);
  made.set("/two.xml", `<urlset ${schema}>${url("/c", "2025-01-01")}</urlset>`);
  const run = async () => await site.export({ baseUrl: server.origin, sitemapFrom: `${server.origin}/cms.xml` });
  assert.equal(countsOf(await run()), "4 pages: 4 created, 0 updated, 0 deleted, 0 touched");
  made.delete("/two.xml");
  made.set("/one.xml", `<urlset ${schema}>${url("/a", "2025-02-01")}</urlset>`);
  const broken = await run();
  assert.deepEqual(problemsOf(broken), ["unavailable"]);
  assert.equal(countsOf(broken), "4 pages: 0 created, 1 updated, 0 deleted, 0 touched");
  made.set("/two.xml", `<urlset ${schema}>${url("/c", "2025-01-01")}</urlset>`);
  assert.equal(countsOf(await run()), "3 pages: 0 created, 0 updated, 1 deleted, 0 touched");
});

test("a crawler mirrors pages of unknown size, byte for byte, and asks again only for those that changed", async () => {
  using site = new TestSite();
  using folder = makeTempFolder();
  site.write("file.html", "file");
  const large = "large ".repeat(100_000);
  const made = new Map([
    ["/news?id=1", "news"],
    ["/feed", "feed"],
    ["/large", large],
    ["/digested", "first"],
  ]);
  await using server = await serve(site, made);
  const list = (day: string) =>
    `/news?id=1\t2025-01-01\n/feed\t2025-01-${day}\n/large\n/digested\t2025-01-01\t-\t${digestOf(made.get("/digested") ?? "")}\n`;
  const round = async (urls: string) => {
    await site.export({ baseUrl: server.origin, urls: bytesOf(urls) });
    server.requests.length = 0;
    const summary = await crawlSite({ url: server.origin, into: folder.path });
    const served = Object.fromEntries([
      ["/file.html", "file"],
      ...[...made].map(([path, body]) => [`/${mirrorPathOf(path, false)}`, body]),
    ]);
    assert.deepEqual(readMirror(folder.path, server.origin), served);
    const pages = server.requests.filter((request) => !/robots\.txt|\.well-known/.test(request));
    return { summary, pages: pages.sort() };
  };
  const first = await round(list("01"));
  assert.deepEqual([first.summary.created, first.summary.differing, first.summary.pending], [5, 0, 0]);
  const idle = await round(list("01"));
  assert.deepEqual(idle.pages, []);
  made.set("/feed", "a longer feed");
  made.set("/digested", "second");
  const second = await round(list("02"));
  assert.deepEqual(second.pages, ["GET /digested", "GET /feed"]);
  assert.deepEqual([second.summary.updated, second.summary.differing, second.summary.pending], [2, 0, 0]);
  // Without its memory it takes over what it holds, sizes unknown or not.
  rmSync(join(folder.path, ".tidemark"), { recursive: true });
  assert.deepEqual((await round(list("02"))).pages, []);
});

test("a body that is coded although nobody asked for it is decoded, also where the record says neither size nor digest", async () => {
  using site = new TestSite();
  using folder = makeTempFolder();
  const made = new Map<string, string>();
  await using server = await serve(site, made);
  const { answer } = server;
  server.answer = (request, response) => {
    if (request.url !== "/a") answer(request, response);
    else response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("plain"));
  };
  await site.export({ baseUrl: server.origin, urls: bytesOf("/a\n") });
  await crawlSite({ url: server.origin, into: folder.path });
  assert.equal(readMirror(folder.path, server.origin)["/a"], "plain");
});

test("a body without end is not read, although nobody said how large the page is", async () => {
  using site = new TestSite();
  using folder = makeTempFolder();
  await using server = await serve(site, new Map());
  const { answer } = server;
  server.answer = (request, response) => {
    if (request.url === "/endless") response.writeHead(200, { "content-length": 2 ** 30 + 1 }).write("x");
    else answer(request, response);
  };
  await site.export({ baseUrl: server.origin, urls: bytesOf("/endless\n") });
  const messages: string[] = [];
  const summary = await crawlSite({
    url: server.origin,
    into: folder.path,
    timeoutMs: 2000,
    onEvent: (event) => {
      if (event.event === "page") messages.push(event.message ?? "");
    },
  });
  assert.deepEqual([summary.failed, summary.pending], [1, 1]);
  assert.match(messages.join(), /1073741824 are allowed/);
  assert.deepEqual(readMirror(folder.path, server.origin), {});
});

test("a body other than the digest of a page of unknown size says is kept as served and asked for again", async () => {
  using site = new TestSite();
  using folder = makeTempFolder();
  const made = new Map([["/a", "served"]]);
  await using server = await serve(site, made);
  await site.export({ baseUrl: server.origin, urls: bytesOf(`/a\t2025-01-01\t-\t${digestOf("listed")}\n`) });
  const summary = await crawlSite({ url: server.origin, into: folder.path });
  assert.deepEqual([summary.differing, summary.pending], [1, 1]);
  assert.equal(readMirror(folder.path, server.origin)["/a"], "served");
});

test("a list publishes no secret's name either, and knows pages from files", async () => {
  using site = new TestSite();
  site.write("index.html", "x");
  const pages = [
    "/docs/core",
    "/index.php?id=1",
    "/search.pl",
    "/blog/v1.2",
    "/user/john.doe",
    "/cgi-bin/find",
    "/~ann/",
  ];
  const secrets = ["/dump.sql", "/.env", "/a/.git/config", "/id_rsa", "/wp-config.php.bak", "/keys/server.key"];
  const run = await site.export({ urls: bytesOf([...pages, ...secrets].map((path) => `${path}\n`).join("")) });
  assert.deepEqual([...site.hold().keys()].sort(), [...pages, "/index.html"].sort());
  const withheld = run.events.filter((event) => event.event === "withheld").map(({ path }) => path);
  for (const path of secrets) assert.ok(withheld.includes(path), path);
});

test("a line with a field in the wrong column publishes nothing, and what was published of its page stays", async () => {
  using site = new TestSite();
  site.write("index.html", "x");
  const first = `/a\t2025-01-01\t5\n/b\t2025-01-01\t5\n/c\t2025-01-01\t5\n`;
  await site.export({ urls: bytesOf(first) });
  const before = site.hold();
  // Of /a and /new the columns are shifted; /b is not listed any more; of /c the last line counts.
  const shifted =
    "/a\t5\ttext/html\n/new\t7\ttext/html\n/c\t2025-02-02\t9\n/c\t9\ttext/html\n/d\t9\tx\n/d\t2025-02-02\t9\n";
  const run = await site.export({ urls: bytesOf(shifted) });
  assert.deepEqual([...site.hold().keys()].sort(), ["/a", "/c", "/d", "/index.html"]);
  for (const path of ["/a", "/c"]) assert.deepEqual(site.hold().get(path), before.get(path), path);
  assert.deepEqual([run.summary.created, run.summary.updated, run.summary.deleted], [1, 0, 1]);
  const told = run.events.filter((event) => event.event === "item-error");
  assert.deepEqual([...new Set(told.map(({ code }) => code))], ["bad-size"]);
  assert.ok(told.every(({ message }) => message.endsWith("stays as it was")));
  // The list is mended.
  await site.export({ urls: bytesOf("/a\t2025-03-03\t6\n/c\t2025-01-01\t5\n/d\t2025-02-02\t9\n") });
  assert.equal(site.hold().get("/a")?.sizeBytes, 6);
});
