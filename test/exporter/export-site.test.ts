import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { TidemarkError } from "../../src/core/error.ts";
import type { ExportSiteOptions } from "../../src/exporter/export-settings.ts";
import { exportSite } from "../../src/exporter/export-site.ts";
import { defaultStateDir } from "../../src/exporter/state-folder.ts";
import { countsOf, digestOf, TestSite, warningsOf } from "./publish/test-site.ts";

const umask = process.umask();
afterEach(() => process.umask(umask));

function isBadOption(error: unknown): boolean {
  return error instanceof TidemarkError && error.code === "bad-option" && error.hint !== undefined;
}

test("the first export publishes the whole site, ordered by last-modified", async () => {
  using site = new TestSite();
  site.write("index.html", "<p>welcome", 1_700_000_000);
  site.write("a/old.html", "<p>old", 1_000_000_000);
  site.write("a/é 1.txt", "new", 1_750_000_000);
  const run = await site.export();
  assert.equal(countsOf(run), "3 pages: 3 created, 0 updated, 0 deleted, 0 touched");
  const { summary } = run;
  assert.deepEqual([summary.published, summary.newBase, summary.intervals], [true, true, 0]);
  assert.equal(summary.publication, Math.floor(site.nowMs / 1000));
  assert.equal(summary.site, "https://example.org/");
  site.check(["a/old.html", "a/é 1.txt", "index.html"]);
  const reader = site.reader();
  assert.equal(reader.index.publication, summary.publication);
  assert.equal(reader.index.epoch, summary.epoch);
  assert.equal(reader.index.completeFrom, summary.publication);
  const [archive] = reader.base.archives;
  assert.ok(archive !== undefined);
  assert.deepEqual([archive.name.from, archive.name.to], [0, 1_750_000_000], "change time is last-modified");
  assert.deepEqual(
    reader.changes(archive).map((change) => change.kind === "created" && change.page.lastModified),
    [1_000_000_000, 1_700_000_000, 1_750_000_000],
  );
});

test("a later export publishes what differs, and tombstones", async () => {
  using site = new TestSite();
  for (const name of ["a.html", "b.html", "c.html", "d/e.html"]) site.write(name, name);
  const first = await site.export();
  site.write("a.html", "changed");
  site.write("b.html", "restored from a backup", 1_000_000_000);
  site.write("new.html", "new, with an old time", 900_000_000);
  site.remove("d");
  const second = await site.export();
  assert.equal(countsOf(second), "4 pages: 1 created, 2 updated, 1 deleted, 0 touched");
  assert.equal(second.summary.epoch, first.summary.epoch);
  assert.ok(second.summary.publication > first.summary.publication);
  const reader = site.reader();
  const changes = reader.index.archives.flatMap((entry) => reader.changes(entry));
  assert.deepEqual(
    changes.map((change) => [change.kind, change.kind === "deleted" ? change.path : change.page.path]),
    [
      ["updated", "/a.html"],
      ["updated", "/b.html"],
      ["deleted", "/d/e.html"],
      ["created", "/new.html"],
    ],
  );
  for (const { name } of reader.index.archives)
    assert.deepEqual([name.from, name.to], [first.summary.publication, second.summary.publication], "not their mtime");
  site.check(["a.html", "b.html", "c.html", "new.html"]);
  assert.equal(site.hold().get("/b.html")?.lastModified, 1_000_000_000);
});

test("an unchanged site costs no write at all", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  site.write("b/c.png", "c");
  const first = await site.export();
  assert.deepEqual([first.summary.archivesWritten, first.summary.archivesListed], [1, 1]);
  const [published, state] = [site.snapshot(site.docroot), site.snapshot(site.stateDir)];
  const run = await site.export();
  assert.equal(countsOf(run), "2 pages: 0 created, 0 updated, 0 deleted, 0 touched");
  const { summary } = run;
  assert.deepEqual(
    [summary.published, summary.bytesWritten, summary.archivesWritten, summary.unchanged],
    [false, 0, 0, 2],
  );
  assert.deepEqual(site.snapshot(site.docroot), published);
  assert.deepEqual(site.snapshot(site.stateDir), state);
});

