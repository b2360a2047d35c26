import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { crawlSite } from "../../../src/crawler/crawl-site.ts";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { openKeptSite } from "../../../src/crawler/kept-site.ts";
import { crawlWeb } from "../../../src/crawler/web/crawl-web.ts";
import type { CrawlWebOptions } from "../../../src/crawler/web/web-options.ts";
import { openStore } from "../../../src/storage/index.ts";
import { readLinks } from "../../../src/storage/links/read-links.ts";
import { readCaptures } from "../../storage/state/recorded-site.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type LoopbackWeb, openLoopbackWeb } from "./loopback-web.ts";
import { crawlUntil, optionsFor, readLinkFiles } from "./web-crawling.ts";

const pageTypes = ["text/html", "application/xhtml+xml"];

type Site = Readonly<Record<string, string>>;

/** Sites as pages of links by path, such as `b.example/x`; `>` before a link makes the page a redirect. */
function serve(
  sites: Readonly<Record<string, Site>>,
  onPage: () => Promise<void> = async () => undefined,
  addressesOf: (host: string) => readonly string[] = () => ["127.0.0.1"],
  addresses: readonly string[] = ["127.0.0.1"],
): Promise<LoopbackWeb> {
  return openLoopbackWeb({
    addresses,
    addressOf: (host) => (host in sites ? addressesOf(host) : "no-name"),
    answer: ({ host, path, port }, response) => {
      const page = sites[host]?.[path];
      const urlOf = (link: string): string => {
        const [name, rest] = link.split(/\/(.*)/s);
        return `http://${name}:${port}/${rest}`;
      };
      if (page === undefined) response.writeHead(404).end();
      else if (path === "/robots.txt" || path.endsWith(".xml")) response.end(page);
      else if (page.startsWith(">")) response.writeHead(302, { location: urlOf(page.slice(1)) }).end();
      else {
        const links = page.split(" ").filter((link) => link !== "");
        response.setHeader("content-type", "text/html");
        void onPage().then(() => response.end(links.map((link) => `<a href="${urlOf(link)}">${link}</a>`).join("")));
      }
    },
  });
}

async function crawl(
  sites: Readonly<Record<string, Site>>,
  more: (web: LoopbackWeb) => Partial<CrawlWebOptions> = () => ({}),
) {
  await using web = await serve(sites);
  using temp = makeTempFolder();
  const seeds = [`${web.originOf("a.example")}/`];
  const summary = await crawlWeb({ ...optionsFor(web, temp.path), seeds, ...more(web) });
  return { summary, pages: web.pages(), asked: web.names.asked, links: readLinkFiles(temp.path), port: web.port };
}

const three = {
  "a.example": { "/": "a.example/1 b.example/", "/1": "a.example/2", "/2": "a.example/3", "/3": "" },
  "b.example": { "/": "c.other.test/ b.example/1", "/1": "" },
  "c.other.test": { "/": "a.example/3" },
};

