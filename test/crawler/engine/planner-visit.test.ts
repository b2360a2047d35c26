import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { type PollPlannerName, pollPlannerNames } from "../../../src/crawler/engine/revisit/poll-planners.ts";
import { longer } from "../../long-run.ts";
import { urlset } from "./mapped-site.ts";
import { Crawler, type Visit } from "./site-visit.ts";

const pagesOf = ({ requests }: Visit): string[] =>
  requests.flatMap((request) => (request.endsWith(".html") ? [request.slice(4)] : []));

/** A site whose pages change every so many days; 0 for never. */
async function openSite(everyDays: readonly number[]): Promise<{ crawler: Crawler; live: (day: number) => void }> {
  const crawler = await Crawler.open();
  const paths = everyDays.map((_, page) => `/${page}.html`);
  const text = urlset(
    crawler.site.origin,
    paths.map((path) => ({ path })),
  );
  crawler.site.files.set("/sitemap.xml", Buffer.from(text));
  const live = (day: number): void => {
    const versionOf = (every: number): number => (every === 0 ? 0 : Math.floor(day / every));
    crawler.site.set(
      Object.fromEntries(paths.map((path, page) => [path, `${path} ${versionOf(everyDays[page] ?? 0)}`])),
    );
  };
  live(0);
  return { crawler, live };
}

/** The pages that each daily visit asked for, after the first, which asks for all. */
async function visitDaily(
  everyDays: readonly number[],
  days: number,
  options: Partial<CrawlSiteOptions>,
): Promise<string[][]> {
  const { crawler, live } = await openSite(everyDays);
  await using _ = crawler;
  await crawler.visit({ sources: ["sitemap"] });
  const asked: string[][] = [];
  for (let day = 1; day <= days; day++) {
    live(day);
    asked.push(pagesOf(await crawler.visitNextDay({ sources: ["sitemap"], ...options })));
  }
  return asked;
}

const countOf = (asked: readonly string[][], path: string): number =>
  asked.flat().filter((request) => request === path).length;
const still = [0, 0, 0, 0, 0, 0];

describe("visits by a planner", () => {
  for (const planner of pollPlannerNames)
    it(`ask for no more than their budget by ${planner}, and for each page at most once`, async () => {
      const asked = await visitDaily([1, 1, 3, 3, 7, 0, 0, 0], 12, { planner, budget: 2 });
      for (const pages of asked) {
        assert.ok(pages.length <= 2, pages.join());
        assert.equal(new Set(pages).size, pages.length);
      }
      const isSpent = !["default", "index", "nutch", "stormcrawler"].includes(planner);
      if (isSpent) assert.deepEqual(new Set(asked.map(({ length }) => length)), new Set([2]));
    });

  it("ask for the pages in turn by round-robin, whatever they do", async () => {
    const asked = await visitDaily([1, 0, 0, 0, 0, 0], 6, { planner: "round-robin", budget: 2 });
    const round = [
      ["/0.html", "/1.html"],
      ["/2.html", "/3.html"],
      ["/4.html", "/5.html"],
    ];
    assert.deepEqual(
      asked.map((pages) => pages.toSorted()),
      [...round, ...round],
    );
  });

  it("ask as often as pages change by proportional, and less for those that cannot be followed by optimum", async () => {
    const everyDays = [1, 1, 1, 4, 4, 4, 30, 30, 30, 30];
    const days = longer(36, 60);
    const lively = (asked: readonly string[][]): number => countOf(asked, "/0.html") + countOf(asked, "/1.html");
    const askBy = (planner: PollPlannerName): Promise<string[][]> =>
      visitDaily(everyDays, days, { planner, budget: 1 });
    const [proportional, optimum] = [await askBy("proportional"), await askBy("optimum")];
    assert.ok(lively(proportional) > 2 * lively(optimum), `${lively(proportional)} and ${lively(optimum)}`);
  });

  it("keep an interval for each page by stormcrawler, also from one process to the next", async () => {
    // No budget: 1 day, and half as long again after each visit without a change, in whole days.
    const asked = await visitDaily([0], 20, { planner: "stormcrawler" });
    const days = asked.flatMap((pages, at) => (pages.length > 0 ? [at + 1] : []));
    assert.deepEqual(days, [1, 3, 6, 10, 16]);
  });

  it("come back sooner by stormcrawler to what changes", async () => {
    const asked = await visitDaily([1, 0], 20, { planner: "stormcrawler" });
    assert.equal(countOf(asked, "/0.html"), 20);
    assert.equal(countOf(asked, "/1.html"), 5);
  });

  it("come back after 30 days by nutch, and then after 42", async () => {
    const asked = await visitDaily(still.slice(0, 1), 80, { planner: "nutch" });
    assert.deepEqual(
      asked.flatMap((pages, at) => (pages.length > 0 ? [at + 1] : [])),
      [30, 72],
    );
  });

  it("begin with the interval of their own where another planner kept one", async () => {
    const { crawler } = await openSite([0]);
    await using _ = crawler;
    const visit = async (planner: PollPlannerName): Promise<number> =>
      pagesOf(await crawler.visitNextDay({ sources: ["sitemap"], planner })).length;
    await crawler.visit({ sources: ["sitemap"] });
    assert.deepEqual([await visit("stormcrawler"), await visit("stormcrawler")], [1, 0]);
    assert.equal(await visit("nutch"), 0);
    crawler.now += 30 * 86_400_000;
    assert.equal(await visit("nutch"), 1);
  });

  for (const planner of ["default", "index"] as const)
    it(`ask more often for pages of a higher weight by ${planner}`, async () => {
      const weightOf = (url: string): number => (url.endsWith("/5.html") ? 20 : 0.2);
      const days = 8;
      const countBy = async (options: Partial<CrawlSiteOptions>): Promise<number> =>
        countOf(await visitDaily([1, 1, 1, 1, 1, 1], days, { planner, budget: 1, ...options }), "/5.html");
      const [weighed, equal] = [await countBy({ weightOf }), await countBy({})];
      assert.ok(weighed >= days - 2 && equal <= days / 2, `${weighed} and ${equal}`);
    });

  it("need a planner that there is, something to plan, and a budget where one is divided", async () => {
    const { crawler } = await openSite([0]);
    await using _ = crawler;
    const refused = (options: Partial<CrawlSiteOptions>, message: RegExp): Promise<void> =>
      assert.rejects(crawler.visit(options), (error: { code?: string; message: string; hint?: string }) => {
        assert.equal(error.code, "bad-option");
        assert.match(`${error.message} ${error.hint}`, message);
        return true;
      });
    await refused({ planner: "best" as PollPlannerName }, /no planner best.*round-robin, proportional/);
    await refused({ planner: "nutch", isPlanned: false }, /all pages of http:.* are requested/);
    await refused({ weightOf: () => 1 }, /Ranks weigh pages under a budget, but http:.*--budget N/);
    await refused({ weightOf: () => 1, budget: 1, planner: "nutch" }, /planner nutch takes no ranks/);
    await refused({ planner: "azar" }, /divides a budget, but http:.*--budget N/);
  });
});
