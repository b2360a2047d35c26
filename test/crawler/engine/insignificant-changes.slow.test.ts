import assert from "node:assert/strict";
import { test } from "node:test";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import type { PollPlannerName } from "../../../src/crawler/engine/revisit/poll-planners.ts";
import { Crawler } from "./site-visit.ts";

const words = Array.from({ length: 400 }, (_, at) => `word${at}`).join(" ");

/** What a planner does with one request a day for three pages, after eight days in which all were asked for. */
interface Budgeted {
  readonly planner: PollPlannerName;
  readonly days: number;
}

/** Estimated rates alone, by which it is known beforehand what each day's request is for. */
const byIndex: Budgeted = { planner: "index", days: 4 };

/** Changes a counter of one page and the whole text of another each day, and gives the pages that one request a day goes to. */
async function askedUnderBudget(
  options: Partial<CrawlSiteOptions>,
  { planner, days }: Budgeted = byIndex,
): Promise<{ asked: string[]; minor: string }> {
  await using crawler = await Crawler.open();
  crawler.site.set({ "/": `<a href="/minor.html">a</a><a href="/news.html">b</a>` });
  const asked: string[] = [];
  for (let day = 0; day < 8 + days; day++) {
    const news = Array.from({ length: 50 }, (_, at) => `${day}news${at}`).join(" ");
    crawler.site.set({ "/minor.html": `<p>${words}<p>Visitors: ${day}`, "/news.html": `<p>${news}` });
    const isBounded = day >= 8;
    const { requests } = await crawler.visitNextDay({
      ...{ sources: ["links"], ...(isBounded ? { budget: 1, planner } : {}) },
      ...options,
    });
    if (isBounded) asked.push(...requests.filter((request) => /html$/.test(request)));
  }
  return { asked, minor: crawler.mirror()["/minor.html"] ?? "" };
}

test("changes that are insignificant do not cause more visits, and are kept", async () => {
  const { asked, minor } = await askedUnderBudget({ significant: 0.9 });
  // One of the four days is for the page that links to both.
  assert.deepEqual(asked, Array(3).fill("200 /news.html"));
  assert.match(minor, /Visitors: 7$/);
});

test("what is kept in WARC files is compared with what they held before", async () => {
  const { asked } = await askedUnderBudget({ significant: 0.9, keep: "warc" });
  assert.deepEqual(asked, Array(3).fill("200 /news.html"));
});

test("every change causes visits where `significant` is not set", async () => {
  const { asked } = await askedUnderBudget({});
  assert.ok(asked.includes("200 /minor.html"), asked.join());
});

test("the default planner, too, asks less often for a page whose changes are insignificant", async () => {
  // Longer than it takes to learn of a site with three pages.
  const days = 48;
  const shareOf = async (significant?: number): Promise<number> => {
    const options = significant === undefined ? {} : { significant };
    const { asked } = await askedUnderBudget(options, { planner: "default", days });
    return asked.filter((request) => request.endsWith("/minor.html")).length / days;
  };
  const [withRule, without] = [await shareOf(0.9), await shareOf()];
  assert.ok(2 * withRule < without, `${withRule} with, ${without} without`);
});

test("what no resemblance can be is refused", async () => {
  await assert.rejects(askedUnderBudget({ significant: 0 }), { code: "bad-option" });
});
