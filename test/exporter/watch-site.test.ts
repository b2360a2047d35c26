import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TidemarkError } from "../../src/core/error.ts";
import { type WatchedRound, type WatchSiteOptions, watchSite } from "../../src/exporter/watch-site.ts";
import { SiteLock } from "../../src/fs/site-lock.ts";
import { listenSite, type SiteServer } from "../site-server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { countsOf, digestOf, TestSite } from "./publish/test-site.ts";

/** A watch of a site whose rounds can be waited for. */
class Watched implements AsyncDisposable {
  readonly site: TestSite;
  readonly #stop = new AbortController();
  readonly #rounds: WatchedRound[] = [];
  readonly #end: Promise<unknown>;
  #wake: () => void = () => undefined;

  constructor(site: TestSite, options: Partial<WatchSiteOptions> = {}) {
    this.site = site;
    this.#end = watchSite({
      docroot: site.docroot,
      baseUrl: "https://example.org/",
      stateDir: site.stateDir,
      settleMs: 40,
      signal: this.#stop.signal,
      onRound: (round) => {
        this.#rounds.push(round);
        this.#wake();
      },
      ...options,
    }).catch((error: unknown) => {
      this.#wake();
      return error;
    });
  }

  /** What the watch ends with by itself; undefined if all was well. */
  get ended(): Promise<unknown> {
    return this.#end;
  }

  /** What the watch ended with; undefined if all was well. */
  async end(): Promise<unknown> {
    this.#stop.abort();
    return await this.#end;
  }

  async next(): Promise<WatchedRound> {
    for (;;) {
      const round = this.#rounds.shift();
      if (round !== undefined) return round;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Waits for a round that publishes. */
  async published(): Promise<Extract<WatchedRound, { kind: "exported" }>> {
    for (;;) {
      const round = await this.next();
      if (round.kind === "exported" && round.summary.published) return round;
    }
  }

  /** Waits until a round leaves the site published as it is. */
  async until(names: readonly string[]): Promise<WatchedRound> {
    for (;;) {
      const round = await this.next();
      if (round.kind !== "exported") continue;
      try {
        this.site.check(names);
        return round;
      } catch (error) {
        if (!(error instanceof assert.AssertionError)) throw error;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}

test("what changes is published as it changes, and nothing else is looked at", async () => {
  using site = new TestSite();
  for (const name of ["a.html", "x/1.html", "x/y/2.html"]) site.write(name, name);
  await using watch = new Watched(site);
  assert.equal((await watch.next()).kind, "watching");
  const first = await watch.until(["a.html", "x/1.html", "x/y/2.html"]);
  assert.ok(first.kind === "exported" && first.because === "start");
  site.write("x/1.html", "changed");
  site.write("new/deep/3.html", "3");
  const second = await watch.until(["a.html", "new/deep/3.html", "x/1.html", "x/y/2.html"]);
  assert.ok(second.kind === "exported" && second.because === "changes");
  renameSync(join(site.docroot, "x"), join(site.docroot, "z"));
  await watch.until(["a.html", "new/deep/3.html", "z/1.html", "z/y/2.html"]);
  rmSync(join(site.docroot, "new"), { recursive: true });
  writeFileSync(join(site.docroot, ".a.html.tmp"), "written beside and renamed");
  renameSync(join(site.docroot, ".a.html.tmp"), join(site.docroot, "a.html"));
  await watch.until(["a.html", "z/1.html", "z/y/2.html"]);
  assert.equal(await watch.end(), undefined);
  const whole = await site.export();
  assert.equal(countsOf(whole), "3 pages: 0 created, 0 updated, 0 deleted, 0 touched");
});

test("what changes is published under the server's URLs, and its folder's other pages stay", async () => {
  using site = new TestSite();
  for (const name of ["about.html", "docs/index.html", "docs/a.html"]) site.write(name, name);
  await using watch = new Watched(site, { cleanUrls: true });
  const paths = (): string[] => [...site.hold().keys()].sort();
  await watch.published();
  assert.deepEqual(paths(), ["/about", "/docs/", "/docs/a"]);
  site.write("docs/index.html", "changed");
  const { because, summary } = await watch.published();
  assert.equal(because, "changes");
  assert.equal(countsOf({ summary, events: [] }), "3 pages: 0 created, 1 updated, 0 deleted, 0 touched");
  assert.equal(site.hold().get("/docs/")?.digest, digestOf("changed"));
  site.write("about/x.html", "a folder takes the short URL");
  while (!paths().includes("/about/x")) await watch.published();
  assert.deepEqual(paths(), ["/about.html", "/about/x", "/docs/", "/docs/a"]);
  rmSync(join(site.docroot, "docs/index.html"));
  await watch.published();
  assert.deepEqual(paths(), ["/about.html", "/about/x", "/docs/a"]);
});

test("with mapped folders each round looks at all of the site", async () => {
  using site = new TestSite();
  using elsewhere = makeTempFolder();
  site.write("a.html", "a");
  writeFileSync(join(elsewhere.path, "b.html"), "b");
  await using watch = new Watched(site, { map: [{ urlPrefix: "/m/", folder: elsewhere.path }] });
  await watch.published();
  writeFileSync(join(elsewhere.path, "b.html"), "changed, which no event tells");
  site.write("a.html", "changed");
  assert.equal((await watch.published()).because, "changes");
  assert.equal(site.hold().get("/m/b.html")?.digest, digestOf("changed, which no event tells"));
});

test("trouble that passes delays what changed, and loses none of it", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  await using watch = new Watched(site);
  await watch.until(["a.html"]);
  {
    await using _lock = await SiteLock.take(site.stateDir, new Date());
    site.write("b.html", "b");
    const round = await watch.next();
    assert.ok(round.kind === "failed" && round.error.code === "locked");
  }
  await watch.until(["a.html", "b.html"]);
});

test("what does not pass ends the watch", async () => {
  using site = new TestSite();
  site.write("a.html", "a");
  const options = { docroot: site.docroot, baseUrl: "https://example.org/", stateDir: site.stateDir };
  await assert.rejects(watchSite({ ...options, segmentSize: 0 }), { code: "bad-option" });
  await assert.rejects(watchSite({ ...options, docroot: join(site.docroot, "none") }), { code: "not-found" });
});

/** What an editor does: a new file in the place of the old. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

test("robots.txt in a folder of its own is watched, replaced, removed and put back", { timeout: 120_000 }, async () => {
  using site = new TestSite();
  using elsewhere = makeTempFolder();
  for (const name of ["a.html", "x/1.html"]) site.write(name, name);
  const robots = join(elsewhere.path, "robots.txt");
  await using watch = new Watched(site, { robotsDir: elsewhere.path });
  const paths = (): string => [...site.hold().keys()].sort().join(" ");
  const until = async (wanted: string): Promise<void> => {
    do await watch.published();
    while (paths() !== wanted);
  };
  await until("/a.html /x/1.html");
  writeFileSync(robots, "User-agent: *\nDisallow: /x/\n");
  await until("/a.html");
  replace(robots, "User-agent: *\nDisallow: /a\n");
  await until("/x/1.html");
  rmSync(robots);
  await until("/a.html /x/1.html");
  replace(robots, "User-agent: *\nDisallow: /x/\n");
  await until("/a.html");
});

test("robots.txt of the document root is watched, also where the patterns leave it out", {
  timeout: 120_000,
}, async () => {
  using site = new TestSite();
  for (const name of ["a.html", "b.html"]) site.write(name, name);
  const robots = join(site.docroot, "robots.txt");
  await using watch = new Watched(site, { include: ["*.html"] });
  await watch.until(["a.html", "b.html"]);
  replace(robots, "User-agent: *\nDisallow: /a\n");
  await watch.until(["b.html"]);
  rmSync(robots);
  await watch.until(["a.html", "b.html"]);
  replace(robots, "User-agent: *\nDisallow: /b\n");
  await watch.until(["a.html"]);
});

test("rules that robots.txt holds only while a round runs are never published", async () => {
  using site = new TestSite();
  for (const name of ["a.html", "b.html"]) site.write(name, name);
  const robots = join(site.docroot, "robots.txt");
  let isArmed = true;
  await using watch = new Watched(site, {
    // The record of a run looks at the clock once the round has read robots.txt, and before the export does anything.
    clock: () => {
      if (isArmed) writeFileSync(robots, "User-agent: *\nDisallow: /a\n");
      return site.nowMs;
    },
    onEvent: () => {
      if (isArmed) rmSync(robots, { force: true });
      isArmed = false;
    },
  });
  const { summary } = await watch.published();
  assert.equal(summary.pages, 2);
  site.check(["a.html", "b.html"]);
});

test("a list of pages is watched; one that is empty or gone for a while deletes nothing", {
  timeout: 120_000,
}, async () => {
  using site = new TestSite();
  using elsewhere = makeTempFolder();
  site.write("a.html", "a");
  const urls = join(elsewhere.path, "urls");
  writeFileSync(urls, "/p1\n");
  await using watch = new Watched(site, { urls });
  const paths = (): string => [...site.hold().keys()].sort().join(" ");
  const until = async (wanted: string): Promise<void> => {
    do await watch.published();
    while (paths() !== wanted);
  };
  const failed = async (): Promise<string> => {
    for (;;) {
      const round = await watch.next();
      if (round.kind === "failed") return round.error.code;
    }
  };
  await until("/a.html /p1");
  writeFileSync(urls, "/p1\n/p2\n");
  await until("/a.html /p1 /p2");
  replace(urls, "/p3\n");
  await until("/a.html /p3");
  writeFileSync(urls, "");
  assert.equal(await failed(), "bad-option");
  rmSync(urls);
  while ((await failed()) !== "not-found");
  assert.equal(paths(), "/a.html /p3");
  replace(urls, "/p3\n/p4\n");
  await until("/a.html /p3 /p4");
  assert.equal(await watch.end(), undefined);
});

test("what is published is read for the first round only", async () => {
  using site = new TestSite();
  await using server = await listenSite((_, response) => response.writeHead(404).end());
  site.write("a.html", "a");
  await using watched = new Watched(site, { previous: server.origin, previousOptional: true });
  await watched.until(["a.html"]);
  site.write("b.html", "b");
  await watched.until(["a.html", "b.html"]);
  assert.deepEqual(server.requests, ["GET /.well-known/tidemark/index.gz"]);
});

test("a sitemap that cannot be read for a while delays what changed, and does not end the watch", async () => {
  using site = new TestSite();
  const sitemap =
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.org/p</loc></url></urlset>';
  const answer: SiteServer["answer"] = (_, response) =>
    response.writeHead(200, { "content-type": "text/xml" }).end(sitemap);
  await using server = await listenSite(answer);
  site.write("a.html", "a");
  await using watch = new Watched(site, { sitemapFrom: `${server.origin}/sitemap.xml` });
  await watch.published();
  server.answer = (_, response) => response.writeHead(404).end();
  site.write("b.html", "b");
  const ended = watch.ended.then(() => "ended" as const);
  const round = await Promise.race([watch.next(), ended]);
  assert.ok(round !== "ended" && round.kind === "failed" && round.error.code === "site-unavailable");
  server.answer = answer;
  await watch.published();
  assert.deepEqual([...site.hold().keys()].sort(), ["/a.html", "/b.html", "/p"]);
  assert.equal(await watch.end(), undefined);
});

test("a sitemap that cannot be read at the start ends the watch", async () => {
  using site = new TestSite();
  await using server = await listenSite((_, response) => response.writeHead(404).end());
  site.write("a.html", "a");
  await using watch = new Watched(site, { sitemapFrom: `${server.origin}/sitemap.xml` });
  assert.ok(await watch.ended.then((error) => error instanceof TidemarkError && error.code === "site-unavailable"));
});
