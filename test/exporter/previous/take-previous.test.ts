import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { TidemarkError } from "../../../src/core/error.ts";
import { crawlSite } from "../../../src/crawler/crawl-site.ts";
import { takePrevious } from "../../../src/exporter/previous/take-previous.ts";
import { ArchiveFiles } from "../../../src/exporter/publish/archive-files.ts";
import { mirrorFolderOf } from "../../../src/storage/mirror/mirror-path.ts";
import { longer } from "../../long-run.ts";
import { fc } from "../../property.ts";
import { listenSite, type SiteServer } from "../../site-server.ts";
import { type Holding, PublishedReader } from "../publish/published-reader.ts";
import { TestSite, warningsOf } from "../publish/test-site.ts";
import { CleanBuilds } from "./clean-builds.ts";

const index = "/.well-known/tidemark/index.gz";

/** Answers from a folder, as a plain server does. */
function serve(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const path = join(folder, (request.url ?? "/").replace(/\?.*/, ""));
  if (!existsSync(path) || !statSync(path).isFile()) {
    response.writeHead(404).end();
    return;
  }
  const type = path.endsWith(".html") ? "text/html" : path.endsWith(".txt") ? "text/plain" : "application/gzip";
  response.writeHead(200, { "content-type": type }).end(readFileSync(path));
}

async function listen(builds: CleanBuilds): Promise<SiteServer> {
  return await listenSite((request, response) => serve(builds.served, request, response));
}

const publishedOf = (folder: string): string[] =>
  existsSync(join(folder, ".well-known/tidemark")) ? readdirSync(join(folder, ".well-known/tidemark")) : [];

/** What a newcomer comes to. */
function hold(reader: PublishedReader): Holding {
  const holding = reader.readBase();
  reader.follow(holding, reader.index.base.name.to, "shortest");
  return holding;
}

const factsOf = (holding: Holding) =>
  Object.fromEntries([...holding].map(([path, page]) => [path, page.digest]).sort());

