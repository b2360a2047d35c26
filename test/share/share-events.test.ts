import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { TidemarkError } from "../../src/core/error.ts";
import { DayFileReader, dayOf, parseDayFileName } from "../../src/formats/web-events/day-file.ts";
import { parseEventIndex } from "../../src/formats/web-events/event-index.ts";
import { parseShareControl } from "../../src/formats/web-events/share-control.ts";
import type { WebEvent } from "../../src/formats/web-events/web-event.ts";
import { DayFiles } from "../../src/share/day-files.ts";
import {
  type ShareEventsOptions,
  type ShareSummary,
  shareEvents,
  shareRobotsLines,
} from "../../src/share/share-events.ts";
import { findStateFile, StateReader } from "../../src/storage/state/state-reader.ts";
import { Crawler } from "../crawler/engine/site-visit.ts";

const day = 86_400_000;

/** A crawler of a site by links that shares what it sees. */
class Sharer implements AsyncDisposable {
  readonly crawler: Crawler;
  readonly into: string;

  constructor(crawler: Crawler) {
    this.crawler = crawler;
    this.into = join(crawler.folder.path, "shared");
  }

  static async open(): Promise<Sharer> {
    const crawler = await Crawler.open();
    const links = ["a", "b", "c", "new", "robots.shr", "share/1.dat"]
      .map((name) => `<a href="/${name}">x</a>`)
      .join("");
    crawler.site.set({ "/": `<p>index${links}`, "/a": "a", "/b": "b", "/c": "c" });
    crawler.site.answers.set("/", (_, response) => response.setHeader("content-type", "text/html"));
    return new Sharer(crawler);
  }

  async visit(): Promise<void> {
    await this.crawler.visit({ sources: ["links"] });
  }

  async share(more: Partial<ShareEventsOptions> = {}): Promise<ShareSummary> {
    const { crawler, into } = this;
    const from = crawler.folder.path;
    const url = "http://crawler.example:8080/any";
    return await shareEvents({ from, into, url, moniker: "test/1", clock: () => crawler.now, ...more });
  }

  /** The published events, as `day kind path`. */
  read(): string[] {
    const folder = join(this.into, "share");
    return this.events(folder).map(({ url, kind, polledAt }) => `${dayOf(polledAt)} ${kind} ${new URL(url).pathname}`);
  }

  events(folder = join(this.into, "share")): WebEvent[] {
    const events: WebEvent[] = [];
    for (const name of readdirSync(folder)
      .filter((one) => one.endsWith(".dat"))
      .sort()) {
      const bounds = { maxBytes: 1e6, maxRecords: 1000 };
      const reader = new DayFileReader(parseDayFileName(name) ?? -1, 4e9, bounds, (event) => events.push(event));
      reader.write(readFileSync(join(folder, name)));
      const { bad, misdated } = reader.end(true);
      assert.equal(bad + misdated, 0);
    }
    return events;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.crawler[Symbol.asyncDispose]();
  }
}

const today = dayOf(1_800_000_000);

test("what a crawler saw is published in the file of its day, each event once", async () => {
  await using sharer = await Sharer.open();
  const { crawler } = sharer;
  await sharer.visit();
  const first = await sharer.share({ contact: "me@crawler.example", special: [crawler.site.origin] });
  assert.deepEqual([first.events, first.files, first.isDisallowed], [4, 1, true]);
  assert.deepEqual(
    sharer.read().sort(),
    ["/", "/a", "/b", "/c"].map((path) => `${today} created ${path}`),
  );
  const [event] = sharer.events();
  assert.equal(event?.crawler, "crawler.example:8080 test/1");
  const control = readFileSync(join(sharer.into, "robots.shr"), "utf8");
  assert.match(
    control,
    /^version: 1\.0\ncrawler: crawler\.example:8080 test\/1\ncontact: me@crawler\.example\nspecial: /,
  );
  assert.match(control, /\nrepository: http:\/\/crawler\.example:8080\/share\/\n/);

  const before = sharer.read();
  assert.deepEqual([(await sharer.share()).events, sharer.read()], [0, before]);

  crawler.now += 40 * day;
  crawler.site.set({ "/a": "aa", "/new": "n" });
  crawler.site.answers.set("/b", (_, response) => response.writeHead(410).end());
  await sharer.visit();
  const later = await sharer.share({ days: 100 });
  assert.deepEqual([later.events, later.files, later.removed], [3, 1, 0]);
  assert.deepEqual(sharer.read().slice(4).sort(), [
    `${today + 40} created /new`,
    `${today + 40} deleted /b`,
    `${today + 40} updated /a`,
  ]);
  const gone = sharer.events().find(({ kind }) => kind === "deleted");
  assert.deepEqual([gone?.sizeBytes, gone?.modifiedAt], [0, gone?.polledAt]);
  assert.equal((await sharer.share({ days: 40 })).removed, 1);
  assert.equal(sharer.read().length, 3);
});

