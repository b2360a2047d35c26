import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { fewer } from "../../long-run.ts";
import { type MadeEntry, makeZip } from "../../storage/packages/zip-bytes.ts";
import { dayMs, SyncedSite, type SyncedVisit } from "./synced-site.ts";

const MiB = 1024 * 1024;

function packages({ lists }: SyncedVisit): string[] {
  return lists.filter((request) => request.endsWith(".zip")).map((request) => request.replace(/ .*\//, " "));
}

/** A site of 40 pages that was crawled, and of which 15 changed on a day that is over. */
async function openChanged(options: Partial<CrawlSiteOptions> = {}): Promise<SyncedSite> {
  const site = await SyncedSite.open(40);
  await site.publish({ changeDumps: true });
  await site.crawl(options);
  site.now += dayMs;
  for (let at = 0; at < 15; at++) site.write(`d${at % 7}/${at}.html`, `page ${at} changed, and is longer now`);
  await site.publish({ changeDumps: true });
  site.now += dayMs;
  site.write("new.html", "new");
  await site.publish({ changeDumps: true });
  assert.equal(site.publishedNames(/^changedump-.*zip$/).length, 1);
  return site;
}

/** Everything below a folder, to see that nothing was written where nothing should be. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
}

interface Row {
  readonly path: string;
  readonly content?: string;
  /** Attributes of `rs:md`, in place of true ones. */
  readonly attributes?: string;
  readonly name?: string;
  readonly location?: string;
  readonly change?: string;
  readonly at?: string;
  readonly isMissing?: boolean;
}

const hashOf = (algorithm: string, content: string): string => createHash(algorithm).update(content).digest("hex");

/** A package of changes of 2027-01-02, with a manifest of these rows. */
function packageOf(site: SyncedSite, rows: readonly Row[], more: readonly MadeEntry[] = []): Buffer {
  const entries: MadeEntry[] = [];
  const urls = rows.map((row, number) => {
    const { path, content = "", attributes, name, location, change = "updated", at = "2027-01-02T00:00:00Z" } = row;
    const place = name ?? `resources/${number}`;
    if (row.isMissing !== true) entries.push({ name: place, content });
    const said = attributes ?? `length="${content.length}" hash="md5:${hashOf("md5", content)}"`;
    return `<url><loc>${location ?? site.url + path}</loc><rs:md change="${change}" datetime="${at}" ${said} path="/${place}"/></url>`;
  });
  const manifest = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">
    <rs:md capability="changedump-manifest" from="2027-01-01T00:00:00Z" until="2027-01-02T00:00:00Z"/>${urls.join("")}</urlset>`;
  return makeZip([...entries, { name: "manifest.xml", content: manifest }, ...more]);
}

const changedPages: readonly Row[] = Array.from({ length: 15 }, (_, at) => ({
  path: `/d${at % 7}/${at}.html`,
  content: `page ${at} changed, and is longer now`,
}));

/** What is due of them, with what requests for them cost (0051). */
const neededBytes: number = changedPages.reduce((sum, { content = "" }) => sum + content.length + 1024, 0);

/** A package of the changed pages that has so many bytes. */
function paddedPackage(site: SyncedSite, sizeBytes: number): Buffer {
  const pad: MadeEntry = { name: "x", method: 0 };
  const { length } = packageOf(site, changedPages, [pad]);
  return packageOf(site, changedPages, [{ ...pad, content: randomBytes(sizeBytes - length) }]);
}

describe("packages of changes", () => {
  it("bring what changed in one request; the rest is asked for page by page", async () => {
    await using site = await openChanged();
    const visit = await site.crawl();
    assert.deepEqual(packages(visit), ["200 changedump-20270102-0001.zip"]);
    assert.deepEqual(visit.pages, ["200 /new.html"]);
    const { summary } = visit;
    assert.deepEqual([summary.packedPages, summary.pageRequests, summary.updated, summary.created], [15, 1, 15, 1]);
    assert.deepEqual([summary.differing, summary.failed, summary.pending, summary.unchanged], [0, 0, 0, 25]);
    assert.ok(summary.packageBytes > 1000);
    site.assertMirrored();
    const quiet = await site.crawl();
    assert.deepEqual(
      quiet.lists.filter((request) => !request.startsWith("304 ")),
      [],
    );
    assert.equal(quiet.summary.packedPages, 0);
  });

  it("of several days give the newest state of each page", async () => {
    await using site = await SyncedSite.open(30);
    await site.publish({ changeDumps: true });
    await site.crawl();
    for (let day = 1; day <= 5; day++) {
      site.now += dayMs;
      // Neither size nor time tells these apart.
      for (const at of [0, 1, 2, day * 5 - 2, day * 5 - 1, day * 5, day * 5 + 1, day * 5 + 2]) {
        site.write(`d${at % 7}/${at}.html`, `page ${at} of day ${day}`);
        utimesSync(join(site.docroot, `d${at % 7}/${at}.html`), 1_700_000_000, 1_700_000_000);
      }
      site.write(`new/${day}.html`, `new on day ${day}`);
      if (day === 4) site.remove("new/2.html");
      await site.publish({ changeDumps: true });
    }
    const visit = await site.crawl();
    assert.equal(packages(visit).length, 4);
    assert.equal(visit.summary.packedPages + visit.summary.pageRequests, visit.summary.updated + visit.summary.created);
    assert.ok(visit.summary.packedPages > 20, `${visit.summary.packedPages}`);
    site.assertMirrored();
  });

  it("are not looked for where few pages are due, and not fetched where most of them is not needed", async () => {
    await using site = await openChanged();
    await site.crawl();
    site.now += dayMs;
    site.write("d1/1.html", "changed");
    await site.publish({ changeDumps: true });
    const few = await site.crawl();
    assert.deepEqual([few.lists.filter((request) => request.includes("dump")), few.pages.length], [[], 1]);
    await using other = await openChanged();
    const [name = ""] = other.publishedNames(/^changedump-.*zip$/);
    other.replacePackage(name, () => paddedPackage(other, 2 * neededBytes + 1));
    const wasteful = await other.crawl();
    assert.deepEqual([packages(wasteful), wasteful.pages.length], [[], 16]);
    other.assertMirrored();
  });

  it("are fetched where at most half of them is not needed", async () => {
    await using site = await openChanged();
    const [name = ""] = site.publishedNames(/^changedump-.*zip$/);
    site.replacePackage(name, () => paddedPackage(site, 2 * neededBytes));
    const { summary } = await site.crawl();
    assert.deepEqual([summary.packedPages, summary.packageBytes], [15, 2 * neededBytes]);
    site.assertMirrored();
  });

  it("are not used beyond a budget, where they are switched off, or larger than they may be", async () => {
    for (const options of fewer([{ budget: 5 }, { packageBytes: 0 }, { packageBytes: 500 }], 2)) {
      await using site = await openChanged();
      const visit = await site.crawl(options);
      assert.deepEqual([packages(visit), visit.summary.packedPages], [[], 0]);
      await site.crawl();
      site.assertMirrored();
    }
  });

  it("are not used for WARC files, in which a page has an answer of its own; but where nothing is kept", async () => {
    await using warc = await openChanged({ keep: "warc" });
    assert.deepEqual(packages(await warc.crawl({ keep: "warc" })), []);
    await using none = await openChanged({ keep: "metadata" });
    assert.equal((await none.crawl({ keep: "metadata" })).summary.packedPages, 15);
  });

  it("and pages in them that robots.txt forbids stay where they are", async () => {
    await using site = await openChanged();
    writeFileSync(join(site.docroot, "robots.txt"), "User-agent: *\nDisallow: /d1/\n");
    const { summary } = await site.crawl();
    assert.deepEqual([summary.packedPages, summary.disallowed], [13, 2]);
    await using other = await openChanged();
    writeFileSync(join(other.docroot, "robots.txt"), "User-agent: *\nDisallow: /*.zip\n");
    const visit = await other.crawl();
    assert.deepEqual([packages(visit), visit.pages.length], [[], 16]);
  });

  it("that end in the middle are gone on with, and no page is kept twice", async () => {
    await using site = await openChanged();
    const abort = new AbortController();
    const first: string[] = [];
    const onEvent: CrawlSiteOptions["onEvent"] = (event) => {
      if (event.event === "page" && first.push(event.path) === 6) abort.abort();
    };
    await assert.rejects(site.crawl({ signal: abort.signal, onEvent }), { code: "aborted" });
    const rest: string[] = [];
    const visit = await site.crawl({
      onEvent: (event) => {
        if (event.event === "page") rest.push(event.path);
      },
    });
    assert.equal(packages(visit).length, 1);
    assert.equal(new Set([...first, ...rest]).size, first.length + rest.length);
    assert.equal(first.length + rest.length, 16);
    site.assertMirrored();
  });
});

describe("packages of all pages", () => {
  it("are a first visit in one request for pages, several if there are several packages", async () => {
    await using site = await SyncedSite.open(40);
    await site.publish({ resourceDump: true });
    const visit = await site.crawl();
    assert.deepEqual([packages(visit).length, visit.pages, visit.summary.packedPages], [1, [], 40]);
    assert.deepEqual([visit.summary.created, visit.summary.pageRequests], [40, 0]);
    site.assertMirrored();
    site.now += dayMs;
    site.write("d1/1.html", "changed");
    await site.publish();
    const next = await site.crawl();
    assert.deepEqual([packages(next), next.pages], [[], ["200 /d1/1.html"]]);
    site.assertMirrored();
  });

  it("that are older than the list give no page that changed since, though size and time are as they were", async () => {
    await using site = await SyncedSite.open(40);
    for (let at = 0; at < 40; at++)
      utimesSync(join(site.docroot, `d${at % 7}/${at}.html`), 1_700_000_000, 1_700_000_000);
    await site.publish({ resourceDump: true });
    site.now += dayMs;
    site.write("d1/1.html", "PAGE 1");
    utimesSync(join(site.docroot, "d1/1.html"), 1_700_000_000, 1_700_000_000);
    site.write("later.html", "later");
    await site.publish();
    const visit = await site.crawl();
    assert.deepEqual([[...visit.pages].sort(), visit.summary.packedPages], [["200 /d1/1.html", "200 /later.html"], 39]);
    site.assertMirrored();
  });

  it("that are older than a list without digests are not used where nobody says what changed since", async () => {
    await using site = await SyncedSite.open(40);
    await site.publish({ resourceDump: true });
    site.now += dayMs;
    site.write("later.html", "later");
    await site.publish();
    site.dropChangeLists();
    const visit = await site.crawl();
    assert.deepEqual([packages(visit), visit.pages.length], [[], 41]);
    site.assertMirrored();
  });

  it("are not needed where a mirror is there that only the state was lost of", async () => {
    await using site = await SyncedSite.open(40);
    await site.publish({ resourceDump: true });
    await site.crawl();
    rmSync(join(site.mirror, ".tidemark"), { recursive: true });
    const visit = await site.crawl();
    assert.deepEqual([packages(visit), visit.pages, visit.summary.pending], [[], [], 0]);
    site.assertMirrored();
  });

  it("of a first visit that ended in the middle are used by the next", async () => {
    await using site = await SyncedSite.open(40);
    await site.publish({ resourceDump: true });
    const abort = new AbortController();
    let kept = 0;
    const onEvent: CrawlSiteOptions["onEvent"] = ({ event }) => {
      if (event === "page" && ++kept === 10) abort.abort();
    };
    await assert.rejects(site.crawl({ signal: abort.signal, onEvent }), { code: "aborted" });
    const rest = await site.crawl();
    assert.deepEqual([rest.pages, rest.summary.packedPages], [[], 30]);
    site.assertMirrored();
  });
});

/** Visits a site whose package is replaced. */
async function visitWith(make: (site: SyncedSite) => Buffer): Promise<SyncedVisit & { readonly warnings: string[] }> {
  await using site = await openChanged();
  const [name = ""] = site.publishedNames(/^changedump-.*zip$/);
  site.replacePackage(name, () => make(site));
  const outside = filesBelow(dirname(site.mirror)).filter((file) => !file.startsWith("mirror"));
  const warnings: string[] = [];
  const onEvent: CrawlSiteOptions["onEvent"] = (event) => {
    if (event.event === "warning") warnings.push(event.message);
  };
  const visit = await site.crawl({ onEvent });
  site.assertMirrored();
  assert.deepEqual(visit.summary.pending, 0);
  assert.deepEqual(
    filesBelow(dirname(site.mirror)).filter((file) => !file.startsWith("mirror")),
    outside,
  );
  assert.ok(!readdirSync(join(site.mirror, ".tidemark")).includes("tmp"));
  // It is not asked for again.
  assert.deepEqual(packages(await site.crawl()), []);
  return { ...visit, warnings };
}

function replaceRow(at: number, row: Partial<Row>): Row[] {
  return changedPages.map((page, place) => (place === at ? { ...page, ...row } : page));
}

describe("a package that is not what it should be", () => {
  it("and one that is", async () => {
    const visit = await visitWith((site) => packageOf(site, changedPages));
    assert.deepEqual([visit.summary.packedPages, visit.pages, visit.warnings], [15, ["200 /new.html"], []]);
  });

  // Of these all but one page are kept, and that one is asked for.
  const content = "page 3 changed, and is longer now";
  const rows: ReadonlyArray<readonly [string, Partial<Row>]> = [
    ["of another site", { location: "http://other.example/d3/3.html" }],
    ["of another length than its manifest says", { attributes: `length="${content.length - 1}"` }],
    ["without a length, of another than its record", { content: `${content}!`, attributes: "" }],
    ["of another MD5", { attributes: `length="${content.length}" hash="md5:${"0".repeat(32)}"` }],
    ["of another SHA-256", { attributes: `hash="md5:${hashOf("md5", content)} sha-256:${"0".repeat(64)}"` }],
    ["of a path that leads out", { name: "../../../escaped.html" }],
    ["of a path that is absolute", { name: "/tmp/tidemark-escaped.html" }],
    ["of a path on a drive", { name: "C:/escaped.html" }],
    ["of a path with backslashes", { name: "..\\..\\escaped.html" }],
    ["of an entry that is not there", { isMissing: true }],
    ["of a time before its change", { at: "2027-01-01T12:00:00Z" }],
    ["that was deleted at last", { change: "deleted" }],
  ];
  for (const [what, row] of fewer(rows, 12))
    it(`with a page ${what}: that page is asked for`, async () => {
      const visit = await visitWith((site) => packageOf(site, replaceRow(3, row)));
      assert.deepEqual([visit.summary.packedPages, visit.pages], [14, ["200 /d3/3.html", "200 /new.html"]]);
    });

  const whole: ReadonlyArray<readonly [string, (site: SyncedSite) => Buffer, RegExp]> = [
    ["that is no ZIP file", () => randomBytes(800), /signature not found/],
    ["that is cut off", (site) => packageOf(site, changedPages).subarray(0, 900), /signature not found/],
    ["without a manifest", () => makeZip([{ name: "resources/0", content: "x" }]), /no such entry/],
    ["whose manifest is no XML", () => makeZip([{ name: "manifest.xml", content: "no XML" }]), /is skipped/],
    [
      "whose manifest is encrypted",
      () => makeZip([{ name: "manifest.xml", content: "<urlset/>", flags: 1 }]),
      /encrypted/,
    ],
    [
      "whose manifest is a bomb",
      () => makeZip([{ name: "manifest.xml", content: Buffer.alloc(20 * MiB, " ") }]),
      /would come out of/,
    ],
    [
      "that holds other pages",
      (site) => packageOf(site, [{ path: "/other.html", content: "x" }]),
      /nothing that is due/,
    ],
    [
      "whose entries overlap",
      (site) => packageOf(site, changedPages, [{ name: "x", packed: Buffer.alloc(0), packedBytes: 50, offset: 0 }]),
      /overlap/,
    ],
  ];
  for (const [what, make, message] of fewer(whole, 8))
    it(`${what} is skipped`, async () => {
      const visit = await visitWith(make);
      assert.deepEqual([visit.summary.packedPages, visit.pages.length], [0, 16]);
      assert.match(visit.warnings.join(), message);
    });

  it("with pages that are bombs, encrypted or packages themselves keeps no more than its pages", async () => {
    const bomb: MadeEntry = { name: "resources/bomb", content: Buffer.alloc(20 * MiB) };
    const locked: MadeEntry = { name: "resources/locked", content: "x", flags: 1 };
    const visit = await visitWith((site) => {
      const nested = packageOf(site, changedPages);
      return packageOf(
        site,
        [{ path: "/not-due.zip", content: nested.toString("latin1") }, ...changedPages],
        [bomb, locked],
      );
    });
    assert.deepEqual([visit.summary.packedPages, visit.pages.length], [15, 1]);
  });

  it("and redirects to what robots.txt disallows is skipped, and not requested there", async () => {
    await using site = await openChanged();
    const [name = ""] = site.publishedNames(/^changedump-.*zip$/);
    const file = join(site.docroot, ".well-known/tidemark", name);
    rmSync(file);
    // The server redirects to the folder of that name.
    site.write(`.well-known/tidemark/${name}/index.html`, "x");
    site.write("robots.txt", "User-agent: *\nDisallow: /*.zip/\n");
    const { lists, pages } = await site.crawl();
    assert.deepEqual(
      lists.filter((request) => request.includes(".zip")),
      [`301 /.well-known/tidemark/${name}`],
    );
    assert.equal(pages.length, 16);
  });

  it("and has more bytes than it says, or is not there, leaves the pages to be asked for", async () => {
    await using site = await openChanged();
    const [name = ""] = site.publishedNames(/^changedump-.*zip$/);
    const file = join(site.docroot, ".well-known/tidemark", name);
    writeFileSync(file, Buffer.concat([packageOf(site, changedPages), Buffer.alloc(50_000)]));
    const visit = await site.crawl();
    assert.deepEqual([packages(visit).length, visit.summary.packedPages, visit.pages.length], [1, 0, 16]);
    assert.ok(visit.summary.packageBytes < statSync(file).size);
    site.assertMirrored();
    await using other = await openChanged();
    rmSync(join(other.docroot, ".well-known/tidemark", name));
    assert.equal((await other.crawl()).pages.length, 16);
    other.assertMirrored();
  });
});
