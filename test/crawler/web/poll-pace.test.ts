import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SourceName, VisitPlan } from "../../../src/core/index.ts";
import { bucketOfRate, rateBuckets, rateOfBucket } from "../../../src/crawler/engine/revisit/rate-buckets.ts";
import { unvisited, type VisitEnd } from "../../../src/crawler/engine/visit-plan.ts";
import type { VisitResult } from "../../../src/crawler/engine/visit-site.ts";
import { KnownSites, type KnownVisit } from "../../../src/crawler/web/known-sites.ts";
import { type PolledSite, PollPace } from "../../../src/crawler/web/poll-pace.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** A pace over 1000 pages that change once a day in the mean. */
function makePace(): { pace: PollPace; setLate: (isLate: boolean) => void } {
  const known = new Float64Array(rateBuckets);
  known[bucketOfRate(1 / 86_400)] = 1000;
  let isLate = false;
  return {
    pace: new PollPace(() => ({ known, isLate }), 0),
    setLate: (now) => {
      isLate = now;
    },
  };
}

/** A site of which nothing but polls tells what changed. */
const polled = (pages: number): PolledSite => ({ pages, isListed: false });

describe("PollPace", () => {
  it("lets sites poll all that is due while none waits for its visit", () => {
    const { pace } = makePace();
    pace.count(5000, dayMs);
    assert.equal(pace.perPage, undefined);
    assert.equal(pace.allowanceOf({ polls: 3, at: 0 }, polled(100), dayMs), undefined);
  });

  it("is what was got done while sites waited, less what is needed to catch up", () => {
    const { pace, setLate } = makePace();
    setLate(true);
    pace.count(300, 20 * minuteMs);
    assert.equal(pace.perPage, (0.95 * 300) / (20 * 60) / 1000);
  });

  it("is planned once there are polls enough, and after a day in any case", () => {
    const { pace, setLate } = makePace();
    setLate(true);
    pace.count(1000, 9 * minuteMs);
    assert.equal(pace.perPage, undefined, "too soon");
    pace.count(1, 10 * minuteMs);
    const first = pace.perPage;
    assert.notEqual(first, undefined);
    pace.count(100, 10 * minuteMs + dayMs - 1);
    assert.equal(pace.perPage, first, "too few polls");
    pace.count(1, 10 * minuteMs + dayMs);
    assert.equal(pace.perPage, (0.95 * 101) / 86_400 / 1000);
  });

  it("grows eightfold in a day without a site that waits, until all that is due is polled", () => {
    const { pace, setLate } = makePace();
    setLate(true);
    pace.count(200, dayMs);
    const first = pace.perPage ?? 0;
    setLate(false);
    pace.count(1000, 2 * dayMs);
    assert.ok(Math.abs((pace.perPage ?? 0) / first - 8) < 1e-9);
    // Of pages that change once a day all that is due are some 2.8 polls a day each.
    pace.count(1000, 3 * dayMs);
    assert.equal(pace.perPage, undefined);
  });

  it("stays as it was if nothing was polled, and puts off no visit for longer than ninety days", () => {
    const { pace, setLate } = makePace();
    setLate(true);
    pace.count(0, dayMs);
    assert.equal(pace.perPage, undefined);
    pace.count(1, 2 * dayMs);
    assert.equal(pace.perPage, 0.95 / 86_400 / 1000);
    assert.equal(pace.readyAt({ polls: 0, at: 0 }, polled(1)), 90 * dayMs);
    assert.equal(pace.readyAt({ polls: 0, at: 0 }, polled(0)), 90 * dayMs);
    pace.count(0, 3 * dayMs);
    assert.equal(pace.perPage, (8 * 0.95) / 86_400 / 1000);
  });

  it("gives a site polls by its pages and the time that passed, at most one of each page", () => {
    const { pace, setLate } = makePace();
    setLate(true);
    pace.count(1000, dayMs);
    const perDay = (pace.perPage ?? 0) * 86_400;
    assert.deepEqual(
      pace.allowanceOf(undefined, polled(100), dayMs),
      { polls: 16, at: dayMs },
      "a visit to begin with",
    );
    assert.deepEqual(pace.allowanceOf(undefined, polled(1), dayMs)?.polls, 1);
    const { polls } = pace.allowanceOf({ polls: 2.5, at: dayMs }, polled(100), 1.5 * dayMs) ?? { polls: 0 };
    assert.ok(Math.abs(polls - (2.5 + 50 * perDay)) < 1e-9);
    assert.equal(pace.allowanceOf({ polls: 2.5, at: dayMs }, polled(100), 100 * dayMs)?.polls, 100);
    assert.equal(pace.allowanceOf({ polls: 2, at: dayMs }, polled(100), 0)?.polls, 2, "a clock that was set back");
    const readyAt = pace.readyAt({ polls: 11, at: dayMs }, polled(100));
    assert.ok(Math.abs(readyAt - dayMs - (5 / (100 * perDay)) * dayMs) < 1e-3);
    assert.equal(pace.readyAt({ polls: 17, at: dayMs }, polled(100)), dayMs);
  });

  it("makes a visit for a share of a site's pages, and sooner where a sitemap tells what changed", () => {
    const { pace, setLate } = makePace();
    setLate(true);
    pace.count(1000, dayMs);
    const pollsOf = (pages: number, isListed: boolean): number | undefined =>
      pace.allowanceOf(undefined, { pages, isListed }, dayMs)?.polls;
    assert.deepEqual(
      [1, 10, 32, 256, 1600, 100_000].map((pages) => pollsOf(pages, false)),
      [1, 5, 16, 16, 100, 6250],
    );
    assert.deepEqual(
      [1, 10, 32, 256, 1600, 100_000].map((pages) => pollsOf(pages, true)),
      [1, 3, 6, 8, 50, 3125],
    );
  });
});

