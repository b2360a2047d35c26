import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRandom } from "../../../src/core/random.ts";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { openConnection, prepareStatement } from "../../../src/storage/sqlite/database.ts";
import { stateFileIn } from "../../../src/storage/state/store.ts";
import { longer } from "../../long-run.ts";
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

/** What new pages were given so far, by path. */
function ranksOf(crawler: Crawler): Map<string, number> {
  const connection = openConnection(stateFileIn(crawler.folder.path));
  try {
    const rows = prepareStatement(connection, "SELECT path, rank FROM url WHERE state = 'new'").all();
    return new Map(rows as [string, number][]);
  } finally {
    connection.close();
  }
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
    // By then all of them are read, however fast that is.
    await crawler.visit({ ...byRank, budget: 5 });
    const last = asked(await crawler.visit({ ...byRank, concurrency: 1 })).filter((path) => path.endsWith(".html"));
    assert.deepEqual(last, ["/once.html", "/often.html", "/followed.html", "/other.html", "/one.html", "/beside.html"]);
  });

  it("partial: each page divides 0.15 and 0.85 of its own rank among those that it leads to", async () => {
    await using crawler = await Crawler.open();
    crawler.site.set(hubSite());
    await crawler.visit({ ...byRank, budget: 21 });
    const share = (0.15 + 0.85 * (0.15 / 20)) / 11;
    const ranks = ranksOf(crawler);
    assert.equal(ranks.size, 201);
    for (const [path, rank] of ranks) {
      const expected = path === "/hub.html" ? 20 * share : share;
      assert.ok(Math.abs(rank - expected) < 1e-12, `${path}: ${rank}, not ${expected}`);
    }
  });

  it("partial, random: all that links lead to is found, each page once", async () => {
    const random = createRandom(7);
    const paths = ["/", ...Array.from({ length: longer(60, 400) }, (_, at) => `/${at}.html`)];
    const pages = new Map<string, readonly string[]>();
    for (const path of paths) {
      const count = path === "/" ? 30 : Math.floor(random() * 12);
      pages.set(
        path,
        Array.from({ length: count }, () => paths[Math.floor(random() ** 2 * paths.length)] ?? "/"),
      );
    }
    const found = new Set(["/"]);
    for (const path of found) for (const to of pages.get(path) ?? []) found.add(to);
    for (const order of ["partial", "random"] as const) {
      await using crawler = await Crawler.open();
      crawler.site.set(Object.fromEntries([...pages].map(([path, links]) => [path, linking(...links)])));
      const visited = asked(await crawler.visit({ sources: ["links"], order, concurrency: 4 }));
      assert.deepEqual(visited.toSorted(), [...found].toSorted());
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

  it("partial: nobody waits for a page that is slow, but for its place", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    const late = Array.from({ length: 3 * atATime }, (_, at) => `/${at}.html`);
    site.set({
      "/": linking("/slow.html", ...late),
      "/slow.html": "slow",
      ...Object.fromEntries(late.map((path) => [path, path])),
    });
    // It comes once pages of the third round were asked for.
    site.around = (response, serve) => {
      if (response.req.url !== "/slow.html") return serve();
      const timer = setInterval(() => {
        if (site.seen.length < 2.5 * atATime) return;
        clearInterval(timer);
        serve();
      }, 5);
    };
    const visit = await crawler.visit({ ...byRank, concurrency: 4 });
    assert.equal(visit.summary.created, late.length + 2);
    assert.equal(new Set(asked(visit)).size, asked(visit).length, "each is asked for once");
  });

  it("partial: all connections are used as soon as there is something for them", { timeout: 20_000 }, async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set(hubSite());
    const waiting: (() => void)[] = [];
    let most = 0;
    site.around = (response, serve) => {
      if (most >= 3 || !/^\/\d/.test(response.req.url ?? "")) return serve();
      waiting.push(serve);
      most = Math.max(most, waiting.length);
      if (most >= 3) for (const one of waiting) one();
    };
    await crawler.visit({ ...byRank, concurrency: 4, maxPages: 22 });
    assert.equal(most, 3);
  });

  for (const order of ["depth", "partial", "random"] as const)
    it(`${order}: no more than the budget is asked for, and no more than a bound is kept, also at many connections`, async () => {
      await using crawler = await Crawler.open();
      crawler.site.set(hubSite());
      const first = await crawler.visit({ sources: ["links"], order, budget: 37, concurrency: 16 });
      assert.deepEqual([first.summary.pageRequests, first.summary.created], [37, 37]);
      const second = await crawler.visit({ sources: ["links"], order, maxPages: 90, concurrency: 16 });
      assert.deepEqual([second.summary.created, second.summary.pending], [53, 0]);
    });

  for (const order of ["partial", "random"] as const)
    it(`${order}: what is near enough by one way is found, by whatever way it was found first`, async () => {
      await using crawler = await Crawler.open();
      // By way of what most pages lead to, the leaves are too deep.
      const pages: Record<string, string> = {};
      const leaves = Array.from({ length: 150 }, (_, at) => `/leaf/${at}.html`);
      for (const path of ["/1/", "/2/", "/deep/"]) pages[path] = linking("/hub/");
      const others = Array.from({ length: 2 * atATime }, (_, at) => `/other/${at}.html`);
      pages["/"] = linking("/1/", "/2/", "/deep/", ...others, "/list/");
      for (const path of others) pages[path] = "other";
      crawler.site.set({ ...pages, "/hub/": linking(...leaves), "/list/": linking(...leaves) });
      crawler.site.set(Object.fromEntries(leaves.map((path) => [path, path])));
      const options = { sources: ["links"], order, maxDepth: 2 } as const;
      await crawler.visit(options);
      await crawler.visitNextDay(options);
      const held = Object.keys(crawler.mirror()).filter((path) => path.startsWith("/leaf/"));
      assert.equal(held.length, leaves.length);
    });

  it("partial: a page to which a shorter way was found while it was kept is read again", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    // Many pages lead to the far one, which is asked for before the short way to it is read.
    const middle = Array.from({ length: 20 }, (_, at) => `/m${at}.html`);
    site.set({ "/": linking("/a.html", "/z.html"), "/a.html": linking(...middle), "/z.html": linking("/far.html") });
    site.set(Object.fromEntries(middle.map((path) => [path, linking("/far.html")])));
    site.set({ "/far.html": linking("/farther.html"), "/farther.html": "x" });
    site.around = (response, serve) => (response.req.url === "/z.html" ? void setTimeout(serve, 300) : serve());
    const options = { sources: ["links"], order: "partial", maxDepth: 3, concurrency: 3 } as const;
    await crawler.visit(options);
    await crawler.visitNextDay(options);
    assert.ok("/farther.html" in crawler.mirror());
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
