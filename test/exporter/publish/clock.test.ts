import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkAgreement, StandardsReader } from "./standards-site.ts";
import { countsOf, TestSite, warningsOf } from "./test-site.ts";

const year = 365 * 86_400_000;

test("publications strictly increase however the clock steps", async () => {
  using site = new TestSite();
  for (let at = 0; at < 30; at++) site.write(`page-${at}.html`, `${at}`);
  const first = await site.export();
  let last = first.summary.publication;
  const visits = [{ publication: last, holding: site.hold() }];
  for (const [round, stepMs] of [
    2 * year,
    -2 * year,
    0,
    -86_400_000,
    -86_400_001,
    4 * year,
    -40 * year,
    500,
  ].entries()) {
    site.nowMs += stepMs;
    site.write(`page-${round}.html`, `round ${round}`);
    if (round % 3 === 1) site.remove(`page-${29 - round}.html`);
    const { summary } = await site.export();
    assert.ok(summary.published);
    assert.ok(summary.publication > last, `${summary.publication} after ${last}`);
    assert.equal(summary.epoch, first.summary.epoch, "a clock is no reason to begin anew");
    last = summary.publication;
    const reader = site.reader();
    const now = site.hold();
    for (const { publication, holding } of visits) {
      if (!reader.canFollow(publication)) continue;
      const followed = new Map(holding);
      reader.follow(followed, publication, "longest");
      assert.deepEqual([...followed].sort(), [...now].sort());
    }
    assert.ok(reader.canFollow(visits.at(-1)?.publication ?? 0), "the last visitor can follow");
    visits.push({ publication: last, holding: now });
    const indexMtime = Math.floor(statSync(join(site.publishedFolder, "index.gz")).mtimeMs / 1000);
    assert.ok(indexMtime >= last);
  }
  assert.ok(visits.length > 5);
});

test("a clock that was far ahead keeps no retired archive for ever", async () => {
  using site = new TestSite();
  for (let at = 0; at < 4; at++) site.write(`page-${at}.html`, "0");
  await site.export({ segmentSize: 4 });
  const publish = async (round: number) => {
    for (let at = 0; at < 4; at++) site.write(`page-${at}.html`, `round ${round}`);
    await site.export({ segmentSize: 4 });
    return Object.keys(site.snapshot()).length;
  };
  site.nowMs += 30 * year;
  await publish(1);
  await publish(2);
  site.nowMs -= 30 * year;
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (let round = 3; round < 30; round++) {
    const files = await publish(round);
    if (round > 20) {
      least = Math.min(least, files);
      most = Math.max(most, files);
    }
  }
  const listed = site.reader().index.archives.length + site.reader().base.archives.length + 2;
  assert.ok(most <= listed + 5 * 4, `${least} to ${most} files for ${listed} that are listed`);
});

test("a clock two years ahead and back again: all formats agree, and who follows the changes misses none", async () => {
  for (const steps of [
    [0, 2 * year, -2 * year, 0, 0, 0],
    [0, -2 * year, 0, 2 * year, 0, 0],
    [0, 2 * year, 0, -4 * year, 0, 2 * year, 0],
  ]) {
    using site = new TestSite();
    const options = { sitemap: true, resourceSync: true, changeDumps: true, segmentSize: 4, minGroup: 1 };
    for (let at = 0; at < 12; at++) site.write(`page-${at}.html`, `${at}`, 1_700_000_000 + at);
    await site.export(options);
    const reader = new StandardsReader(site);
    const locations = () => new Set(reader.resources().entries.map(({ location }) => location));
    const published = () => reader.resources().header.at ?? 0;
    let visit = { held: locations(), at: published() };
    for (const [round, stepMs] of steps.entries()) {
      site.nowMs += stepMs;
      site.write(`page-${round}.html`, `round ${round}`);
      site.write(`new-${round}.html`, "new");
      site.remove(`page-${11 - round}.html`);
      const { summary } = await site.export(options);
      checkAgreement(site);
      assert.equal(published(), summary.publication);
      for (const lastModified of reader.sitemapPages().values())
        assert.ok(lastModified !== undefined && lastModified <= summary.publication, "no page is of the future");
      const lists = reader.changeLists();
      for (const { header, entries } of lists) {
        const times = entries.map(({ changedAt = 0 }) => changedAt);
        assert.deepEqual(times, [...times].sort());
        for (const time of times) {
          assert.ok(time > (header.from ?? 0) && time <= (header.until ?? summary.publication));
          assert.equal(Math.floor(time / 86_400), Math.floor((times[0] ?? 0) / 86_400), "one day's");
        }
      }
      // Lists that are too old for the clock go; who was here before reads all pages then.
      if (visit.at >= (lists[0]?.header.from ?? 0)) {
        assert.deepEqual(reader.follow(visit.held, visit.at), [...locations()].sort());
      } else assert.ok(stepMs > year, "only a clock that leaps forward makes lists old");
      if (round % 2 === 1) visit = { held: locations(), at: published() };
    }
    const before = [site.snapshot(site.docroot), site.snapshot(site.stateDir)];
    assert.equal((await site.export(options)).summary.bytesWritten, 0);
    assert.deepEqual([site.snapshot(site.docroot), site.snapshot(site.stateDir)], before);
  }
});

test("a first export with a clock two years behind dates no page into the future, and the next one goes on", async () => {
  using site = new TestSite();
  const options = { sitemap: true, resourceSync: true };
  for (let at = 0; at < 4; at++) site.write(`page-${at}.html`, `${at}`);
  site.nowMs -= 2 * year;
  const first = await site.export(options);
  assert.deepEqual([...new Set(warningsOf(first))], ["future-mtime"]);
  checkAgreement(site);
  for (const page of site.hold().values()) assert.equal(page.lastModified, first.summary.publication);
  site.nowMs += 2 * year;
  const second = await site.export(options);
  assert.deepEqual([countsOf(second), warningsOf(second)], ["4 pages: 0 created, 0 updated, 0 deleted, 0 touched", []]);
  site.write("page-0.html", "changed");
  assert.equal((await site.export(options)).summary.updated, 1);
  checkAgreement(site);
});
