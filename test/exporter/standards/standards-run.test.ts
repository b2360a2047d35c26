import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { memoryPages, validateXML } from "xmllint-wasm";
import { repositoryFolder } from "../../repository-folder.ts";
import { seal } from "../publish/sealed-folder.ts";
import { checkAgreement, StandardsReader } from "../publish/standards-site.ts";
import { countsOf, TestSite, warningsOf } from "../publish/test-site.ts";

const both = { sitemap: true, resourceSync: true };
const dayMs = 86_400_000;
const day = (site: TestSite): string => new Date(site.nowMs).toISOString().slice(0, 10).replaceAll("-", "");

test("sitemaps and ResourceSync are published only when asked for", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  await site.export();
  assert.deepEqual(new StandardsReader(site).names(), []);
  assert.doesNotMatch(readFileSync(join(site.docroot, "robots.txt"), "latin1"), /Sitemap/);
});

test("a source description that an earlier run left is no page, and one of somebody else's is", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  await site.export(both);
  const count = async (): Promise<number | undefined> =>
    (await site.export({ dryRun: true })).summary.withheldByRule["own-output"];
  const withOurs = await count();
  const path = join(site.docroot, ".well-known/resourcesync");
  writeFileSync(path, readFileSync(path, "utf8").replaceAll("/.well-known/tidemark/", "/sets/"));
  assert.equal(await count(), (withOurs ?? 0) - 1);
});

test("they say what the archives say, and a run without changes writes nothing", async () => {
  using site = new TestSite();
  for (let at = 0; at < 30; at++) site.write(`d${at % 4}/page ${at}.html`, `page ${at}`, 1_700_000_000 + at);
  const first = await site.export(both);
  assert.deepEqual(warningsOf(first), []);
  checkAgreement(site);
  const reader = new StandardsReader(site);
  assert.equal(reader.sitemapUrl, "https://example.org/.well-known/tidemark/sitemap.xml");
  assert.deepEqual([...reader.capabilities().keys()], ["resourcelist", "changelist"]);
  const before = [site.snapshot(site.docroot), site.snapshot(site.stateDir)];
  const unchanged = await site.export(both);
  assert.deepEqual([unchanged.summary.bytesWritten, warningsOf(unchanged)], [0, []]);
  assert.deepEqual([site.snapshot(site.docroot), site.snapshot(site.stateDir)], before);
  site.write("d0/page 0.html", "changed");
  site.write("new.html", "new");
  site.remove("d1");
  await site.export(both);
  checkAgreement(site);
});

test("changes stand in lists by days, and a list that is closed never changes", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  site.write("b.html", "b");
  const { summary: first } = await site.export(both);
  const reader = new StandardsReader(site);
  assert.deepEqual(
    reader.changeLists().map(({ header, entries }) => [header.from, header.until, entries.length]),
    [[first.publication, undefined, 0]],
  );
  site.write("a.html", "changed");
  site.nowMs -= dayMs - 1000;
  const { summary: second } = await site.export(both);
  site.write("a.html", "changed again");
  site.nowMs -= dayMs - 1000;
  const { summary: third } = await site.export(both);
  const sameDay = reader.changeLists();
  const changes = sameDay.flatMap(({ entries }) =>
    entries.map(({ location, change, changedAt }) => [location, change, changedAt]),
  );
  assert.deepEqual(changes, [
    ["https://example.org/a.html", "updated", second.publication],
    ["https://example.org/a.html", "updated", third.publication],
  ]);
  const closing = day(site);
  site.remove("b.html");
  const { summary: fourth } = await site.export(both);
  const closed = readFileSync(join(site.publishedFolder, `changelist-${closing}-0001.xml`));
  site.write("c.html", "c");
  await site.export(both);
  const lists = reader.changeLists();
  assert.deepEqual(lists.map(({ header, entries }) => [header.until, entries.map(({ change }) => change)]).slice(-3), [
    [third.publication, ["updated", "updated"]],
    [fourth.publication, ["deleted"]],
    [undefined, ["created"]],
  ]);
  lists.reduce((before, after) => {
    assert.equal(before.header.until, after.header.from, "no moment is in no list");
    return after;
  });
  assert.deepEqual(readFileSync(join(site.publishedFolder, `changelist-${closing}-0001.xml`)), closed);
});

test("a site without a page has no sitemap and an empty resource list", async () => {
  using site = new TestSite();
  await site.export(both);
  const reader = new StandardsReader(site);
  assert.equal(reader.sitemapUrl, undefined);
  assert.deepEqual(reader.resources().entries, []);
  site.write("a.html", "a");
  await site.export(both);
  checkAgreement(site);
  site.remove("a.html");
  await site.export({ ...both, allowEmpty: true });
  assert.equal(reader.sitemapUrl, undefined);
  assert.deepEqual(reader.resources().entries, []);
  assert.ok(reader.names().includes("sitemap.xml"), "kept for readers on their way");
});

test("what is switched off is not announced any more, and goes once readers had time", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  await site.export(both);
  const reader = new StandardsReader(site);
  const names = reader.names();
  await site.export();
  assert.equal(reader.sitemapUrl, undefined);
  assert.deepEqual(reader.names(), names);
  for (const round of [1, 2, 3]) {
    site.write("a.html", `round ${round}`);
    await site.export();
  }
  assert.deepEqual(reader.names(), []);
  assert.throws(() => readFileSync(join(site.docroot, ".well-known/resourcesync")));
});