async function hasCode(code: string, run: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(run, (error) => {
    assert.ok(error instanceof TidemarkError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    assert.ok(error.hint !== undefined);
    return true;
  });
}

test("three clean builds are one epoch, and a crawler requests exactly the changed pages", async () => {
  using builds = new CleanBuilds();
  await using server = await listen(builds);
  const site = `${server.origin}/`;
  const into = join(builds.folder, "mirror");
  const pages: Record<string, string> = {};
  for (let number = 0; number < 40; number++) pages[`p/${number}.html`] = `<p>page ${number}`;
  const visit = async () => {
    server.requests.length = 0;
    await crawlSite({ url: site, into, delay: async () => undefined });
    const asked = server.requests.map((line) => line.replace("GET ", ""));
    for (const [name, content] of Object.entries(pages))
      assert.equal(readFileSync(join(into, mirrorFolderOf(server.origin), name), "utf8"), content, name);
    return asked.filter((path) => path.endsWith(".html")).sort();
  };
  const first = await builds.build(site, pages, { previousOptional: true });
  assert.deepEqual(warningsOf(first), ["previous-missing"]);
  assert.equal(first.summary.previous?.source, "none");
  builds.deploy();
  assert.equal((await visit()).length, 40);
  const timeOf = (path: string) => hold(new PublishedReader(builds.dist)).get(path)?.lastModified;
  const published = timeOf("/p/5.html");

  pages["p/1.html"] = "<p>changed";
  pages["new.html"] = "<p>new";
  const second = await builds.build(site, pages);
  assert.deepEqual(warningsOf(second), []);
  const { created, updated, deleted, touched, epoch, newBase } = second.summary;
  assert.deepEqual([created, updated, deleted, touched, newBase], [1, 1, 0, 0, false]);
  assert.equal(epoch, first.summary.epoch);
  builds.deploy();
  assert.deepEqual(await visit(), ["/new.html", "/p/1.html"]);
  assert.equal(timeOf("/p/5.html"), published, "equal bytes keep their last-modified");

  delete pages["p/2.html"];
  pages["p/3.html"] = "<p>changed too";
  const third = await builds.build(site, pages);
  assert.equal(third.summary.epoch, first.summary.epoch);
  assert.deepEqual([third.summary.updated, third.summary.deleted], [1, 1]);
  builds.deploy();
  assert.deepEqual(await visit(), ["/p/3.html"]);
  assert.ok(!existsSync(join(into, mirrorFolderOf(server.origin), "p/2.html")));

  const fourth = await builds.build(site, pages);
  assert.equal(fourth.summary.published, false);
  assert.equal(fourth.summary.publication, third.summary.publication);
  builds.deploy();
  assert.deepEqual(await visit(), []);
});

test("without a publication or without an answer, the error says which, and nothing is published", async () => {
  using builds = new CleanBuilds();
  await using server = await listen(builds);
  const site = `${server.origin}/`;
  await hasCode("not-found", builds.build(site, { "a.html": "a" }), /Nothing is published at .* yet: .*index\.gz.*404/);
  assert.deepEqual(readdirSync(builds.dist), ["a.html"]);
  server.answer = (_, response) => response.writeHead(500).end();
  await hasCode("site-unavailable", builds.build(site, { "a.html": "a" }), /cannot be used: .*500/);
  server.answer = (_, response) => response.writeHead(403).end();
  await hasCode("site-unavailable", builds.build(site, { "a.html": "a" }), /403/);
  server.answer = (_, response) => response.writeHead(302, { location: "http://127.0.0.2:1/x" }).end();
  await hasCode("site-unavailable", builds.build(site, { "a.html": "a" }), /another origin/);
  server.answer = (_, response) => response.writeHead(200).end("<html>not an index");
  await hasCode("archive-corrupt", builds.build(site, { "a.html": "a" }), /cannot be used/);
  server.answer = (_, response) => response.writeHead(200).end(gzipSync(Buffer.alloc(65 * 1024 * 1024)));
  await hasCode("archive-corrupt", builds.build(site, { "a.html": "a" }), /cannot be used/);
  assert.deepEqual(readdirSync(builds.dist), ["a.html"]);
  assert.ok(!existsSync(builds.stateDir));
  const run = await builds.build(site, { "a.html": "a" }, { previousOptional: true });
  assert.deepEqual(warningsOf(run), ["previous-unusable"]);
  assert.equal(run.summary.newBase, true);
});

test("a server that does not answer in time is left", async () => {
  using builds = new CleanBuilds();
  await using server = await listenSite(() => undefined);
  const site = `${server.origin}/`;
  builds.prepare({});
  const previous = { url: site, isOptional: false };
  const options = { site, stateDir: builds.folder, intoDir: builds.folder, previous, timeoutMs: 50 } as const;
  const rest = {
    digestMode: "all",
    dryRun: false,
    clock: Date.now,
    signal: undefined,
    onEvent: () => undefined,
  } as const;
  await hasCode(
    "site-unavailable",
    takePrevious({ ...options, ...rest }, new ArchiveFiles(builds.dist)),
    /cannot be used/,
  );
});

/** A site of several archives whose last build is served. */
async function publishTwice(builds: CleanBuilds, site: string): Promise<Record<string, string>> {
  const pages: Record<string, string> = {};
  for (let number = 0; number < 12; number++) pages[`${number}.html`] = `<p>page ${number}`;
  await builds.build(site, pages, { previousOptional: true, segmentSize: 4 });
  builds.deploy();
  pages["1.html"] = "<p>changed";
  await builds.build(site, pages, { segmentSize: 4, minGroup: 1 });
  builds.deploy();
  return pages;
}

test("an archive that is damaged, missing or of another site's index is an error that names it", async () => {
  using builds = new CleanBuilds();
  await using server = await listen(builds);
  const site = `${server.origin}/`;
  const pages = await publishTwice(builds, site);
  const archives = publishedOf(builds.served).filter((name) => /^\d.*\.gz$/.test(name));
  assert.ok(archives.length >= 5, "base list, base, tier");
  for (const name of archives) {
    server.answer = (request, response) => {
      if (!request.url?.endsWith(name)) serve(builds.served, request, response);
      else response.writeHead(200).end(gzipSync("tm1\n"));
    };
    await hasCode("archive-corrupt", builds.build(site, pages), /does not match its name/);
    assert.deepEqual(publishedOf(builds.dist), [], "what was placed is removed");
    server.answer = (request, response) => {
      if (!request.url?.endsWith(name)) serve(builds.served, request, response);
      else response.writeHead(404).end();
    };
    await hasCode("archive-corrupt", builds.build(site, pages), /404/);
    server.answer = (request, response) => {
      if (!request.url?.endsWith(name)) serve(builds.served, request, response);
      else response.writeHead(200).end(Buffer.alloc(70 * 1024 * 1024));
    };
    await hasCode("archive-corrupt", builds.build(site, pages), /bytes or more/);
  }
  server.answer = (request, response) => serve(builds.served, request, response);
  await hasCode("archive-corrupt", builds.build("https://example.org/", pages, { previous: site }), /index is of http/);
});

test("a deployment in the middle of the reading leads to the new publication", async () => {
  using builds = new CleanBuilds();
  await using server = await listen(builds);
  const site = `${server.origin}/`;
  const pages = await publishTwice(builds, site);
  const { summary } = await builds.build(site, { ...pages, "2.html": "deployed meanwhile" });
  const next = builds.dist;
  const before = join(builds.folder, "before");
  cpSync(builds.served, before, { recursive: true });
  let isSwapped = false;
  server.answer = (request, response) => {
    if (request.url !== index && !isSwapped) {
      isSwapped = true;
      response.writeHead(404).end();
    } else serve(isSwapped ? next : before, request, response);
  };
  const run = await builds.build(site, { ...pages, "2.html": "deployed meanwhile" });
  assert.deepEqual([run.summary.published, run.summary.publication], [false, summary.publication]);
});

test("a proxy that removes gzip, or adds it, changes nothing", async () => {
  using builds = new CleanBuilds();
  await using server = await listen(builds);
  const site = `${server.origin}/`;
  const pages = await publishTwice(builds, site);
  const { gunzipSync } = await import("node:zlib");
  for (const recode of [gunzipSync, gzipSync]) {
    server.answer = (request, response) => {
      const path = join(builds.served, request.url ?? "/");
      response.writeHead(200).end(recode(readFileSync(path)));
    };
    const { summary } = await builds.build(site, pages);
    assert.equal(summary.published, false);
    for (const name of new PublishedReader(builds.served).listed)
      assert.deepEqual(
        gunzipSync(readFileSync(join(builds.dist, ".well-known/tidemark", name))),
        gunzipSync(readFileSync(join(builds.served, ".well-known/tidemark", name))),
      );
    hold(new PublishedReader(builds.dist));
  }
});

test("a run that was stopped while it read leaves nothing, and one that was killed is made up for", async () => {
  using builds = new CleanBuilds();
  await using server = await listen(builds);
  const site = `${server.origin}/`;
  const pages = await publishTwice(builds, site);
  const stop = new AbortController();
  let asked = 0;
  server.answer = (request, response) => {
    asked += 1;
    if (asked === 4) stop.abort();
    serve(builds.served, request, response);
  };
  await hasCode("aborted", builds.build(site, pages, { signal: stop.signal }), /Stopped/);
  assert.deepEqual(publishedOf(builds.dist), []);
  // What a killed run leaves: some archives, one of them cut short, and no state.
  builds.prepare(pages);
  cpSync(join(builds.served, ".well-known"), join(builds.dist, ".well-known"), { recursive: true });
  const folder = join(builds.dist, ".well-known/tidemark");
  const names = readdirSync(folder);
  rmSync(join(folder, "index.gz"));
  const cut =
    names.find((name) => name.includes(".text-html.")) ?? names.find((name) => name.includes(".other.")) ?? "";
  writeFileSync(join(folder, cut), readFileSync(join(folder, cut)).subarray(0, 20));
  server.requests.length = 0;
  server.answer = (request, response) => serve(builds.served, request, response);
  const { summary } = await builds.export(site);
  assert.equal(summary.published, false);
  assert.deepEqual(server.requests, [`GET ${index}`, `GET /.well-known/tidemark/${cut}`]);
});

test("a state of the same epoch that is not older is used; what is missing beside it is taken from the site", async () => {
  using builds = new CleanBuilds();
  await using server = await listen(builds);
  const site = `${server.origin}/`;
  const pages = await publishTwice(builds, site);
  const state = builds.stateDir;
  const old = mkdtempSync(join(builds.folder, "old-"));
  cpSync(state, old, { recursive: true });
  const same = await builds.build(site, pages, { stateDir: state });
  assert.equal(same.summary.previous?.source, "state");
  assert.equal(same.summary.published, false);
  assert.deepEqual(new PublishedReader(builds.dist).listed.sort(), new PublishedReader(builds.served).listed.sort());

  pages["3.html"] = "<p>changed by a machine with another state";
  const elsewhere = await builds.build(site, pages);
  builds.deploy();
  const older = await builds.build(site, pages, { stateDir: old });
  assert.deepEqual([older.summary.previous?.source, older.summary.published], ["site", false]);
  assert.equal(older.summary.publication, elsewhere.summary.publication);

  // A publication that was never deployed: its archives are nowhere.
  await builds.build(site, { ...pages, "4.html": "never deployed" }, { stateDir: state });
  const after = await builds.build(site, { ...pages, "5.html": "the next" }, { stateDir: state });
  assert.equal(after.summary.previous?.source, "site");
  assert.deepEqual([after.summary.updated, after.summary.newBase], [1, false]);
});

test("a state goes on without the site if the site is optional", async () => {
  using builds = new CleanBuilds();
  await using server = await listen(builds);
  const site = `${server.origin}/`;
  const pages = await publishTwice(builds, site);
  server.answer = (_, response) => response.writeHead(500).end();
  await hasCode("site-unavailable", builds.export(site), /500/);
  const run = await builds.export(site, { previousOptional: true });
  assert.deepEqual([run.summary.previous?.source, run.summary.published], ["state", false]);
  assert.match(JSON.stringify(run.events), /goes on with the state/);
  assert.ok(Object.keys(pages).length > 0);
});

test("a dry run compares with what is published and writes nothing", async () => {
  using builds = new CleanBuilds();
  await using server = await listen(builds);
  const site = `${server.origin}/`;
  const pages = await publishTwice(builds, site);
  const { summary } = await builds.build(site, { ...pages, "1.html": "other" }, { dryRun: true });
  assert.deepEqual([summary.updated, summary.created, summary.previous?.source], [1, 0, "site"]);
  assert.ok(!existsSync(join(builds.dist, ".well-known")) && !existsSync(builds.stateDir));
});

test("pages without a digest are published as changed, so that no change is lost", async () => {
  using builds = new CleanBuilds();
  await using server = await listen(builds);
  const site = `${server.origin}/`;
  const pages = { "a.html": "<p>a", "b.html": "<p>built at 1</p>" };
  const ignore = { ignore: ["/built at \\d/"] };
  await builds.build(site, pages, { ...ignore, previousOptional: true });
  builds.deploy();
  const run = await builds.build(site, { ...pages, "b.html": "<p>built at 2</p>" }, ignore);
  assert.deepEqual(warningsOf(run), ["previous-undigested"]);
  assert.equal(run.summary.updated, 1);
});

test("without digests at all, size and whole seconds decide", async () => {
  using builds = new CleanBuilds();
  await using server = await listen(builds);
  const site = `${server.origin}/`;
  builds.prepare({ "a.html": "<p>a", "b.html": "<p>b" });
  await builds.export(site, { digest: "none", previousOptional: true });
  builds.deploy();
  builds.nowMs += 86_400_000;
  const keep = join(builds.folder, "fresh");
  cpSync(builds.dist, keep, { recursive: true, preserveTimestamps: true });
  rmSync(join(keep, ".well-known"), { recursive: true });
  writeFileSync(join(keep, "b.html"), "<p>other");
  const stateDir = join(builds.folder, "fresh-state");
  const { summary } = await builds.export(site, { digest: "none", docroot: keep, stateDir });
  assert.deepEqual([summary.updated, summary.unchanged], [1, 1]);
});

test("change lists of ResourceSync keep the last publications, and an unchanged site the same lists", async () => {
  using builds = new CleanBuilds();
  await using server = await listen(builds);
  const site = `${server.origin}/`;
  const both = { resourceSync: true, sitemap: true };
  await builds.build(site, { "a.html": "a", "b.html": "b" }, { ...both, previousOptional: true });
  builds.deploy();
  await builds.build(site, { "a.html": "a 2", "b.html": "b" }, both);
  builds.deploy();
  const third = await builds.build(site, { "a.html": "a 2", "b.html": "b 3" }, both);
  assert.deepEqual(warningsOf(third), []);
  const lists = publishedOf(builds.dist).filter((name) => name.startsWith("changelist-"));
  const text = lists.map((name) => readFileSync(join(builds.dist, ".well-known/tidemark", name), "utf8")).join("");
  assert.equal(text.match(/<loc>[^<]*\/a\.html<\/loc>/g)?.length, 1);
  assert.equal(text.match(/<loc>[^<]*\/b\.html<\/loc>/g)?.length, 1);
  assert.ok(publishedOf(builds.dist).includes("sitemap.xml"));
  builds.deploy();
  await builds.build(site, { "a.html": "a 2", "b.html": "b 3" }, both);
  for (const name of publishedOf(builds.served).filter((one) => one.endsWith(".xml"))) {
    const [before, after] = [builds.served, builds.dist].map((folder) =>
      readFileSync(join(folder, ".well-known/tidemark", name), "utf8"),
    );
    assert.equal(after, before, `${name} of an unchanged site is the same`);
  }
});

test("the option must be an origin, and its companion needs it", async () => {
  using site = new TestSite();
  await hasCode("bad-option", site.export({ previous: "https://example.org/docs/" }), /must be an origin/);
  await hasCode("bad-option", site.export({ previousOptional: true }), /no effect without --previous/);
});

const names = ["a.html", "b.html", "c.png", "d/a.html", "d/e.css", "é.txt"];
const histories = fc.array(
  fc.array(fc.record({ name: fc.constantFrom(...names), content: fc.integer({ min: 0, max: 2 }) }), { maxLength: 4 }),
  { minLength: 2, maxLength: 40 },
);

test("clean builds lead a reader of any cursor to the same pages as a kept state", async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.constantFrom(2, 4, 64), async (history, segmentSize) => {
      using builds = new CleanBuilds();
      using kept = new TestSite();
      await using server = await listen(builds);
      const site = `${server.origin}/`;
      const pages: Record<string, string> = {};
      const visits: { publication: number; holding: Holding }[] = [];
      let epoch: string | undefined;
      for (const writes of history) {
        for (const { name, content } of writes) {
          if (content > 0) pages[name] = `content ${content}`;
          else delete pages[name];
        }
        for (const name of names) rmSync(join(kept.docroot, name), { force: true });
        for (const [name, content] of Object.entries(pages)) kept.write(name, content);
        const options = { segmentSize, minGroup: 2, allowEmpty: true };
        const clean = await builds.build(site, pages, { ...options, previousOptional: epoch === undefined });
        const clock = () => builds.nowMs;
        const { summary } = await kept.export({ ...options, baseUrl: site, clock });
        builds.deploy();
        epoch ??= clean.summary.epoch;
        const facts = ({
          published,
          publication,
          intervals,
          created,
          updated,
          deleted,
          pages: count,
        }: typeof summary) => ({
          published,
          publication,
          intervals,
          created,
          updated,
          deleted,
          count,
        });
        assert.equal(clean.summary.epoch, epoch);
        assert.deepEqual(facts(clean.summary), facts(summary));
        const reader = new PublishedReader(builds.served);
        const holding = hold(reader);
        assert.deepEqual(factsOf(holding), factsOf(kept.hold()));
        assert.equal(holding.size, Object.keys(pages).length);
        for (const { publication, holding: held } of visits) {
          assert.equal(reader.canFollow(publication), kept.reader().canFollow(publication));
          if (!reader.canFollow(publication)) continue;
          for (const prefer of ["shortest", "longest"] as const) {
            const followed: Holding = new Map(held);
            reader.follow(followed, publication, prefer);
            assert.deepEqual(factsOf(followed), factsOf(holding));
          }
        }
        if (summary.published) visits.push({ publication: summary.publication, holding });
      }
    }),
    { numRuns: longer(1, 8) },
  );
});
