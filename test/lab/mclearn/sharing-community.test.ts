import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ChangingPages } from "../../../lab/mclearn/changing-pages.ts";
import { type CommunityWorld, type CrawlerSetup, meanOf } from "../../../lab/mclearn/community-world.ts";
import { EventLog, falseVersion } from "../../../lab/mclearn/event-log.ts";
import { bangBangRho, fixedRho } from "../../../lab/mclearn/rho-controller.ts";
import { simulateCommunity } from "../../../lab/mclearn/sharing-community.ts";
import { createRandom } from "../../../src/core/random.ts";
import { estimateFreshness, modelRho, type SharingController } from "../../../src/share/engine/model-rho.ts";

const pages = 5000;
const world: CommunityWorld = {
  pages,
  changesPerSecond: 4.9651 / pages,
  slots: Number.POSITIVE_INFINITY,
  mergeSeconds: 1,
  recordsPerSecond: 1000,
  seconds: 2 * pages,
};

const crawlers = (count: number, controller: SharingController<unknown>, isSharing = true): CrawlerSetup[] =>
  Array.from({ length: count }, () => ({ controller, isSharing }));

function freshnessOf(setups: readonly CrawlerSetup[], changed: Partial<CommunityWorld> = {}): number {
  const courses = simulateCommunity(setups, { ...world, ...changed }, createRandom(1, "test"));
  return meanOf(courses.map((course) => course.freshness));
}

describe("a simulated community", () => {
  it("is 20 % fresh if nobody shares, and less with contention", () => {
    assert.ok(Math.abs(freshnessOf(crawlers(4, fixedRho(1), false)) - 0.2) < 0.01);
    assert.ok(freshnessOf(crawlers(4, fixedRho(1), false), { slots: 1 }) < 0.07);
  });

  it("is stale if nobody polls", () => {
    assert.ok(freshnessOf(crawlers(4, fixedRho(0))) < 0.01);
  });

  it("has the freshness of the mean field: two crawlers 0.31, eight 0.61", () => {
    assert.ok(Math.abs(freshnessOf(crawlers(2, fixedRho(0.95))) - 0.309) < 0.015);
    assert.ok(Math.abs(freshnessOf(crawlers(8, fixedRho(0.85)), { slots: 20 }) - 0.585) < 0.015);
  });

  it("has the freshness of the mean field where merges are rare and long", () => {
    const [count, rho] = [16, 0.98];
    const expected = estimateFreshness({
      ...{ crawlers: count, followed: count - 1, rho, pages, changesPerSecond: world.changesPerSecond },
      ...{ pollSeconds: 1, mergeSeconds: 1, recordSeconds: 1 / 100 },
    });
    const freshness = freshnessOf(crawlers(count, fixedRho(rho)), { recordsPerSecond: 100, seconds: 4 * pages });
    assert.ok(Math.abs(freshness - expected) < 0.02, `${freshness} ${expected}`);
  });

  it("is as fresh if only some of its pages are simulated", () => {
    const whole = freshnessOf(crawlers(8, fixedRho(0.85)));
    assert.ok(Math.abs(freshnessOf(crawlers(8, fixedRho(0.85)), { sampling: 5 }) - whole) < 0.02);
  });

  it("a parasite tells nobody, and is as fresh as the others", () => {
    const courses = simulateCommunity(
      [...crawlers(7, fixedRho(0.85)), { controller: fixedRho(0), isSharing: false }],
      world,
      createRandom(1, "test"),
    );
    const parasite = courses.at(-1)?.freshness ?? 0;
    assert.ok(parasite >= meanOf(courses.slice(0, 7).map((course) => course.freshness)));
    assert.equal(courses.at(-1)?.pollsPerSecond, 0);
  });

  it("a crawler that reads archives polls no page of theirs, and is as fresh as the time between reads allows", () => {
    const archives = { exportedShare: 1, pagesPerSite: 100, readShare: 1 };
    const [course] = simulateCommunity(crawlers(1, fixedRho(1)), { ...world, archives }, createRandom(1, "test"));
    // 50 sites in turn: a copy is 25 seconds old in the mean, of 1007 between changes.
    assert.ok(Math.abs((course?.freshness ?? 0) - 0.975) < 0.005);
    const half = freshnessOf(crawlers(1, fixedRho(1)), {
      archives: { ...archives, exportedShare: 0.5, readShare: 0.2 },
    });
    assert.ok(Math.abs(half - 0.62) < 0.01, `${half}`);
  });

  it("our controller is fresher than bang-bang", () => {
    for (const count of [2, 8, 32]) {
      const changed = { slots: 20, sampling: Math.max(1, count / 8) };
      assert.ok(freshnessOf(crawlers(count, modelRho()), changed) > freshnessOf(crawlers(count, bangBangRho), changed));
    }
  });

  it("refuses pages that do not fit into packed events", () => {
    assert.throws(() => freshnessOf(crawlers(2, fixedRho(1)), { pages: 2 ** 20 + 1 }), RangeError);
  });
});

describe("pages that change", () => {
  it("are as fresh as chance says, and stale once a change was seen", () => {
    const web = new ChangingPages(2, 1, createRandom(1, "pages"));
    assert.equal(web.freshness(new Uint16Array(2), 0, Math.LN2, 2), 0.5);
    assert.equal(web.look(0, 1000), 1);
    assert.equal(web.freshness(new Uint16Array(2), 0, 1000, 1), 0);
  });

  it("refuse more versions than an event has room for", () => {
    const web = new ChangingPages(1, 1, createRandom(1, "pages"));
    assert.throws(() => {
      for (let look = 1; look < 5000; look++) web.look(0, look * 1000);
    }, RangeError);
  });
});

describe("a log of events", () => {
  it("gives back what was added, however long it is", () => {
    const log = new EventLog();
    for (let page = 0; page < 3000; page++) log.add(2 ** 20 - 1 - page, page % (falseVersion + 1), page);
    assert.equal(log.length, 3000);
    assert.deepEqual([log.pageAt(2999), log.versionAt(2999), log.originAt(2999)], [2 ** 20 - 3000, 2999, 2999]);
    assert.equal(log.pageAt(0), 2 ** 20 - 1);
  });
});
