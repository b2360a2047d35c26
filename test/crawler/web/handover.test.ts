import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { crawlSite } from "../../../src/crawler/crawl-site.ts";
import { crawlWeb } from "../../../src/crawler/web/crawl-web.ts";
import { listenSite } from "../../site-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";

it("a site that a crawl of the Web found is followed from there: unchanged pages are not fetched again, and new ones are found", async () => {
  const pages = new Map([
    ["/", "<a href=/a>a</a><a href=/b>b</a>"],
    ["/a", "<a href=/c>c</a>"],
    ["/b", "b"],
    ["/c", "c"],
  ]);
  const statuses: string[] = [];
  await using site = await listenSite((request, response) => {
    const path = request.url ?? "";
    const page = pages.get(path);
    const etag = `"${page?.length}"`;
    const status = page === undefined ? 404 : request.headers["if-none-match"] === etag ? 304 : 200;
    statuses.push(`${status} ${path}`);
    response.writeHead(status, { etag, "content-type": "text/html" }).end(status === 200 ? page : undefined);
  });
  using temp = makeTempFolder();
  const into = join(temp.path, "web");
  const web = await crawlWeb({ into, seeds: [`${site.origin}/`] });
  assert.deepEqual([web.done, web.pages], [4, 4]);
  pages.set("/b", "<a href=/d>d</a>").set("/d", "d");
  statuses.length = 0;
  const summary = await crawlSite({ url: site.origin, into });
  assert.deepEqual([summary.created, summary.updated, summary.deleted, summary.notModified], [1, 1, 0, 3]);
  const wanted = ["304 /", "304 /a", "304 /c", "200 /b", "200 /d"];
  assert.deepEqual(statuses.filter((line) => wanted.includes(line)).sort(), wanted.sort());
});
