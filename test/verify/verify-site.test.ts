import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import type { Finding, VerifyEvent, VerifySummary } from "../../src/core/verify-event.ts";
import type { ExportSiteOptions } from "../../src/exporter/export-settings.ts";
import { exportSite } from "../../src/exporter/export-site.ts";
import { type VerifySiteOptions, verifySite } from "../../src/verify/verify-site.ts";
import { makeTempFolder } from "../temp-folder.ts";

/** What the server does before it would answer with a file; true if it has answered. */
type Fault = (request: IncomingMessage, response: ServerResponse, url: string) => boolean;

const types: Record<string, string> = {
  html: "text/html; charset=utf-8",
  txt: "text/plain",
  gz: "application/gzip",
};

/** A site with pages, exported, behind a server with a fault. */
class FaultySite implements AsyncDisposable {
  readonly #folder = makeTempFolder();
  readonly docroot: string = join(this.#folder.path, "site");
  readonly #server: Server;
  readonly requests: string[] = [];
  fault: Fault = () => false;

  constructor() {
    for (const name of ["about.html", "docs/index.html", "docs/b.html", "a.txt", "c.txt"])
      this.write(name, `<p>${name}`);
    this.#server = createServer((request, response) => {
      this.requests.push(request.url ?? "");
      if (!this.fault(request, response, this.url)) this.#answer(request.url ?? "", response);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}/`;
  }

  write(name: string, content: string): void {
    const path = join(this.docroot, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
  }

  async export(options: Partial<ExportSiteOptions> = {}): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    await exportSite({
      docroot: this.docroot,
      baseUrl: this.url,
      stateDir: join(this.#folder.path, "state"),
      ...options,
    });
  }

  async verify(options: Partial<VerifySiteOptions> = {}): Promise<{ findings: Finding[]; summary: VerifySummary }> {
    const findings: Finding[] = [];
    const onEvent = (event: VerifyEvent): void => {
      if (event.event === "finding") findings.push(event);
    };
    this.requests.length = 0;
    const pace = options.delay ? {} : { delayMs: 0 };
    const summary = await verifySite({ url: this.url, all: true, onEvent, ...pace, ...options });
    return { findings, summary };
  }

  #answer(url: string, response: ServerResponse): void {
    const path = join(this.docroot, decodeURIComponent(url));
    try {
      const body = readFileSync(path);
      response.setHeader("content-type", types[url.split(".").at(-1) ?? ""] ?? "application/octet-stream");
      if (url.includes("tidemark/") && !url.endsWith("index.gz"))
        response.setHeader("cache-control", "public, max-age=31536000, immutable");
      response.setHeader("last-modified", statSync(path).mtime.toUTCString());
      response.end(body);
    } catch {
      response.writeHead(404).end("no");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    this.#folder[Symbol.dispose]();
  }
}

test("of a site that is served as published nothing is said, and no page is asked for twice", async () => {
  await using site = new FaultySite();
  await site.export();
  const { findings, summary } = await site.verify();
  assert.deepEqual(findings, []);
  assert.deepEqual([summary.pages, summary.asked, summary.differing, summary.differences], [5, 5, 0, 0]);
  assert.equal(site.requests.filter((url) => url === "/about.html").length, 1);
});

test("a site whose links name pages by shorter URLs is told how to publish those", async () => {
  await using site = new FaultySite();
  site.write(
    "about.html",
    '<a href="/docs/">docs</a> <a href="about">this</a> <a href="/docs/#b">docs</a> <a href="/none/">x</a>',
  );
  await site.export();
  const shown: Record<string, string> = { "/docs/": "/docs/index.html", "/about": "/about.html" };
  const answers = new Set<string>();
  site.fault = (request) => {
    const file = shown[request.url ?? ""];
    if (file !== undefined && answers.has(request.url ?? "")) request.url = file;
    return false;
  };
  // The server does not show them there: these links are broken.
  assert.deepEqual((await site.verify()).findings, []);
  answers.add("/docs/").add("/about");
  const { findings, summary } = await site.verify();
  assert.deepEqual(
    findings.map(({ kind, severity, path, fix }) => [kind, severity, path, fix.split(":")[0]]),
    [
      ["url-form", "note", "/about", "Export with --clean-urls"],
      ["url-form", "note", "/docs/", "Export with --index index.html"],
    ],
  );
  assert.equal(summary.differences, 0);
});

test("other bytes that stay the same are told from bytes that are others each time", async () => {
  await using site = new FaultySite();
  await site.export();
  let count = 0;
  site.fault = (request, response, url) =>
    withBody("/about.html", 200, "<p>put together from parts")(request, response, url) ||
    withBody("/docs/b.html", 200, `<p>visitor number ${count++}`)(request, response, url);
  const { findings } = await site.verify();
  const fixOf = (path: string): string => findings.find((one) => one.path === path && one.kind === "size")?.fix ?? "";
  assert.match(fixOf("/about.html"), /same other bytes each time.*--ssi auto/);
  assert.match(fixOf("/docs/b.html"), /^Run tidemark export; if it stays/);
});

test("a server that shows includes as they lie there is told apart from one that processes them", async () => {
  await using site = new FaultySite();
  site.write("about.html", '<p><!--#include virtual="/a.txt" -->');
  await site.export();
  const { findings } = await site.verify();
  assert.deepEqual(
    findings.map(({ kind, severity, path }) => [kind, severity, path]),
    [["includes", "note", "/about.html"]],
  );
  assert.match(findings[0]?.fix ?? "", /--ssi off/);
  site.fault = withBody("/about.html", 200, "<p>put together");
  assert.deepEqual(
    (await site.verify()).findings.filter(({ kind }) => kind !== "last-modified"),
    [],
  );
});

/** What goes wrong, the kind of finding that tells of it, and its fix. */
type Row = readonly [
  name: string,
  kind: Finding["kind"],
  fix: RegExp,
  fault: Fault,
  more?: {
    readonly severity?: Finding["severity"];
    readonly paths?: readonly string[];
    readonly options?: Partial<ExportSiteOptions>;
  },
];

const redirectTo =
  (from: string, to: string): Fault =>
  ({ url }, response) => {
    if (url !== from) return false;
    response.writeHead(301, { location: to }).end();
    return true;
  };
const withField =
  (at: RegExp, name: string, value: string | string[]): Fault =>
  ({ url = "" }, response) => {
    const setHeader = response.setHeader.bind(response);
    // After the server's own, as a configured server would.
    if (at.test(url)) response.setHeader = (own, text) => setHeader(own, own.toLowerCase() === name ? value : text);
    if (at.test(url)) setHeader(name, value);
    return false;
  };
const withBody =
  (at: string, status: number, body: string): Fault =>
  ({ url }, response) => {
    if (url !== at) return false;
    response.writeHead(status, { "content-type": "text/html" }).end(body);
    return true;
  };

const none: Fault = () => false;
const robotsTxt =
  (text: string): Fault =>
  (request, response, url) => {
    const body = `${text}Archive-Index: ${url}.well-known/tidemark/index.gz\n`;
    return withBody("/robots.txt", 200, body)(request, response, url);
  };
const note = { severity: "note" } as const;

const rows: readonly Row[] = [
  // Redirects.
  [
    "a redirect to the clean URL",
    "redirect",
    /--clean-urls/,
    redirectTo("/about.html", "/about"),
    { paths: ["/about.html"] },
  ],
  ["a redirect from the index file to its folder", "redirect", /--index/, redirectTo("/docs/index.html", "/docs/")],
  [
    "a redirect to https",
    "redirect",
    /--base-url https:\/\/127\.0\.0\.1\//,
    redirectTo("/about.html", "https://127.0.0.1/about.html"),
  ],
  ["a redirect to anywhere", "redirect", /Publish the URL that answers/, redirectTo("/about.html", "/login")],
  [
    "a base URL that leads elsewhere",
    "base-url",
    /--base-url https:\/\/www\.example\.org\//,
    redirectTo("/", "https://www.example.org/"),
  ],
  // Pages that are not there.
  [
    "a page that has the bytes without the ending",
    "missing",
    /--clean-urls/,
    (request, response, url) =>
      withBody("/about.html", 404, "no")(request, response, url) ||
      withBody("/about", 200, "<p>about.html")(request, response, url),
  ],
  [
    "a page that has the bytes only with the ending",
    "missing",
    /without --clean-urls/,
    none,
    { options: { cleanUrls: true, index: ["none"] }, paths: ["/about", "/docs/b", "/docs/index"] },
  ],
  [
    "a folder that is no page",
    "refused",
    /without --index/,
    withBody("/docs/", 403, "no"),
    { options: { index: ["index.html"] }, paths: ["/docs/"] },
  ],
  ["nothing there", "missing", /--map/, withBody("/a.txt", 410, "no")],
  ["a login", "refused", /--exclude/, withBody("/a.txt", 401, "no")],
  [
    "a connection that ends",
    "unavailable",
    /error log/,
    ({ url, socket }) => {
      if (url !== "/a.txt") return false;
      socket.destroy();
      return true;
    },
  ],
  ["an error", "unavailable", /error log/, withBody("/a.txt", 500, "no")],
  // Other bytes, or otherwise described.
  ["another size", "size", /tidemark export/, withBody("/about.html", 200, "<p>other than published")],
  ["other bytes", "digest", /tidemark export/, withBody("/about.html", 200, "<p>ABOUT.html")],
  ["far more bytes", "size", /tidemark export/, withBody("/about.html", 200, "x".repeat(3_000_000))],
  [
    "gzip that nobody asked for",
    "content-coding",
    /does not accept gzip/,
    ({ url }, response) => {
      if (url !== "/a.txt") return false;
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end("packed");
      return true;
    },
  ],
  [
    "the name of a coding on the very bytes",
    "content-coding",
    /does not accept gzip/,
    withField(/a\.txt/, "content-encoding", "gzip"),
    note,
  ],
  ["another type", "media-type", /AddType/, withField(/a\.txt/, "content-type", "text/html")],
  [
    "no type to speak of",
    "media-type",
    /AddType/,
    withField(/a\.txt/, "content-type", "application/octet-stream"),
    note,
  ],
  [
    "the type that S3 gives without one",
    "media-type",
    /AddType/,
    withField(/a\.txt/, "content-type", "binary/octet-stream"),
    note,
  ],
  ["X-Robots-Tag", "noindex", /--exclude/, withField(/a\.txt/, "x-robots-tag", "noindex")],
  [
    "X-Robots-Tag in a second field",
    "noindex",
    /--exclude/,
    withField(/a\.txt/, "x-robots-tag", ["other: nofollow", "noindex"]),
  ],
  ["a meta element", "noindex", /--exclude/, none, { options: { noindexPages: true }, paths: ["/secret.html"] }],
  [
    "another date",
    "last-modified",
    /None is needed/,
    withField(/a\.txt/, "last-modified", "Tue, 15 Nov 1994 12:45:26 GMT"),
    note,
  ],
  // What leads to the pages.
  ["no robots.txt", "robots", /--robots-dir/, withBody("/robots.txt", 404, "no")],
  [
    "a robots.txt of somebody else",
    "robots",
    /--robots-dir/,
    withBody("/robots.txt", 200, "User-agent: *\nAllow: /\n"),
  ],
  [
    "an index that is announced elsewhere",
    "robots",
    /--base-url/,
    withBody("/robots.txt", 200, "Archive-Index: https://old.example/.well-known/tidemark/index.gz\n"),
  ],
  ["a robots.txt that forbids the index", "robots", /Allow:/, robotsTxt("User-agent: *\nDisallow: /.well-known/\n")],
  [
    "a robots.txt that forbids a page",
    "robots-disallow",
    /tidemark export/,
    robotsTxt("User-agent: *\nDisallow: /docs/\n"),
    { paths: ["/docs/b.html", "/docs/index.html"] },
  ],
  [
    "hidden folders that are closed",
    "index",
    /begin with a dot/,
    withBody("/.well-known/tidemark/index.gz", 403, "no"),
  ],
  ["an index that caches keep", "caching", /no-cache/, withField(/index\.gz$/, "cache-control", "max-age=604800")],
  [
    "an index that shared caches keep",
    "caching",
    /no-cache/,
    withField(/index\.gz$/, "cache-control", "public, max-age=60, s-maxage=86400"),
  ],
  [
    "archives that caches do not keep",
    "caching",
    /immutable/,
    withField(/base.*\.gz$/, "cache-control", "no-store"),
    note,
  ],
  [
    "archives with a coding",
    "archive",
    /Content-Encoding/,
    withField(/tidemark\/[^i].*\.gz$/, "content-encoding", "x-gzip"),
    note,
  ],
  [
    "archives of another type",
    "archive",
    /application\/gzip/,
    withField(/tidemark\/[^i].*\.gz$/, "content-type", "text/plain"),
    note,
  ],
];

for (const [name, kind, fix, fault, { severity = "difference", paths, options = {} } = {}] of rows) {
  test(`a crawler would find ${name}: ${kind}, with the fix`, async () => {
    await using site = new FaultySite();
    if (options.noindexPages === true) site.write("secret.html", "<meta name=robots content=noindex>");
    await site.export(options);
    site.fault = fault;
    const { findings, summary } = await site.verify();
    const found = findings.filter((finding) => finding.kind === kind);
    assert.ok(found.length > 0, JSON.stringify(findings));
    for (const finding of found) {
      assert.equal(finding.severity, severity);
      assert.match(finding.fix, fix);
    }
    if (paths !== undefined) assert.deepEqual(found.map(({ path }) => path).sort(), paths);
    assert.deepEqual(
      findings.filter((finding) => finding.kind !== kind && finding.severity === "difference"),
      [],
    );
    assert.equal(summary.findingsByKind[kind], found.length);
    assert.equal(summary.differences > 0, severity === "difference");
  });
}

test("a robots.txt that is redirected is read, as crawlers do", async () => {
  await using site = new FaultySite();
  await site.export();
  const robots = readFileSync(join(site.docroot, "robots.txt"), "utf8");
  site.fault = ({ url }, response) => {
    if (url === "/robots.txt") response.writeHead(301, { location: "/static/robots.txt" }).end();
    else if (url === "/static/robots.txt") response.end(`${robots}\nUser-agent: *\nDisallow: /docs/\n`);
    else return false;
    return true;
  };
  const { findings } = await site.verify();
  const differences = findings.filter(({ severity }) => severity === "difference");
  assert.deepEqual(new Set(differences.map(({ kind }) => kind)), new Set(["robots-disallow"]));
  assert.equal(site.requests.filter((url) => url.startsWith("/docs/")).length, 0);
});

test("another name of a media type is no difference", async () => {
  const names = { "a.bmp": "image/x-ms-bmp", "b.rar": "application/x-rar-compressed", "c.flac": "audio/flac" };
  await using site = new FaultySite();
  for (const name of Object.keys(names)) site.write(name, name);
  await site.export();
  site.fault = ({ url = "" }, response) => {
    const type = names[url.slice(1) as keyof typeof names];
    if (type === undefined) return false;
    response.writeHead(200, { "content-type": type }).end(url.slice(1));
    return true;
  };
  const { findings } = await site.verify();
  assert.deepEqual(
    findings.filter(({ kind }) => kind === "media-type"),
    [],
  );
});

test("an index of another base URL is told with the address to export for", async () => {
  await using site = new FaultySite();
  await site.export({ baseUrl: "https://example.org/" });
  const { findings } = await site.verify();
  const index = findings.find(({ kind }) => kind === "index") ?? assert.fail();
  assert.match(index.fix, new RegExp(`--base-url ${site.url}`));
});

test("a seed chooses the same sample again, another seed another", async () => {
  await using site = new FaultySite();
  for (let at = 0; at < 60; at++) site.write(`p${at}.txt`, String(at));
  await site.export();
  const sampleOf = async (seed: number): Promise<string[]> => {
    const { summary } = await site.verify({ all: false, sample: 10, seed });
    assert.deepEqual([summary.pages, summary.asked, summary.seed], [65, 10, seed]);
    return site.requests.filter((url) => /\.(?:txt|html)$/.test(url) && url !== "/robots.txt");
  };
  const first = await sampleOf(1);
  assert.equal(new Set(first).size, 10);
  assert.deepEqual(await sampleOf(1), first);
  assert.notDeepEqual(await sampleOf(2), first);
});

test("it is polite: Crawl-delay counts, a wish for later is granted once, and a sick server is left alone", async () => {
  await using site = new FaultySite();
  for (let at = 0; at < 30; at++) site.write(`p${at}.txt`, String(at));
  site.write("robots.txt", "User-agent: *\nCrawl-delay: 0.2\n");
  await site.export();
  const waits: number[] = [];
  let now = Date.now();
  const delay = async (delayMs: number): Promise<void> => {
    waits.push(delayMs);
    now += delayMs;
  };
  let refusals = 1;
  site.fault = ({ url }, response) => {
    if (url !== "/a.txt" || refusals-- <= 0) return false;
    response.writeHead(503, { "retry-after": "7" }).end();
    return true;
  };
  const polite: Partial<VerifySiteOptions> = { all: false, sample: 50, clock: () => now, delay };
  const { findings } = await site.verify(polite);
  assert.deepEqual(findings, []);
  // The first request waits for nothing, and one for longer; the reading of the archives waits, too.
  assert.ok(waits.filter((waitMs) => waitMs === 200).length >= site.requests.length - 2, waits.join());
  assert.ok(
    waits.some((waitMs) => waitMs > 5000 && waitMs <= 7000),
    waits.join(),
  );
  refusals = 5;
  assert.deepEqual(
    (await site.verify(polite)).findings.map(({ kind, path }) => `${kind} ${path}`),
    ["unavailable /a.txt"],
  );
  assert.equal(site.requests.filter((url) => url === "/a.txt").length, 2);
  site.fault = ({ url = "" }, response) => {
    if (!/^\/p\d/.test(url)) return false;
    response.writeHead(500).end();
    return true;
  };
  await assert.rejects(site.verify({ ...polite, delayMs: 0 }), { name: "TidemarkError", code: "site-unavailable" });
  assert.equal(site.requests.filter((url) => /^\/p\d/.test(url)).length, 10);
});

test("no server is no verification, and a stop stops it", async () => {
  await using site = new FaultySite();
  await site.export();
  const stop = new AbortController();
  site.fault = ({ url }) => {
    if (url === "/a.txt") stop.abort();
    return false;
  };
  await assert.rejects(site.verify({ signal: stop.signal }), { name: "TidemarkError", code: "aborted" });
  await assert.rejects(verifySite({ url: "http://127.0.0.1:1/", delayMs: 0, delay: async () => undefined }), {
    name: "TidemarkError",
    code: "site-unavailable",
  });
});
