import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TidemarkError } from "../../../src/core/error.ts";
import { longer } from "../../long-run.ts";
import { fc } from "../../property.ts";
import { MemorySite } from "./memory-site.ts";
import { checkAgreement, StandardsReader } from "./standards-site.ts";

const chosen = { sitemap: true, resourceSync: true, changeDumps: false, resourceDump: false };
const location = (path: string): string => `https://example.org${path}`;

/** A signal that is raised at the nth time that somebody looks at it. */
function signalAt(looks: number): AbortSignal {
  let seen = 0;
  const signal = new AbortController().signal;
  Object.defineProperty(signal, "aborted", { get: () => ++seen > looks });
  return signal;
}

/** Checks that pages are in the lists as they are now, of whichever run. */
function checkAllListed(reader: StandardsReader, urls: ReadonlySet<string>): void {
  const listed = reader.sitemapLocations();
  const resources = reader.resourceLocations();
  for (const url of urls) {
    assert.ok(listed.has(url), `${url} is in no sitemap`);
    assert.ok(resources?.has(url), `${url} is in no resource list`);
  }
}

const steps = fc.array(
  fc.record({
    hours: fc.integer({ min: 1, max: 30 }),
    changes: fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.boolean()), { maxLength: 12 }),
    // Of the places at which a run can be stopped; most runs come to their end.
    stop: fc.option(fc.integer({ min: 0, max: 40 })),
  }),
  { minLength: 2, maxLength: 20 },
);

type History = typeof steps extends fc.Arbitrary<infer H> ? H : never;

/** A step of an hour. @param pages - numbers of pages that are written; after `-` one that is deleted */
function step(pages: string, stop: number | null = null): History[number] {
  const changes = pages.split(" ").filter((page) => page !== "");
  return { hours: 1, changes: changes.map((page) => [Number(page.replace("-", "")), !page.startsWith("-")]), stop };
}

/** A run splits a shard and is stopped before it ends, and the next splits it elsewhere and is stopped as well. */
const threeStops: History = [
  step("0 3"),
  step("5 8"),
  step("4 6 7", 0),
  step("2 1", 13),
  step("9 -0", 9),
  step(""),
  step(""),
];

test("whatever happens, and wherever runs are stopped, all formats agree after the next whole run", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      using site = new MemorySite();
      const reader = new StandardsReader(site);
      let visit: { held: Set<string>; at: number; oldest: number } | undefined;
      let version = 0;
      let steady: Set<string> | undefined;
      for (const { hours, changes, stop } of history) {
        for (const [number, isThere] of changes) {
          const path = `/p${String(number).padStart(2, "0")}.html`;
          if (isThere) site.pages.set(path, ++version);
          else site.pages.delete(path);
        }
        site.nowMs += hours * 3_600_000;
        const standards = { ...chosen, shardPages: 4 };
        const signal = stop === null ? undefined : signalAt(stop);
        try {
          await site.export({ standards, signal });
        } catch (error) {
          assert.ok(error instanceof TidemarkError && error.code === "aborted", String(error));
          for (const url of steady ?? []) if (!site.pages.has(url.slice(location("").length))) steady?.delete(url);
          // Wherever it stopped: a page that was there all the time was never out of the sitemaps.
          if (steady === undefined) continue;
          checkAllListed(reader, steady);
          continue;
        }
        checkAgreement(site);
        const { header, entries } = reader.resources();
        const now = new Set(entries.map((entry) => entry.location));
        steady = new Set(now);
        const oldest = reader.changeLists()[0]?.header.from ?? 0;
        // A reader of before comes to what is there now, unless the lists begin after his visit.
        if (visit !== undefined && visit.at >= oldest)
          assert.deepEqual(reader.follow(visit.held, visit.at), [...now].sort());
        if (visit === undefined || visit.at < oldest) visit = { held: now, at: header.at ?? 0, oldest };
      }
    }),
    { numRuns: longer(4, 25), examples: [[threeStops]] },
  );
});

test("wherever the first split of all pages is stopped, no list leaves one out", async () => {
  for (let stop = 0, isWhole = false; !isWhole; stop += longer(4, 1)) {
    using site = new MemorySite();
    const reader = new StandardsReader(site);
    const standards = { ...chosen, shardPages: 4 };
    for (let page = 0; page < 8; page++) site.pages.set(`/p${page}.html`, 1);
    await site.export({ standards });
    const steady = reader.sitemapLocations();
    for (let page = 8; page < 20; page++) site.pages.set(`/p${page}.html`, 1);
    site.nowMs += 3_600_000;
    isWhole = await site.export({ standards, signal: signalAt(stop) }).then(
      () => true,
      () => false,
    );
    checkAllListed(reader, steady);
    assert.ok(stop < 100, "it comes to its end");
  }
});

test("what cannot be read of lists that were begun costs a writing of them all, and no agreement", async () => {
  using site = new MemorySite();
  const standards = { ...chosen, shardPages: 4 };
  for (let page = 0; page < 30; page++) site.pages.set(`/p${page}.html`, 1);
  await site.export({ standards });
  for (const broken of [
    "",
    "[",
    "{}",
    '[{"from":"/p1.html","start":"/a","end":"/b"}]',
    '[{"from":"/b","start":"/b","end":"/a"}]',
  ]) {
    writeFileSync(join(site.stateDir, "standards-begun.json"), broken);
    for (const name of readdirSync(site.publishedFolder).filter((name) => /^sitemap-/.test(name)))
      writeFileSync(join(site.publishedFolder, name), "of a run that was killed");
    site.nowMs += 3_600_000;
    await site.export({ standards });
    checkAgreement(site);
    assert.ok(!existsSync(join(site.stateDir, "standards-begun.json")));
  }
});

test("100 changes of 50,000 pages rewrite one index and the documents that they fall into", async () => {
  using site = new MemorySite();
  for (let page = 0; page < 50_000; page++) site.pages.set(`/d${page % 100}/page-${page}.html`, 1);
  await site.export({ standards: chosen });
  const reader = new StandardsReader(site);
  const documents = () => reader.names().filter((name) => /^(?:sitemap|resourcelist)/.test(name));
  const stamps = () => new Map(documents().map((name) => [name, site.stamp(name)]));
  const before = stamps();
  assert.ok(before.size > 20, `${before.size} documents`);
  site.nowMs += 86_400_000;
  await site.export({ standards: chosen });
  assert.deepEqual(stamps(), before);
  site.nowMs += 86_400_000;
  // All of one folder, which lie in one shard or in two.
  for (let page = 7; page < 10_000; page += 100) site.pages.set(`/d7/page-${page}.html`, 2);
  await site.export({ standards: chosen });
  const after = stamps();
  assert.deepEqual([...after.keys()], [...before.keys()]);
  const written = [...after].filter(([name, stamp]) => stamp !== before.get(name)).map(([name]) => name);
  const shards = written.filter((name) => name.startsWith("sitemap-"));
  assert.ok(shards.length === 1 || shards.length === 2, `${shards.length} sitemaps`);
  assert.deepEqual(
    written.sort(),
    [
      "sitemap.xml",
      "resourcelist.xml",
      ...shards,
      ...shards.map((name) => name.replace("sitemap", "resourcelist")),
    ].sort(),
  );
  assert.equal(reader.sitemapPages().size, 50_000);
});
