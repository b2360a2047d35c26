import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { formatArchiveName } from "../../../src/formats/archive/archive-name.ts";
import { countsOf, TestSite, warningsOf } from "./test-site.ts";

const names = ["a.html", "b.html", "c.html", "d.html", "e.html", "f.html", "g.html", "h.html"];

/** A site with a base and some intervals, of several archives each. */
async function makeSite(): Promise<TestSite> {
  const site = new TestSite();
  for (const [at, name] of names.entries()) site.write(name, name, 1_600_000_000 + at);
  await exportSmall(site);
  for (let round = 0; round < 5; round++) {
    site.write(names[round] ?? "", `round ${round}`);
    await exportSmall(site);
  }
  return site;
}

async function exportSmall(site: TestSite, options: Parameters<TestSite["export"]>[0] = {}) {
  return await site.export({ segmentSize: 3, minGroup: 1, ...options });
}

test("a lost state begins a new epoch, and readers on their way still find the old archives", async () => {
  using site = await makeSite();
  const before = site.reader().index;
  const listed = site.reader().listed;
  rmSync(site.stateDir, { recursive: true });
  // They are years old by their own times.
  for (const name of listed) utimesSync(join(site.publishedFolder, name), 1_500_000_000, 1_500_000_000);
  const run = await exportSmall(site);
  assert.notEqual(run.summary.epoch, before.epoch);
  assert.ok(run.summary.publication > before.publication);
  site.check(names);
  const missing = () => listed.filter((name) => !existsSync(join(site.publishedFolder, name)));
  assert.deepEqual(missing(), []);
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(missing(), [], `after ${round} publications`);
    site.write("a.html", `later ${round}`);
    await exportSmall(site);
  }
  const current = new Set(site.reader().listed);
  assert.deepEqual(missing().sort(), listed.filter((name) => !current.has(name)).sort());
  site.check(names);
});

test("a state older than what is public begins a new epoch", async () => {
  using site = await makeSite();
  cpSync(site.stateDir, join(site.folder, "backup"), { recursive: true });
  site.write("a.html", "later");
  const later = await exportSmall(site);
  rmSync(site.stateDir, { recursive: true });
  cpSync(join(site.folder, "backup"), site.stateDir, { recursive: true });
  site.nowMs -= 30 * 86_400_000;
  const run = await exportSmall(site);
  assert.deepEqual(warningsOf(run), ["state-rolled-back"]);
  assert.notEqual(run.summary.epoch, later.summary.epoch);
  assert.ok(run.summary.publication > later.summary.publication, "no cursor stands for two states");
  site.check(names);
});

test("state and published files restored together go on where they were", async () => {
  using site = await makeSite();
  const before = site.reader().index;
  cpSync(site.folder, `${site.folder}.backup`, { recursive: true, preserveTimestamps: true });
  try {
    site.write("a.html", "later");
    await exportSmall(site);
    for (const name of ["site", "state"]) {
      rmSync(join(site.folder, name), { recursive: true });
      cpSync(join(`${site.folder}.backup`, name), join(site.folder, name), {
        recursive: true,
        preserveTimestamps: true,
      });
    }
  } finally {
    rmSync(`${site.folder}.backup`, { recursive: true });
  }
  const run = await exportSmall(site);
  assert.deepEqual([run.summary.epoch, run.summary.published, warningsOf(run).length], [before.epoch, false, 0]);
  site.write("b.html", "again");
  await exportSmall(site);
  site.check(names);
});