test("a redeploy of equal bytes changes nothing that is public, and says what was touched", async () => {
  using site = new TestSite();
  for (const name of ["a.html", "b.html", "c.html"]) site.write(name, name, 1_600_000_000);
  await site.export();
  const published = site.snapshot();
  for (const name of ["a.html", "b.html"]) site.write(name, name, 1_700_000_000);
  const inode = join(site.docroot, "c.html");
  renameSync(inode, `${inode}.new`);
  site.write("c.html", "c.html", 1_600_000_000);
  site.remove("c.html.new");
  const run = await site.export();
  assert.equal(countsOf(run), "3 pages: 0 created, 0 updated, 0 deleted, 2 touched");
  assert.equal(run.summary.unchanged, 3);
  assert.deepEqual(site.snapshot(), published);
  assert.equal(site.hold().get("/a.html")?.lastModified, 1_600_000_000, "last-modified stays true");
  assert.equal(countsOf(await site.export()), "3 pages: 0 created, 0 updated, 0 deleted, 0 touched");
});

test("an edit of equal size with its old time put back is found", async () => {
  using site = new TestSite();
  site.write("a.html", "colour", 1_600_000_000);
  await site.export();
  site.write("a.html", "flavor", 1_600_000_000);
  assert.equal(countsOf(await site.export()), "1 pages: 0 created, 1 updated, 0 deleted, 0 touched");
  site.check(["a.html"]);
});

test("a file that is written to while it is published is looked at again, though its times say nothing", async () => {
  using site = new TestSite();
  site.write("a.html", "one", 1_600_000_000);
  site.nowMs = Date.now() - 86_400_000; // The scan begins as the file is written.
  await site.export();
  const state = site.snapshot(site.stateDir);
  site.nowMs += 2 * 3_600_000;
  await site.export();
  assert.notDeepEqual(site.snapshot(site.stateDir), state, "it was racy, and is no more");
  const settled = site.snapshot(site.stateDir);
  await site.export();
  assert.deepEqual(site.snapshot(site.stateDir), settled);
});

test("without digests size and time decide, with digests of what moved a redeploy is seen the second time", async () => {
  for (const [digest, first, second] of [
    ["none", 1, 1],
    ["changed", 1, 0],
    ["all", 0, 0],
  ] as const) {
    using site = new TestSite();
    site.write("a.html", "a", 1_600_000_000);
    await site.export({ digest });
    assert.equal(site.hold().get("/a.html")?.digest === undefined, digest !== "all");
    site.write("a.html", "a", 1_700_000_000);
    assert.equal((await site.export({ digest })).summary.updated, first, digest);
    site.write("a.html", "a", 1_750_000_000);
    assert.equal((await site.export({ digest })).summary.updated, second, digest);
    assert.equal((await site.export({ digest })).summary.published, false);
  }
});

test("times that cannot be are clamped: those to come with a warning, those before 1970 without", async () => {
  using site = new TestSite();
  site.write("ancient.html", "a");
  utimesSync(join(site.docroot, "ancient.html"), new Date(-86_400_000), new Date(-86_400_000));
  site.write("next-century.html", "b", 4_200_000_000);
  site.write("year-2300.html", "c", 10_413_792_000);
  const run = await site.export();
  assert.deepEqual(warningsOf(run), ["future-mtime", "future-mtime"]);
  const holding = site.hold();
  assert.equal(holding.get("/ancient.html")?.lastModified, 1);
  assert.equal(holding.get("/next-century.html")?.lastModified, run.summary.publication);
  assert.equal(holding.get("/year-2300.html")?.lastModified, run.summary.publication);
  const state = site.snapshot(site.stateDir);
  const again = await site.export();
  assert.deepEqual(warningsOf(again), []);
  assert.equal(countsOf(again), "3 pages: 0 created, 0 updated, 0 deleted, 0 touched");
  assert.deepEqual(site.snapshot(site.stateDir), state);
});

