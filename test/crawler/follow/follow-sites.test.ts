import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { FollowedSite } from "../../../src/crawler/crawl-site-options.ts";
import { type FollowedVisit, type FollowSitesOptions, followSites } from "../../../src/crawler/follow/follow-sites.ts";
import { ManualTime } from "../../manual-time.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";
import { readMirror } from "../engine/mirror.ts";
import { PublishedSite } from "../engine/published-site.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** Sites on addresses of their own, and somebody who follows them by a clock that the test sets. */
class Trial implements AsyncDisposable {
  readonly time = new ManualTime();
  readonly folder: TempFolder = makeTempFolder();
  readonly sites: PublishedSite[] = [];
  readonly stop = new AbortController();
  readonly visits: FollowedVisit[] = [];
  #told: () => void = () => undefined;

  async open(count: number): Promise<PublishedSite[]> {
    for (let number = 0; number < count; number++) {
      const site = await PublishedSite.open(`127.0.7.${this.sites.length + 1}`);
      site.set({ "/": `<p>home of ${number}`, "/a.html": `<p>page of ${number}` });
      site.publishBase();
      this.sites.push(site);
    }
    return this.sites;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    for (const site of this.sites) await site[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }

  follow(
    sites: FollowSitesOptions["sites"],
    options: Partial<FollowSitesOptions> = {},
  ): ReturnType<typeof followSites> {
    const { now: clock, delay } = this.time;
    return followSites({
      sites,
      into: this.folder.path,
      clock,
      delay,
      random: () => 0,
      signal: this.stop.signal,
      onVisit: (visit) => {
        this.visits.push(visit);
        this.#told();
      },
      ...options,
    });
  }

  /** Resolves once these were visited since the last call. */
  async visited(...origins: string[]): Promise<FollowedVisit[]> {
    const isThere = (): boolean => origins.every((origin) => this.visits.some(({ site }) => site === origin));
    while (!isThere()) await new Promise<void>((resolve) => (this.#told = resolve));
    return this.visits.splice(0);
  }

  mirror(site: PublishedSite): Record<string, string> {
    return readMirror(this.folder.path, site.origin);
  }
}

const asListed = (sites: readonly PublishedSite[]): FollowedSite[] =>
  sites.map(({ origin }) => ({ url: `${origin}/`, sources: ["archives"] }));

describe("followSites", () => {
  it("asks for all pages of a site without lists where each site is visited once", async () => {
    await using trial = new Trial();
    const [site] = await trial.open(1);
    assert.ok(site !== undefined);
    site.set({ "/": `<a href="/a.html">a</a>` });
    const sites = [{ url: `${site.origin}/`, sources: ["links"] }] satisfies FollowedSite[];
    for (let run = 0; run < 2; run++) {
      await trial.follow(sites, { isForever: false });
      assert.equal(trial.visits.at(-1)?.summary?.pageRequests, 2, `run ${run}`);
      trial.time.pass(hour);
    }
  });

  it("visits each site, and again when its next publication is expected", async () => {
    await using trial = new Trial();
    const sites = await trial.open(3);
    const [first, second] = sites;
    assert.ok(first !== undefined && second !== undefined);
    const following = trial.follow(asListed(sites));
    const origins = sites.map(({ origin }) => origin);
    for (const { summary, nextAt } of await trial.visited(...origins)) {
      assert.deepEqual([summary?.source, summary?.created], ["archives", 2]);
      assert.ok(nextAt > trial.time.now() && nextAt <= trial.time.now() + day);
    }
    first.set({ "/a.html": "<p>another" });
    first.publish();
    trial.time.pass(day);
    const again = await trial.visited(...origins);
    assert.deepEqual(again.map(({ summary }) => summary?.updated).sort(), [0, 0, 1]);
    assert.equal(trial.mirror(first)["/a.html"], "<p>another");
    trial.stop.abort();
    assert.deepEqual(await following, { visits: 6, failedVisits: 0 });
  });

  it("is not kept by a site that hangs, floods or is not there", async () => {
    await using trial = new Trial();
    const sites = await trial.open(4);
    const held: (() => void)[] = [];
    const hanging = createServer((_, response) => held.push(() => response.destroy())).listen(0, "127.0.7.100");
    const flood = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const more = (): void => {
        while (!response.destroyed && response.write("User-agent: x\n".repeat(4096)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    }).listen(0, "127.0.7.101");
    await Promise.all([once(hanging, "listening"), once(flood, "listening")]);
    const originOf = (server: typeof hanging): string => {
      const { address, port } = server.address() as AddressInfo;
      return `http://${address}:${port}`;
    };
    const bad = [originOf(hanging), originOf(flood), "http://127.0.7.102:9"];
    const listed = [...bad.map((url): FollowedSite => ({ url })), ...asListed(sites)];
    // The one that hangs has one of two connections for as long as it wants.
    const following = trial.follow(listed, { connections: 2 });
    await trial.visited(...sites.map(({ origin }) => origin));
    for (const site of sites) assert.equal(Object.keys(trial.mirror(site)).length, 2);
    trial.time.pass(day);
    await trial.visited(...sites.map(({ origin }) => origin));
    assert.ok(held.length > 0);
    trial.stop.abort();
    for (const release of held) release();
    hanging.on("request", (_, response) => response.destroy());
    await following;
    for (const server of [hanging, flood]) {
      server.closeAllConnections();
      server.close();
    }
  });

  it("takes up sites that are listed later, and leaves those that are listed no more", async () => {
    await using trial = new Trial();
    const sites = await trial.open(2);
    const [first, second] = sites;
    assert.ok(first !== undefined && second !== undefined);
    const next: { list: (sites: FollowedSite[]) => void } = { list: () => undefined };
    async function* lists(): AsyncGenerator<FollowedSite[]> {
      yield asListed([first as PublishedSite]);
      yield await new Promise<FollowedSite[]>((resolve) => (next.list = resolve));
      await new Promise(() => undefined);
    }
    const following = trial.follow(lists());
    await trial.visited(first.origin);
    next.list(asListed([second]));
    await trial.visited(second.origin);
    for (let passed = 0; passed < 3; passed++) {
      trial.time.pass(day);
      const visits = await trial.visited(second.origin);
      assert.deepEqual([...new Set(visits.map(({ site }) => site))], [second.origin]);
    }
    assert.equal(Object.keys(trial.mirror(first)).length, 2, "what is kept stays");
    trial.stop.abort();
    await following;
  });

  it("refuses a later list with a mistake, and goes on with the one before", async () => {
    await using trial = new Trial();
    const [first, second] = await trial.open(2);
    assert.ok(first !== undefined && second !== undefined);
    const next: { list: (sites: FollowedSite[]) => void } = { list: () => undefined };
    const refused: unknown[] = [];
    async function* lists(): AsyncGenerator<FollowedSite[]> {
      yield asListed([first as PublishedSite]);
      for (;;) {
        const list = await new Promise<FollowedSite[]>((resolve) => (next.list = resolve));
        try {
          yield list;
        } catch (error) {
          refused.push(error);
        }
      }
    }
    const following = trial.follow(lists());
    await trial.visited(first.origin);
    const before = next.list;
    before([{ url: `${second.origin}/`, keep: "objects" }]);
    trial.time.pass(day);
    await Promise.race([following, trial.visited(first.origin)]);
    assert.match(String(refused), /Bodies are kept as objects/);
    next.list(asListed([second]));
    await Promise.race([following, trial.visited(second.origin)]);
    trial.stop.abort();
    await following;
  });

  it("ends in order: the page that is under way is kept, the rest comes with the next run", async () => {
    await using trial = new Trial();
    const [site] = await trial.open(1);
    assert.ok(site !== undefined);
    for (let page = 0; page < 50; page++) site.set({ [`/p${page}.html`]: `<p>${page}` });
    site.publishBase();
    site.answers.set("/p1.html", () => trial.stop.abort());
    const ended = await trial.follow(asListed([site]));
    assert.equal(ended.visits, 1);
    const [visit] = trial.visits.splice(0);
    assert.ok((visit?.summary?.pending ?? 0) > 30, `${visit?.summary?.pending} are left`);
    const kept = Object.keys(trial.mirror(site)).length;
    assert.ok(kept >= 2 && kept < 10, `${kept} are kept`);
    assert.deepEqual(leftFiles(trial), []);
    site.answers.clear();
    site.seen.splice(0);
    await trial.follow(asListed([site]), { isForever: false, signal: undefined as never });
    assert.equal(Object.keys(trial.mirror(site)).length, 52);
    const asked = site.seen.filter(({ path, status }) => path.startsWith("/p") && status === 200).length;
    assert.equal(asked, 52 - kept, "what was kept is not asked for again");
  });

  it("visits each site once if it is not for ever, whenever it was visited before", async () => {
    await using trial = new Trial();
    const sites = await trial.open(3);
    for (const expected of [2, 0]) {
      const summary = await trial.follow(asListed(sites), { isForever: false });
      assert.equal(summary.visits, 3);
      assert.deepEqual(
        trial.visits.splice(0).map((visit) => visit.summary?.created),
        [expected, expected, expected],
      );
    }
  });

  it("goes on with its plans after it was ended", async () => {
    await using trial = new Trial();
    const [site] = await trial.open(1);
    assert.ok(site !== undefined);
    const following = trial.follow(asListed([site]));
    const [visit] = await trial.visited(site.origin);
    trial.stop.abort();
    await following;
    site.seen.splice(0);
    const stop = new AbortController();
    const again = trial.follow(asListed([site]), { signal: stop.signal });
    trial.time.pass((visit?.nextAt ?? 0) - trial.time.now() - 1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(site.seen.length, 0, "it is not its time yet");
    trial.time.pass(1);
    await trial.visited(site.origin);
    stop.abort();
    await again;
  });

  it("tells what a site cannot be visited for, and refuses lists that make no sense", async () => {
    await using trial = new Trial();
    const list = (site: Partial<FollowedSite>): Promise<unknown> =>
      trial.follow([{ url: "http://127.0.7.1/", ...site }], { isForever: false });
    await assert.rejects(list({ priority: 11 }), { code: "bad-option" });
    await assert.rejects(list({ order: "best" as "depth" }), { code: "bad-option" });
    await assert.rejects(list({ types: ["no type"] }), { code: "bad-option" });
    // The names of earlier versions.
    await assert.rejects(list({ lookLeastMs: 2000, maxIntervalMs: 1000 }), { code: "bad-option" });
    await assert.rejects(list({ url: "mailto:a@b.example" }), { code: "bad-option" });
    await assert.rejects(trial.follow([], { connections: 0 }), { code: "bad-option" });
    const summary = await list({ url: "http://127.0.7.102:9/", ca: "no certificate" });
    assert.deepEqual(summary, { visits: 1, failedVisits: 1 });
    assert.match(String(trial.visits[0]?.error), /certificate/);
  });

  it("ends all with what a callback throws", async () => {
    await using trial = new Trial();
    const sites = await trial.open(2);
    const failure = new Error("the queue is away");
    const keep = {
      kind: "callback" as const,
      onBody: () => {
        throw failure;
      },
      onRemoval: () => undefined,
    };
    await assert.rejects(
      trial.follow(asListed(sites).map((site) => ({ ...site, keep }))),
      (error) => error === failure,
    );
  });
});

function leftFiles({ folder }: Trial): string[] {
  const temporary = join(folder.path, ".tidemark", "tmp");
  return existsSync(temporary) ? readdirSync(temporary) : [];
}
