import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import Database from "libsql";
import type { ErrorCode } from "../../src/core/error.ts";
import { TidemarkError } from "../../src/core/error.ts";
import { type CrawlCursor, readCrawlChanges } from "../../src/crawler/read-crawl-changes.ts";
import { mirrorFolderOf } from "../../src/storage/mirror/mirror-path.ts";
import { migrations } from "../../src/storage/state/schema.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { Crawler } from "./engine/site-visit.ts";

interface Seen {
  readonly lines: readonly string[];
  readonly reset: boolean;
  readonly cursor: CrawlCursor;
}

function readSeen(store: string, from: Partial<Parameters<typeof readCrawlChanges>[0]> = {}): Seen {
  using seen = readCrawlChanges({ store, ...from });
  const lines = [...seen.changes].map(({ kind, path, reason }) => [kind, path, reason].filter(Boolean).join(" "));
  return { lines, reset: seen.reset, cursor: seen.cursor };
}

function refuses(code: ErrorCode): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof TidemarkError, String(error));
    assert.equal(error.code, code);
    assert.ok(error.hint !== undefined);
    return true;
  };
}

const stateOf = (folder: string): string => join(folder, ".tidemark", "state.db");

for (const source of ["archives", "links"] as const) {
  describe(`readCrawlChanges of a site followed by its ${source}`, () => {
    let isPublished = false;
    async function openSite(): Promise<Crawler> {
      isPublished = false;
      const crawler = await Crawler.open();
      const links = ["a.html", "b.html", "gone.html", "new.html"].map((name) => `<a href="/${name}">x</a>`).join("");
      crawler.site.set({ "/": `<p>index${links}`, "/a.html": "a", "/b.html": "b", "/gone.html": "g" });
      // Links are looked for in what the server calls HTML.
      crawler.site.answers.set("/", (_, response) => response.setHeader("content-type", "text/html"));
      return crawler;
    }
    const visit = async (crawler: Crawler): Promise<void> => {
      // What was found to be missing is looked at again after thirty days.
      crawler.now += 40 * 86_400_000;
      if (isPublished) crawler.site.publish();
      else crawler.site.publishBase();
      isPublished = true;
      await crawler.visit({ sources: [source] });
    };

    it("gives everything, then what changed, then nothing", async () => {
      await using crawler = await openSite();
      const store = crawler.folder.path;
      await visit(crawler);
      const first = readSeen(store);
      assert.deepEqual([...first.lines].sort(), [
        "created /",
        "created /a.html",
        "created /b.html",
        "created /gone.html",
      ]);
      assert.equal(first.reset, false);
      assert.deepEqual(readSeen(store, { cursor: first.cursor }), { ...first, lines: [] });

      crawler.site.set({ "/a.html": "aa", "/new.html": "n" });
      crawler.site.answers.set("/gone.html", (_, response) => response.writeHead(410).end());
      crawler.site.set({ "/gone.html": undefined });
      await visit(crawler);
      const second = readSeen(store, { cursor: first.cursor });
      const reason = source === "archives" ? "published" : "gone";
      assert.deepEqual([...second.lines].sort(), [
        "created /new.html",
        `deleted /gone.html ${reason}`,
        "updated /a.html",
      ]);
      // Who begins now never had what is gone.
      assert.deepEqual([...readSeen(store).lines].sort(), [
        "created /",
        "created /a.html",
        "created /b.html",
        "created /new.html",
      ]);
      assert.deepEqual(readSeen(store, { cursor: second.cursor }).lines, []);
    });

    it("tells of each page its size, digest, type, times and file", async () => {
      await using crawler = await openSite();
      crawler.site.set({ "/%FF.html": "not UTF-8", "/": '<a href="/%FF.html">x</a>' });
      await visit(crawler);
      using seen = readCrawlChanges({ store: stateOf(crawler.folder.path) });
      const all = [...seen.changes];
      const one = all.find(({ path }) => path === "/%FF.html");
      assert.ok(one?.page !== undefined && one.file instanceof Uint8Array);
      assert.equal(readFileSync(Buffer.from(one.file), "utf8"), "not UTF-8");
      const { url, site, at, page, file } = all.find(({ path }) => path === "/") ?? {};
      assert.ok(typeof file === "string");
      assert.equal(readFileSync(file).length, page?.sizeBytes);
      assert.equal(url, `${site}/`);
      assert.equal(at, Math.floor(crawler.now / 1000));
      assert.equal(page?.mediaType, source === "archives" ? "text/html" : page?.mediaType);
      assert.match(page?.digest ?? "", /^[\w-]{11}$/);
    });

    it("passes over what came and went, and calls created what went and came again", async () => {
      await using crawler = await openSite();
      const store = crawler.folder.path;
      await visit(crawler);
      const { cursor } = readSeen(store);
      const gone = (path: string): void => {
        crawler.site.set({ [path]: undefined });
        crawler.site.answers.set(path, (_, response) => response.writeHead(410).end());
      };
      crawler.site.set({ "/new.html": "brief" });
      gone("/a.html");
      await visit(crawler);
      gone("/new.html");
      crawler.site.answers.delete("/a.html");
      crawler.site.set({ "/a.html": "again" });
      await visit(crawler);
      assert.deepEqual(readSeen(store, { cursor }).lines, ["created /a.html"]);
    });
  });
}