test("a dry run says what would become public and writes nothing, not even a folder", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  site.write(".secret", "s");
  const empty = site.snapshot(site.folder);
  const run = await site.export({ dryRun: true });
  assert.equal(countsOf(run), "1 pages: 1 created, 0 updated, 0 deleted, 0 touched");
  assert.deepEqual([run.summary.dryRun, run.summary.withheld, run.summary.bytesWritten], [true, 1, 0]);
  assert.deepEqual(site.snapshot(site.folder), empty);
  await site.export();
  site.write("a.html", "other");
  site.write("b.html", "b");
  const before = site.snapshot(site.folder);
  assert.equal(countsOf(await site.export({ dryRun: true })), "2 pages: 1 created, 1 updated, 0 deleted, 0 touched");
  assert.deepEqual(site.snapshot(site.folder), before);
  assert.equal(countsOf(await site.export()), "2 pages: 1 created, 1 updated, 0 deleted, 0 touched");
});

test("a site does not come to be empty unless that is said", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  await site.export();
  const published = site.snapshot();
  site.remove("a.html");
  await assert.rejects(
    site.export(),
    (error) => error instanceof TidemarkError && /allow-empty/.test(error.hint ?? ""),
  );
  assert.deepEqual(site.snapshot(), published);
  const { summary } = await site.export({ allowEmpty: true });
  assert.deepEqual([summary.pages, summary.deleted], [0, 1]);
  site.check([]);
  assert.equal((await site.export()).summary.published, false, "it is empty already");
});

test("an empty folder is a site from the start", async () => {
  using site = new TestSite();
  await site.export();
  site.check([]);
  site.write("a.html", "a");
  await site.export();
  site.check(["a.html"]);
});

test("state within the document root is refused, however it is spelled", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  mkdirSync(join(site.docroot, "sub"));
  symlinkSync(site.docroot, join(site.folder, "other-name"));
  symlinkSync(join(site.docroot, "sub"), join(site.folder, "shortcut"));
  const before = site.snapshot(site.docroot);
  for (const stateDir of [
    site.docroot,
    join(site.docroot, "state"),
    join(site.docroot, "deep/er/state"),
    join(site.docroot, "..state"),
    join(site.docroot, "sub/../state"),
    join(site.folder, "other-name/state"),
    join(site.folder, "shortcut/state"),
  ])
    await assert.rejects(site.export({ stateDir }), isBadOption, stateDir);
  assert.deepEqual(site.snapshot(site.docroot), before);
  await site.export({ stateDir: join(site.folder, "site-state") });
});

