import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { type CrawlSiteOptions, crawlSite } from "../../src/crawl-site.ts";
import { exportSite } from "../../src/export-site.ts";
import type { CrawlSummary } from "../../src/model/index.ts";
import { type FolderServer, serveFolder } from "../../src/serve/index.ts";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { readMirror } from "./mirror.ts";

const dayMs = 86_400_000;

interface Visit {
  readonly summary: CrawlSummary;
  /** Requests for pages, and for what tells of them. */
  readonly pages: readonly string[];
  readonly lists: readonly string[];
}

/** A folder of pages that is exported with ResourceSync, served, and crawled by that. */
class SyncedSite implements AsyncDisposable {
  readonly #temp: TempFolder;
  readonly #server: FolderServer;
  readonly #requests: string[];
  readonly docroot: string;
  now: number = Date.UTC(2027, 0, 1);

  constructor(temp: TempFolder, docroot: string, server: FolderServer, requests: string[]) {
    this.#temp = temp;
    this.#server = server;
    this.#requests = requests;
    this.docroot = docroot;
  }

  static async open(pages: number): Promise<SyncedSite> {
    const temp = makeTempFolder();
    const docroot = join(temp.path, "docroot");
    mkdirSync(docroot);
    const requests: string[] = [];
    const server = await serveFolder({
      folder: docroot,
      onRequest: ({ path, status }) => requests.push(`${status} ${path}`),
    });
    const site = new SyncedSite(temp, docroot, server, requests);
    for (let at = 0; at < pages; at++) site.write(`d${at % 7}/${at}.html`, `page ${at}`);
    return site;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    this.#temp[Symbol.dispose]();
  }

  write(name: string, body: string): void {
    mkdirSync(dirname(join(this.docroot, name)), { recursive: true });
    writeFileSync(join(this.docroot, name), body);
  }

  remove(name: string): void {
    rmSync(join(this.docroot, name));
  }