test("events of share files are not shared, nor those of sites that were not named", async () => {
  await using sharer = await Sharer.open();
  const { crawler } = sharer;
  crawler.site.set({ "/robots.shr": "version: 1.0", "/share/1.dat": "url: x" });
  await sharer.visit();
  const url = crawler.site.origin;
  assert.equal((await sharer.share({ url })).events, 4);
  assert.ok(sharer.read().every((line) => !line.includes("robots.shr") && !line.includes("/share/")));
  const other = join(crawler.folder.path, "other");
  assert.equal((await sharer.share({ into: other, sites: ["http://other.example/"] })).events, 0);
  assert.ok(!existsSync(join(other, "share")));
});

test("of URLs that a crawler knows especially well as many are told as readers heed, so that they take the file", async () => {
  await using sharer = await Sharer.open();
  await sharer.visit();
  const special = Array.from({ length: 1000 }, (_, at) => `https://www.example.org/${"section/".repeat(8)}${at}/`);
  await sharer.share({ special });
  const control = readFileSync(join(sharer.into, "robots.shr"), "utf8");
  assert.ok(control.length < 65_536);
  const parsed = parseShareControl(control, "http://crawler.example:8080/robots.shr");
  assert.deepEqual(parsed.ok && parsed.value.special, special.slice(0, 100));
  assert.equal((await sharer.share({ special })).events, 0);
});

// Each row: what the crawler is told from the second visit on, and the reason that it notes of the page.
const forgetting = [
  [{ exclude: ["/b"] }, "unwanted"],
  [{ respectUsage: ["train-ai"] }, "usage"],
] as const;
for (const [more, reason] of forgetting)
  test(`a page that is not kept any more (${reason}) is no deletion for others`, async () => {
    await using sharer = await Sharer.open();
    const { crawler } = sharer;
    const options = { sources: ["links"], respectUsage: ["train-ai"] } as const;
    await crawler.visit(options);
    crawler.now += day;
    crawler.site.answers.set("/b", (_, response) => response.setHeader("content-usage", "train-ai=n"));
    crawler.site.answers.set("/c", (_, response) => response.writeHead(410).end());
    crawler.site.set({ "/b": "other" }, crawler.now / 1000);
    await crawler.visit({ ...options, ...more });
    await sharer.share();
    const deleted = sharer.read().filter((line) => line.includes("deleted"));
    assert.deepEqual(deleted, [`${today + 1} deleted /c`]);
    using reader = new StateReader(findStateFile(crawler.folder.path));
    const noted = [...reader.readEvents(0)].find(({ change }) => change.path === "/b")?.change;
    assert.deepEqual([noted?.kind, noted?.reason], ["deleted", reason]);
  });

test("URLs that are longer than readers take are left out, so that what stands beside them is read", async () => {
  await using crawler = await Crawler.open();
  await using sharer = new Sharer(crawler);
  const long = Array.from({ length: 16 }, () => `/${"l".repeat(200)}`).join("");
  crawler.site.set({ "/a": "a", [long]: "long" });
  crawler.site.publishBase();
  await crawler.visit();
  assert.equal((await sharer.share()).events, 1);
  assert.deepEqual(sharer.read(), [`${today} created /a`]);
  const index = parseEventIndex(gunzipSync(readFileSync(join(sharer.into, "share/archives/index.gz"))));
  assert.deepEqual(index.ok && index.value.archives.map(({ changes }) => changes), [1]);
});

