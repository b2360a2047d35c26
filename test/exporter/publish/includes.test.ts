import assert from "node:assert/strict";
import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ExportEvent } from "../../../src/core/export-event.ts";
import { needsDigest } from "../../../src/exporter/publish/page-diff.ts";
import type { PublishedPage } from "../../../src/exporter/publish/published-page.ts";
import { IncludedFolders, mayBeIncluded } from "../../../src/exporter/publish/site-parts.ts";
import { countsOf, type Run, TestSite } from "./test-site.ts";

const page = (title: string): string =>
  `<!DOCTYPE html><title>${title}</title><!--#include virtual="/inc/footer.html" -->`;

function changedPaths({ events }: Run): string[] {
  return events
    .filter((event): event is Extract<ExportEvent, { event: "page" }> => event.event === "page")
    .map(({ path, change }) => `${change} ${path}`)
    .sort();
}

function makeSite(): TestSite {
  const site = new TestSite();
  site.write("a.html", page("a"), 1_000_000_000);
  site.write("docs/b.shtml", page("b"), 1_000_000_000);
  site.write("plain.html", "<title>plain</title>", 1_000_000_000);
  site.write("inc/footer.html", 'footer <!--#include virtual="year.txt" -->', 1_100_000_000);
  site.write("inc/year.txt", "2026", 1_200_000_000);
  return site;
}

const pages = "5 pages";

test("a page with includes is published without size and digest, as old as its newest part", async () => {
  using site = makeSite();
  const run = await site.export();
  assert.deepEqual(run.summary.includes, { pages: 3, dynamic: 0 });
  const holding = site.hold();
  for (const path of ["/a.html", "/docs/b.shtml", "/inc/footer.html"]) {
    const held = holding.get(path);
    assert.deepEqual([held?.sizeBytes, held?.digest, held?.lastModified], [undefined, undefined, 1_200_000_000], path);
  }
  const plain = holding.get("/plain.html");
  assert.equal(plain?.sizeBytes, 20);
  assert.ok(plain?.digest !== undefined);
});

test("a changed part changes exactly the pages that include it, also by way of another", async () => {
  using site = makeSite();
  await site.export();
  assert.equal(countsOf(await site.export()), `${pages}: 0 created, 0 updated, 0 deleted, 0 touched`);
  // Older than the pages: what is read by its time is seen as well.
  site.write("inc/year.txt", "2027", 900_000_000);
  const run = await site.export();
  assert.deepEqual(changedPaths(run), [
    "updated /a.html",
    "updated /docs/b.shtml",
    "updated /inc/footer.html",
    "updated /inc/year.txt",
  ]);
  assert.equal(site.hold().get("/a.html")?.lastModified, run.summary.publication);
  assert.equal(countsOf(await site.export()), `${pages}: 0 created, 0 updated, 0 deleted, 0 touched`);
});

test("a part that is only touched changes nothing, and pages are not read again the next time", async () => {
  using site = makeSite();
  await site.export();
  utimesSync(join(site.docroot, "inc/footer.html"), 1_300_000_000, 1_300_000_000);
  assert.equal(countsOf(await site.export()), `${pages}: 0 created, 0 updated, 0 deleted, 1 touched`);
  const again = await site.export();
  assert.deepEqual([again.summary.published, again.summary.bytesWritten], [false, 0]);
});

test("an unmoved page is only read again if a part was written to", () => {
  const includes = {
    fileBytes: 9,
    fileDigest: "AAAAAAAAAAA",
    parts: ["/inc/footer.html"],
    stamp: "first",
    contentDigest: "AAAAAAAAAAA",
    isDynamic: false,
  };
  const times = { mtimeUs: 1, ctimeUs: 1 };
  const file = { path: "/a.html", sizeBytes: 9, mediaType: "text/html", ...times };
  const record = { path: "/a.html", lastModified: 1, mediaType: "text/html", racy: false, ...times };
  const before = { ...record, sizeBytes: undefined, digest: undefined, includes };
  const plain = { ...record, sizeBytes: 9, digest: "AAAAAAAAAAA" };
  const asked: (readonly string[])[] = [];
  const isRead = (page: typeof before | typeof plain, stamp: string | undefined, isNew = false): boolean => {
    const stampOf = (parts: readonly string[]): string => {
      asked.push(parts);
      return stamp ?? "";
    };
    const policy = stamp === undefined ? undefined : { appliesTo: () => true, isNew, stampOf };
    return needsDigest(file, page, { digestMode: "all", publication: 5, scanStartUs: 1e9, includes: policy });
  };
  assert.deepEqual([isRead(before, "first"), isRead(before, "second")], [false, true]);
  assert.deepEqual(asked, [includes.parts, includes.parts]);
  // The server processes no includes any more, or it is looked into each page for the first time.
  assert.deepEqual([isRead(before, undefined), isRead(plain, undefined), isRead(plain, "")], [true, false, false]);
  assert.equal(isRead(plain, "", true), true);
});

