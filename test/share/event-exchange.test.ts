import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type FollowSitesOptions, followSites } from "../../src/crawler/follow/follow-sites.ts";
import { dayOf, formatWebEvent } from "../../src/formats/web-events/day-file.ts";
import { SiteLock } from "../../src/fs/site-lock.ts";
import { firstTrust } from "../../src/share/engine/trust/peer-trust.ts";
import { EventExchange, type ExchangeOptions } from "../../src/share/event-exchange.ts";
import { openStore } from "../../src/storage/state/store.ts";
import { PublishedSite } from "../crawler/engine/published-site.ts";
import { ManualTime } from "../manual-time.ts";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { Peer } from "./merger.ts";

const minute = 60_000;

/** A crawler that follows a site of three pages, and a peer, by a clock that the test sets. */
class Trial implements AsyncDisposable {
  readonly time = new ManualTime();
  readonly folder: TempFolder = makeTempFolder();
  readonly stop = new AbortController();
  readonly merges: string[] = [];
  readonly shares: number[] = [];
  readonly site: PublishedSite;
  readonly peer: Peer;
  exchange: EventExchange | undefined;
  #visits = 0;
  #told: () => void = () => undefined;

  constructor(site: PublishedSite, peer: Peer) {
    this.site = site;
    this.peer = peer;
  }