  async publish(): Promise<void> {
    await exportSite({
      docroot: this.docroot,
      baseUrl: `${this.#server.url}/`,
      stateDir: join(this.#temp.path, "state"),
      resourceSync: true,
      clock: () => this.now,
    });
  }

  async crawl(options: Partial<CrawlSiteOptions> = {}): Promise<Visit> {
    this.#requests.length = 0;
    const summary = await crawlSite({
      url: this.#server.url,
      into: join(this.#temp.path, "mirror"),
      sources: ["resourcesync"],
      clock: () => this.now,
      ...options,
    });
    const isPage = (request: string): boolean => request.endsWith(".html") || request.endsWith(".png");
    return {
      summary,
      pages: this.#requests.filter(isPage),
      lists: this.#requests.filter((request) => !isPage(request)),
    };
  }

  assertMirrored(): void {
    const served: Record<string, string> = {};
    for (const entry of readdirSync(this.docroot, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile() && /\.(?:html|png)$/.test(entry.name))
        served[file.slice(this.docroot.length)] = readFileSync(file, "utf8");
    }
    assert.deepEqual(readMirror(join(this.#temp.path, "mirror"), this.#server.url), served);
  }

  /** Removes published files whose names match. */
  unpublish(pattern: RegExp): void {
    const folder = join(this.docroot, ".well-known");
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
      if (pattern.test(name)) rmSync(join(folder, name), { force: true });
  }
}

describe("ResourceSync", () => {
  it("keeps a mirror equal day by day, at a request a changed page and few for the lists", async () => {
    await using site = await SyncedSite.open(40);
    await site.publish();
    const first = await site.crawl();
    assert.deepEqual([first.summary.source, first.pages.length], ["resourcesync", 40]);
    site.assertMirrored();
    for (let day = 1; day <= 8; day++) {
      site.now += dayMs;
      site.write(`d${day % 7}/${day}.html`, `changed on day ${day}`);
      site.write(`new/${day}.html`, "new");
      if (day > 2) site.remove(`new/${day - 2}.html`);
      await site.publish();
      const visit = await site.crawl();
      assert.equal(visit.summary.pageRequests, 2, visit.pages.join());
      assert.ok(visit.lists.length <= 6, visit.lists.join());
      site.assertMirrored();
    }
    site.now += dayMs;
    const quiet = await site.crawl();
    assert.deepEqual([quiet.pages, quiet.summary.source], [[], "resourcesync"]);
  });

  it("misses nothing where some days are not visited", async () => {
    await using site = await SyncedSite.open(20);
    await site.publish();
    await site.crawl();
    for (let day = 1; day <= 9; day++) {
      site.now += dayMs;
      site.write(`d1/${day % 3}.html`, `day ${day}`);
      // Neither size nor time tells these apart.
      utimesSync(join(site.docroot, `d1/${day % 3}.html`), 1_700_000_000, 1_700_000_000);
      await site.publish();
      if (day % 4 !== 0) continue;
      const visit = await site.crawl();
      assert.equal(visit.summary.pageRequests, 3, [...visit.lists, ...visit.pages].join());
      site.assertMirrored();
    }
  });

  it("takes what changed after the resource list was made from the change lists, on a first visit too", async () => {
    await using site = await SyncedSite.open(20);
    await site.publish();
    for (let day = 1; day <= 3; day++) {
      site.now += dayMs;
      site.write("d0/0.html", `day ${day}`);
      site.write(`new/${day}.html`, "new");
      await site.publish();
    }
    const { summary } = await site.crawl();
    assert.deepEqual([summary.created, summary.differing, summary.failed], [23, 0, 0]);
    site.assertMirrored();
  });

  it("reads the whole list where the change lists do not reach back", async () => {
    await using site = await SyncedSite.open(20);
    await site.publish();
    await site.crawl();
    site.now += dayMs;
    site.write("d0/0.html", "changed");
    site.remove("d1/1.html");
    await site.publish();
    site.unpublish(/changelist/);
    const visit = await site.crawl();
    assert.deepEqual([visit.summary.updated, visit.summary.deleted], [1, 1]);
    site.assertMirrored();
  });

  it("of some types fetches those only, and others when they are wanted", async () => {
    await using site = await SyncedSite.open(5);
    site.write("i.png", "png");
    await site.publish();
    assert.deepEqual((await site.crawl({ types: ["image/*"] })).pages, ["200 /i.png"]);
    site.now += dayMs;
    assert.equal((await site.crawl()).pages.length, 5);
    site.assertMirrored();
  });

  it("that did not change costs a 304 a document and no body", async () => {
    await using site = await SyncedSite.open(20);
    await site.publish();
    await site.crawl();
    site.now += dayMs;
    site.write("d0/0.html", "changed");
    await site.publish();
    const changed = await site.crawl();
    assert.equal(changed.summary.updated, 1);
    const quiet = await site.crawl();
    // Of this kind: robots.txt, description, capability list, change lists and the part that is open.
    assert.ok(quiet.lists.length >= 4 && quiet.lists.length <= 6, quiet.lists.join());
    assert.deepEqual([...new Set(quiet.lists.map((request) => request.slice(0, 4)))], ["304 "]);
    const { metadataBytes, requests, notModified } = quiet.summary;
    assert.deepEqual([metadataBytes, requests, notModified], [0, quiet.lists.length, quiet.lists.length]);
    // Neither in the list that changes next is anything missed, nor are the others read again.
    site.now += dayMs;
    site.write("d1/1.html", "changed too");
    await site.publish();
    assert.equal((await site.crawl()).summary.updated, 1);
    site.assertMirrored();
  });

  it("without change lists costs as little, and reads the whole list once a part of it changed", async () => {
    await using site = await SyncedSite.open(20);
    await site.publish();
    site.splitResourceList(3);
    site.unpublish(/changelist/);
    site.forgetChangeLists();
    const first = await site.crawl();
    assert.deepEqual([first.summary.source, first.summary.created], ["resourcesync", 20]);
    const quiet = await site.crawl();
    assert.deepEqual(quiet.lists.filter((request) => !request.startsWith("304 ")), []);
    assert.equal(quiet.lists.filter((request) => request.includes("part-")).length, 3);
    // The index is as it was, and only the last part says what is gone.
    site.dropFromPart(2);
    const visit = await site.crawl();
    const parts = visit.lists.filter((request) => request.includes("part-"));
    assert.deepEqual(
      [visit.summary.deleted, parts.map((request) => request.replace(/ .*part-/, " "))],
      [1, ["304 0.xml", "304 1.xml", "200 2.xml", "200 0.xml", "200 1.xml"]],
    );
    assert.deepEqual((await site.crawl()).lists.filter((request) => !request.startsWith("304 ")), []);
  });

  it("whose index leaves a part out is read as a whole, though no part changed", async () => {
    await using site = await SyncedSite.open(21);
    await site.publish();
    site.splitResourceList(3);
    site.unpublish(/changelist/);
    site.forgetChangeLists();
    await site.crawl();
    site.splitResourceList(3, 2);
    assert.equal((await site.crawl()).summary.deleted, 7);
  });

  it("remembers no change list that it could not follow to its end", async () => {
    await using site = await SyncedSite.open(5);
    await site.publish();
    await site.crawl();
    site.now += dayMs;
    site.write("d0/0.html", "changed");
    await site.publish();
    site.hide(/resourcelist/);
    site.addChangeListPart("gone.xml");
    assert.equal((await site.crawl()).summary.source, "none");
    site.dropChangeListPart("gone.xml");
    assert.equal((await site.crawl()).summary.updated, 1);
    site.assertMirrored();
  });

  it("that ends in the middle is gone on with", async () => {
    await using site = await SyncedSite.open(30);
    await site.publish();
    const abort = new AbortController();
    let asked = 0;
    const onEvent: CrawlSiteOptions["onEvent"] = ({ event }) => {
      if (event === "page" && ++asked === 10) abort.abort();
    };
    await assert.rejects(site.crawl({ signal: abort.signal, onEvent }), { code: "aborted" });
    const rest = await site.crawl();
    assert.ok(rest.pages.length <= 20, String(rest.pages.length));
    site.assertMirrored();
  });

  it("in trouble leaves the mirror as it is, and is gone on with", async () => {
    await using site = await SyncedSite.open(5);
    await site.publish();
    await site.crawl();
    site.now += dayMs;
    site.write("d0/0.html", "changed");
    await site.publish();
    site.unpublish(/resourcelist|changelist/);
    const visit = await site.crawl();
    assert.deepEqual([visit.summary.source, visit.summary.deleted], ["none", 0]);
    site.now += dayMs;
    site.write("d0/0.html", "changed again");
    rmSync(join(site.docroot, "..", "state"), { recursive: true });
    await site.publish();
    await site.crawl();
    site.assertMirrored();
  });
});