const numberOf = (origin: string): number => Number(/\d+/.exec(origin)?.[0]);

type Polls = VisitResult["polls"];
const noPolls: Polls = { polled: 0, changed: 0, seconds: 0 };

/** Sites that a crawl visits one after the other, and what it keeps of them. */
function openSites(
  sites: number,
  pages: number,
  sourceOf: (site: number) => SourceName,
  {
    polls = noPolls,
    held = pages,
    plan = () => ({}),
  }: { readonly polls?: Polls; readonly held?: number; readonly plan?: (now: number) => Partial<VisitPlan> } = {},
) {
  let now = Date.UTC(2026, 0, 1);
  const plans = new Map<string, unknown>();
  for (let site = 0; site < sites; site++)
    plans.set(`http://s${site}.example`, { ...unvisited, at: now, ...plan(now) });
  const known = new KnownSites(
    { seeds: [], into: "" },
    {
      plans: {
        read: (origin: string) => plans.get(origin),
        write: (origin: string, plan: unknown) => void plans.set(origin, plan),
        all: () => [...plans].map(([origin, plan]) => ({ origin, ...(plan as object) })),
      } as never,
      timing: { now: () => now } as never,
      random: () => 0.5,
      siteOf: numberOf,
      pagesOf: () => pages,
      restsUntil: () => 0,
      addressOf: async () => undefined,
      addressRestsUntil: () => 0,
    },
  );
  const visit = async (how: "done" | "failed" | "none" = "done"): Promise<KnownVisit | undefined> => {
    const begun = known.next(() => false);
    if (begun === undefined) return undefined;
    const requests = how === "done" ? Math.min(begun.budget ?? 50, 50) : 0;
    const source = how === "none" ? how : sourceOf(numberOf(begun.origin));
    const summary = { source, created: 0, updated: 1, deleted: 0, failed: 0, pending: 0, pageRequests: requests };
    await known.visit(begun.origin, async (): Promise<VisitEnd> => {
      now += requests * 20_000;
      if (how === "failed") return { kind: "failed", error: new Error("It broke off."), isOurs: false };
      // Pages are left that were due.
      const result = { summary, held, polls, restsUntil: 0, nextDueAt: now - 1 } as unknown as VisitResult;
      return { kind: "done", result, isCutShort: false };
    });
    return begun;
  };
  const planOf = (origin: string) =>
    plans.get(origin) as {
      at: number;
      bucket?: number;
      isListed?: boolean;
      allowance?: { polls: number; at: number };
    };
  return { visit, planOf, passed: (ms: number) => (now += ms), now: () => now };
}