describe("readCrawlChanges", () => {
  it("gives what was seen since a date", async () => {
    await using crawler = await Crawler.open({ "/a.html": "a", "/b.html": "b" });
    await crawler.visit();
    crawler.now += 86_400_000;
    const since = crawler.now;
    crawler.site.set({ "/b.html": "bb" });
    crawler.site.publish();
    await crawler.visit();
    const { folder } = crawler;
    assert.deepEqual(readSeen(folder.path, { since }).lines, ["updated /b.html"]);
    assert.deepEqual(readSeen(folder.path, { since: since + 86_400_000 }).lines, []);
    assert.equal(readSeen(folder.path, { since: 0 }).lines.length, 2);
  });

  it("begins anew with another state, with one that was put back, and after the mirror was lost", async () => {
    await using crawler = await Crawler.open({ "/a.html": "a", "/b.html": "b" });
    await crawler.visit();
    const store = crawler.folder.path;
    const { cursor } = readSeen(store);
    assert.equal(readSeen(store, { cursor }).reset, false);
    for (const other of [
      { ...cursor, epoch: "another" },
      { ...cursor, number: cursor.number + 1 },
    ]) {
      const seen = readSeen(store, { cursor: other });
      assert.deepEqual([seen.reset, seen.lines, seen.cursor], [true, ["created /a.html", "created /b.html"], cursor]);
    }
    rmSync(join(store, mirrorFolderOf(crawler.site.origin)), { recursive: true });
    crawler.site.set({ "/a.html": undefined });
    crawler.site.publish();
    await crawler.visit();
    const seen = readSeen(store, { cursor });
    assert.deepEqual([seen.reset, seen.lines], [true, ["created /b.html"]]);
    crawler.site.set({ "/a.html": "again" });
    crawler.site.publish();
    await crawler.visit();
    assert.deepEqual(readSeen(store, { cursor: seen.cursor }).lines, ["created /a.html"]);
  });

  it("reads while a crawl runs, as it was when the reading began, and keeps it from nothing", async () => {
    await using crawler = await Crawler.open({ "/a.html": "a" });
    await crawler.visit();
    const store = crawler.folder.path;
    crawler.site.set({ "/a.html": "aa", "/b.html": "b" });
    crawler.site.publish();
    using before = readCrawlChanges({ store });
    const during: Seen[] = [];
    await crawler.visit({ onEvent: () => during.push(readSeen(store, { cursor: before.cursor })) });
    assert.ok(during.length > 0);
    assert.deepEqual(readSeen(store, { cursor: before.cursor }).lines, ["updated /a.html", "created /b.html"]);
    assert.deepEqual(
      [...before.changes].map(({ kind, path, page }) => [kind, path, page?.sizeBytes]),
      [["created", "/a.html", 1]],
    );
  });

  it("gives the database's log free when it is disposed of", async () => {
    await using crawler = await Crawler.open({ "/a.html": "a" });
    await crawler.visit();
    const writer = new Database(stateOf(crawler.folder.path), { timeout: 0 });
    const reading = readCrawlChanges({ store: crawler.folder.path });
    writer.exec("UPDATE site SET since = 1");
    const isBlocked = (): unknown => writer.prepare("PRAGMA wal_checkpoint(TRUNCATE)").raw(true).get();
    assert.deepEqual((isBlocked() as number[])[0], 1);
    reading[Symbol.dispose]();
    assert.deepEqual((isBlocked() as number[])[0], 0);
    writer.close();
  });

  it("takes over pages that an older state holds", async () => {
    await using crawler = await Crawler.open({ "/a.html": "a", "/b.html": "b" });
    await crawler.visit();
    const store = crawler.folder.path;
    const oldest = join(store, "oldest.db");
    const old = new Database(oldest);
    const columns = `id, origin, mirror, generation, epoch, publication, types_key, since, index_path, index_etag,
      index_modified, robots_body, robots_etag, robots_modified, robots_confirmed`;
    old.exec(`${migrations[0]} PRAGMA user_version = 1; ATTACH '${stateOf(store)}' AS now;
      INSERT INTO site (${columns}) SELECT ${columns} FROM now.site;
      INSERT INTO page SELECT site, path, size, digest, modified, media_type, 0 FROM now.url;`);
    old.close();
    for (const ending of ["-wal", "-shm"]) rmSync(stateOf(store) + ending, { force: true });
    renameSync(oldest, stateOf(store));
    assert.throws(() => readSeen(store), refuses("state-version"));
    crawler.site.set({ "/b.html": "bb" });
    crawler.site.publish();
    await crawler.visit();
    assert.deepEqual([...readSeen(store).lines].sort(), ["created /a.html", "created /b.html"]);
  });

  it("names no file where bodies are not kept as files", async () => {
    await using crawler = await Crawler.open({ "/a.html": "a" });
    const keep = { kind: "callback", onBody: () => undefined, onRemoval: () => undefined } as const;
    for (const way of ["mirror", "warc", "metadata", keep] as const) {
      await crawler.visit({ keep: way });
      using seen = readCrawlChanges({ store: crawler.folder.path });
      const files = [...seen.changes].map(({ file }) => file);
      const wanted =
        way === "mirror" ? join(crawler.folder.path, mirrorFolderOf(crawler.site.origin), "a.html") : undefined;
      assert.deepEqual(files, [wanted]);
    }
  });

  it("says what is wrong with a store", () => {
    using folder = makeTempFolder();
    const inFolder = (name: string): string => join(folder.path, name);
    assert.throws(() => readSeen(inFolder("none")), refuses("not-found"));
    assert.throws(() => readSeen(folder.path), refuses("not-found"));
    writeFileSync(inFolder("text"), "not a database, although it is long enough to be taken for one\n".repeat(100));
    assert.throws(() => readSeen(inFolder("text")), refuses("state-corrupt"));
    assert.throws(() => readSeen(inFolder("text/under")), refuses("not-a-folder"));
    writeFileSync(inFolder("empty"), "");
    assert.throws(() => readSeen(inFolder("empty")), refuses("state-version"));
    mkdirSync(inFolder("mirror/.tidemark"), { recursive: true });
    const newer = new Database(stateOf(inFolder("mirror")));
    newer.exec("PRAGMA user_version = 1000");
    newer.close();
    assert.throws(() => readSeen(inFolder("mirror")), refuses("state-version"));
  });

  it("reads a state whose file has an odd name", async () => {
    await using crawler = await Crawler.open({ "/a.html": "a" });
    const odd = join(crawler.folder.path, "100% of? #it ä.db");
    await crawler.visit({ stateFile: odd });
    assert.deepEqual(readSeen(odd).lines, ["created /a.html"]);
  });
});
