import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { MirrorEvent, MirrorSummary } from "../../src/core/verify-event.ts";
import { mirrorFolderOf } from "../../src/storage/mirror/mirror-path.ts";
import { openStore } from "../../src/storage/state/store.ts";
import { type VerifyMirrorOptions, verifyMirror } from "../../src/verify/verify-mirror.ts";
import { runProgram } from "../cli/run-program.ts";
import { Crawler } from "../crawler/engine/site-visit.ts";
import { makeTempFolder } from "../temp-folder.ts";

const bodies = {
  "/a.html": "alpha",
  "/deep/b.html": "beta",
  "/c.html": "gamma",
  "/d.html": "delta",
  "/deep/": "index",
  "/%ff.html": "odd name",
};

it("passes over sites of which no mirror is kept, and says so if there is no other", async () => {
  await using crawler = await Crawler.open();
  crawler.site.set({ "/a.html": "a" });
  crawler.site.publishBase();
  await crawler.visit({ keep: "warc" });
  const into = crawler.folder.path;
  await assert.rejects(verifyMirror({ into, heal: true }), /keeps no mirror of http/);
  await using other = await Crawler.open();
  other.site.set({ "/b.html": "b" });
  other.site.publishBase();
  await other.visit({ into });
  const { sites, pages, damaged } = await verifyMirror({ into, heal: true });
  assert.deepEqual([sites, pages, damaged], [[other.site.origin], 1, 0]);
});

/** A crawler that holds a site, and its mirror. */
async function openMirror(source: "archives" | "links" = "archives"): Promise<{
  crawler: Crawler;
  fileOf: (name: string) => string;
  visit: Crawler["visit"];
  verify: (options?: Partial<VerifyMirrorOptions>) => Promise<{ summary: MirrorSummary; findings: string[] }>;
}> {
  const crawler = await Crawler.open();
  const { site, folder } = crawler;
  const links = Object.keys(bodies).map((path) => `<a href="${path}">x</a>`);
  site.set({ ...bodies, "/": links.join("") });
  site.answers.set("/", (_, response) => response.setHeader("content-type", "text/html"));
  site.publishBase();
  const visit: Crawler["visit"] = (options) => crawler.visit({ sources: [source], ...options });
  await visit();
  crawler.now += 60_000;
  return {
    crawler,
    visit,
    fileOf: (name) => join(folder.path, mirrorFolderOf(site.origin), name),
    verify: async (options) => {
      const events: MirrorEvent[] = [];
      const summary = await verifyMirror({ into: folder.path, ...options, onEvent: (event) => events.push(event) });
      const findings = events.flatMap((event) =>
        event.event === "finding" ? [`${event.kind} ${event.path ?? event.file}`] : [],
      );
      return { summary, findings: findings.sort() };
    },
  };
}

/** Turns a bit of a file and keeps its time, as a disk does. */
function rot(file: string): void {
  const { atime, mtime } = statSync(file);
  const bytes = readFileSync(file);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  utimesSync(file, atime, mtime);
}

