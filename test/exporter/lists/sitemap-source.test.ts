import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { openSitemapSource } from "../../../src/exporter/lists/sitemap-source.ts";
import { listenSite, virtualTiming } from "../../site-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { codesOf, drainPages, keepEvents, listed } from "./listing.ts";

const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const noon = Date.UTC(2026, 10, 20, 12) / 1000;

function urlset(...entries: ReadonlyArray<readonly [string, string?]>): string {
  const urls = entries.map(
    ([loc, lastmod]) => `<url><loc>${loc}</loc>${lastmod === undefined ? "" : `<lastmod>${lastmod}</lastmod>`}</url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><urlset ${namespace}>${urls.join("")}</urlset>`;
}

function index(...locations: readonly string[]): string {
  return `<sitemapindex ${namespace}>${locations.map((loc) => `<sitemap><loc>${loc}</loc></sitemap>`).join("")}</sitemapindex>`;
}

async function read(location: string, origin: string, folder: string, maxSitemaps = 100) {
  const { events, onEvent } = keepEvents();
  await using source = openSitemapSource({
    location,
    origin,
    spillFolder: folder,
    judgePath: () => undefined,
    timing: virtualTiming(noon * 1000),
    onEvent,
    ...{ maxSitemaps },
  });
  const pages = await drainPages(source);
  return { pages, codes: codesOf(events), isComplete: source.isComplete };
}

test("a sitemap is read from a file, gzip'd or not", async () => {
  using temp = makeTempFolder();
  const content = urlset(["https://example.org/b", "2026-11-20T12:00:00Z"], ["https://example.org/a?b=c&amp;d=e"]);
  const expected = [listed("/a?b=c&d=e"), listed("/b", { lastModified: noon })];
  for (const [name, bytes] of [
    ["sitemap.xml", content],
    ["sitemap.xml.gz", gzipSync(content)],
  ] as const) {
    const path = join(temp.path, name);
    writeFileSync(path, bytes);
    const { pages, codes, isComplete } = await read(path, "https://example.org", temp.path);
    assert.deepEqual(pages, expected);
    assert.deepEqual(codes, []);
    assert.ok(isComplete);
  }
  assert.deepEqual(readdirSync(temp.path), ["sitemap.xml", "sitemap.xml.gz"]);
});

test("an index is followed over HTTP, each sitemap once, and of a page that stands twice the last is taken", async () => {
  using temp = makeTempFolder();
  await using site = await listenSite((request, response) => {
    const files: Record<string, string | Buffer> = {
      "/sitemap.xml": index(
        `${site.origin}/1.xml.gz`,
        `${site.origin}/2.xml`,
        `${site.origin}/1.xml.gz`,
        `${site.origin}/sitemap.xml`,
      ),
      "/1.xml.gz": gzipSync(urlset([`${site.origin}/a`, "2026-11-19"], [`${site.origin}/c`])),
      "/2.xml": urlset([`${site.origin}/a`, "2026-11-20T12:00:00Z"], [`${site.origin}/b`]),
    };
    const file = files[request.url ?? ""];
    if (file === undefined) response.writeHead(404).end();
    else response.end(file);
  });
  const { pages, codes, isComplete } = await read(`${site.origin}/sitemap.xml`, site.origin, temp.path);
  assert.deepEqual(pages, [listed("/a", { lastModified: noon }), listed("/b"), listed("/c")]);
  assert.deepEqual(codes, ["listed-twice"]);
  assert.ok(isComplete);
  assert.deepEqual(site.requests, ["GET /sitemap.xml", "GET /1.xml.gz", "GET /2.xml"]);
  assert.deepEqual(readdirSync(temp.path), []);
});

test("what is missing, broken, elsewhere, too deep or too much makes the list incomplete, and the rest is taken", async () => {
  using temp = makeTempFolder();
  await using site = await listenSite((request, response) => {
    const { url = "" } = request;
    const { origin } = site;
    if (url === "/deep0.xml") response.end(index(`${origin}/deep1.xml`));
    else if (url === "/deep1.xml") response.end(index(`${origin}/deep2.xml`));
    else if (url === "/deep2.xml") response.end(index(`${origin}/deep3.xml`));
    else if (url === "/few.xml") response.end(index(`${origin}/good.xml`, `${origin}/deep0.xml`));
    else if (url === "/good.xml") response.end(urlset([`${origin}/good`]));
    else if (url === "/cut.xml") response.end(urlset([`${origin}/cut`]).slice(0, -12));
    else if (url === "/page.xml") response.end("<html></html>");
    else if (url === "/cut.xml.gz") response.end(gzipSync(urlset([`${origin}/x`])).subarray(0, 30));
    else if (url.startsWith("/index-of-")) {
      const other = url.slice("/index-of-".length);
      response.end(
        index(other.startsWith("http") ? decodeURIComponent(other) : `${origin}/${other}`, `${origin}/good.xml`),
      );
    } else response.writeHead(404).end();
  });
  const rows = [
    ["none.xml", "unavailable"],
    ["cut.xml", "not-well-formed"],
    ["page.xml", "not-a-sitemap"],
    ["cut.xml.gz", "unreadable"],
    ["http%3A%2F%2Fevil.test%2Fa.xml", "other-origin"],
    ["deep0.xml", "too-deep"],
  ] as const;
  for (const [name, code] of rows) {
    const { pages, codes, isComplete } = await read(`${site.origin}/index-of-${name}`, site.origin, temp.path);
    assert.deepEqual(
      pages.filter(({ path }) => path === "/good"),
      [listed("/good")],
      name,
    );
    assert.equal(isComplete, false, name);
    assert.equal(codes.length, 1, `${name}: ${codes}`);
    if (name !== "cut.xml") assert.deepEqual(codes, [code]);
  }
  const few = await read(`${site.origin}/few.xml`, site.origin, temp.path, 2);
  assert.deepEqual(few, { pages: [listed("/good")], codes: ["too-many"], isComplete: false });
});

test("without the first sitemap, or with one of another site, there is no list", async () => {
  using temp = makeTempFolder();
  await using site = await listenSite((request, response) => {
    if (request.url === "/other.xml") response.end(urlset(["https://other.test/a"]));
    else response.writeHead(request.url === "/none.xml" ? 404 : 503).end();
  });
  await assert.rejects(read(`${site.origin}/none.xml`, site.origin, temp.path), { code: "site-unavailable" });
  await assert.rejects(read(`${site.origin}/busy.xml`, site.origin, temp.path), { code: "site-unavailable" });
  await assert.rejects(read(`${site.origin}/other.xml`, site.origin, temp.path), { code: "bad-option" });
  await assert.rejects(read(join(temp.path, "none.xml"), site.origin, temp.path), { code: "not-found" });
  assert.deepEqual(readdirSync(temp.path), []);
});
