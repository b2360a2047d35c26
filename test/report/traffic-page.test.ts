import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { adviseSite } from "../../src/report/traffic-advice.ts";
import { formatTrafficPage } from "../../src/report/traffic-page.ts";
import type { TrafficSummary } from "../../src/traffic/read-traffic.ts";
import type { Tally } from "../../src/traffic/tally.ts";
import { createTally } from "../../src/traffic/tally.ts";

const tallyOf = (counts: Partial<Tally>): Tally => ({ ...createTally(), ...counts });

function summaryOf(name: string, counts: Partial<Tally>, more: Partial<TrafficSummary> = {}): TrafficSummary {
  const tally = tallyOf({ requests: 100, bytes: 1000, ...counts });
  return {
    ...{ from: 1_790_000_000, to: 1_790_086_400, all: tallyOf({ requests: 200, bytes: 4000 }), crawling: tally },
    groups: [{ operator: name, purpose: "ai-training", crawlers: [name], areImpostors: false, counts: tally }],
    ...{ peak: { at: 0, requests: 0 }, kinds: [], days: [], purposes: [], crawlers: [], history: null },
    ...{
      crawlerCount: 1,
      crawlersWithNotModified: 0,
      areConditionsLogged: true,
      isBehaviourJudged: true,
      uncomparedAnswers: 0,
      forgottenClients: 0,
      misplacedRequests: 0,
    },
    ...{ logs: 1, failed: 0, lines: 200, badLines: 0, ...more },
  };
}

test("the page says shares, groups and how it was counted", async () => {
  const page = await formatTrafficPage(
    { summary: summaryOf("GPTBot", { needless: 50, wastedBytes: 400 }) },
    "A & B",
    "9.9.9",
  );
  assert.match(
    page,
    /From 2026-09-21 to 2026-09-22, 25 % of what the server sent went to crawlers\. 50 % of their requests were needless/,
  );
  assert.match(page, /<h1>A &amp; B<\/h1>/);
  assert.match(page, /<td>GPTBot<\/td><td>ai-training<\/td><td class="n">100<\/td>/);
  assert.match(page, /User-agent: GPTBot\nCrawl-delay: 10/);
  assert.doesNotMatch(page, /What changed on the site/);
});

test("the page shows days, purposes, what crawlers missed and what archives would save", async () => {
  const counts = tallyOf({ requests: 100, bytes: 1000, breaches: 3, archives: 2 });
  const seen = {
    ...{ needless: 40, wastedBytes: 400, undecided: 2, updates: 7, medianDelaySeconds: 7200, p90DelaySeconds: null },
    ...{ requests: 90, bytes: 900, neverRequested: 5, outdated: 6, neededRequests: 30, neededBytes: 300 },
  };
  const day = (name: string) => ({
    day: name,
    requests: 1,
    bytes: 5_000_000,
    crawling: { requests: 1, bytes: 4, needless: 1, wastedBytes: 2 },
    purposes: {},
  });
  const crawler = {
    ...{
      name: "GPTBot",
      operator: "openai.com",
      purpose: "ai-training" as const,
      basis: "list" as const,
      verified: null,
      clients: 1,
      counts,
    },
    ...{
      peak: { at: 0, requests: 1 },
      kinds: [],
      days: [],
      pages: seen,
      archiveUse: {
        since: "2026-09-22",
        requestsPerDayBefore: 100,
        requestsPerDaySince: 8,
        bytesPerDayBefore: 9000,
        bytesPerDaySince: 500.5,
      },
    },
  };
  const history = {
    ...{ pages: 50, neverRequested: 5, neverRequestedPaths: [], needless: 40, wastedBytes: 400, undecided: 2 },
    ...{ neededRequests: 30, neededBytes: 300, savedRequests: 70, savedBytes: 700 },
  };
  const summary = summaryOf(
    "openai.com",
    { breaches: 3, archives: 2 },
    {
      ...{
        days: [day("2026-09-21"), day("2026-09-22")],
        purposes: [{ purpose: "ai-training", counts }],
        crawlers: [crawler],
        history,
      },
      groups: [{ operator: "openai.com", purpose: "ai-training", crawlers: ["GPTBot"], areImpostors: true, counts }],
    },
  );
  const page = await formatTrafficPage({ summary }, "t", "9.9.9");
  assert.match(page, /<td>not openai\.com<\/td>/);
  assert.match(page, /<th class="n">Forbidden<\/th><th class="n">Archives<\/th>/);
  assert.match(
    page,
    /<td class="n">7<\/td><td class="n">2 h<\/td><td class="n">-<\/td><td class="n">6<\/td><td class="n">5<\/td>/,
  );
  assert.match(page, /would have needed 30 requests instead of 100, and 300 bytes instead of 1,000 bytes\./);
  // What is not compared is not said to be saved.
  assert.match(page, /<td>GPTBot<\/td><td class="n">90<\/td><td class="n">30<\/td><td class="n">900 bytes<\/td>/);
  assert.match(page, /<td class="at">2026-09-22<\/td><td class="n">100<\/td><td class="n">8<\/td>/);
  assert.equal(page.match(/<svg /g)?.length, 4);
  assert.match(page, /↑ MiB/);
});