  static async open(): Promise<Trial> {
    const site = await PublishedSite.open("127.0.9.1");
    site.set({ "/": '<a href="/a.html">a</a><a href="/b.html">b</a>', "/a.html": "a", "/b.html": "b" });
    return new Trial(site, await Peer.open());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.site[Symbol.asyncDispose]();
    await this.peer[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }

  get into(): string {
    return join(this.folder.path, "mirrors");
  }

  follow(options: Partial<ExchangeOptions> = {}, more: Partial<FollowSitesOptions> = {}): Promise<unknown> {
    const { now: clock, delay } = this.time;
    const exchange = new EventExchange({
      ...{ peers: [this.peer.url], days: 1, intervalMs: 10 * minute, rho: 0.5 },
      onMerge: ({ sooner, added, problem }) => {
        this.merges.push(problem ?? `${sooner} sooner, ${added} added`);
        this.#told();
      },
      onShare: ({ events }) => this.shares.push(events),
      ...options,
    });
    this.exchange = exchange;
    return followSites({
      sites: [{ url: `${this.site.origin}/`, sources: ["links"], minIntervalMs: minute, exclude: ["/secret*"] }],
      ...{ into: this.into, clock, delay, random: () => 0, signal: this.stop.signal },
      ...exchange.means,
      onVisit: ({ summary }) => {
        exchange.noteVisit({
          ...{ site: this.site.origin, requests: summary?.requests ?? 0, pages: 3, seconds: 1 },
          changes: (summary?.created ?? 0) + (summary?.updated ?? 0),
        });
        this.#visits += 1;
        this.#told();
      },
      ...more,
    });
  }

  /** Says today that a page changed a second ago. */
  say(path: string): void {
    const now = Math.floor(this.time.now() / 1000);
    const url = this.site.origin + path;
    const event = { url, kind: "updated", sizeBytes: 9, modifiedAt: now, polledAt: now, crawler: "peer.example:80 a" };
    this.peer.answers.set(`/share/${dayOf(now)}.dat`, formatWebEvent({ ...event, kind: "updated" }));
  }

  async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await new Promise<void>((resolve) => (this.#told = resolve));
  }

  async visited(count: number): Promise<void> {
    await this.until(() => this.#visits >= count);
  }
}

const limit = { timeout: 30_000 };

test("a page that a peer saw change is requested as soon as its site may be visited again", limit, async () => {
  await using trial = await Trial.open();
  const following = trial.follow();
  await trial.visited(1);
  await trial.until(() => trial.merges.length === 1);
  trial.time.pass(20 * minute);
  trial.site.takeRequests();
  trial.say("/b.html");
  trial.time.pass(20 * minute);
  await trial.until(() => trial.merges.includes("1 sooner, 0 added"));
  await trial.visited(2);
  assert.deepEqual(
    trial.site.takeRequests().filter((request) => request.endsWith(".html")),
    ["304 /b.html"],
  );
  trial.stop.abort();
  await following;
});

test("a URL that a peer names while its site is visited is not requested if it is excluded", limit, async () => {
  await using trial = await Trial.open();
  const { answers } = trial.site;
  trial.say("/secret.html");
  trial.site.set({ "/secret.html": "secret" });
  const merged = trial.until(() => trial.merges.length === 1);
  answers.set("/", async (_, response) => {
    await merged;
    response.setHeader("content-type", "text/html");
    response.end('<a href="/a.html">a</a><a href="/b.html">b</a>');
  });
  const following = trial.follow();
  await trial.visited(1);
  trial.time.pass(86_400_000);
  await trial.visited(2);
  trial.stop.abort();
  await following;
  assert.deepEqual(trial.merges.slice(0, 1), ["0 sooner, 1 added"]);
  assert.deepEqual(
    trial.site.takeRequests().filter((request) => request.includes("secret")),
    [],
  );
});

test("a crawler that only merges requests what peers tell of, and nothing else", limit, async () => {
  await using trial = await Trial.open();
  const following = trial.follow({ rho: 0 });
  await trial.visited(1);
  await trial.until(() => trial.merges.length === 1);
  trial.site.takeRequests();
  // By its own plan all pages would be due.
  trial.time.pass(86_400_000);
  await trial.visited(2);
  trial.say("/a.html");
  trial.time.pass(10 * minute);
  await trial.until(() => trial.merges.includes("1 sooner, 0 added"));
  trial.time.pass(10 * minute);
  await trial.visited(3);
  assert.deepEqual(
    trial.site.takeRequests().filter((request) => !request.endsWith("robots.txt")),
    ["304 /a.html"],
  );
  trial.stop.abort();
  await following;
});

test("a crawler that a proven peer names is merged too, until it is in quarantine", limit, async () => {
  await using trial = await Trial.open();
  await using other = await Peer.open();
  const { peer, time } = trial;
  peer.answers.set("/robots.shr", `${peer.answers.get("/robots.shr")}x-tidemark-peer: ${other.url}\n`);
  openStore({ into: trial.into })[Symbol.dispose]();
  const now = Math.floor(time.now() / 1000);
  {
    using store = openStore({ into: trial.into });
    const trust = { ...firstTrust, good: 60, at: now };
    store.claims.settleClaims({ done: [], states: [[peer.url, trust]], withdrawnOf: [] });
  }
  const event = { url: "http://x.example/", kind: "updated", sizeBytes: 1, modifiedAt: 1, polledAt: 1 } as const;
  const wrong = formatWebEvent({ ...event, crawler: "a:80 a" });
  for (let day = dayOf(now); day < dayOf(now) + 1000; day++) other.answers.set(`/share/${day}.dat`, wrong);
  const following = trial.follow({ rho: 0, maxNamed: 1, allowPrivate: true });
  while (trial.merges.length < 12) {
    time.pass(10 * minute);
    await setTimeout(1);
  }
  trial.stop.abort();
  await following;
  // A record of another day is a fault, and the third one puts an unknown peer into quarantine.
  assert.equal(other.requests.filter((path) => path === "/robots.shr").length, 3);
});

test("no more merges are made than rho leaves room for", limit, async () => {
  await using trial = await Trial.open();
  const following = trial.follow({ rho: 0.99 });
  await trial.visited(1);
  await trial.until(() => trial.merges.length === 1);
  for (let visits = 2; visits < 5; visits++) {
    trial.time.pass(86_400_000);
    await trial.visited(visits);
  }
  assert.equal(trial.merges.length, 1);
  trial.stop.abort();
  await following;
});

test("with rho 1 no peer is asked for anything", limit, async () => {
  await using trial = await Trial.open();
  const following = trial.follow({ rho: 1 });
  await trial.visited(1);
  trial.time.pass(86_400_000);
  await trial.visited(2);
  trial.stop.abort();
  await following;
  assert.deepEqual(trial.peer.requests, []);
});

test("a peer that is not there is told of and asked again after the interval", limit, async () => {
  await using trial = await Trial.open();
  trial.peer.answers.delete("/robots.shr");
  const following = trial.follow();
  await trial.visited(1);
  await trial.until(() => trial.merges.length === 1);
  assert.match(trial.merges[0] ?? "", /robots\.shr: the server answered 404/);
  trial.time.pass(9 * minute);
  assert.equal(trial.peer.requests.length, 1);
  trial.time.pass(minute);
  await trial.until(() => trial.merges.length === 2);
  trial.stop.abort();
  await following;
});

test("what was seen is shared each interval, and at the end", limit, async () => {
  await using trial = await Trial.open();
  const docroot = join(trial.folder.path, "docroot");
  mkdirSync(docroot);
  const share = { from: trial.into, into: docroot, url: "http://crawler.example/", moniker: "test/1" };
  const following = trial.follow({ peers: [], share });
  await trial.visited(1);
  trial.stop.abort();
  await following;
  assert.deepEqual(trial.shares, [3]);
  assert.match(readFileSync(join(docroot, "robots.shr"), "utf8"), /^crawler: crawler\.example:80 test\/1$/m);
});

test("a share that another program locks is told of and tried again", limit, async () => {
  await using trial = await Trial.open();
  const docroot = join(trial.folder.path, "docroot");
  mkdirSync(docroot);
  const share = { from: trial.into, into: docroot, url: "http://crawler.example/", moniker: "test/1" };
  const failures: string[] = [];
  const lock = await SiteLock.takePublishing(docroot, new Date(trial.time.now()));
  const following = trial.follow({ peers: [], share, onShareFailed: ({ code }) => failures.push(code) });
  await trial.visited(1);
  while (failures.length < 2) {
    trial.time.pass(10 * minute);
    await setTimeout(1);
  }
  await lock?.[Symbol.asyncDispose]();
  trial.stop.abort();
  await following;
  assert.equal(failures[0], "locked");
  assert.equal(trial.shares.at(-1), 3);
});

test("a share that fails ends the crawl with its error", limit, async () => {
  await using trial = await Trial.open();
  const docroot = join(trial.folder.path, "docroot");
  writeFileSync(docroot, "no folder");
  const share = { from: trial.into, into: docroot, url: "http://crawler.example/", moniker: "test/1" };
  const following = trial.follow({ peers: [], share });
  await trial.visited(1);
  trial.time.pass(10 * minute);
  await assert.rejects(following, { name: "TidemarkError" });
  rmSync(docroot);
});

test("a rho of model begins with most requests, and follows from what was seen", limit, async () => {
  await using trial = await Trial.open();
  trial.say("/a.html");
  const following = trial.follow({ rho: "model" });
  assert.equal(trial.exchange?.rho, 0.8);
  await trial.visited(1);
  await trial.until(() => trial.merges.length > 0);
  trial.stop.abort();
  await following;
  assert.equal(trial.merges.length, 1);
  const rho = trial.exchange?.rho ?? 0;
  assert.ok(rho > 0 && rho < 1, `${rho}`);
});