test("folders of parts are remembered up to a bound; beyond it any change may be one of a part", () => {
  const pageOf = (part: string): PublishedPage => ({
    path: "/a.html",
    sizeBytes: undefined,
    digest: undefined,
    lastModified: 1,
    mediaType: "text/html",
    mtimeUs: 1,
    ctimeUs: 1,
    racy: false,
    includes: { fileBytes: 1, fileDigest: "", parts: [part], stamp: "", contentDigest: "", isDynamic: false },
  });
  const few = new IncludedFolders([]);
  for (const part of ["/footer.html", "/inc/a/head.html", "/inc/a/foot.html"]) few.add(pageOf(part));
  assert.deepEqual(few.memory("auto"), { mode: "auto", folders: ["/", "/inc/a/"] });
  const isNear = (folder: string): boolean => mayBeIncluded({ folders: [folder], trees: [] }, few.memory("auto"));
  assert.deepEqual(["/", "/inc/", "/inc/a/", "/docs/", "/inc/a/b/"].map(isNear), [true, true, true, false, false]);
  const many = new IncludedFolders([]);
  for (let at = 0; at < 300; at++) many.add(pageOf(`/inc-${at}/head.html`));
  assert.deepEqual(many.memory("auto").folders, ["*"]);
  assert.deepEqual(new IncludedFolders(["*"]).memory("auto").folders, ["*"]);
  assert.ok(mayBeIncluded({ folders: ["/docs/"], trees: [] }, many.memory("auto")));
});

test("a part that comes or goes changes the page; the page's own change does so too", async () => {
  using site = makeSite();
  await site.export();
  rmSync(join(site.docroot, "inc/year.txt"));
  assert.equal(countsOf(await site.export()), "4 pages: 0 created, 3 updated, 1 deleted, 0 touched");
  site.write("a.html", page("other"), 1_000_000_000);
  assert.deepEqual(changedPaths(await site.export()), ["updated /a.html"]);
});

test("a part that is held back itself is followed, and never published", async () => {
  using site = makeSite();
  site.write("c.html", '<!--#include virtual="/parts/secret.inc" -->');
  site.write("parts/secret.inc", "one");
  await site.export();
  assert.ok(!site.hold().has("/parts/secret.inc"));
  site.write("parts/secret.inc", "two");
  assert.deepEqual(changedPaths(await site.export()), ["updated /c.html"]);
});

test("what no file tells is counted", async () => {
  using site = makeSite();
  site.write("now.html", '<!--#echo var="DATE_LOCAL" -->');
  const run = await site.export();
  assert.deepEqual(run.summary.includes, { pages: 4, dynamic: 1 });
});

test("without includes on the server a page is what its file is, and a later word changes its record", async () => {
  using site = makeSite();
  await site.export({ ssi: "off" });
  assert.ok(site.hold().get("/a.html")?.digest !== undefined);
  site.write("inc/year.txt", "2027");
  assert.deepEqual(changedPaths(await site.export({ ssi: "off" })), ["updated /inc/year.txt"]);
  const on = await site.export();
  assert.deepEqual(changedPaths(on), ["updated /a.html", "updated /docs/b.shtml", "updated /inc/footer.html"]);
  assert.equal(site.hold().get("/a.html")?.digest, undefined);
  const off = await site.export({ ssi: "off" });
  assert.equal(off.summary.updated, 3);
  assert.ok(site.hold().get("/a.html")?.digest !== undefined);
});

test("includes are looked for in all text where that is said", async () => {
  using site = makeSite();
  site.write("style.css", '/* <!--#include virtual="/inc/year.txt" --> */');
  await site.export();
  assert.ok(site.hold().get("/style.css")?.digest !== undefined);
  await site.export({ ssi: "on" });
  assert.equal(site.hold().get("/style.css")?.digest, undefined);
  await assert.rejects(site.export({ ssi: "on", digest: "none" }), { code: "bad-option" });
});

test("with rules of content both the page's own text and its parts count", async () => {
  using site = makeSite();
  const options = { ignore: ["/<title>[^<]*/"] };
  await site.export(options);
  site.write("a.html", page("another title"), 1_400_000_000);
  assert.equal((await site.export(options)).summary.updated, 0);
  site.write("inc/footer.html", "new footer");
  assert.equal((await site.export(options)).summary.updated, 3);
});

test("a look at some folders becomes one at all of them where pages elsewhere include what changed", async () => {
  using site = makeSite();
  await site.export();
  const look = (folder: string) => site.export({}, { folders: [folder], trees: [] });
  site.write("docs/plain.html", "created");
  assert.deepEqual(changedPaths(await look("/docs/")), ["created /docs/plain.html"]);
  writeFileSync(join(site.docroot, "inc/year.txt"), "changed");
  assert.deepEqual(changedPaths(await look("/inc/")), [
    "updated /a.html",
    "updated /docs/b.shtml",
    "updated /inc/footer.html",
    "updated /inc/year.txt",
  ]);
});
