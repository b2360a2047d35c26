import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TestSite } from "./test-site.ts";

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

test("a second with two publications is two seconds", async () => {
  using site = new TestSite();
  site.write("a.html", "0");
  await site.export();
  const frozen = site.nowMs;
  const seen = new Set<number>();
  for (let round = 1; round <= 5; round++) {
    site.write("a.html", `${round}`);
    const { summary } = await site.export({ clock: () => frozen });
    seen.add(summary.publication);
  }
  assert.equal(seen.size, 5);
  site.check(["a.html"]);
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
