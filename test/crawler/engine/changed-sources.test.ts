import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type CrawlEvent, sourceNames } from "../../../src/core/crawl-event.ts";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { dayMs, SyncedSite, type SyncedVisit } from "./synced-site.ts";

const all = { sources: sourceNames } satisfies Partial<CrawlSiteOptions>;

/** A site that is exported for real, with links to all of its pages, one of them also by its folder. */
async function openSite(): Promise<SyncedSite> {
  const site = await SyncedSite.open(0);
  site.write("index.html", `<a href="/docs/">docs</a> <a href="/a.html">a</a> <a href="/docs/more.html">more</a>`);
  site.write("docs/index.html", `<a href="/">home</a> <a href="/b.html">b</a>`);
  site.write("docs/more.html", "one page more");
  site.write("a.html", "<p>a");
  site.write("b.html", "<p>page b");
  await publish(site);
  return site;
}

function publish(site: SyncedSite): Promise<void> {
  return site.publish({ resourceSync: false });
}

/** What a deployment by `rsync --delete` does to the files of an exporter. */
function removePublished(site: SyncedSite): void {
  rmSync(join(site.docroot, "robots.txt"), { force: true });
  rmSync(join(site.docroot, ".well-known"), { recursive: true, force: true });
}

/** Exports anew: what a deployment removed is written again, as of the state of before. */
async function publishAgain(site: SyncedSite): Promise<void> {
  await publish(site);
}

async function visit(
  site: SyncedSite,
  options: Partial<CrawlSiteOptions> = {},
): Promise<SyncedVisit & { readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const onEvent = (event: CrawlEvent): void => {
    if (event.event === "warning") warnings.push(event.code);
  };
  return { ...(await site.crawl({ ...all, ...options, onEvent })), warnings };
}

describe("a site whose archives go and come back", () => {
  it("is left alone for a while, then followed by links, and is exact once the archives are there again", async () => {
    await using site = await openSite();
    assert.equal((await visit(site)).summary.source, "archives");
    site.assertMirrored();
    removePublished(site);
    for (let day = 0; day < 3; day++) {
      site.now += dayMs;
      const { summary, pages, warnings } = await visit(site);
      assert.deepEqual([summary.source, pages], ["none", []], `day ${day}`);
      assert.ok(warnings.includes("source-missing"));
    }
    site.write("a.html", "<p>a, changed while there were no archives");
    site.remove("b.html");
    site.now += dayMs;
    const byLinks = await visit(site);
    assert.equal(byLinks.summary.source, "links");
    assert.equal(site.held()["/a.html"], "<p>a, changed while there were no archives");
    // Links led to the folders, beside their index files.
    assert.equal(byLinks.summary.created, 2);
    // As it was when the archives were there: only the crawler has seen it otherwise.
    site.write("a.html", "<p>a");
    site.write("b.html", "<p>page b");
    site.now += dayMs;
    await publishAgain(site);
    const back = await visit(site);
    assert.equal(back.summary.source, "archives");
    assert.deepEqual([back.summary.pending, back.summary.deleted], [0, 2]);
    site.assertMirrored();
  });

  it("is asked for the pages that are held with their validators, whatever brought them", async () => {
    await using site = await openSite();
    await visit(site);
    removePublished(site);
    for (let day = 0; day < 3; day++) {
      site.now += dayMs;
      await visit(site);
    }
    site.now += dayMs;
    const { summary, pages } = await visit(site);
    const held = ["/a.html", "/b.html", "/docs/index.html", "/docs/more.html", "/index.html"];
    assert.deepEqual(
      pages.filter((request) => request.startsWith("304 ")).toSorted(),
      held.map((path) => `304 ${path}`),
    );
    assert.equal(summary.notModified, held.length + 0);
  });

  it("is exact also if somebody asked for its links meanwhile", async () => {
    await using site = await openSite();
    await visit(site);
    site.now += dayMs;
    assert.equal((await visit(site, { sources: ["links"] })).summary.source, "links");
    site.now += dayMs;
    const back = await visit(site);
    assert.equal(back.summary.source, "archives");
    assert.ok(back.summary.deleted > 0);
    site.assertMirrored();
    site.now += dayMs;
    // And the cursor is believed again.
    assert.deepEqual([(await visit(site)).summary.requests], [2]);
  });
});
