import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CrawlEvent } from "../../../src/core/crawl-event.ts";
import type { VisitPlan } from "../../../src/core/site-record.ts";
import { visitInStore } from "../../../src/crawler/crawl-site.ts";
import { DecisionInbox } from "../../../src/crawler/follow/decision-inbox.ts";
import { type FollowedVisit, followSites } from "../../../src/crawler/follow/follow-sites.ts";
import { createPoliteness } from "../../../src/crawler/politeness.ts";
import { openStore } from "../../../src/storage/state/store.ts";
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
});
