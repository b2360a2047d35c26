import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, it } from "node:test";
import { repositoryFolder } from "../../repository-folder.ts";
import { listsOf, openSite, sitemaps } from "./many-sitemaps.ts";

describe("many sitemaps", () => {
  it("are read over several visits, also nine thousand that robots.txt names", async () => {
    await using crawler = await openSite(9000, 50);
    const asked = new Set<string>();
    for (let visit = 0; visit < 9; visit++) {
      const lists = listsOf(await crawler.visitNextDay({ ...sitemaps, budget: 2000 }));
      assert.ok(lists.length <= 1010, `${lists.length} in visit ${visit}`);
      for (const request of lists) asked.add(request);
    }
    assert.equal(asked.size, 9000);
    assert.equal(Object.keys(crawler.mirror()).length, 50);
  });

  it("are gone on with after each kill", async () => {
    await using crawler = await openSite(120);
    const { site, folder } = crawler;
    const program = join(repositoryFolder(), "bin", "tidemark.js");
    const args = [program, "crawl", site.origin, "--into", folder.path, "--source", "sitemap", "--quiet"];
    const asked: string[] = [];
    for (let run = 0; run < 2; run++) {
      const child = spawn(process.execPath, args, { stdio: "ignore" });
      let left = 60;
      site.around = (_, serve) => {
        if (--left === 0) child.kill("SIGKILL");
        else serve();
      };
      await once(child, "close");
      asked.push(...site.takeRequests().filter((request) => /\/s\d+\.xml$/.test(request)));
    }
    // Of the first run fewer than fifty are asked for again.
    assert.ok(new Set(asked).size >= 58 + 58 - 50, `${new Set(asked).size} of 120`);
    site.around = (_, serve) => serve();
    crawler.now = Date.now() + 60_000;
    await crawler.visit(sitemaps);
    assert.equal(Object.keys(crawler.mirror()).length, 120);
  });
});