describe("KnownSites", () => {
  it("bounds polls once sites wait, and puts off visits until sites may poll; not where archives tell of changes", async () => {
    const sources = ["links", "sitemap", "archives"] as const;
    const sites = openSites(60, 200, (site) => sources[site % 3] ?? "links");
    const bounded = new Map<SourceName, number>();
    for (let visit = 0; visit < 3000; visit++) {
      const made = await sites.visit();
      if (made === undefined) {
        sites.passed(minuteMs);
        continue;
      }
      const { budget, origin } = made;
      const source = sources[numberOf(origin) % 3] ?? "links";
      if (budget === undefined) continue;
      bounded.set(source, (bounded.get(source) ?? 0) + 1);
      assert.ok(budget <= 200, String(budget));
      const { at, allowance } = sites.planOf(origin);
      assert.ok(allowance !== undefined && allowance.polls < Math.max(1, budget - 49), String(allowance?.polls));
      // No visit is sooner than an hour anyway.
      const leastMs = source === "links" ? 200 * minuteMs : 70 * minuteMs;
      if (allowance.polls < 1) assert.ok(at - sites.now() > leastMs, `${source}: ${at - sites.now()}`);
    }
    assert.deepEqual([...bounded.keys()].sort(), ["links", "sitemap"]);
    for (const count of bounded.values()) assert.ok(count > 100, String(count));
  });

  it("takes pages for as old as they are, where each visit polls a few of many", async () => {
    // Each once in sixteen days, in which a page that changes once in thirty changes with a probability of 0.41.
    const sites = openSites(1, 800, () => "links", { polls: { polled: 50, changed: 20, seconds: 50 * 16 * 86_400 } });
    for (let visits = 0; visits < 60; ) {
      if ((await sites.visit()) === undefined) sites.passed(minuteMs);
      else visits++;
    }
    const days = 1 / rateOfBucket(sites.planOf("http://s0.example").bucket ?? 0) / 86_400;
    assert.ok(days > 24 && days < 40, `one change in ${days} days`);
  });

  it("visits a site that was planned by a clock a year ahead", async () => {
    const sites = openSites(1, 8, () => "links", { plan: (now) => ({ at: now + 365 * dayMs }) });
    assert.equal(await sites.visit(), undefined);
    sites.passed(91 * dayMs);
    assert.notEqual(await sites.visit(), undefined);
  });

  it("visits a site at once that was visited by a clock that was ahead", async () => {
    const plan = (now: number): VisitPlan => ({ ...unvisited, at: now + 31 * dayMs, lookedAt: now + 30 * dayMs });
    assert.notEqual(await openSites(1, 8, () => "links", { plan }).visit(), undefined);
  });

  it("gives polls by the pages that visits found, not by what links led to", async () => {
    const budgets = await Promise.all(
      [100, 6400].map(async (held) => {
        const sites = openSites(60, 3, () => "links", { held });
        let made: KnownVisit | undefined;
        for (let visit = 0; visit < 3000; visit++) {
          const begun = await sites.visit();
          if (begun === undefined) sites.passed(minuteMs);
          else made = begun;
        }
        return made?.budget ?? 0;
      }),
    );
    assert.ok((budgets[0] ?? 0) >= 16 && (budgets[0] ?? 0) <= 100, String(budgets));
    assert.ok((budgets[1] ?? 0) >= 400, String(budgets));
  });

  for (const how of ["failed", "none"] as const)
    it(`gives a site no further polls after a visit that ${how === "none" ? "came to nothing" : "failed"}`, async () => {
      const sites = openSites(60, 200, (site) => (site % 2 === 0 ? "links" : "sitemap"));
      let seen = 0;
      for (let visit = 0; visit < 6000; visit++) {
        const before = new Map(
          Array.from({ length: 60 }, (_, at) => [`http://s${at}.example`, sites.planOf(`http://s${at}.example`)]),
        );
        const begun = await sites.visit(visit % 7 === 0 ? how : "done");
        if (begun === undefined) sites.passed(minuteMs);
        else if (visit % 7 === 0) {
          const { allowance, isListed } = before.get(begun.origin) ?? {};
          const { allowance: kept, isListed: isStillListed } = sites.planOf(begun.origin);
          assert.deepEqual([kept, isStillListed], [allowance, isListed]);
          if (allowance !== undefined) seen++;
        }
      }
      assert.ok(seen > 20, String(seen));
    });
});
