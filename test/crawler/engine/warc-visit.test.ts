import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { revisitProfiles } from "../../../src/formats/warc/warc-record.ts";
import { mirrorFolderOf } from "../../../src/storage/mirror/mirror-path.ts";

import { longer } from "../../long-run.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { type ReadRecord, readCaptures } from "../../storage/state/recorded-site.ts";
import { readZip } from "../../zip-reader.ts";
import { urlset } from "./mapped-site.ts";
import { servedBy } from "./mirror.ts";
import { Crawler } from "./site-visit.ts";

const dayMs = 86_400_000;
const manyPages = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`/p${at}.html`, `page ${at}`]));
const folderOf = ({ folder, site }: Crawler): string => join(folder.path, mirrorFolderOf(site.origin));
const pathOf = (crawler: Crawler, { head }: ReadRecord): string =>
  head.targetUri?.slice(crawler.site.origin.length) ?? "";
const bodyOf = ({ block }: ReadRecord): string => block.slice(block.indexOf("\r\n\r\n") + 4);

/** What the newest captures say that each page is, revisits resolved; also each page's number of captures. */
function replay(crawler: Crawler): { pages: Record<string, string>; counts: Map<string, number> } {
  const bodies = new Map<string, string>();
  const pages: Record<string, string> = {};
  const counts = new Map<string, number>();
  for (const record of readCaptures(folderOf(crawler))) {
    const path = pathOf(crawler, record);
    if (path === "/robots.txt" || path.startsWith("/.well-known/")) continue;
    const { type, recordId, refersTo = "" } = record.head;
    const body = type === "revisit" ? bodies.get(refersTo) : bodyOf(record);
    assert.ok(body !== undefined, `${path} refers to what is not there`);
    bodies.set(recordId, body);
    pages[path] = body;
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return { pages, counts };
}

describe("a crawl that keeps WARC files", () => {
  it("records a site, then what changed, with revisits of both profiles", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/a.html": "a", "/b.html": "b", "/large.png": Buffer.alloc(2_000_000, "large") });
    site.publishBase();
    const first = await crawler.visit({ keep: "warc" });
    assert.deepEqual([first.summary.created, first.summary.pending], [3, 0]);
    assert.deepEqual(replay(crawler).pages, servedBy(site));

    // The page changed and changed back: the copy that is held is asked for again, and the same.
    crawler.now += dayMs;
    site.set({ "/a.html": "a2" });
    site.publish();
    site.set({ "/a.html": "a" });
    const second = await crawler.visit({ keep: "warc" });
    assert.deepEqual(second.pages, ["differs /a.html"]);
    const records = readCaptures(folderOf(crawler));
    const original = records.find((record) => pathOf(crawler, record) === "/a.html");
    const [robots] = records.filter((record) => record.head.profile === revisitProfiles.serverNotModified);
    const [same] = records.filter((record) => record.head.profile === revisitProfiles.identicalPayloadDigest);
    assert.ok(original !== undefined && robots !== undefined && same !== undefined);
    assert.deepEqual([pathOf(crawler, robots), pathOf(crawler, same)], ["/robots.txt", "/a.html"]);
    assert.equal(same.head.refersTo, original.head.recordId);
    assert.equal(same.head.refersToDate, original.head.date);
    assert.ok((same.head.date ?? 0) > (original.head.date ?? 0));

    // Deletions remove nothing.
    crawler.now += dayMs;
    site.set({ "/a.html": "a2", "/b.html": undefined });
    site.publish();
    const third = await crawler.visit({ keep: "warc" });
    assert.equal(third.summary.deleted, 1);
    assert.deepEqual(replay(crawler).pages, { ...servedBy(site), "/b.html": "b" });
  });

  it("goes on from where it was stopped, and asks for no page twice", async () => {
    await using crawler = await Crawler.open();
    crawler.site.set(manyPages);
    crawler.site.publishBase();
    for (const concurrency of [1, 3, 4]) {
      const { summary } = await crawler.visit({ keep: "warc", budget: 10, concurrency, warcBytes: 2000 });
      assert.equal(summary.pageRequests, 10);
      crawler.now += dayMs;
    }
    const { pages, counts } = replay(crawler);
    assert.deepEqual(pages, servedBy(crawler.site));
    assert.ok([...counts.values()].every((count) => count === 1));
    const names = readdirSync(folderOf(crawler));
    assert.ok(names.length > 6 && names.every((name) => /\.(?:warc\.gz|cdxj)$/.test(name)), names.join(" "));
  });

  it("begins anew when bodies were kept in another way, or are lost", async () => {
    await using crawler = await Crawler.open();
    crawler.site.set(manyPages);
    crawler.site.publishBase();
    assert.equal((await crawler.visit()).summary.created, 30);
    assert.equal((await crawler.visit({ keep: "warc" })).summary.created, 30);
    assert.equal((await crawler.visit({ keep: "warc" })).summary.pageRequests, 0);
    rmSync(folderOf(crawler), { recursive: true });
    assert.equal((await crawler.visit({ keep: "warc" })).summary.created, 30);
    assert.deepEqual(replay(crawler).pages, servedBy(crawler.site));
  });

  it("packs a WACZ: stored WARCs, an index, the pages, and the hashes of all", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/a.html": "a", "/s.css": "s" });
    site.answers.set("/a.html", (_, response) => {
      const { body = "" } = site.pages.get("/a.html") ?? {};
      response.writeHead(200, { "content-type": "Text/HTML; charset=utf-8" }).end(body);
    });
    const startedAt = crawler.now;
    site.publishBase();
    await crawler.visit({ keep: "wacz" });
    crawler.now += dayMs;
    site.set({ "/a.html": "a2" });
    site.publish();
    await crawler.visit({ keep: "wacz" });
    const folder = folderOf(crawler);
    const entries = readZip(readFileSync(join(folder, "site.wacz")));
    const content = (name: string): string => entries.find((entry) => entry.name === name)?.content.toString() ?? "";
    const warcs = readdirSync(folder).filter((name) => name.endsWith(".warc.gz"));
    assert.equal(warcs.length, 2);
    assert.deepEqual(
      entries.map(({ name }) => name),
      [
        ...warcs.map((name) => `archive/${name}`),
        "indexes/index.cdx.gz",
        "pages/pages.jsonl",
        "datapackage.json",
        "datapackage-digest.json",
      ],
    );
    for (const { name, isStored, content: bytes } of entries) {
      if (!name.endsWith(".gz")) continue;
      assert.ok(isStored, name);
      if (name.startsWith("archive/"))
        assert.ok(bytes.equals(readFileSync(join(folder, name.slice("archive/".length)))));
    }
    const manifest = JSON.parse(content("datapackage.json"));
    assert.equal(manifest.wacz_version, "1.1.1");
    for (const { path, hash, bytes } of manifest.resources) {
      const entry = entries.find(({ name }) => name === path);
      assert.equal(entry?.content.length, bytes);
      assert.equal(
        hash,
        `sha256:${createHash("sha256")
          .update(entry?.content ?? "")
          .digest("hex")}`,
      );
    }
    assert.equal(manifest.resources.length, 4);
    assert.equal(
      JSON.parse(content("datapackage-digest.json")).hash,
      `sha256:${createHash("sha256").update(content("datapackage.json")).digest("hex")}`,
    );
    const index = entries.find(({ name }) => name === "indexes/index.cdx.gz")?.content ?? Buffer.alloc(0);
    const lines = gunzipSync(index).toString("latin1").trimEnd().split("\n");
    assert.deepEqual(lines, [...lines].sort());
    assert.equal(lines.length, readCaptures(folder).length);
    const [header, ...pages] = content("pages/pages.jsonl").trimEnd().split("\n");
    assert.equal(JSON.parse(header ?? "").format, "json-pages-1.0");
    assert.deepEqual(
      pages.map((line) => [JSON.parse(line).url, JSON.parse(line).ts]),
      [0, dayMs].map((later) => [
        `${site.origin}/a.html`,
        `${new Date(startedAt + later).toISOString().slice(0, 19)}Z`,
      ]),
    );
  });

  for (const kind of ["archives", "sitemap"] as const)
    it(`asks again for what a killed run recorded, also if the site went back to what is held: ${kind}`, async () => {
      await using crawler = await Crawler.open();
      const { site, folder } = crawler;
      const date = (day: number): string => `2026-01-0${day}`;
      const publish = (day: number): void => {
        const paths = [...site.pages.keys()].map((path) => ({ path, lastmod: date(day) }));
        if (kind === "sitemap") site.files.set("/sitemap.xml", Buffer.from(urlset(site.origin, paths)));
        else if (day === 1) site.publishBase();
        else site.publish();
      };
      site.set({ "/a.html": "a", "/a2.html": "a2", "/b.html": "b" });
      // It is sent whole each time.
      site.answers.set("/a2.html", (_, response) => void response.writeHead(200).end("a2"));
      publish(1);
      crawler.now = Date.now() - dayMs;
      const how = { keep: "warc", sources: [kind] } as const;
      await crawler.visit(how);
      site.set({ "/a.html": "another a", "/b.html": "another b" });
      publish(2);
      const program = join(repositoryFolder(), "bin", "tidemark.js");
      const args = [program, "crawl", site.origin, "--into", folder.path, "--keep", "warc", "--source", kind];
      const child = spawn(process.execPath, args, { stdio: "ignore" });
      // Its record is written by the time that the next page is asked for.
      site.answers.set("/b.html", () => void child.kill("SIGKILL"));
      const [, signal] = (await once(child, "close")) as [number | null, string | null];
      assert.equal(signal, "SIGKILL");
      site.answers.delete("/b.html");
      site.set({ "/a.html": "a", "/b.html": "b", "/c.html": "c" });
      publish(1 + 2 * Number(kind === "archives"));
      crawler.now = Date.now() + 60_000;
      // By plan: what was asked for yesterday is not due.
      await crawler.visit({ ...how, isPlanned: true });
      const { pages, counts } = replay(crawler);
      assert.deepEqual(
        Object.fromEntries(Object.entries(pages).filter(([path]) => path.endsWith(".html"))),
        servedBy(site),
      );
      assert.deepEqual([counts.get("/a.html"), counts.get("/a2.html")], [3, kind === "sitemap" ? 2 : 1]);
    });

  it("is killed at any moment and run again: every page is there, every record is whole", async () => {
    await using crawler = await Crawler.open();
    const { site, folder } = crawler;
    site.set(Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`/p${at}.html`, `page ${at} `.repeat(200)])));
    site.publishBase();
    const program = join(repositoryFolder(), "bin", "tidemark.js");
    const args = [program, "crawl", site.origin, "--into", folder.path, "--keep", "warc", "--json"];
    let kills = 0;
    for (const afterRequests of [3, 40, longer(Number.POSITIVE_INFINITY, 90), Number.POSITIVE_INFINITY]) {
      site.takeRequests();
      const child = spawn(process.execPath, args, { stdio: "ignore" });
      const ended = once(child, "close") as Promise<[number | null]>;
      const watch = setInterval(() => {
        if (site.seen.length >= afterRequests) child.kill("SIGKILL");
      }, 1);
      const [code] = await ended;
      clearInterval(watch);
      if (code === 0) break;
      kills++;
    }
    assert.ok(kills > 1, `killed ${kills} times`);
    const { pages, counts } = replay(crawler);
    assert.deepEqual(pages, servedBy(site));
    assert.equal(counts.size, 150);
    const left = readdirSync(folderOf(crawler)).filter((name) => !/\.(?:warc\.gz|cdxj)$/.test(name));
    assert.deepEqual(left, []);
  });
});

it("a crawl that keeps nothing remembers what changed, and asks for no more", async () => {
  await using crawler = await Crawler.open();
  const { site } = crawler;
  site.set({ "/a.html": "a", "/large.png": Buffer.alloc(2_000_000, "large") });
  site.publishBase();
  assert.equal((await crawler.visit({ keep: "metadata" })).summary.created, 2);
  assert.equal((await crawler.visit({ keep: "metadata" })).summary.pageRequests, 0);
  site.set({ "/a.html": "a2" });
  site.publish();
  assert.deepEqual((await crawler.visit({ keep: "metadata" })).pages, ["updated /a.html"]);
  assert.ok(!existsSync(folderOf(crawler)));
  assert.deepEqual(
    readdirSync(join(crawler.folder.path, ".tidemark")).filter((name) => name === "tmp"),
    [],
  );
});