test("a page that says it changed in the future changed when it was seen", async () => {
  await using sharer = await Sharer.open();
  const { crawler } = sharer;
  // What is fetched by links never has such a time; archives may.
  crawler.site.set({ "/a": "a" }, crawler.now / 1000 + 864_000);
  crawler.site.publishBase();
  await crawler.visit();
  await sharer.share();
  const event = sharer.events().find(({ url }) => url.endsWith("/a"));
  assert.equal(event?.modifiedAt, event?.polledAt);
});

test("a robots.txt that is there is only read, and so is a robots.shr of somebody else", async () => {
  await using sharer = await Sharer.open();
  await sharer.visit();
  mkdirSync(sharer.into);
  const robots = join(sharer.into, "robots.txt");
  writeFileSync(robots, "User-agent: *\nDisallow: /private/\n");
  assert.equal((await sharer.share()).isDisallowed, false);
  assert.equal(readFileSync(robots, "utf8"), "User-agent: *\nDisallow: /private/\n");
  writeFileSync(robots, shareRobotsLines);
  assert.equal((await sharer.share()).isDisallowed, true);

  const control = join(sharer.into, "robots.shr");
  writeFileSync(control, readFileSync(control, "utf8").replace("x-tidemark", "x-other: kept\nx-tidemark"));
  sharer.crawler.now += 40 * day;
  sharer.crawler.site.set({ "/a": "aa" });
  await sharer.visit();
  await sharer.share();
  assert.match(readFileSync(control, "utf8"), /\nx-other: kept\n/);
  const foreign = "version: 1.0\ncrawler: a.example:80 a\nrepository: /share/\n";
  writeFileSync(control, foreign);
  await assert.rejects(sharer.share(), (error) => error instanceof TidemarkError && error.code === "bad-option");
  assert.equal(readFileSync(control, "utf8"), foreign);
});

test("a run that was killed after its decision is finished, and one that was killed before is forgotten", async () => {
  await using sharer = await Sharer.open();
  await sharer.visit();
  const [folder, staging] = [join(sharer.into, "share"), join(sharer.into, ".tidemark-share")];
  // Half a file of a day that has none yet.
  mkdirSync(staging, { recursive: true });
  writeFileSync(join(staging, `${today}.dat`), "half a record");
  await sharer.share();
  const event = sharer.events()[0];
  assert.ok(event !== undefined);
  const before = sharer.read();
  // Staged, and not decided.
  new DayFiles(folder, staging).add({ ...event, url: "http://site.example/undecided" });
  assert.equal((await sharer.share()).events, 0);
  assert.deepEqual([sharer.read(), existsSync(staging)], [before, false]);
  // Decided and placed; the position is not in robots.shr yet.
  const files = new DayFiles(folder, staging);
  files.add({ ...event, url: "http://site.example/decided" });
  const control = readFileSync(join(sharer.into, "robots.shr"), "utf8");
  const [, epoch = ""] = /x-tidemark-cursor: (\S+)/.exec(control) ?? [];
  await files.publish({ checkedTo: 0, epoch, number: 2 });
  // Two events are after that position: they were shared before, so that this shows where it goes on.
  assert.equal((await sharer.share()).events, 2);
  assert.equal(sharer.read().length, 7);
});

test("with another state the files of its days begin anew: no event is there twice", async () => {
  await using sharer = await Sharer.open();
  await sharer.visit();
  await sharer.share();
  const control = join(sharer.into, "robots.shr");
  writeFileSync(control, readFileSync(control, "utf8").replace(/x-tidemark-cursor: \S+/, "x-tidemark-cursor: 00"));
  assert.equal((await sharer.share()).events, 4);
  assert.equal(sharer.read().length, 4);
});

test("a name that is none, and a folder without a state, are refused", async () => {
  await using sharer = await Sharer.open();
  await assert.rejects(sharer.share(), (error) => error instanceof TidemarkError && error.code === "not-found");
  await sharer.visit();
  await assert.rejects(
    sharer.share({ moniker: "é" }),
    (error) => error instanceof TidemarkError && error.code === "bad-option",
  );
});