test("logs without requests have a page", async () => {
  const page = await formatTrafficPage({ summary: summaryOf("a", {}, { all: createTally() }) }, "t", "9.9.9");
  assert.match(page, /The logs have no requests\./);
});

test("a crawler is not slowed down for what its impostors do", () => {
  const groupOf = (areImpostors: boolean, wastedBytes: number) => ({
    ...{ operator: "google.com", purpose: "search" as const, crawlers: ["Googlebot"], areImpostors },
    counts: tallyOf({ requests: 100, bytes: 500, needless: 50, wastedBytes }),
  });
  const adviceOf = (...groups: TrafficSummary["groups"]) =>
    JSON.stringify(adviseSite(summaryOf("", { needless: 50, wastedBytes: 400 }, { groups }), undefined));
  assert.match(adviceOf(groupOf(false, 400)), /User-agent: Googlebot/);
  assert.doesNotMatch(adviceOf(groupOf(true, 400), groupOf(false, 0)), /User-agent/);
});

test("no text of a log becomes markup or a line of robots.txt", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 60 }), async (text) => {
      const name = `<script>${text}</script><img src=x onerror=y>"'&\n\u001b[31m`;
      const summary = summaryOf(name, { needless: 50, wastedBytes: 400 });
      const page = await formatTrafficPage({ summary }, name, "9.9.9");
      assert.doesNotMatch(page, /<script|<img|\u001b/);
      for (const { lines } of adviseSite(summaryOf(`${text}\nAllow: /`, { wastedBytes: 400 }), undefined))
        if (lines?.startsWith("User-agent") === true) assert.match(lines, /^User-agent: [a-z_-]+\nCrawl-delay: 10$/i);
    }),
    { numRuns: 20 },
  );
});

// Each row: what the logs say, and what is advised first.
for (const [name, summary, said] of [
  ["needless requests", summaryOf("x", { needless: 90 }), /^Publish what changed/],
  ["a crawler that is sent much again", summaryOf("Bot", { wastedBytes: 900 }), /^Bot was sent 900 bytes again/],
  ["no conditions in the log", summaryOf("x", {}, { areConditionsLogged: false }), /^Log the conditions/],
  ["many errors", summaryOf("x", { errors: 20 }), /^20 % of crawlers' requests ended with an error/],
  ["nothing to do", summaryOf("x", {}), /^Look again in a month/],
] as const)
  test(`advice for ${name}`, () => {
    const advice = adviseSite(summary, undefined);
    assert.match(advice[0]?.text ?? "", said);
    assert.ok(advice.length <= 3);
  });
