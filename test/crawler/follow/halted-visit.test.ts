import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVirtualFetcher } from "../../../lab/hosts/virtual-fetcher.ts";
import { VirtualTime } from "../../../lab/hosts/virtual-time.ts";
import type { CrawlEvent } from "../../../src/core/crawl-event.ts";
import type { VisitPlan } from "../../../src/core/site-record.ts";
import { visitInStore } from "../../../src/crawler/crawl-site.ts";
import { DecisionInbox } from "../../../src/crawler/follow/decision-inbox.ts";
import { type FollowedVisit, followSites, followSitesBy } from "../../../src/crawler/follow/follow-sites.ts";
import { createPoliteness } from "../../../src/crawler/politeness.ts";
import { openMemoryStore, openStore } from "../../../src/storage/state/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { PublishedSite } from "../engine/published-site.ts";

describe("a visit that is halted", () => {
  it("because its site was paused waits for nothing, has no failure, and goes on once the site is resumed", async () => {
    await using site = await PublishedSite.open();
    site.set({ "/": "<p>home", "/a.html": "<p>a page" });
    site.publishBase();
    using folder = makeTempFolder();
    const into = folder.path;
    const inbox = new DecisionInbox(into);
    const { origin } = site;
    const decide = (isPaused: boolean): Promise<string> => inbox.put({ site: origin, isPaused }, Date.now());
    const stop = new AbortController();
    const visits: FollowedVisit[] = [];
    const warnings: string[] = [];
    const told: boolean[] = [];
    const hourMs = 3_600_000;
    await followSites({
      sites: [{ url: `${origin}/`, politeness: { crawlDelayMs: hourMs, maxWaitMs: 2 * hourMs } }],
      into,
      signal: stop.signal,
      onEvent: (event) => {
        if (event.event === "warning") warnings.push(event.message);
        if (event.event === "waiting" && event.why === "crawl-delay") void decide(true);
      },
      onVisit: (visit) => {
        visits.push(visit);
        void decide(false);
      },
      onDecision: (decision) => {
        assert.ok("site" in decision);
        told.push(decision.isPaused === true);
        if (decision.isPaused === false) stop.abort();
      },
    });
    assert.deepEqual([warnings, told], [[], [true, false]]);
    assert.deepEqual(
      visits.map(({ summary }) => [summary?.isCutShort, summary?.failed]),
      visits.map(() => [true, 0]),
    );
    using store = openStore({ into });
    const plan = store.plans.read(origin) as VisitPlan | undefined;
    assert.deepEqual([plan?.failures, plan?.lookedAt], [0, 0]);
    assert.ok((plan?.at ?? Number.NaN) > Date.now() + hourMs / 2, "the site's delay holds on");
  });

  it("while a page cannot be had does not count that for the page", async () => {
    await using site = await PublishedSite.open();
    site.set({ "/": "<p>home", "/a.html": "<p>a page" });
    site.publishBase();
    using folder = makeTempFolder();
    const halt = new AbortController();
    site.answers.set("/a.html", (_, response) => {
      halt.abort(Date.now());
      response.writeHead(503).end();
    });
    using store = openStore({ into: folder.path });
    const means = { store, clock: undefined, delay: undefined, politeness: createPoliteness({}) };
    const outcomes: string[] = [];
    const onEvent = (event: CrawlEvent): void => {
      if (event.event === "page") outcomes.push(`${event.outcome} ${event.path}`);
    };
    const options = { origin: site.origin, url: `${site.origin}/`, halt: halt.signal, onEvent };
    const { summary } = await visitInStore(means, options);
    assert.deepEqual([summary.isCutShort, summary.failed, summary.pending], [true, 0, 1]);
    assert.deepEqual(outcomes, ["created /"]);
  });

  for (const isForever of [true, false])
    it(`because its address rests is no failure, and goes on after the rest, ${isForever ? "for ever" : "once"}`, async () => {
      const origins = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((port) => `http://10.0.0.1:${port}`);
      const time = new VirtualTime(1_800_000_000_000, () => new Promise(setImmediate));
      const asked = new Set<string>();
      const answer = async ({ path }: { readonly path: string }) => {
        const body = new TextEncoder().encode(path === "/" ? '<a href="/1">x</a><a href="/2">x</a>' : "");
        const status = /^\/[12]?$/.test(path) ? 200 : 404;
        return { kind: "answer" as const, status, fields: { "content-type": "text/html" }, body };
      };
      const web = { hosts: { get: () => ({ answer }) }, time, answerMs: 100 };
      const onAsk = ({ origin, path }: { origin: string; path: string }): unknown => asked.add(origin + path);
      using folder = makeTempFolder();
      using store = openMemoryStore(folder.path);
      const stop = new AbortController();
      const visits: FollowedVisit[] = [];
      const politeness = { pagesBeforeRest: 10, restMs: 600_000, maxWaitMs: 1000 };
      const following = followSitesBy(
        { store, createFetcher: () => createVirtualFetcher({ ...web, onAsk }) },
        {
          ...{ sites: origins.map((origin) => ({ url: `${origin}/`, politeness, keep: "metadata" })), isForever },
          ...{ into: folder.path, clock: time.now, delay: time.delay, random: () => 0, signal: stop.signal },
          onVisit: (visit) => visits.push(visit),
        },
      );
      void following.finally(() => time.end()).catch(() => undefined);
      // What is not done by then never ends.
      void time.delay(12 * 3_600_000, undefined).then(() => stop.abort());
      await time.run(Number.POSITIVE_INFINITY);
      assert.equal((await following).failedVisits, 0);
      for (const origin of origins) {
        for (const path of ["/", "/1", "/2"]) assert.ok(asked.has(origin + path), origin + path);
        assert.equal((store.plans.read(origin) as VisitPlan | undefined)?.failures, 0, origin);
      }
      const cut = visits.filter(({ summary }) => summary?.isCutShort === true);
      assert.ok(cut.length > 0);
      for (const { site, summary, nextAt } of cut) assert.ok(nextAt > 0 && summary?.failed === 0, site);
    });
});