test("they catch up when the state is lost, files are, or they are switched on later", async () => {
  using site = new TestSite();
  for (const name of ["a.html", "b.html", "c/d.txt"]) site.write(name, name);
  await site.export();
  await site.export(both);
  checkAgreement(site);
  rmSync(join(site.stateDir, "standards.json.gz"));
  site.write("a.html", "changed");
  await site.export(both);
  checkAgreement(site);
  rmSync(join(site.publishedFolder, "sitemap.xml"));
  assert.deepEqual(warningsOf(await site.export(both)), []);
  checkAgreement(site);
  for (const name of new StandardsReader(site).names()) rmSync(join(site.publishedFolder, name));
  assert.deepEqual(warningsOf(await site.export(both)), ["change-lists-lost"]);
  checkAgreement(site);
  rmSync(site.stateDir, { recursive: true });
  await site.export(both);
  checkAgreement(site);
});

test("publications without them are made up for from the archives", async () => {
  using site = new TestSite();
  for (const name of ["a.html", "b.html"]) site.write(name, name);
  await site.export(both);
  const saved = readFileSync(join(site.stateDir, "standards.json.gz"));
  const publications: number[] = [];
  for (const round of [1, 2, 3, 4, 5]) {
    site.write("a.html", `round ${round}`);
    publications.push((await site.export(both)).summary.publication);
  }
  // As after a run that was killed each time before it had written them.
  writeFileSync(join(site.stateDir, "standards.json.gz"), saved);
  const run = await site.export(both);
  assert.equal(countsOf(run), "2 pages: 0 created, 0 updated, 0 deleted, 0 touched");
  assert.deepEqual(warningsOf(run), []);
  checkAgreement(site);
  // The first list was closed since, so it cannot be gone on with.
  const changes = new StandardsReader(site).changeLists().flatMap(({ entries }) => entries);
  assert.deepEqual(
    changes.map(({ changedAt }) => changedAt),
    publications,
  );
});

test("what a killed run wrote into the open list is forgotten, and written again the same", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  await site.export(both);
  const changeToday = async (content: string) => {
    site.write("a.html", content);
    site.nowMs -= dayMs - 1000;
    return await site.export(both);
  };
  await changeToday("first");
  const saved = readFileSync(join(site.stateDir, "standards.json.gz"));
  await changeToday("second");
  const published = site.snapshot();
  writeFileSync(join(site.stateDir, "standards.json.gz"), saved);
  site.nowMs -= dayMs - 1000;
  assert.deepEqual(warningsOf(await site.export(both)), []);
  assert.deepEqual(site.snapshot(), published);
  const changes = new StandardsReader(site).changeLists().flatMap(({ entries }) => entries);
  assert.equal(changes.length, 2);
});

test("a source description of somebody else is left alone", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  mkdirSync(join(site.docroot, ".well-known"));
  writeFileSync(join(site.docroot, ".well-known/resourcesync"), "theirs");
  const run = await site.export(both);
  assert.deepEqual(warningsOf(run), ["resourcesync-not-ours"]);
  assert.equal(readFileSync(join(site.docroot, ".well-known/resourcesync"), "latin1"), "theirs");
  site.check(["a.html"]);
});

test("what is published is valid by the schema of sitemaps", async () => {
  using site = new TestSite();
  for (const name of ["a.html", "it's & <new> [1].html", "q|p.html", "é/€.txt", `${"long".repeat(60)}.html`])
    site.write(name, name);
  await site.export(both);
  site.write("a.html", "changed");
  await site.export(both);
  const schemas = join(repositoryFolder(), "fixtures/sitemap/schema");
  for (const name of ["sitemap.xml", ...new StandardsReader(site).names().filter((other) => /^sitemap-/.test(other))]) {
    const kind = name === "sitemap.xml" ? "siteindex.xsd" : "sitemap.xsd";
    const contents = readFileSync(join(site.publishedFolder, name), "utf8");
    const result = await validateXML({
      xml: [{ fileName: name, contents }],
      schema: [readFileSync(join(schemas, kind), "utf8")],
      initialMemoryPages: 256,
      maxMemoryPages: memoryPages.GiB,
    });
    assert.deepEqual(result.errors, [], name);
  }
});

test("where only one folder can be written, the operator is told of the link to make, once", async (t) => {
  using site = new TestSite();
  site.write("a.html", "a");
  mkdirSync(site.publishedFolder, { recursive: true });
  const wellKnown = join(site.docroot, ".well-known");
  {
    using sealed = seal(wellKnown);
    if (sealed === undefined) {
      t.skip("folders cannot be sealed here");
      return;
    }
    const run = await site.export(both);
    assert.deepEqual(warningsOf(run), ["resourcesync-unlinked"]);
    const [warning] = run.events.filter((event) => event.event === "warning");
    assert.match(JSON.stringify(warning), /ln -s tidemark\/description\.xml /);
  }
  symlinkSync("tidemark/description.xml", join(wellKnown, "resourcesync"));
  const linked = await site.export(both);
  assert.deepEqual([warningsOf(linked), linked.summary.bytesWritten], [[], 0]);
  assert.equal(linked.summary.pages, 1);
  checkAgreement(site);
});
