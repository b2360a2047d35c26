import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openStore } from "../../../src/storage/index.ts";
import { readLinks } from "../../../src/storage/links/read-links.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type LoopbackWeb, openLoopbackWeb } from "./loopback-web.ts";
import { crawlUntil } from "./web-crawling.ts";

/** Pages by `host/path`: their links, and a text. */
type Pages = Map<string, readonly [links: readonly string[], text: string]>;

async function serve(pages: Pages, files: ReadonlyMap<string, () => string> = new Map()): Promise<LoopbackWeb> {
  return await openLoopbackWeb({
    addressOf: (host) => (host.endsWith(".example") ? ["127.0.0.1"] : "no-name"),
    answer: ({ host, path, port }, response) => {
      if (host === "dead.example") return void response.destroy();
      const file = files.get(host + path)?.();
      if (file !== undefined) return void response.setHeader("content-type", "text/plain").end(file);
      const page = pages.get(host + path);
      const status = page === undefined ? 404 : 200;
      response.writeHead(status, { "content-type": "text/html" });
      const links = page?.[0].map((to) => `<a href="http://${to.replace("/", `:${port}/`)}">x</a>`);
      response.end(`${page?.[1]}${links?.join("")}`);
    },
  });
}

function readPlan(into: string, origin: string): { readonly found?: unknown; readonly bucket?: number } {
  using store = openStore({ into });
  return store.plans.read(origin) as ReturnType<typeof readPlan>;
}

const count = (web: LoopbackWeb, page: string): number => web.pages().filter((path) => path === page).length;

