import assert from "node:assert/strict";
import { it } from "node:test";
import { makeTempFolder } from "../../temp-folder.ts";
import { openLoopbackWeb } from "./loopback-web.ts";
import { crawlUntil } from "./web-crawling.ts";

it("gives the place of a visit to others that waits for its Crawl-delay to follow the redirect of a list", async () => {
  await using web = await openLoopbackWeb({
    addressOf: () => ["127.0.0.1"],
    answer: ({ host, path, port }, response) => {
      if (host === "b.example" && path !== "/robots.txt") {
        const next = Number(path.slice(1)) + 1;
        response.setHeader("content-type", "text/html").end(`<a href="/${next}">x</a>`);
      } else if (path === "/robots.txt")
        response.end(
          host === "b.example"
            ? ""
            : `User-agent: *\nCrawl-delay: 40000\nSitemap: http://${host}:${port}/sitemap.xml\n`,
        );
      else if (path === "/sitemap.xml") response.writeHead(302, { location: "/list.xml" }).end();
      else if (path === "/") response.setHeader("content-type", "text/html").end();
      else response.writeHead(404).end();
    },
  });
  using temp = makeTempFolder();
  let waitedFrom: number | undefined;
  const after = (): readonly string[] => web.pages().slice(waitedFrom ?? Number.POSITIVE_INFINITY);
  const stop = new AbortController();
  const isOver = (): boolean => after().some((page) => page.startsWith("a.example"));
  await crawlUntil(web, temp.path, isOver, {
    ...{ connections: 1, signal: AbortSignal.any([stop.signal, AbortSignal.timeout(20_000)]) },
    seeds: ["a.example", "b.example"].map((host) => `${web.originOf(host)}/`),
    onEvent: (event) => {
      if (event.event === "waiting" && event.site.includes("a.example")) waitedFrom ??= web.pages().length;
      if (isOver()) stop.abort();
    },
  });
  const first = after().findIndex((page) => page.startsWith("a.example"));
  assert.equal(after()[first], "a.example/list.xml");
  assert.ok(first > 0, `${first} requests to others meanwhile`);
});