describe("crawlWeb", () => {
  it("requests what links lead to, breadth first over all sites", async () => {
    const { summary, pages } = await crawl(three);
    const depths = [["a.example/"], ["a.example/1", "b.example/"], ["a.example/2", "b.example/1", "c.other.test/"]];
    assert.deepEqual([...pages].sort(), [...depths.flat(), "a.example/3"].sort());
    assert.deepEqual(pages[0], "a.example/");
    assert.deepEqual([summary.end, summary.sites, summary.done, summary.waiting], ["done", 3, 7, 0]);
  });

  it("writes one WARC file a site for all of its turns, also over several runs, and ends it with the crawl", async () => {
    const paths = Array.from({ length: 12 }, (_, at) => `/${at}`);
    const links = paths.map((path) => `a.example${path}`).join(" ");
    const pages = Object.fromEntries(paths.map((path) => [path, "b.example/"]));
    await using web = await serve({ "a.example": { "/": links, ...pages }, "b.example": { "/": "a.example/" } });
    using temp = makeTempFolder();
    const seeds = [`${web.originOf("a.example")}/`];
    const options = { ...optionsFor(web, temp.path), seeds, keep: "warc", pagesBeforeRest: 3 } as const;
    const stop = new AbortController();
    let done = 0;
    const onEvent: CrawlWebOptions["onEvent"] = (event) => {
      if (event.event === "page" && ++done === 5) stop.abort();
    };
    await assert.rejects(crawlWeb({ ...options, signal: stop.signal, onEvent }), { code: "aborted" });
    assert.equal((await crawlWeb(options)).end, "done");
    for (const [host, count] of [
      ["a.example", 13],
      ["b.example", 1],
    ] as const) {
      const folder = join(temp.path, readdirSync(temp.path).find((name) => name.startsWith(host)) as string);
      const kinds = readdirSync(folder).map((name) => name.slice(name.indexOf(".", host.length)));
      assert.deepEqual(kinds.sort(), [".cdxj", ".warc.gz"]);
      const urls = readCaptures(folder).map(({ head }) => head.targetUri ?? "");
      const ofPages = urls.filter((url) => !url.endsWith("/robots.txt"));
      assert.equal(new Set(ofPages).size, count, String(urls));
    }
  });

  it("respects preferences about use: such pages are not requested by robots.txt, and not kept by their response", async () => {
    await using web = await openLoopbackWeb({
      addressOf: () => ["127.0.0.1"],
      answer: ({ path }, response) => {
        if (path === "/robots.txt") return response.end("User-agent: *\nContent-Usage: /b train-ai=n\n");
        response.setHeader("content-type", "text/html");
        if (path === "/c") response.setHeader("content-usage", "train-ai=n");
        response.end(path === "/" ? '<a href="/a">a</a><a href="/b">b</a><a href="/c">c</a>' : path);
      },
    });
    using temp = makeTempFolder();
    const seeds = [`${web.originOf("a.example")}/`];
    const options = { ...optionsFor(web, temp.path), seeds, respectUsage: ["train-ai"] } as const;
    await assert.rejects(crawlWeb({ ...options, keep: "warc" }), /WARC files/);
    await crawlWeb({ ...options, keep: "mirror" });
    assert.deepEqual(web.pages().sort(), ["a.example/", "a.example/a", "a.example/c"]);
    const mirror = join(temp.path, `a.example_${web.port}`);
    assert.deepEqual(readdirSync(mirror).sort(), ["a", "index.html"]);
  });

  const scopes: ReadonlyArray<readonly [string, Partial<CrawlWebOptions>, readonly string[], object]> = [
    [
      "domains",
      { scopeDomains: ["example"] },
      ["a.example/", "a.example/1", "a.example/2", "a.example/3", "b.example/", "b.example/1"],
      { "out-of-scope": 1 },
    ],
    [
      "a host",
      { scopeDomains: ["a.example"] },
      ["a.example/", "a.example/1", "a.example/2", "a.example/3"],
      { "out-of-scope": 1 },
    ],
    [
      "depth in a site",
      { maxDepth: 1 },
      ["a.example/", "a.example/1", "a.example/3", "b.example/", "b.example/1", "c.other.test/"],
      { depth: 1 },
    ],
    ["links between sites", { maxHops: 0 }, ["a.example/", "a.example/1", "a.example/2", "a.example/3"], { hops: 1 }],
    [
      "sites",
      { maxSites: 2 },
      ["a.example/", "a.example/1", "a.example/2", "a.example/3", "b.example/", "b.example/1"],
      { sites: 1 },
    ],
    ["pages of a site", { maxPages: 1 }, ["a.example/", "b.example/", "c.other.test/"], { pages: 3 }],
    [
      "patterns",
      { exclude: ["/3"] },
      ["a.example/", "a.example/1", "a.example/2", "b.example/", "b.example/1", "c.other.test/"],
      { "out-of-scope": 2 },
    ],
  ];
  for (const [name, options, wanted, heldBack] of scopes) {
    it(`keeps to ${name}`, async () => {
      const { summary, pages } = await crawl(three, () => options);
      assert.deepEqual([pages.sort(), summary.heldBack], [wanted, heldBack]);
    });
  }

  it("follows links only of pages in some languages, and of those that name none", async () => {
    const pages: Record<string, string> = {
      "/": '<html lang="de-AT"><a href="/en">x</a><a href="/field">x</a><a href="/none">x</a><a href="/several">x</a>',
      "/en": '<html lang="EN"><a href="/not-1">x</a>',
      "/field": '<a href="/not-2">x</a>',
      "/none": '<a href="/yes-1">x</a>',
      "/several": '<meta http-equiv="content-language" content="en, fr"><a href="/yes-2">x</a><a href="/not-1">x</a>',
    };
    await using web = await openLoopbackWeb({
      addressOf: () => ["127.0.0.1"],
      answer: ({ path }, response) => {
        response.setHeader("content-type", "text/html");
        if (path === "/field") response.setHeader("content-language", "fr");
        response.end(pages[path] ?? "<p>end");
      },
    });
    using temp = makeTempFolder();
    const seeds = [`${web.originOf("a.example")}/`];
    const { heldBack } = await crawlWeb({ ...optionsFor(web, temp.path), seeds, languages: ["DE"] });
    const wanted = [...Object.keys(pages), "/not-1", "/yes-1", "/yes-2"].map((path) => `a.example${path}`);
    assert.deepEqual([web.pages().sort(), heldBack], [wanted.sort(), { language: 2 }]);
  });

  it("keeps links as the URLs that it asks for: without session ids, as paths are escaped, none with a login", async () => {
    const home = [
      ...['<a href="/1?PHPSESSID=0123456789abcdef">one</a>', '<a href="/1;jsessionid=0123456789ABCDEF">two</a>'],
      ...['<a href="/q?a={b}^c">q</a>', '<a href="//user:password@a.example/">login</a>', '<a href="/1">three</a>'],
      ...['<a href="/1?sid=0123456789abcdef">four</a>', '<a href="/1?sid=1123456789abcdef">five</a>'],
    ];
    await using web = await openLoopbackWeb({
      addressOf: () => ["127.0.0.1"],
      answer: ({ path }, response) => {
        response.setHeader("content-type", "text/html");
        if (path === "/1") response.writeHead(302, { location: "/1;jsessionid=0123456789ABCDEF" });
        response.end(path === "/" ? home.join("") : "");
      },
    });
    using temp = makeTempFolder();
    const origin = web.originOf("a.example");
    await crawlWeb({ ...optionsFor(web, temp.path), seeds: [`${origin}/`], keepsTexts: true });
    const kept = [...readLinks(join(temp.path, "links"))];
    const [one, other] = [`${origin}/1`, `${origin}/q?a=%7Bb%7D%5Ec`];
    assert.deepEqual(kept.map(({ url }) => url).sort(), [`${origin}/`, one, other]);
    const [first] = kept.filter(({ url }) => url === `${origin}/`);
    assert.deepEqual(first?.links, [one, other]);
    assert.deepEqual(
      first.texts.filter(({ link }) => link === one).map(({ text }) => text),
      ["one", "two", "three", "four"],
    );
  });

  it("keeps the texts of links where that is asked for", async () => {
    await using web = await openLoopbackWeb({
      addressOf: () => ["127.0.0.1"],
      answer: ({ path }, response) => {
        response.setHeader("content-type", "text/html");
        if (path === "/moved") response.writeHead(301, { location: "/to" });
        response.end(path === "/" ? '<a href="/moved">The <b>old</b> place</a><a href="/b"></a>' : '<a href="/">home');
      },
    });
    for (const keepsTexts of [false, true]) {
      using temp = makeTempFolder();
      const origin = web.originOf("a.example");
      await crawlWeb({ ...optionsFor(web, temp.path), seeds: [`${origin}/`], keepsTexts });
      const kept = [...readLinks(join(temp.path, "links"))].map(({ url, links, texts }) => ({ url, links, texts }));
      const [from, moved, to, other] = ["/", "/moved", "/to", "/b"].map((path) => origin + path) as [
        string,
        string,
        string,
        string,
      ];
      assert.deepEqual(kept, [
        { url: from, links: [moved, other], texts: keepsTexts ? [{ link: moved, text: "The old place" }] : [] },
        { url: to, links: [from], texts: keepsTexts ? [{ link: from, text: "home" }] : [] },
        { url: moved, links: [to], texts: [] },
        { url: other, links: [from], texts: keepsTexts ? [{ link: from, text: "home" }] : [] },
      ]);
    }
  });

  it("ends at the most pages of all, and goes on where it stopped when more may be", async () => {
    await using web = await serve(three);
    using temp = makeTempFolder();
    const options = { ...optionsFor(web, temp.path), seeds: [`${web.originOf("a.example")}/`] };
    const first = await crawlWeb({ ...options, maxTotal: 3 });
    assert.deepEqual([first.end, first.done, web.pages().length], ["full", 3, 3]);
    const second = await crawlWeb(options);
    assert.deepEqual([second.end, second.done, web.pages().length], ["done", 7, 7]);
  });

  it("refuses a state that is not the one of its folder, of which it would say that no page was ever answered", async () => {
    await using web = await serve(three);
    using temp = makeTempFolder();
    const options = { ...optionsFor(web, temp.path), seeds: [`${web.originOf("a.example")}/`], maxTotal: 3 };
    await crawlWeb(options);
    const stateFile = join(temp.path, "other.db");
    await assert.rejects(crawlWeb({ ...options, maxTotal: 10, stateFile }), {
      code: "bad-option",
      message: /another state/,
    });
    assert.equal(web.pages().length, 3);
    assert.equal((await crawlWeb({ ...options, maxTotal: 10 })).done, 7);
  });

  it("requests new pages of sites that had none waiting when it began: by seeds, and by links of other sites", async () => {
    const sites: Record<string, Record<string, string>> = { "a.example": { "/": "", "/new": "b.example/new" } };
    sites["b.example"] = { "/": "", "/new": "" };
    await using web = await serve(sites);
    using temp = makeTempFolder();
    const [a, b] = ["a.example", "b.example"].map((host) => web.originOf(host));
    const options = optionsFor(web, temp.path);
    const first = await crawlWeb({ ...options, seeds: [`${a}/`, `${b}/`] });
    assert.deepEqual([first.end, first.done, first.waiting], ["done", 2, 0]);
    const second = await crawlWeb({ ...options, seeds: [`${a}/`, `${b}/`, `${a}/new`] });
    assert.deepEqual([second.end, second.done, second.waiting], ["done", 4, 0]);
    assert.deepEqual(web.pages().slice(2), ["a.example/new", "b.example/new"]);
  });

  it("leaves sites whose second address rests for another one alone, and gives up none of them", async () => {
    const names = Array.from({ length: 6 }, (_, at) => `b${at}.example`);
    const addresses = ["127.0.0.1", ...names.map((_, at) => `127.0.0.${at + 2}`)];
    const sites = Object.fromEntries(names.map((name) => [name, { "/": "" }]));
    await using web = await serve(
      { ...sites, "a.example": { "/": names.map((name) => `${name}/`).join(" ") } },
      async () => undefined,
      (host) => [addresses[names.indexOf(host) + 1] as string, "127.0.0.9"],
      addresses,
    );
    using temp = makeTempFolder();
    const warnings: string[] = [];
    const summary = await crawlUntil(web, temp.path, () => false, {
      ...{ isForever: false, loopbackRests: true, restMs: 3_600_000, retryMs: 1000, pagesBeforeRest: 1 },
      onEvent: (event) => {
        if (event.event === "warning") warnings.push(event.message);
      },
    });
    assert.deepEqual([summary.end, summary.done, summary.unreachableSites], ["done", 7, 0]);
    assert.deepEqual(
      warnings.filter((message) => message.includes("robots.txt")),
      [],
    );
  });

  it("requests a page after each robots.txt, also with a Crawl-delay of a day", async () => {
    await using web = await serve({ "a.example": { "/robots.txt": "User-agent: *\nCrawl-delay: 86400", "/": "" } });
    using temp = makeTempFolder();
    const summary = await crawlUntil(web, temp.path, () => web.requests.length > 3, { isForever: false });
    assert.deepEqual([summary.end, summary.done], ["done", 1]);
    assert.deepEqual(
      web.requests.map(({ path }) => path),
      ["/robots.txt", "/"],
    );
  });

  it("waits for no Crawl-delay in a turn to follow a redirect within the site, which is a link then", async () => {
    const site = { "/robots.txt": "User-agent: *\nCrawl-delay: 3600", "/": ">a.example/x/1", "/x/1": ">a.example/2" };
    await using web = await serve({ "a.example": { ...site, "/2": "" } });
    using temp = makeTempFolder();
    const waits: string[] = [];
    const summary = await crawlUntil(web, temp.path, () => false, {
      isForever: false,
      onEvent: (event) => {
        if (event.event === "waiting") waits.push(event.why);
      },
    });
    assert.deepEqual(web.pages(), ["a.example/", "a.example/x/1", "a.example/2"]);
    assert.deepEqual([waits, summary.pages, summary.failed], [[], 1, 0]);
    assert.deepEqual(readLinkFiles(temp.path).get(`${web.originOf("a.example")}/x/1`), [
      `${web.originOf("a.example")}/2`,
    ]);
  });

  it("bounds redirects within a site without end by --depth, where it does not follow them in a turn", async () => {
    const rules = { "/robots.txt": "User-agent: *\nCrawl-delay: 3600" };
    const chain = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`/${at || ""}`, `>a.example/${at + 1}`]));
    await using web = await serve({ "a.example": { ...rules, ...chain } });
    using temp = makeTempFolder();
    const summary = await crawlUntil(web, temp.path, () => false, { isForever: false, maxDepth: 2 });
    assert.deepEqual(web.pages(), ["a.example/", "a.example/1", "a.example/2"]);
    assert.deepEqual(summary.heldBack, { depth: 1 });
  });

  it("follows a redirect to another site whose location is bytes", async () => {
    const { pages } = await crawl({
      "a.example": { "/": ">b.example/\u00c3\u00bc" },
      "b.example": { "/%C3%BC": "" },
    });
    assert.deepEqual(pages, ["a.example/", "b.example/%C3%BC"]);
  });

  it("goes on where the folder of a site cannot be made, and says so", async () => {
    await using web = await serve({
      "a.example": { "/": "b.example/ c.example/" },
      "b.example": { "/": "" },
      "c.example": { "/": "" },
    });
    using temp = makeTempFolder();
    writeFileSync(join(temp.path, `b.example_${web.port}`), "");
    const warnings: string[] = [];
    const summary = await crawlWeb({
      ...{ ...optionsFor(web, temp.path), seeds: [`${web.originOf("a.example")}/`], keep: "mirror", retryMs: 1 },
      onEvent: (event) => {
        if (event.event === "warning") warnings.push(event.message);
      },
    });
    assert.deepEqual([web.pages(), summary.unreachableSites], [["a.example/", "c.example/"], 1]);
    assert.match(warnings[0] ?? "", /b\.example/);
  });

  it("keeps a site whose name and port are longer than the name of a folder", async () => {
    const label = "x".repeat(61);
    const long = `${[label, label, label, label].join(".")}.test`;
    await using web = await serve({ "a.example": { "/": `${long}/` }, [long]: { "/": "" } });
    using temp = makeTempFolder();
    const seeds = [`${web.originOf("a.example")}/`];
    const summary = await crawlWeb({ ...optionsFor(web, temp.path), seeds, keep: "mirror" });
    assert.deepEqual([web.pages(), summary.end], [["a.example/", `${long}/`], "done"]);
  });

  it("looks up no name after its end", async () => {
    await using web = await serve({ "a.example": { "/": "" } });
    using temp = makeTempFolder();
    const lost = Array.from({ length: 20_000 }, (_, at) => `http://lost${at}.example${at}.test/`);
    const seeds = [`${web.originOf("a.example")}/`, ...lost];
    await crawlWeb({ ...optionsFor(web, temp.path), seeds, maxTotal: 1, lookups: 2 });
    const asked = web.names.asked.length;
    assert.ok(asked < lost.length);
    await delay(200);
    assert.ok(web.names.asked.length <= asked + 4, `${web.names.asked.length - asked} more`);
  });

  it("tries sites that it gave up again, if it goes on", async () => {
    let failures = 0;
    await using web = await openLoopbackWeb({
      addressOf: () => ["127.0.0.1"],
      answer: (_, response) => {
        // More than four turns can bring.
        if (failures++ < 13) response.destroy();
        else response.setHeader("content-type", "text/html").end();
      },
    });
    using temp = makeTempFolder();
    const warnings: string[] = [];
    const stop = new AbortController();
    const summary = await crawlUntil(web, temp.path, () => false, {
      ...{ retryMs: 10, signal: AbortSignal.any([stop.signal, AbortSignal.timeout(20_000)]) },
      onEvent: (event) => {
        if (event.event === "warning" && event.code === "site-unreachable") warnings.push(event.message);
        if (web.pages().length > 0) stop.abort();
      },
    });
    assert.deepEqual([web.pages()[0], summary.unreachableSites], ["a.example/", 0]);
    assert.ok(warnings.length > 3 && warnings.every((message) => message.includes("tried again")), String(warnings));
  });

  it("looks up names that had no address again, if it goes on, and those that were left out for their domain", async () => {
    const names = Array.from({ length: 25 }, (_, at) => `b${at}.lost.test`);
    const isLost = (host: string): boolean => host.endsWith(".lost.test");
    await using web = await openLoopbackWeb({
      addressOf: (host) => (isLost(host) && web.names.asked.filter(isLost).length < 28 ? "no-name" : ["127.0.0.1"]),
      answer: ({ host, path, port }, response) => {
        response.setHeader("content-type", path === "/robots.txt" ? "text/plain" : "text/html");
        response.end(isLost(host) ? "" : names.map((name) => `<a href="http://${name}:${port}/">x</a>`).join(""));
      },
    });
    using temp = makeTempFolder();
    const found = (): number => new Set(web.pages().filter((page) => page.endsWith(".lost.test/"))).size;
    const summary = await crawlUntil(web, temp.path, () => found() === names.length, { retryMs: 10 });
    assert.deepEqual([found(), summary.unresolvedSites], [names.length, 0]);
  });

  it("ends when no page waits, however long the sites are to rest", async () => {
    const { summary } = await crawl({ "a.example": { "/": "" } }, () => ({ loopbackRests: true, restMs: 3_600_000 }));
    assert.deepEqual([summary.end, summary.done, summary.waiting], ["done", 1, 0]);
  });

  it("obeys the robots.txt of each site, and keeps the links that it disallows", async () => {
    const { pages, links, port } = await crawl({
      "a.example": {
        "/": "a.example/x b.example/x b.example/y",
        "/x": "",
        "/robots.txt": "User-agent: *\nDisallow: /x",
      },
      "b.example": { "/x": "", "/y": "", "/robots.txt": "User-agent: *\nDisallow: /y" },
    });
    assert.deepEqual(pages.sort(), ["a.example/", "b.example/x"]);
    assert.equal(links.get(`http://a.example:${port}/`)?.length, 3);
  });

  it("follows a redirect to another site as a link, at the same depth", async () => {
    const { summary, pages, links, port } = await crawl(
      { "a.example": { "/": "a.example/old", "/old": ">b.example/new" }, "b.example": { "/new": "" } },
      () => ({ maxDepth: 1, maxHops: 1 }),
    );
    assert.deepEqual([summary.pages, summary.failed], [2, 0]);
    assert.deepEqual(pages, ["a.example/", "a.example/old", "b.example/new"]);
    assert.deepEqual(links.get(`http://a.example:${port}/old`), [`http://b.example:${port}/new`]);
  });

  describe("followed by a visit of a site", () => {
    const host = "127.0.0.1";
    const linked = { "/": `${host}/1 ${host}/2`, "/1": `${host}/`, "/2": "" };
    const sitemapOf = (port: number): string =>
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${["/1", "/2", "/3"].map((path) => `<url><loc>http://${host}:${port}${path}</loc></url>`).join("")}</urlset>`;

    async function visitAfterCrawl(
      more: Partial<CrawlSiteOptions>,
      files: (port: number) => Site = () => ({}),
    ): Promise<{ readonly pages: readonly string[]; readonly unread: readonly string[] }> {
      const site: Record<string, string> = { ...linked };
      await using web = await serve({ [host]: site });
      using temp = makeTempFolder();
      const url = `${web.originOf(host)}/`;
      await crawlWeb({ ...optionsFor(web, temp.path), seeds: [url] });
      Object.assign(site, files(web.port));
      const before = web.pages().length;
      const visit = { url, into: temp.path, keep: "metadata", types: pageTypes, isPlanned: true, starts: [] } as const;
      await crawlSite({ ...visit, ...more });
      const pages = web.pages().slice(before);
      using store = openStore({ into: temp.path });
      const kept = await openKeptSite(store, web.originOf(host), { keep: "metadata", clock: Date.now });
      const unread = kept.urls.findAll(Object.keys(linked)).filter(({ hasUnreadLinks }) => hasUnreadLinks);
      kept.close();
      return { pages: pages.filter((page) => !page.endsWith(".xml")), unread: unread.map(({ path }) => path) };
    }

    it("requests nothing again that was just requested, whatever source is found", async () => {
      assert.deepEqual(await visitAfterCrawl({ sources: ["links"] }), { pages: [], unread: [] });
      const files = (port: number): Site => ({ "/sitemap.xml": sitemapOf(port), "/3": "" });
      assert.deepEqual(await visitAfterCrawl({ sources: ["sitemap"] }, files), { pages: [`${host}/3`], unread: [] });
    });

    it("reads links again, when pages are polled, if others are wanted", async () => {
      const { unread } = await visitAfterCrawl({ sources: ["links"], types: [...pageTypes, "image/png"] });
      assert.deepEqual(unread, Object.keys(linked));
    });
  });

  it("keeps bodies as a mirror", async () => {
    await using web = await serve(three);
    using temp = makeTempFolder();
    await crawlWeb({ ...optionsFor(web, temp.path), seeds: [`${web.originOf("b.example")}/`], keep: "mirror" });
    const folders = readdirSync(temp.path).filter((name) => name.includes("example") || name.includes("test"));
    assert.deepEqual(folders.sort(), [`a.example_${web.port}`, `b.example_${web.port}`, `c.other.test_${web.port}`]);
  });

  it("takes seeds as people write them, and refuses what is no page", async () => {
    await using web = await serve(three);
    using temp = makeTempFolder();
    const options = optionsFor(web, temp.path);
    const summary = await crawlWeb({
      ...options,
      seeds: [`HTTP://C.other.TEST:${web.port}#x`],
      maxHops: 0,
      allowPrivate: false,
    });
    assert.deepEqual([summary.done, web.pages()], [1, ["c.other.test/"]]);
    for (const seed of ["ftp://a.example/", "a.example", "http://user:password@a.example/"])
      await assert.rejects(crawlWeb({ ...options, seeds: [seed] }), { code: "bad-option" });
  });

  it("follows 200 queries of a path, those of earlier runs included", async () => {
    const links = (begin: number): string =>
      Array.from({ length: 210 }, (_, at) => `a.example/x?${begin + at}`).join(" ");
    const pages = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`/x?${at}`, ""]));
    await using web = await serve({ "a.example": { "/": links(0), ...pages }, "b.example": { "/": links(250) } });
    using temp = makeTempFolder();
    const options = { ...optionsFor(web, temp.path), pagesBeforeRest: 1000 };
    await crawlWeb({ ...options, seeds: [`${web.originOf("a.example")}/`] });
    assert.equal(web.pages().length, 201);
    await crawlWeb({ ...options, seeds: [`${web.originOf("b.example")}/`] });
    assert.equal(web.pages().length, 202);
  });

  it("takes no more pages of a site than it may, however many one page links to", async () => {
    const paths = Array.from({ length: 60 }, (_, at) => `/${at}`);
    const home = `${paths.map((path) => `a.example${path}`).join(" ")} b.example/`;
    const site = Object.fromEntries(paths.map((path) => [path, ""]));
    const { summary, pages } = await crawl(
      { "a.example": { "/": home, ...site, "/0": "a.example/58 a.example/59" }, "b.example": { "/": "" } },
      () => ({ maxPages: 5, pagesBeforeRest: 100 }),
    );
    assert.deepEqual(
      [...pages].sort(),
      ["/", "/0", "/1", "/2", "/3"].map((path) => `a.example${path}`).concat("b.example/"),
    );
    // Those that were held back a moment ago are not counted again.
    assert.equal(summary.heldBack.pages, 56);
  });

  it("waits by the delay that it is given", async () => {
    const waits: number[] = [];
    const { summary } = await crawl(three, () => ({
      delay: async (ms, signal) => {
        waits.push(ms);
        await delay(Math.min(ms, 5), undefined, { signal }).catch(() => undefined);
      },
    }));
    assert.deepEqual([summary.end, summary.done, waits.length > 0], ["done", 7, true]);
  });

  it("takes all seeds, however much they look like a trap", async () => {
    const paths = Array.from({ length: 210 }, (_, at) => `/list?item=${at}`);
    const site = Object.fromEntries(paths.map((path) => [path, ""]));
    const seedsOf = (web: LoopbackWeb) => ({ seeds: paths.map((path) => web.originOf("a.example") + path) });
    const { pages } = await crawl({ "a.example": site }, (web) => ({ ...seedsOf(web), pagesBeforeRest: 300 }));
    assert.equal(pages.length, paths.length);
  });

  it("goes on after a page whose links look like sessions, or are long", async () => {
    const first = ";sid=x/ ;jsessionid=/ b.example/..;sid=x/1 b.example/2";
    const long = `b.example/${"\u20ac".repeat(700)}`;
    const { summary, pages } = await crawl({
      "a.example": { "/": `${first} ${long}` },
      "b.example": { "/1": "", "/2": "" },
    });
    assert.deepEqual([summary.end, [...pages].sort()], ["done", ["a.example/", "b.example/1", "b.example/2"]]);
  });

  it("ends in order at a signal, and goes on with what is left", async () => {
    let onPage: () => Promise<void> = async () => undefined;
    await using web = await serve(three, async () => await onPage());
    using temp = makeTempFolder();
    const options = { ...optionsFor(web, temp.path), seeds: [`${web.originOf("a.example")}/`] };
    const stop = new AbortController();
    onPage = async () => {
      if (web.pages().length < 3) return;
      // A request is under way at the signal.
      stop.abort();
      await delay(100);
    };
    await assert.rejects(crawlWeb({ ...options, signal: stop.signal }), { code: "aborted" });
    assert.equal(web.pages().length, 3);
    const summary = await crawlWeb(options);
    assert.deepEqual([summary.end, summary.done], ["done", 7]);
    assert.equal(new Set(web.pages()).size, 7);
    assert.equal(web.pages().length, 7, "no page is requested twice");
  });

  it("waits no longer than a request may take for one that never ends, after a signal", async () => {
    await using web = await openLoopbackWeb({
      addressOf: () => ["127.0.0.1"],
      answer: ({ path }, response) => {
        if (path === "/robots.txt") return response.end();
        response.setHeader("content-type", "text/html");
        const drip = setInterval(() => response.write("x".repeat(2048)), 50);
        response.once("close", () => clearInterval(drip));
        stop.abort();
      },
    });
    using temp = makeTempFolder();
    const stop = new AbortController();
    const options = {
      ...optionsFor(web, temp.path),
      seeds: [`${web.originOf("a.example")}/`],
      leastBytesPerSecond: 100,
    };
    await assert.rejects(crawlWeb({ ...options, signal: stop.signal }), { code: "aborted" });
  });
});