test("whichever archive is removed by hand, the next export mends what is public, once", async () => {
  using site = await makeSite();
  const { epoch } = site.reader().index;
  for (let round = 0; round < 16; round++) {
    site.write(names[round % names.length] ?? "", `before ${round}`);
    await exportSmall(site);
    const listed = site.reader().listed.sort();
    const removed = listed[(round * 7) % listed.length] ?? assert.fail();
    rmSync(join(site.publishedFolder, removed));
    const before = statSync(join(site.publishedFolder, "index.gz"));
    const run = await exportSmall(site);
    assert.deepEqual(warningsOf(run), ["archives-missing"], removed);
    assert.equal(run.summary.epoch, epoch);
    site.check(names);
    const after = statSync(join(site.publishedFolder, "index.gz"));
    assert.ok(after.ino === before.ino || after.mtimeMs > before.mtimeMs, "servers make validators from it");
    for (const name of site.reader().listed) assert.ok(existsSync(join(site.publishedFolder, name)), name);
    const mended = site.snapshot(site.folder);
    assert.deepEqual(warningsOf(await exportSmall(site)), []);
    assert.deepEqual(site.snapshot(site.folder), mended, "it is mended for good");
  }
});

test("all archives removed by hand come to be again", async () => {
  using site = await makeSite();
  rmSync(site.publishedFolder, { recursive: true });
  await exportSmall(site);
  site.check(names);
});

test("a base's list and archives of a merger that are damaged are done without", async () => {
  for (const pick of ["list", "tier"] as const) {
    using site = await makeSite();
    const { index } = site.reader();
    // The newest interval of tier 0 is the next to be merged.
    const entry = pick === "list" ? index.base : index.archives[0];
    assert.ok(entry !== undefined);
    writeFileSync(join(site.publishedFolder, formatArchiveName(entry.name)), gzipSync("tm1\n"));
    site.write("h.html", "later");
    const run = await exportSmall(site);
    assert.deepEqual(warningsOf(run), [pick === "list" ? "archives-missing" : "archive-corrupt"]);
    site.check(names);
    assert.deepEqual(warningsOf(await exportSmall(site)), []);
  }
});

test("killed between the decision and the index, the next run rolls forward", async () => {
  using site = await makeSite();
  const index = join(site.publishedFolder, "index.gz");
  const robots = join(site.docroot, "robots.txt");
  const [oldIndex, oldRobots] = [readFileSync(index), readFileSync(robots)];
  for (const name of names) site.write(name, `all are changed, ${name}`);
  const { summary } = await exportSmall(site);
  assert.ok(summary.newBase);
  const [newIndex, newRobots] = [readFileSync(index), readFileSync(robots)];
  for (const leave of [
    () => writeFileSync(index, oldIndex),
    () => rmSync(index),
    () => writeFileSync(index, "neither gzip nor index"),
    () => writeFileSync(index, gzipSync("tidemark-index 1\n")),
  ]) {
    leave();
    writeFileSync(robots, oldRobots);
    const run = await exportSmall(site);
    assert.deepEqual([run.summary.published, run.summary.epoch, warningsOf(run)], [false, summary.epoch, []]);
    assert.deepEqual(readFileSync(index), newIndex);
    assert.deepEqual(readFileSync(robots), newRobots);
    site.check(names);
  }
});

test("killed before the index and with a clock that stepped back, publications still increase", async () => {
  using site = await makeSite();
  const index = join(site.publishedFolder, "index.gz");
  const before = readFileSync(index);
  site.write("a.html", "decided, and not yet public");
  const { summary } = await exportSmall(site);
  writeFileSync(index, before);
  site.nowMs -= 365 * 86_400_000;
  site.write("a.html", "later");
  assert.ok((await exportSmall(site)).summary.publication > summary.publication);
  site.check(names);
});

test("an archive that nothing lists any more stays for three publications and two days", async () => {
  using site = await makeSite();
  const old = site.reader().listed;
  const change = async () => {
    for (const name of names) site.write(name, `${name} ${site.nowMs}`);
    assert.ok((await exportSmall(site)).summary.newBase);
    return old.filter((name) => !existsSync(join(site.publishedFolder, name))).length;
  };
  const hour = 3_600_000;
  const day = 24 * hour;
  // Many publications within an hour, then few over days: both must have passed.
  for (let round = 0; round < 6; round++) {
    site.nowMs += -day + 60_000;
    assert.equal(await change(), 0, `publication ${round}`);
  }
  site.nowMs += 2 * day;
  const goneFromBase = await change();
  assert.ok(goneFromBase > 0, "the old base's archives are due");
  for (const entry of site.reader().listed) assert.ok(existsSync(join(site.publishedFolder, entry)));
});

