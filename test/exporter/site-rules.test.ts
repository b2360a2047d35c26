import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TidemarkError } from "../../src/core/error.ts";
import { planSiteUrls } from "../../src/exporter/site-rules.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { countsOf, digestOf, TestSite, warningsOf } from "./publish/test-site.ts";

const pathsOf = (site: TestSite): string[] => [...site.hold().keys()].sort();

test("with index files and clean URLs the site is published under the server's URLs, and stays so", async () => {
  using site = new TestSite();
  for (const name of ["index.html", "about.html", "docs/index.html", "docs/a-b.html", "docs/a/x.html", "docs/a.html"])
    site.write(name, name);
  const options = { cleanUrls: true };
  const first = await site.export(options);
  assert.deepEqual(warningsOf(first), ["url-collision"]);
  assert.deepEqual(pathsOf(site), ["/", "/about", "/docs/", "/docs/a-b", "/docs/a.html", "/docs/a/x"]);
  assert.equal(site.hold().get("/")?.digest, digestOf("index.html"));
  assert.equal(site.hold().get("/about")?.mediaType, "text/html");
  assert.equal((await site.export(options)).summary.published, false);
  site.write("docs/index.html", "changed");
  site.remove("about.html");
  assert.equal(countsOf(await site.export(options)), "5 pages: 0 created, 1 updated, 1 deleted, 0 touched");
  assert.equal(site.hold().get("/docs/")?.digest, digestOf("changed"));
});

test("without being asked nothing is renamed", async () => {
  using site = new TestSite();
  for (const name of ["index.html", "about.html"]) site.write(name, name);
  await site.export();
  assert.deepEqual(pathsOf(site), ["/about.html", "/index.html"]);
  await site.export({ index: ["index.html"] });
  assert.deepEqual(pathsOf(site), ["/", "/about.html"]);
});

test("mapped folders are part of the site, in every way", async () => {
  using site = new TestSite();
  site.write("a.txt", "a");
  site.write("static/covered.txt", "covered");
  const folder = join(site.folder, "static");
  mkdirSync(join(folder, "img"), { recursive: true });
  for (const name of ["b.txt", "dump.sql", "img/index.html", "page.html"]) writeFileSync(join(folder, name), name);
  symlinkSync("/etc/passwd", join(folder, "passwd.txt"));
  const options = { map: [{ urlPrefix: "/static", folder }], cleanUrls: true };
  const first = await site.export(options);
  assert.deepEqual(pathsOf(site), ["/a.txt", "/static/b.txt", "/static/img/", "/static/page.html"]);
  const { "own-output": own, ...withheld } = first.summary.withheldByRule;
  assert.deepEqual(withheld, { shadowed: 1, "private-data": 1, "outside-root": 1 });
  assert.equal(own, 1);
  assert.equal((await site.export(options)).summary.published, false);
  writeFileSync(join(folder, "b.txt"), "other bytes");
  assert.equal(countsOf(await site.export(options)), "4 pages: 0 created, 1 updated, 0 deleted, 0 touched");
  assert.equal(site.hold().get("/static/b.txt")?.digest, digestOf("other bytes"));
});

test("what tidemark writes is not published through a map either, so that a second export finds nothing", async () => {
  using site = new TestSite();
  using elsewhere = makeTempFolder();
  site.write("a.txt", "a");
  const options = {
    map: [
      { urlPrefix: "/all/", folder: site.folder },
      { urlPrefix: "/well/", folder: join(site.docroot, ".well-known") },
    ],
    stateDir: join(elsewhere.path, "state"),
  };
  mkdirSync(join(site.docroot, ".well-known"));
  writeFileSync(join(site.docroot, ".well-known/security.txt"), "security");
  await site.export(options);
  assert.deepEqual(pathsOf(site), [
    "/.well-known/security.txt",
    "/a.txt",
    "/all/site/.well-known/security.txt",
    "/all/site/a.txt",
    "/well/security.txt",
  ]);
  assert.equal((await site.export(options)).summary.published, false);
});

test("robots.txt speaks of the URLs that are published", async () => {
  using site = new TestSite();
  for (const name of ["index.html", "a.html", "b.html"]) site.write(name, name);
  site.write("robots.txt", "User-agent: *\nDisallow: /*.html$\nDisallow: /b\n");
  const { summary } = await site.export({ cleanUrls: true });
  assert.deepEqual(pathsOf(site), ["/", "/a"]);
  assert.equal(summary.withheldByRule["robots-disallow"], 1);
});

