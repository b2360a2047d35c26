import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, it } from "node:test";
import { repositoryFolder } from "../repository-folder.ts";
import { SyncedSite } from "./synced-site.ts";

const pages = 40;
/** Requests of a run before it is killed; at five a second that is some two seconds. */
const requestsOfRun = 11;

/** @returns its exit code, or undefined if it was killed */
async function crawlAndKill(site: SyncedSite, source: string): Promise<number | undefined> {
  const program = join(repositoryFolder(), "bin", "tidemark.js");
  const child = spawn(
    process.execPath,
    [program, "crawl", site.url, "--into", site.mirror, "--source", source, "--quiet"],
    {
      stdio: "ignore",
    },
  );
  let left = requestsOfRun;
  site.onRequest = () => void (--left === 0 && child.kill("SIGKILL"));
  const [code] = (await once(child, "close")) as [number | null];
  site.onRequest = () => undefined;
  return code ?? undefined;
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
      let runs = 1;
      for (; (await crawlAndKill(site, source)) === undefined && count() < pages; runs++)
        assert.ok(runs < pages / 2, "it makes no progress");
      assert.ok(runs > 2, `${runs} runs`);
      assert.equal(count(), pages);
    });
});