test("a base URL is an origin", async () => {
  using site = new TestSite();
  const refused = [
    "https://example.org/docs/",
    "https://example.org/?q",
    "ftp://example.org/",
    "example.org",
    "",
    "https://",
    "https://u:p@example.org/",
    "https://example.org/#x",
    "file:///srv",
  ];
  for (const baseUrl of refused) await assert.rejects(site.export({ baseUrl }), isBadOption, baseUrl);
  for (const [baseUrl, expected] of [
    ["https://example.org", "https://example.org/"],
    ["HTTPS://EXAMPLE.org:443/", "https://example.org/"],
    ["http://example.org:8080", "http://example.org:8080/"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["https://example.org/?", "https://example.org/"],
    ["https://example.org/#", "https://example.org/"],
  ] as const) {
    const { summary } = await site.export({ baseUrl, stateDir: join(site.folder, expected.replace(/\W/g, "_")) });
    assert.equal(summary.site, expected);
  }
});

test("options that cannot be meant are refused with a hint, before anything is written", async () => {
  using site = new TestSite();
  const wrong: readonly Partial<ExportSiteOptions>[] = [
    { segmentSize: 0 },
    { segmentSize: 1.5 },
    { segmentSize: 65_537 },
    { minGroup: 0 },
    { minGroup: Number.NaN },
    { digest: "some" as "all" },
    { include: [""] },
    { exclude: ["!a"] },
    { serverUser: "no-such-user-here" },
    { ignore: ["/(/"] },
    { ignore: ["p:nonsense"] },
    { ignore: ["/a/"], digest: "changed" },
    { significant: 0 },
    { significant: 1.5 },
    { significant: 0.5, digest: "none" },
    { ioLimit: 100 },
    { ioLimit: 5000.5 },
  ];
  for (const options of wrong) await assert.rejects(site.export(options), isBadOption, JSON.stringify(options));
  await assert.rejects(site.export({ docroot: join(site.folder, "none") }), { code: "not-found" });
  await assert.rejects(site.export({ robotsDir: join(site.folder, "none") }), { code: "not-found" });
  writeFileSync(join(site.folder, "file"), "");
  await assert.rejects(site.export({ docroot: join(site.folder, "file") }), { code: "not-a-folder" });
  await assert.rejects(site.export({ stateDir: join(site.folder, "file") }), { code: "not-a-folder" });
  assert.deepEqual(readdirSync(site.folder).sort(), ["file", "site"]);
  assert.deepEqual(readdirSync(site.docroot), []);
});

test("a state of another site is refused", async () => {
  using site = new TestSite();
  await site.export();
  await assert.rejects(site.export({ baseUrl: "https://example.com/" }), isBadOption);
});

test("what is published can be read by the server whatever the umask, and the state by nobody else", async () => {
  for (const mask of [0o022, 0o077]) {
    using site = new TestSite();
    site.write("a.html", "a");
    chmodSync(site.docroot, 0o755);
    chmodSync(join(site.docroot, "a.html"), 0o644);
    process.umask(mask);
    await site.export();
    process.umask(umask);
    for (const folder of [".well-known", ".well-known/tidemark"])
      assert.equal(statSync(join(site.docroot, folder)).mode & 0o777, 0o755);
    for (const name of readdirSync(site.publishedFolder))
      assert.equal(statSync(join(site.publishedFolder, name)).mode & 0o777, 0o644, name);
    assert.equal(statSync(join(site.docroot, "robots.txt")).mode & 0o777, 0o644);
    assert.equal(statSync(site.stateDir).mode & 0o777, 0o700);
    for (const name of readdirSync(site.stateDir))
      assert.equal(statSync(join(site.stateDir, name)).mode & 0o077, 0, name);
  }
});

test("a segment and a group have the size that is asked for", async () => {
  using site = new TestSite();
  for (let at = 0; at < 30; at++)
    site.write(`page-${at}.${at % 3 === 0 ? "png" : "html"}`, `${at}`, 1_600_000_000 + at);
  await site.export({ segmentSize: 10, minGroup: 4 });
  const { archives } = site.reader().base;
  assert.ok(archives.every(({ changes }) => changes <= 10));
  assert.deepEqual(archives.map(({ name }) => name.group).sort(), [
    "image-png",
    "other",
    "other",
    "text-html",
    "text-html",
    "text-html",
  ]);
});

test("the state folder has its place in the home folder, by the site's host", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  const { HOME } = process.env;
  process.env.HOME = site.folder;
  try {
    await exportSite({ docroot: site.docroot, baseUrl: "http://localhost:8080/" });
  } finally {
    if (HOME === undefined) delete process.env.HOME;
    else process.env.HOME = HOME;
  }
  assert.ok(existsSync(join(site.folder, ".local/state/tidemark/http_localhost_8080/ledger.json.gz")));
});

test("digests are those of the bytes, also of names that are not UTF-8", async () => {
  using site = new TestSite();
  writeFileSync(Buffer.concat([Buffer.from(`${site.docroot}/`), Buffer.from([0xff, 0x25, 0x2e, 0x6d, 0x64])]), "odd");
  await site.export();
  assert.deepEqual(
    [...site.hold().values()].map(({ path, digest }) => [path, digest]),
    [["/%FF%25.md", digestOf("odd")]],
  );
});

test("each origin has a state folder of its own, below the home folder", () => {
  const home = join(homedir(), ".local/state/tidemark");
  assert.equal(defaultStateDir("https://example.org/"), join(home, "example.org"));
  assert.equal(defaultStateDir("https://EXAMPLE.org:443"), join(home, "example.org"));
  assert.equal(defaultStateDir("http://example.org/"), join(home, "http_example.org"));
  assert.equal(defaultStateDir("https://example.org:8443/"), join(home, "example.org_8443"));
  assert.equal(defaultStateDir("http://[::1]:80/"), join(home, "http____1_"));
  assert.throws(() => defaultStateDir("https://example.org/path"), { code: "bad-option" });
  assert.throws(() => defaultStateDir("example.org"), { code: "bad-option" });
});