const noindex = '<html><head><meta name="robots" content="noindex"><title>x</title>';

test("a page that asks not to be indexed is held back, and comes and goes with what it asks", async () => {
  using site = new TestSite();
  site.write("a.html", noindex);
  site.write("b.html", `${" ".repeat(70_000)}${noindex}`);
  site.write("c.txt", noindex);
  site.write("d.xhtml", noindex);
  const first = await site.export();
  assert.deepEqual(pathsOf(site), ["/b.html", "/c.txt"], "within the first 64 KiB, of HTML");
  assert.equal(first.summary.withheldByRule.noindex, 2);
  assert.equal((await site.export()).summary.withheldByRule.noindex, 2, "it is asked each time");
  site.write("a.html", "<p>welcome");
  site.write("b.html", noindex);
  assert.equal(countsOf(await site.export()), "2 pages: 1 created, 0 updated, 1 deleted, 0 touched");
  assert.deepEqual(pathsOf(site), ["/a.html", "/c.txt"]);
});

test("pages that ask not to be indexed are published if that is asked for, or nobody reads them", async () => {
  using site = new TestSite();
  site.write("a.html", noindex);
  await site.export({ noindexPages: true });
  assert.deepEqual(pathsOf(site), ["/a.html"]);
  using other = new TestSite();
  other.write("a.html", noindex);
  await other.export({ digest: "none" });
  assert.deepEqual(pathsOf(other), ["/a.html"]);
});

const isBadOption = (error: unknown): boolean =>
  error instanceof TidemarkError && error.code === "bad-option" && !/undefined/.test(error.message);

test("mappings are normalised, and those that cannot be are refused", () => {
  const { mappings } = planSiteUrls({ map: [{ urlPrefix: "/a%41/%c3%a9", folder: "x" }] });
  assert.deepEqual(mappings, [{ prefix: "/aA/%C3%A9/", folder: "x" }]);
  for (const urlPrefix of ["/", "", "static/", "//x/", "/a//b/", "/../", "/a/%2e/", "/a?b/", "/é/", "/a%2Fb/", "/a#/"])
    assert.throws(() => planSiteUrls({ map: [{ urlPrefix, folder: "x" }] }), isBadOption, urlPrefix);
  for (const urlPrefix of ["/.well-known/", "/.well-known/tidemark/", "/.well-known/tidemark/x/"])
    assert.throws(() => planSiteUrls({ map: [{ urlPrefix, folder: "x" }] }), isBadOption, urlPrefix);
  const twice = [
    { urlPrefix: "/a", folder: "x" },
    { urlPrefix: "/%61/", folder: "y" },
  ];
  assert.throws(() => planSiteUrls({ map: twice }), isBadOption);
  for (const index of ["", "a/b", "..", "."]) assert.throws(() => planSiteUrls({ index: [index] }), isBadOption);
});

test("a mapped folder that is missing, or holds the state, ends the export before anything is written", async () => {
  using site = new TestSite();
  site.write("a.txt", "a");
  const nowhere = [{ urlPrefix: "/x/", folder: join(site.folder, "nowhere") }];
  await assert.rejects(site.export({ map: nowhere }), (error) => error instanceof TidemarkError);
  const around = [{ urlPrefix: "/x/", folder: site.folder }];
  await assert.rejects(site.export({ map: around }), isBadOption);
});

test("a rule counts in each spelling that robots.txt is read with", async () => {
  for (const key of ["Disallow", "DISALLOW", "Dissalow", "Diasllow", "disallow all"]) {
    using site = new TestSite();
    for (const name of ["a.html", "b.html"]) site.write(name, name);
    site.write("robots.txt", `User-agent: *\n${key}: /b\n`);
    await site.export();
    assert.deepEqual(pathsOf(site), ["/a.html"], key);
  }
});

test("a page in a language that ends its name is asked for noindex too", async () => {
  using site = new TestSite();
  site.write("a.html.de", noindex);
  site.write("b.html.de", "<p>willkommen");
  site.write("c.htm.pt-br", noindex);
  const { summary } = await site.export();
  assert.deepEqual(pathsOf(site), ["/b.html.de"]);
  assert.equal(summary.withheldByRule.noindex, 2);
});