test("an archive that both a base and a tier list is kept as long as either does", async () => {
  using site = new TestSite();
  const options = { segmentSize: 4, minGroup: 1 };
  const first = ["a.html", "b.html", "c.html", "d.html"];
  const second = ["e.html", "f.html", "g.html", "h.html"];
  for (const name of first) site.write(name, name);
  const { publication } = (await site.export(options)).summary;
  const cursor = site.hold();
  // Created a second later, as of that second: the tier's interval and the new base's segment have one name.
  site.nowMs += 1000 - 86_400_000;
  for (const name of second) site.write(name, name, publication + 1);
  await site.export(options);
  for (const name of first) site.write(name, "changed", 1_000_000_000);
  assert.ok((await site.export(options)).summary.newBase);
  const { index, base } = site.reader();
  const shared = base.archives.filter(({ name }) => index.archives.some((entry) => entry.name.id === name.id));
  assert.equal(shared.length, 1, "the one file is listed twice");
  for (let round = 0; round < 6; round++) {
    for (const name of second) site.write(name, `${round}`);
    await site.export(options);
    const reader = site.reader();
    assert.ok(reader.canFollow(publication));
    const followed = new Map(cursor);
    reader.follow(followed, publication, "shortest");
    assert.equal(followed.size, 8);
  }
});

test("what killed runs left is cleaned up, what is young or foreign stays", async () => {
  using site = await makeSite();
  const archive = "20200101T000000Z_20200102T000000Z.other.0123456789abcdef.gz";
  const young = "20200101T000000Z_20200102T000000Z.other.fedcba9876543210.gz";
  for (const name of [archive, young, "notes.txt", ".tidemark-1-1.tmp"])
    writeFileSync(join(site.publishedFolder, name), "x");
  const seconds = site.nowMs / 1000;
  utimesSync(join(site.publishedFolder, archive), seconds - 86_400, seconds - 3 * 86_400);
  utimesSync(join(site.publishedFolder, young), seconds, seconds);
  writeFileSync(join(site.docroot, ".tidemark-1-2.tmp"), "x");
  writeFileSync(join(site.stateDir, ".tidemark-1-3.tmp"), "x");
  writeFileSync(join(site.stateDir, "pages-1-1.blocks"), "x");
  writeFileSync(join(site.stateDir, "lock-0123456789abcdef"), "x");
  await exportSmall(site);
  const left = [...readdirSync(site.publishedFolder), ...readdirSync(site.docroot), ...readdirSync(site.stateDir)];
  assert.ok(left.includes(young) && left.includes("notes.txt"));
  assert.ok(!left.includes(archive));
  assert.deepEqual(
    left.filter((name) => name.startsWith(".tidemark-") || name.startsWith("lock")),
    [],
  );
  assert.deepEqual(readdirSync(site.stateDir).length, 3);
});

test("of two exports at once one is told who is at it", async () => {
  using site = await makeSite();
  site.write("a.html", "later");
  const runs = await Promise.allSettled([exportSmall(site), exportSmall(site)]);
  const failed = runs.filter((run) => run.status === "rejected");
  assert.equal(failed.length, 1);
  assert.equal(failed[0]?.reason.code, "locked");
  assert.match(String(failed[0]?.reason.message), new RegExp(`process ${process.pid} on`));
  site.check(names);
  assert.equal(countsOf(await exportSmall(site)), "8 pages: 0 created, 0 updated, 0 deleted, 0 touched");
});
