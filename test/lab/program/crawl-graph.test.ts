import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readCrawlGraph } from "../../../lab/program/crawl-graph.ts";
import { TidemarkError } from "../../../src/core/error.ts";
import { crawlSite } from "../../../src/crawler/crawl-site.ts";
import { targetsOf } from "../../../src/graph/graph.ts";
import { listenSite } from "../../site-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const pages: Readonly<Record<string, string>> = {
  "/": '<a href="a.html">a</a> <a href="/b.html#top">b</a> <img src="i.png">',
  "/a.html":
    '<a href="./">home</a> <a href="b.html">b</a> <a href="b.html">again</a> <a href="https://elsewhere.example/">x</a>',
  "/b.html": '<a href="missing.html">gone</a> <a href="%62.html">itself</a>',
  "/i.png": "no page",
};

test("the graph of a crawl has the pages that are held, and the links between them", async () => {
  await using folder = await makeTempFolder();
  await using server = await listenSite((request, response) => {
    const body = pages[request.url ?? ""];
    response.statusCode = body === undefined ? 404 : 200;
    response.setHeader("Content-Type", request.url === "/i.png" ? "image/png" : "text/html");
    response.end(body);
  });
  const into = join(folder.path, "mirrors");
  await crawlSite({ url: `${server.origin}/`, into, sources: ["links"], allowPrivate: true });
  const { graph, siteOf, homes, unread } = await readCrawlGraph(into);
  // By path: /, /a.html, /b.html, /i.png.
  assert.deepEqual([...siteOf], [0, 0, 0, 0]);
  assert.deepEqual([...homes], [[0, 0]]);
  assert.deepEqual(
    [0, 1, 2, 3].map((page) => [...targetsOf(graph, page)]),
    [[1, 2], [0, 2], [2], []],
  );
  assert.equal(unread, 0);
  const { port } = new URL(server.origin);
  rmSync(join(into, `127.0.0.1_${port}`), { recursive: true, force: true });
  const without = await readCrawlGraph(into);
  assert.deepEqual([without.graph.nodes, without.graph.targets.length, without.unread], [4, 0, 3]);
});

test("sites without pages are left out, so that those with pages are numbered without gaps", async () => {
  await using folder = await makeTempFolder();
  const into = join(folder.path, "mirrors");
  const listen = (body: string | undefined, address: string) =>
    listenSite((_, response) => {
      response.statusCode = body === undefined ? 404 : 200;
      response.setHeader("Content-Type", "text/html");
      response.end(body);
    }, address);
  // Sites are in the order of their origins, and the empty one is to be before the others.
  await using empty = await listen(undefined, "127.0.0.1");
  await using one = await listen("one", "127.0.0.2");
  await using other = await listen("other", "127.0.0.3");
  const origins = [empty, one, other].map(({ origin }) => origin);
  for (const origin of origins)
    await crawlSite({ url: `${origin}/`, into, sources: ["links"], allowPrivate: true }).catch(() => undefined);
  const { siteOf, homes } = await readCrawlGraph(into);
  assert.deepEqual([...siteOf], [0, 1]);
  assert.deepEqual([...homes.values()], [0, 1]);
});

test("where there is no crawl there is no graph", async () => {
  await using folder = await makeTempFolder();
  await assert.rejects(
    readCrawlGraph(folder.path),
    (error) => error instanceof TidemarkError && error.code === "not-found",
  );
});
