import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { SourceName } from "../../../src/core/crawl-event.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { dayMs, SyncedSite } from "./synced-site.ts";

const pages = 40;
/** Requests of a run before it is killed; at five a second that is some two seconds. */
const requestsOfRun = 11;

/** @returns its exit code, or undefined if it was killed */
async function crawlAndKill(
  site: SyncedSite,
  source: string,
  note: (request: string) => unknown = () => undefined,
): Promise<number | undefined> {
  const program = join(repositoryFolder(), "bin", "tidemark.js");
  const child = spawn(
    process.execPath,
    [program, "crawl", site.url, "--into", site.mirror, "--source", source, "--quiet"],
    {
      stdio: "ignore",
    },
  );
  let left = requestsOfRun;
  site.onRequest = (request) => {
    note(request);
    if (--left === 0) child.kill("SIGKILL");
  };
  const [code] = (await once(child, "close")) as [number | null];
  site.onRequest = () => undefined;
  return code ?? undefined;
}

/** Crawls and is killed until all is done. @returns the number of runs */
async function crawlUntil(
  site: SyncedSite,
  source: string,
  isDone: () => boolean,
  note?: (request: string) => unknown,
): Promise<number> {
  let runs = 1;
  for (; (await crawlAndKill(site, source, note)) === undefined && !isDone(); runs++)
    assert.ok(runs < pages / 2, "it makes no progress");
  return runs;
}

describe("a crawl that is killed soon after each start", () => {
  for (const source of ["archives", "resourcesync", "sitemap", "links"])
    it(`holds the whole site in the end, by ${source}`, async () => {
      await using site = await SyncedSite.open(pages);
      const links = Object.keys(site.served()).map((path) => `<a href="${path}">page</a>`);
      site.write("index.html", links.join("\n"));
      site.write("robots.txt", "User-agent: *\nCrawl-delay: 0.2\n");
      site.now = Date.now();
      await site.publish({ sitemap: true });
      const count = (): number => Object.keys(site.held()).filter((path) => path !== "/index.html").length;
      const runs = await crawlUntil(site, source, () => count() === pages);
      assert.ok(runs > 2, `${runs} runs`);
      assert.equal(count(), pages);
    });

  for (const source of ["sitemap", "links"])
    it(`polls all that it holds in the end, by ${source}`, async () => {
      await using site = await SyncedSite.open(pages);
      const paths = Object.keys(site.served());
      site.write("index.html", paths.map((path) => `<a href="${path}">page</a>`).join("\n"));
      // Without a lastmod, so that each page is polled.
      const urls = paths.map((path) => `<url><loc>${site.url}${path}</loc></url>`);
      const sitemaps = "http://www.sitemaps.org/schemas/sitemap/0.9";
      site.write("sitemap.xml", `<urlset xmlns="${sitemaps}">${urls.join("")}</urlset>`);
      // Until then robots.txt was asked for a day ago, and is asked for again.
      site.now = Date.now() - 2 * dayMs;
      await site.crawl({ sources: [source as SourceName] });
      site.write("robots.txt", "User-agent: *\nCrawl-delay: 0.2\n");
      const asked = new Set<string>();
      const note = (request: string): unknown => asked.add(request.replace(/^\d+ /, ""));
      const runs = await crawlUntil(site, source, () => paths.every((path) => asked.has(path)), note);
      assert.ok(runs > 2, `${runs} runs`);
    });

  it("follows a chain to an existing mirror", async () => {
    await using site = await SyncedSite.open(pages);
    site.now = Date.now() - dayMs;
    await site.publish();
    await site.crawl({ sources: ["archives"] });
    site.write("robots.txt", "User-agent: *\nCrawl-delay: 0.2\n");
    for (let day = 0; day < 3; day++) {
      for (let at = day; at < pages; at += 3) site.write(`d${at % 7}/${at}.html`, `page ${at} of day ${day}`);
      site.now += dayMs / 3;
      await site.publish();
    }
    const runs = await crawlUntil(site, "archives", () => isDeepStrictEqual(site.held(), site.served()));
    assert.ok(runs > 2, `${runs} runs`);
  });
});
