import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CrawlEvent, CrawlSummary, SourceName } from "../../../src/core/crawl-event.ts";
import { visitInStore } from "../../../src/crawler/crawl-site.ts";
import { createPoliteness } from "../../../src/crawler/politeness.ts";
import { isFailedVisit } from "../../../src/crawler/visit-cost.ts";
import { openStore } from "../../../src/storage/state/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { readMirror } from "../engine/mirror.ts";
import { dayMs, SyncedSite } from "../engine/synced-site.ts";

interface Trial {
  readonly summary: CrawlSummary;
  readonly troubles: readonly string[];
}

/** Visits a site once, and halts the visit after so many waits and requests. */
async function visit(site: SyncedSite, into: string, source: SourceName, steps: number): Promise<Trial> {
  const halt = new AbortController();
  const troubles: string[] = [];
  let left = steps;
  const step = (): void => {
    if (--left === 0) halt.abort(site.now);
  };
  site.onRequest = step;
  using store = openStore({ into });
  const clock = (): number => site.now;
  const delay = async (delayMs: number): Promise<void> => {
    step();
    if (!halt.signal.aborted) site.now += delayMs;
  };
  const politeness = createPoliteness({ clock, delay, ofSites: new Map([[site.url, { crawlDelayMs: 1000 }]]) });
  const onEvent = (event: CrawlEvent): void => {
    if (event.event === "warning" || event.event === "item-error") troubles.push(`${event.code}: ${event.message}`);
    if (event.event === "page" && event.outcome === "failed") troubles.push(`failed: ${event.path}`);
  };
  const options = { origin: site.url, url: `${site.url}/`, sources: [source, "links"] as const, halt: halt.signal };
  const { summary } = await visitInStore({ store, clock, delay, politeness }, { ...options, onEvent });
  const { memory, close } = store.openSite(site.url, { kind: "mirror" });
  const known = memory.readSource("visit") as { readonly absent: object } | undefined;
  close();
  return { summary, troubles: [...troubles, ...Object.keys(known?.absent ?? {})] };
}

describe("a visit that is halted", () => {
  for (const source of ["archives", "resourcesync", "sitemap", "links"] as const)
    it(`at any wait or request is no failure, and the next goes on from there: ${source}`, async () => {
      let [halted, isWhole] = [0, false];
      for (let steps = 1; !isWhole; steps++) {
        await using site = await SyncedSite.open(2);
        site.write("index.html", Array.from({ length: 2 }, (_, at) => `<a href="/d${at}/${at}.html">`).join(""));
        await site.publish({ sitemap: true });
        using folder = makeTempFolder();
        // Of a site that is known, a list that is missing is told.
        await visit(site, folder.path, source, Number.POSITIVE_INFINITY);
        site.now += dayMs;
        for (let at = 0; at < 2; at++) site.write(`d${at}/${at}.html`, `another page ${at}`);
        await site.publish({ sitemap: true });
        const first = await visit(site, folder.path, source, steps);
        isWhole = first.summary.isCutShort !== true;
        if (!isWhole) halted++;
        assert.deepEqual(first.troubles, [], `halted after ${steps}`);
        assert.equal(isFailedVisit(first.summary), false);
        const rest = await visit(site, folder.path, source, Number.POSITIVE_INFINITY);
        assert.deepEqual(rest.troubles, [], `after a halt after ${steps}`);
        assert.equal(rest.summary.source, source);
        assert.equal(rest.summary.isCutShort, undefined);
        assert.equal(rest.summary.pending, 0);
        assert.equal(first.summary.updated + rest.summary.updated, 2, "each page is fetched once");
        assert.deepEqual(readMirror(folder.path, site.url), site.served());
      }
      assert.ok(halted >= 6, `${halted} visits were halted`);
    });
});