describe("crawlWeb with isForever", () => {
  it("visits again what a crawl that ended knows", async () => {
    const pages: Pages = new Map([["a.example/", [["b.example/", "dead.example/"], "first"]]]);
    pages.set("b.example/", [[], "first"]);
    await using web = await serve(pages);
    using temp = makeTempFolder();
    const first = await crawlUntil(web, temp.path, () => false, { isForever: false });
    assert.deepEqual([first.end, first.pages, first.unreachableSites], ["done", 2, 1]);
    assert.equal(readPlan(temp.path, web.originOf("dead.example")), undefined, "a site that never answered");
    pages.set("b.example/", [[], "second"]);
    const second = await crawlUntil(web, temp.path, () => count(web, "b.example/") >= 2);
    assert.deepEqual([second.knownSites, second.changed], [2, 1]);
    assert.deepEqual(readPlan(temp.path, web.originOf("b.example")).found, { depth: 1, inSite: 0, hops: 1 });
  });

  it("keeps a line of links for each answer: of a page that is as before, and of one that is gone", async () => {
    const site: Pages = new Map([["a.example/", [["a.example/same", "a.example/gone", "a.example/old"], ""]]]);
    for (const path of ["same", "gone", "new"]) site.set(`a.example/${path}`, [["a.example/"], path]);
    let confirmed = 0;
    await using web = await openLoopbackWeb({
      addressOf: () => ["127.0.0.1"],
      answer: ({ host, path, port }, response) => {
        const page = site.get(host + path);
        if (path === "/old") return void response.writeHead(302, { location: "/same" }).end();
        if (page === undefined) return void response.writeHead(404).end();
        if (path === "/same" && response.req.headers["if-none-match"] === '"1"')
          return void response.writeHead(304).end(() => confirmed++);
        response.writeHead(200, { "content-type": "text/html", ...(path === "/same" && { etag: '"1"' }) });
        response.end(page[0].map((to) => `<a href="http://${to.replace("/", `:${port}/`)}">x</a>`).join(""));
      },
    });
    using temp = makeTempFolder();
    const linesOf = (path: string): string[] =>
      [...readLinks(join(temp.path, "links"))]
        .filter(({ url }) => url === `${web.originOf("a.example")}${path}`)
        .map(({ links, isUnchanged }) => (isUnchanged ? "=" : String(links.length)));
    await crawlUntil(web, temp.path, () => false, { isForever: false });
    assert.deepEqual(["/", "/same", "/gone", "/old"].map(linesOf), [["3"], ["1"], ["1"], ["1"]]);
    site.delete("a.example/gone");
    await crawlUntil(web, temp.path, () => count(web, "a.example/gone") > 1 && confirmed > 0);
    // Once it has come by the redirect it is requested without a condition.
    assert.ok(linesOf("/same").includes("="), String(linesOf("/same")));
    assert.deepEqual(linesOf("/gone").slice(0, 2), ["1", "0"]);
  });

  it("visits known pages again, and requests what they lead to by then, on other sites too", async () => {
    const pages: Pages = new Map([["a.example/", [["a.example/x"], "first"]]]);
    pages.set("a.example/x", [[], ""]);
    pages.set("b.example/", [[], ""]);
    await using web = await serve(pages);
    using temp = makeTempFolder();
    const summary = await crawlUntil(web, temp.path, () => {
      if (count(web, "a.example/x") > 0 && pages.get("a.example/")?.[1] === "first")
        pages.set("a.example/", [["a.example/x", "a.example/new", "b.example/"], "second"]);
      return count(web, "b.example/") > 0 && count(web, "a.example/new") > 0;
    });
    assert.equal(summary.end, "stopped");
    assert.ok(count(web, "a.example/") > 1);
    assert.ok(count(web, "b.example/") > 0 && count(web, "a.example/new") > 0);
    assert.ok(summary.visits > 0 && summary.changed > 0 && summary.knownRequests > 0);
    assert.equal(summary.knownSites, 2);
  });
  it("visits a known site by its sitemap, which tells of pages that no link leads to", async () => {
    const pages: Pages = new Map([["a.example/", [[], ""]]]);
    const listed = ["/"];
    const locations = (port: number): string =>
      listed.map((path) => `<url><loc>http://a.example:${port}${path}</loc></url>`).join("");
    let port = 0;
    const sitemap = (): string =>
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locations(port)}</urlset>`;
    const files = new Map([
      ["a.example/robots.txt", () => `Sitemap: http://a.example:${port}/sitemap.xml\n`],
      ["a.example/sitemap.xml", sitemap],
    ]);
    await using web = await serve(pages, files);
    port = web.port;
    using temp = makeTempFolder();
    const summary = await crawlUntil(web, temp.path, () => {
      if (count(web, "a.example/sitemap.xml") > 0 && listed.length === 1) {
        listed.push("/listed");
        pages.set("a.example/listed", [["b.example/"], ""]);
        pages.set("b.example/", [[], ""]);
      }
      return count(web, "b.example/") > 0;
    });
    assert.equal(count(web, "a.example/listed"), 1);
    assert.equal(count(web, "b.example/"), 1, "its links were followed");
    assert.ok(summary.visits > 0);
  });

  it("goes on with its plan of visits after a stop, and remembers how often pages change", async () => {
    const pages: Pages = new Map([["a.example/", [["b.example/"], "0"]]]);
    pages.set("b.example/", [[], ""]);
    await using web = await serve(pages);
    using temp = makeTempFolder();
    let changes = 0;
    const isVisited = (times: number) => (): boolean => {
      pages.set("a.example/", [["b.example/"], String(changes++)]);
      return count(web, "a.example/") >= times;
    };
    await crawlUntil(web, temp.path, isVisited(4));
    const before = web.requests.length;
    const plan = readPlan(temp.path, web.originOf("a.example"));
    assert.deepEqual(plan.found, { depth: 0, inSite: 0, hops: 0 });
    assert.ok((plan.bucket ?? 0) > 0);
    const summary = await crawlUntil(web, temp.path, isVisited(6));
    assert.equal(summary.knownSites, 2);
    assert.ok(web.requests.length > before);
    assert.equal(summary.newRequests, 0, "pages that were new before are known");
  });

  it("requests new pages only, each once, without isForever", async () => {
    const pages: Pages = new Map([["a.example/", [["a.example/"], ""]]]);
    await using web = await serve(pages);
    using temp = makeTempFolder();
    const summary = await crawlUntil(web, temp.path, () => false, { isForever: false });
    assert.deepEqual([summary.end, summary.visits, summary.knownSites, summary.newShare], ["done", 0, 0, undefined]);
    assert.deepEqual(web.pages(), ["a.example/"]);
  });
});
