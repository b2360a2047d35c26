import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dayOf, ListedSite } from "./listed-site.ts";

const only = { sources: ["resourcesync"] as const };
const orLinks = { sources: ["resourcesync", "links"] as const };
describe("change lists that cannot be used", () => {
  for (const lacks of ["from", "datetime"] as const) {
    it(`for lack of ${lacks} are not passed over in silence: the site is left alone, and then its links are followed`, async () => {
      await using listed = await ListedSite.open();
      const { crawler } = listed;
      assert.equal((await crawler.visit(orLinks)).summary.source, "resourcesync");
      crawler.now += 86_400_000;
      crawler.site.set({ "/a.html": "b" });
      listed.listChanges({ lacks });
      for (let day = 0; day < 3; day++) {
        const { summary, warnings } = await crawler.visit(orLinks);
        assert.equal(summary.source, "none");
        assert.match(summary.passedOver[0]?.why ?? "", new RegExp(`lacks? "${lacks}"`));
        assert.ok(warnings.includes("resourcesync-unusable"));
        crawler.now += 86_400_000;
      }
      for (let day = 0; day < 2; day++) {
        const { summary } = await crawler.visit(orLinks);
        assert.deepEqual([summary.source, summary.deleted], ["links", 0]);
        crawler.now += 86_400_000;
      }
      assert.equal(crawler.mirror()["/a.html"], "b");
    });

    it(`for lack of ${lacks} give way to a resource list that is newer, and a warning says so`, async () => {
      await using listed = await ListedSite.open();
      const { crawler } = listed;
      await crawler.visit(only);
      crawler.now += 86_400_000;
      crawler.site.set({ "/a.html": "b" });
      listed.listChanges({ lacks });
      listed.listAll();
      const { summary, warnings } = await crawler.visit(only);
      assert.deepEqual([summary.source, warnings], ["resourcesync", ["resourcesync-unusable"]]);
      assert.equal(crawler.mirror()["/a.html"], "b");
    });
  }

  it("because a list redirects to what robots.txt disallows are not requested there", async () => {
    await using listed = await ListedSite.open();
    const { crawler } = listed;
    const { site } = crawler;
    site.files.set("/robots.txt", Buffer.from("User-agent: *\nDisallow: /private/\n"));
    site.files.set("/private/list.xml", site.files.get("/list.xml") as Buffer);
    site.answers.set("/list.xml", (_, response) => response.writeHead(302, { location: "/private/list.xml" }).end());
    const { requests } = await crawler.visit(only);
    assert.ok(requests.includes("302 /list.xml"));
    assert.ok(!requests.some((request) => request.includes("/private/")), requests.join());
  });

  for (const [why, unusable] of [
    ["are in trouble", (listed: ListedSite) => listed.answerChanges(503)],
    ["are missing", (listed: ListedSite) => listed.answerChanges(404)],
    ["lack from", (listed: ListedSite) => listed.listChanges({ lacks: "from" })],
  ] as const) {
    it(`because they ${why} do not let a resource list delete what is younger than it`, async () => {
      await using listed = await ListedSite.open();
      const { crawler } = listed;
      crawler.site.set({ "/a.html": `<a href="/new.html">new</a>`, "/new.html": "new" });
      crawler.now += 86_400_000;
      assert.equal((await crawler.visit({ sources: ["links"] })).summary.created, 3);
      listed.listChanges({ of: "/new.html", as: "created" });
      const whole = listed.changes;
      unusable(listed);
      const { summary, pages } = await crawler.visitNextDay(only);
      assert.deepEqual([summary.source, summary.deleted, pages], ["none", 0, []]);
      crawler.site.answers.clear();
      listed.changes = whole;
      const again = await crawler.visitNextDay(only);
      assert.deepEqual([again.summary.source, again.summary.deleted], ["resourcesync", 0]);
      assert.equal(crawler.mirror()["/new.html"], "new");
    });
  }

  it("that begin after the resource list keep what they name", async () => {
    await using listed = await ListedSite.open();
    const { crawler } = listed;
    crawler.site.set({ "/a.html": `<a href="/new.html">new</a>`, "/new.html": "new" });
    crawler.now += 86_400_000;
    await crawler.visit({ sources: ["links"] });
    listed.listChanges({ of: "/new.html", as: "created", from: `${dayOf(crawler)}Z` });
    const { summary } = await crawler.visitNextDay(only);
    assert.deepEqual([summary.source, summary.deleted], ["resourcesync", 0]);
  });

  it("do not matter once they can be used again", async () => {
    await using listed = await ListedSite.open();
    const { crawler } = listed;
    await crawler.visit(only);
    crawler.now += 86_400_000;
    crawler.site.set({ "/a.html": "b" });
    listed.listChanges({ lacks: "from" });
    assert.equal((await crawler.visit(only)).summary.source, "none");
    listed.listChanges({});
    const { summary, warnings } = await crawler.visit(only);
    assert.deepEqual([summary.updated, warnings], [1, []]);
  });
});
