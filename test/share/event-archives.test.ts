import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { planChain } from "../../src/formats/archive/archive-chain.ts";
import { formatArchiveName } from "../../src/formats/archive/archive-name.ts";
import { parseEventArchive, type SiteEvent } from "../../src/formats/web-events/event-archive.ts";
import { type EventIndex, parseEventIndex } from "../../src/formats/web-events/event-index.ts";
import { EventArchives } from "../../src/share/event-archives.ts";
import { sitesOf } from "../formats/web-events/archived-events.ts";
import { fc } from "../property.ts";
import { makeTempFolder } from "../temp-folder.ts";

const start = 1_800_000_000;
const options = { crawler: "crawler.example:443 test/1", epoch: "0123456789abcdef", days: 30 };

/** A repository into which events are published, as a share does it. */
class Repository {
  readonly folder: string;
  readonly archives: string;

  constructor(folder: string) {
    this.folder = folder;
    this.archives = join(folder, "archives");
  }

  async publish(
    now: number,
    events: ReadonlyArray<readonly [origin: string, event: SiteEvent]>,
    more: Partial<typeof options> = {},
  ): Promise<boolean> {
    await using archives = await EventArchives.open(this.folder, { ...options, ...more, now });
    const { isNew } = archives;
    for (const [origin, event] of events) archives.add(origin, event);
    const index = await archives.write();
    if (index !== undefined) writeFileSync(join(this.archives, "index.gz"), index);
    await archives.retire();
    return isNew;
  }

  get index(): EventIndex {
    const index = parseEventIndex(gunzipSync(readFileSync(join(this.archives, "index.gz"))));
    return index.ok ? index.value : assert.fail(index.error.message);
  }

  get files(): string[] {
    return readdirSync(this.archives).filter((name) => name !== "index.gz");
  }

  /** The newest event of each URL after a cursor, by the cheapest chain. */
  readFrom(from: number): Map<string, SiteEvent> {
    const { archives, publication } = this.index;
    const newest = new Map<string, SiteEvent>();
    for (const { name, changes } of planChain(archives, { from, to: publication })?.flat() ?? assert.fail("no chain")) {
      const content = gunzipSync(readFileSync(join(this.archives, formatArchiveName(name))));
      const read = parseEventArchive(content, name.to, () => true);
      assert.ok(read.ok);
      const sites = sitesOf(read.value);
      for (const { origin, events } of sites) for (const event of events) newest.set(origin + event.path, event);
      assert.equal(
        sites.reduce((sum, { events }) => sum + events.length, 0),
        changes,
      );
    }
    return newest;
  }
}

const origins = ["https://a.example", "https://b.example", "http://a.example:8080"] as const;
const publication = fc.uniqueArray(
  fc.record({
    origin: fc.constantFrom(...origins),
    path: fc.constantFrom("/", "/a", "/a/b", "/a-b", "/b?x", "/~"),
    kind: fc.constantFrom("created" as const, "updated" as const, "deleted" as const),
    age: fc.nat(1000),
    sizeBytes: fc.nat(100),
  }),
  { minLength: 1, selector: ({ origin, path }) => origin + path },
);

test("from each publication the cheapest chain leads to the newest event of each URL", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(publication, { minLength: 1, maxLength: 12 }), async (publications) => {
      using temp = makeTempFolder();
      const repository = new Repository(temp.path);
      const published: (readonly [number, string, SiteEvent])[] = [];
      for (const [at, events] of publications.entries()) {
        const now = start + at * 7200;
        const told = events.map(({ origin, age, ...rest }) => {
          const event: SiteEvent = { ...rest, polledAt: now, modifiedAt: now - age };
          published.push([now, origin + event.path, event]);
          return [origin, event] as const;
        });
        assert.equal(await repository.publish(now, told), at === 0);
      }
      const { index } = repository;
      assert.equal(index.completeFrom, 0);
      for (const cursor of [0, ...publications.map((_, at) => start + at * 7200)]) {
        const read = repository.readFrom(cursor);
        const all = new Map(published.map(([, url, event]) => [url, event]));
        // A chain may begin before the cursor where that is cheaper.
        for (const [url, event] of read) assert.deepEqual(event, all.get(url));
        for (const [now, url] of published) assert.ok(now <= cursor || read.has(url));
      }
    }),
    { numRuns: 12 },
  );
});