describe("verifyMirror", () => {
  it("finds nothing in a mirror that is as it was kept", async () => {
    const { crawler, verify } = await openMirror();
    await using _ = crawler;
    const { summary, findings } = await verify();
    assert.deepEqual(findings, []);
    const { pages, checked, checkedBytes, damaged, foreign, due, sites } = summary;
    const size = [...crawler.site.pages.values()].reduce((sum, { body }) => sum + body.length, 0);
    assert.deepEqual([pages, checked, checkedBytes, damaged, foreign, due], [7, 7, size, 0, 0, 0]);
    assert.deepEqual(sites, [crawler.site.origin]);
  });

  it("finds what rotted, is missing, cut, replaced or foreign, and changes nothing", async () => {
    const { crawler, fileOf, verify } = await openMirror();
    await using _ = crawler;
    rot(fileOf("a.html"));
    unlinkSync(fileOf("deep/b.html"));
    writeFileSync(fileOf("c.html"), "gam");
    unlinkSync(fileOf("d.html"));
    symlinkSync("c.html", fileOf("d.html"));
    mkdirSync(fileOf("other"));
    writeFileSync(fileOf("other/mine.txt"), "mine");
    const expected = [
      "digest /a.html",
      "foreign other/mine.txt",
      "missing /deep/b.html",
      "not-a-file /d.html",
      "size /c.html",
    ];
    for (let time = 0; time < 2; time++) {
      const { summary, findings } = await verify();
      assert.deepEqual(findings, expected);
      assert.deepEqual([summary.damaged, summary.foreign, summary.due], [4, 1, 0]);
    }
    assert.equal((await crawler.visit()).summary.pageRequests, 0);
  });

  for (const source of ["archives", "links"] as const) {
    it(`lets the next crawl mend what is damaged of a site followed by its ${source}, and nothing else`, async () => {
      const { crawler, fileOf, verify, visit } = await openMirror(source);
      await using _ = crawler;
      rot(fileOf("a.html"));
      unlinkSync(fileOf("deep/b.html"));
      writeFileSync(fileOf("foreign"), "mine");
      const { summary } = await verify({ heal: true });
      assert.deepEqual([summary.damaged, summary.due], [2, 2]);
      const { requests } = await visit();
      const whole = requests.filter((request) => request.startsWith("200 ") && /[ab]\.html/.test(request));
      assert.deepEqual(whole.sort(), ["200 /a.html", "200 /deep/b.html"]);
      assert.equal(readFileSync(fileOf("a.html"), "utf8"), bodies["/a.html"]);
      assert.equal(readFileSync(fileOf("foreign"), "utf8"), "mine");
      const after = await verify();
      assert.deepEqual(after.findings, ["foreign foreign"]);
      crawler.now += 60_000;
      const again = (await visit()).requests.filter((request) => /200 .*[ab]\.html/.test(request));
      assert.deepEqual(again, []);
    });

    it(`mends a page that changed meanwhile, of a site followed by its ${source}`, async () => {
      const { crawler, fileOf, verify, visit } = await openMirror(source);
      await using _ = crawler;
      rot(fileOf("a.html"));
      await verify({ heal: true });
      crawler.site.set({ "/a.html": "ALPHA" });
      crawler.site.publish();
      await visit();
      assert.equal(readFileSync(fileOf("a.html"), "utf8"), "ALPHA");
      assert.deepEqual((await verify()).findings, []);
    });
  }

  it("mends a damaged page before it would be asked for by the plan of polls", async () => {
    const { crawler, fileOf, verify, visit } = await openMirror("links");
    await using _ = crawler;
    rot(fileOf("a.html"));
    await verify({ heal: true });
    const { requests } = await visit({ isPlanned: true });
    assert.deepEqual(
      requests.filter((request) => request.endsWith(".html")),
      ["200 /a.html"],
    );
    assert.deepEqual((await verify()).findings, []);
  });

  it("reads a sample, the same one for the same seed", async () => {
    const { crawler, fileOf, verify } = await openMirror();
    await using _ = crawler;
    for (const path of ["a.html", "c.html", "d.html"]) rot(fileOf(path));
    const found = new Set<string>();
    for (let seed = 0; seed < 40; seed++) {
      const first = await verify({ sample: 1, seed });
      assert.equal(first.summary.checked, 1);
      assert.deepEqual((await verify({ sample: 1, seed })).findings, first.findings);
      for (const finding of first.findings) found.add(finding);
    }
    assert.equal(found.size, 3);
  });

  it("finds the pages of two paths that mean the same in two files", async () => {
    const { crawler, verify } = await openMirror();
    await using _ = crawler;
    crawler.site.set({ "/x~.html": "one", "/x%7E.html": "another" });
    crawler.site.publish();
    await crawler.visit();
    const { summary, findings } = await verify({ heal: true });
    assert.deepEqual([findings, summary.damaged, summary.due], [[], 0, 0]);
  });

  it("reports a mirror that is not there, and keeps its state", async () => {
    const { crawler, fileOf, verify } = await openMirror();
    await using _ = crawler;
    rmSync(fileOf("."), { recursive: true });
    const { summary } = await verify();
    assert.deepEqual([summary.damaged, summary.findingsByKind], [7, { missing: 7 }]);
  });

  it("is refused without a state, of a site that is not there, and while a crawl runs; and stops when told", async () => {
    const { crawler, verify } = await openMirror();
    await using _ = crawler;
    using empty = makeTempFolder();
    await assert.rejects(verify({ into: empty.path }), { name: "TidemarkError", code: "not-found" });
    await assert.rejects(verify({ url: "https://elsewhere.example/" }), { name: "TidemarkError", code: "bad-option" });
    await assert.rejects(verify({ signal: AbortSignal.abort() }), { name: "TidemarkError", code: "aborted" });
    assert.equal((await verify({ url: `${crawler.site.origin}/x` })).summary.checked, 7);
    using store = openStore({ into: crawler.folder.path });
    assert.ok(store);
    await assert.rejects(verify(), { name: "TidemarkError", code: "locked" });
  });

  it("ends the program with 0, 3 and 4", async () => {
    const { crawler, fileOf } = await openMirror();
    await using _ = crawler;
    const { path } = crawler.folder;
    const fine = await runProgram("verify-mirror", path);
    assert.deepEqual([fine.code, fine.stderr], [0, ""]);
    assert.match(fine.stdout, /^1 site, 7 pages, 7 read: none damaged; 0 foreign files\n/);
    rot(fileOf("a.html"));
    const bad = await runProgram("verify-mirror", path, "--heal");
    assert.equal(bad.code, 3);
    assert.match(bad.stdout, /^digest: http.*\/a\.html: its digest is [\s\S]*1 will be fetched by the next crawl\n/);
    const lines = (await runProgram("verify-mirror", path, "--json", "--quiet")).stdout.trim().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).event),
      ["summary"],
    );
    assert.equal((await runProgram("verify-mirror", join(path, "none"))).code, 4);
    assert.equal((await runProgram("verify-mirror", path, "--site", "x")).code, 2);
  });
});
