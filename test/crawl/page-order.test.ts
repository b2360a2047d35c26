import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CrawlSiteOptions } from "../../src/crawl-site.ts";
import { createRandom } from "../../src/demo/index.ts";
import { Crawler, type Visit } from "./site-visit.ts";

/** How many pages are asked for before ranks are looked at again. */
const atATime = 100;
const byRank = { sources: ["links"], order: "partial" } as const satisfies Partial<CrawlSiteOptions>;

const link = (href: string, more = ""): string => `<a href="${href}" ${more}>x</a>`;
const page = (...links: readonly string[]): string => `<!doctype html><title>x</title>${links.join("\n")}`;
const linking = (...hrefs: readonly string[]): string => page(...hrefs.map((href) => link(href)));

function asked({ requests }: Visit): string[] {
  return requests.map((request) => request.split(" ")[1] ?? "").filter((path) => path !== "/robots.txt");
}

/** A site of two levels, whose last page is the one that most others lead to. */
function hubSite(): Record<string, string> {
  const pages: Record<string, string> = { "/": linking(...Array.from({ length: 20 }, (_, at) => `/${at}/`)) };
  for (let at = 0; at < 20; at++) {
    const leaves = Array.from({ length: 10 }, (_, leaf) => `/${at}/${leaf}.html`);
    pages[`/${at}/`] = linking(...leaves, "/hub.html");
    for (const leaf of leaves) pages[leaf] = leaf;
  }
  return { ...pages, "/hub.html": "hub" };
}

/** Rounds of at most {@link atATime} pages, the best of those that are known; what each was worth when it was asked for. */
function ranksByModel(pages: ReadonlyMap<string, readonly string[]>, order: readonly string[]): number[][] {
  const ranks = new Map([["/", 0]]);
  const rounds: number[][] = [];
  const done = new Set<string>();
  for (let at = 0; at < order.length; ) {
    const round = order.slice(at, at + Math.min(atATime, ranks.size - done.size));
    const waiting = [...ranks].filter(([path]) => !done.has(path));
    const best = waiting.map(([, rank]) => rank).sort((a, b) => b - a);
    const taken = round.map((path) => ranks.get(path) ?? Number.NaN);
    assert.ok(
      taken.every((rank, place) => Math.abs(rank - (best[place] ?? 0)) < 1e-9),
      `round from ${at}: ${taken.slice(0, 5)} where the best are ${best.slice(0, 5)}`,
    );
    rounds.push(taken);
    const before = new Map(ranks);
    for (const path of round) {
      done.add(path);
      const links = pages.get(path) ?? [];
      const share = (0.15 + 0.85 * (before.get(path) ?? 0)) / Math.max(1, links.length);
      for (const to of links) ranks.set(to, (ranks.get(to) ?? 0) + share);
    }
    at += round.length;
  }
  assert.equal(done.size, ranks.size, "all that links lead to");
  return rounds;
}

describe("the order of new pages", () => {
  it("partial: what most pages lead to comes first, and is what is kept of many", async () => {
    await using crawler = await Crawler.open();
    crawler.site.set(hubSite());
    const visit = await crawler.visit({ ...byRank, maxPages: 22 });
    assert.deepEqual(asked(visit).indexOf("/hub.html"), 21);
    assert.equal(visit.summary.created, 22);
    await using other = await Crawler.open();
    other.site.set(hubSite());
    assert.ok(!asked(await other.visit({ sources: ["links"], maxPages: 22 })).includes("/hub.html"));
  });

  it("partial: what pages gave to each other outlives the visit", async () => {
    await using crawler = await Crawler.open();
    crawler.site.set(hubSite());
    await crawler.visit({ ...byRank, budget: 21 });
    assert.deepEqual(asked(await crawler.visit({ ...byRank, budget: 1 })), ["/hub.html"]);
  });

  it("partial: a link gives once a page, nothing where it says nofollow, and less beside links to other sites", async () => {
    const others = Array.from({ length: 6 }, (_, at) => link(`https://other.example/${at}`));
    await using crawler = await Crawler.open();
    crawler.site.set({
      "/": linking("/a/", "/b/", "/c/", "/d/"),
      // Each gives to two pages of the site but for what it says beside that.
      "/a/": page(link("/once.html"), link("/often.html"), '<iframe src="/often.html"></iframe>'),
      "/b/": page(link("/followed.html"), link("/other.html")),
      "/c/": page(link("/beside.html"), ...others),
      "/d/": page(link("/one.html"), link("/other.html", "rel=nofollow")),
    });
    const visit = await crawler.visit(byRank);
    const last = asked(visit).slice(5);
    assert.deepEqual(last, ["/once.html", "/often.html", "/followed.html", "/other.html", "/one.html", "/beside.html"]);
  });

  it("partial: each round takes the best of what is known, and all is found", async () => {
    for (let seed = 1; seed <= 2; seed++) {
      const random = createRandom(seed);
      const paths = ["/", ...Array.from({ length: 350 }, (_, at) => `/${at}.html`)];
      const pages = new Map<string, string[]>();
      for (const path of paths) {
        // Some pages are linked to much more than others, and some from nowhere.
        const count = path === "/" ? 30 : Math.floor(random() * 12);
        const links = Array.from({ length: count }, () => paths[Math.floor(random() ** 2 * paths.length)] ?? "/");
        pages.set(path, [...new Set(links)]);
      }
      await using crawler = await Crawler.open();
      crawler.site.set(Object.fromEntries([...pages].map(([path, links]) => [path, linking(...links)])));
      const order = asked(await crawler.visit(byRank));
      assert.equal(new Set(order).size, order.length);
      const rounds = ranksByModel(pages, order);
      assert.ok(rounds.length >= 4, `${rounds.length} rounds`);
    }
  });

  it("partial: what no page leads to is asked for too", async () => {
    await using crawler = await Crawler.open();
    crawler.site.set({ "/": linking("/a.html"), "/a.html": '<img src="/a.png">', "/a.png": "png", "/b.html": "b" });
    const urls = ["/", "/b.html"].map((path) => crawler.site.origin + path);
    const listed = await crawler.visit({ order: "partial", sources: ["list"], urls });
    assert.deepEqual(asked(listed), ["/", "/b.html"]);
    assert.deepEqual(asked(await crawler.visit(byRank)).sort(), ["/", "/a.html", "/a.png", "/b.html"]);
  });

  it("random: any, also if only some are kept", async () => {
    await using crawler = await Crawler.open();
    crawler.site.set(hubSite());
    const order = asked(await crawler.visit({ sources: ["links"], order: "random", maxPages: 60 })).slice(1);
    const numbers = order.slice(0, 20).map((path) => Number(path.split("/")[1]));
    assert.equal(order.length, 59);
    assert.notDeepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
    const rest = await crawler.visit({ sources: ["links"], order: "random" });
    assert.equal(rest.summary.created, Object.keys(hubSite()).length - 60);
  });

  it("length: as they were found", async () => {
    await using crawler = await Crawler.open();
    crawler.site.set(hubSite());
    const visits = [
      await crawler.visit({ sources: ["links"], order: "length", maxPages: 40 }),
      await crawler.visit({ sources: ["links"], order: "length" }),
    ];
    await using other = await Crawler.open();
    other.site.set(hubSite());
    assert.deepEqual(
      visits.flatMap(asked).filter((path, at, all) => all.indexOf(path) === at),
      asked(await other.visit({ sources: ["links"] })),
    );
  });
});