const eventOf = (path: string, at: number): readonly [string, SiteEvent] => [
  origins[0],
  { kind: "updated", path, sizeBytes: 1, modifiedAt: at, polledAt: at },
];

test("many events are cut into archives; what archives cannot carry is left to the days' files", async () => {
  using temp = makeTempFolder();
  const repository = new Repository(temp.path);
  const events = Array.from({ length: 40_000 }, (_, at) => eventOf(`/${at}`, start - at));
  await repository.publish(start, [...events, eventOf("/not{canonical}", start)]);
  assert.deepEqual(
    repository.index.archives.map(({ changes }) => changes),
    [32_768, 7232],
  );
  assert.equal(repository.readFrom(0).get(`${origins[0]}/39999`)?.polledAt, start - 39_999);
});

test("what was seen after the publication's time, by a clock that stepped back, was seen at it", async () => {
  using temp = makeTempFolder();
  const repository = new Repository(temp.path);
  await repository.publish(start, [eventOf("/a", start + 50)]);
  assert.deepEqual(
    [...repository.readFrom(0).values()].map(({ polledAt }) => polledAt),
    [start],
  );
  await repository.publish(start - 100, [eventOf("/b", start - 100)]);
  assert.equal(repository.index.publication, start + 1);
});

test("with another epoch, another crawler or a damaged index the archives begin anew", async () => {
  using temp = makeTempFolder();
  const repository = new Repository(temp.path);
  await repository.publish(start, [eventOf("/a", start)]);
  assert.equal(await repository.publish(start + 1, [eventOf("/b", start)], { epoch: "fedcba9876543210" }), true);
  assert.deepEqual([...repository.readFrom(0).keys()], [`${origins[0]}/b`]);
  const again = { epoch: "fedcba9876543210", crawler: "other.example:443 test/1" };
  assert.equal(await repository.publish(start + 2, [eventOf("/c", start)], again), true);
  assert.equal(repository.index.crawler, again.crawler);
  writeFileSync(join(repository.archives, "index.gz"), "damaged");
  assert.equal(await repository.publish(start + 3, [eventOf("/d", start)], again), true);
  assert.equal(await repository.publish(start + 4, [], again), false);
});

test("what is older than the days that are kept is not listed, and its files go two days later", async () => {
  using temp = makeTempFolder();
  const repository = new Repository(temp.path);
  const daySeconds = 86_400;
  for (let day = 0; day < 60; day++) {
    const now = start + day * daySeconds;
    await repository.publish(now, [eventOf(`/${day}`, now)]);
    const { archives, completeFrom } = repository.index;
    for (const { name } of archives) {
      assert.ok(name.to > now - 30 * daySeconds);
      // No interval is so long that it keeps old events in the list for many days.
      assert.ok(name.from === 0 || name.to - name.from <= (30 * daySeconds) / 8);
    }
    assert.ok(completeFrom <= Math.max(0, now - 29 * daySeconds), `day ${day}: complete from ${completeFrom}`);
  }
  const listed = new Set(repository.index.archives.map(({ name }) => formatArchiveName(name)));
  const stale = repository.files.filter((name) => !listed.has(name));
  assert.ok(stale.length > 20 && listed.size < 60);
  const [gone = "", kept = ""] = stale;
  const before = new Date(Date.now() - 49 * 3_600_000);
  utimesSync(join(repository.archives, gone), before, before);
  for (const name of listed) utimesSync(join(repository.archives, name), before, before);
  // A file that is given up now is kept for readers on their way, however old it is.
  await repository.publish(start + 61 * daySeconds, [eventOf("/61", start)]);
  assert.deepEqual(
    [existsSync(join(repository.archives, gone)), existsSync(join(repository.archives, kept))],
    [false, true],
  );
  assert.ok([...listed].every((name) => existsSync(join(repository.archives, name))));
});

test("an archive that is damaged is told of when it is to be merged", async () => {
  using temp = makeTempFolder();
  const repository = new Repository(temp.path);
  await repository.publish(start, [eventOf("/a", start)]);
  await repository.publish(start + 10, [eventOf("/b", start)]);
  const [newest] = repository.index.archives;
  assert.ok(newest);
  writeFileSync(join(repository.archives, formatArchiveName(newest.name)), "damaged");
  await assert.rejects(repository.publish(start + 20, [eventOf("/c", start)]), { code: "archive-corrupt" });
});
