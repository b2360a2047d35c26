import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { createVirtualFetcher } from "../../../lab/hosts/virtual-fetcher.ts";
import { VirtualTime } from "../../../lab/hosts/virtual-time.ts";
import { crawlWebBy } from "../../../src/crawler/web/crawl-web.ts";
import { LinkLog, openMemoryStore, UrlQueue } from "../../../src/storage/index.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const startMs = Date.UTC(2026, 0, 1);
const origin = "http://10.0.0.1";
const pagesAList = 5;
const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9";

function linesOf(count: number, line: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => line(at)).join("");
}

/** Crawls a site with some lists for a while, in virtual time. @returns what was requested */
async function crawlListed(lists: number, robots: string, forMs: number): Promise<readonly string[]> {
  const time = new VirtualTime(startMs, () => new Promise(setImmediate));
  const contentOf = (path: string): [number, string, string] => {
    const [, list] = /^\/list(\d+)\.xml$/.exec(path) ?? [];
    if (path === "/robots.txt") return [200, "text/plain", `${robots}Sitemap: ${origin}/index.xml\n`];
    const index = linesOf(lists, (at) => `<sitemap><loc>${origin}/list${at}.xml</loc></sitemap>`);
    if (path === "/index.xml") return [200, "text/xml", `<sitemapindex xmlns="${namespace}">${index}</sitemapindex>`];
    const urls = linesOf(pagesAList, (at) => `<url><loc>${origin}/page${list}.${at}</loc></url>`);
    if (list !== undefined) return [200, "text/xml", `<urlset xmlns="${namespace}">${urls}</urlset>`];
    return path === "/" || path.startsWith("/page") ? [200, "text/html", path] : [404, "text/html", ""];
  };
  const hosts = {
    get: () => ({
      answer: async ({ path }: { readonly path: string }) => {
        const [status, type, body] = contentOf(path);
        const fields = { "content-type": type };
        return { kind: "answer" as const, status, fields, body: new TextEncoder().encode(body) };
      },
    }),
  };
  const asked: string[] = [];
  const onAsk = ({ path }: { path: string }): unknown => asked.push(path);
  using temp = makeTempFolder();
  const into = temp.path;
  using store = openMemoryStore(into);
  using queue = new UrlQueue(join(into, "queue"), { memoryBytes: 2 ** 22 });
  await using links = new LinkLog(join(into, "links"), { clock: time.now });
  const stop = new AbortController();
  void time.delay(forMs, undefined).then(() => stop.abort());
  const crawling = crawlWebBy(
    {
      ...{ store, queue, links, ranks: undefined, since: startMs / 1000, delay: time.delay, tickMs: 60_000 },
      createFetcher: () => createVirtualFetcher({ hosts, time, answerMs: 100, onAsk }),
    },
    {
      ...{ into, seeds: [`${origin}/`], keep: "metadata", allowPrivate: true, isForever: true },
      ...{ clock: time.now, random: () => 0.5, signal: stop.signal },
    },
  );
  void crawling.finally(() => time.end()).catch(() => undefined);
  await time.run(Number.POSITIVE_INFINITY);
  await crawling;
  return asked;
}

for (const [name, lists, robots] of [
  ["its Crawl-delay", 3, "User-agent: *\nCrawl-delay: 10\n"],
  ["its rest", 12, ""],
] as const)
  it(`reads the lists of a site once for its pages, in however many visits, where ${name} ends each`, async () => {
    const asked = await crawlListed(lists, robots, 45 * 60_000);
    const ofLists = asked.filter((path) => path.endsWith(".xml"));
    assert.equal(new Set(asked.filter((path) => path.startsWith("/page"))).size, lists * pagesAList);
    assert.deepEqual([...ofLists].sort(), [...new Set(ofLists)].sort());
    assert.equal(ofLists.length, lists + 1);
  });
