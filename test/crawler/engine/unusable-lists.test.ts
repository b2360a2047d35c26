import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Crawler } from "./site-visit.ts";

const only = { sources: ["resourcesync"] as const };
const orLinks = { sources: ["resourcesync", "links"] as const };
/** The day of a visit. */
const dayOf = (crawler: Crawler): string => new Date(crawler.now).toISOString().slice(0, 19);

/** A site whose ResourceSync has a resource list and a change list, neither with hashes. */
class ListedSite implements AsyncDisposable {
  readonly crawler: Crawler;

  constructor(crawler: Crawler) {
    this.crawler = crawler;
  }

  static async open(): Promise<ListedSite> {
    const site = new ListedSite(await Crawler.open());
    site.crawler.site.set({ "/": `<a href="/a.html">a</a>`, "/a.html": "a" });
    site.#write(
      "/.well-known/resourcesync",
      `capability="description"`,
      site.#entry("/caps.xml", `<rs:md capability="capabilitylist"/>`),
    );
    site.#write(
      "/caps.xml",
      `capability="capabilitylist"`,
      site.#entry("/list.xml", `<rs:md capability="resourcelist"/>`) +
        site.#entry("/changes.xml", `<rs:md capability="changelist"/>`),
    );
    site.listAll();
    site.listChanges({});
    return site;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.crawler[Symbol.asyncDispose]();
  }

  listAll(): void {
    const at = dayOf(this.crawler);
    const entries = [...this.crawler.site.pages.keys()].map((path) => this.#entry(path, `<lastmod>${at}Z</lastmod>`));
    this.#write("/list.xml", `capability="resourcelist" at="${at}Z"`, entries.join(""));
  }

  /** Lists one change, in a list that lacks what is named. */
  listChanges({
    lacks = "",
    of = "/a.html",
    as = "updated",
    from = "2026-01-01T00:00:00Z",
  }: {
    readonly lacks?: "from" | "datetime" | "";
    readonly of?: string;
    readonly as?: "created" | "updated";
    readonly from?: string;
  }): void {
    const datetime = lacks === "datetime" ? "" : ` datetime="${dayOf(this.crawler)}Z"`;
    const since = lacks === "from" ? "" : ` from="${from}"`;
    this.#write(
      "/changes.xml",
      `capability="changelist"${since}`,
      this.#entry(of, `<rs:md change="${as}"${datetime}/>`),
    );
  }

  /** The change list, as it is served. */
  get changes(): Buffer {
    return this.crawler.site.files.get("/changes.xml") ?? Buffer.alloc(0);
  }

  set changes(content: Buffer) {
    this.crawler.site.files.set("/changes.xml", content);
  }

  /** Answers requests for the change list with a status. */
  answerChanges(status: number): void {
    this.crawler.site.answers.set("/changes.xml", (_, response) => response.writeHead(status).end());
  }

  #entry(path: string, rest: string): string {
    return `<url><loc>${this.crawler.site.origin}${path}</loc>${rest}</url>`;
  }

  #write(path: string, header: string, entries: string): void {
    const names = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"`;
    this.crawler.site.files.set(path, Buffer.from(`<urlset ${names}><rs:md ${header}/>${entries}</urlset>`));
  }
}

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
