import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { HandedPage, HandedRemoval, PageReceiver } from "../src/crawler/kept-site.ts";
import { servedBy } from "./crawler/engine/mirror.ts";
import { recordOf } from "./crawler/engine/published-site.ts";
import { Crawler } from "./crawler/engine/site-visit.ts";

const program = fileURLToPath(new URL("./crawler/engine/receiving-crawl.js", import.meta.url));
const textOf = ({ body }: HandedPage): string =>
  Buffer.from(body instanceof Uint8Array ? body : readFileSync(body.file)).toString();

/** A receiver that has what it was given, and notes each call. */
class Shelf implements PageReceiver {
  readonly kind = "callback";
  readonly pages: Record<string, string> = {};
  readonly calls: string[] = [];
  /** Waited for in each call. */
  wait: (path: string) => Promise<void> = async () => undefined;

  readonly onBody = async (page: HandedPage): Promise<void> => {
    await this.wait(page.path);
    this.calls.push(`take ${page.path}`);
    this.pages[page.path] = textOf(page);
  };

  readonly onRemoval = async ({ path, reason }: HandedRemoval): Promise<void> => {
    await this.wait(path);
    this.calls.push(`drop ${path}: ${reason}`);
    delete this.pages[path];
  };

  takeCalls(): string[] {
    return this.calls.splice(0).sort();
  }
}

/** Crawls in a process of its own. @param killAt - the number of the call in which it is killed; 0 for none */
async function crawlAndDie(crawler: Crawler, killAt: number): Promise<NodeJS.Signals | null> {
  const { folder, site } = crawler;
  // Two visits in one second are one visit to those who are asked.
  crawler.now += 86_400_000;
  const day = Math.floor(crawler.now / 86_400_000) - 20_833;
  const args = [program, site.origin, join(folder.path, "own"), join(folder.path, "log"), String(killAt), String(day)];
  const [code, signal] = (await once(spawn(process.execPath, args, { stdio: "inherit" }), "close")) as [
    number | null,
    NodeJS.Signals | null,
  ];
  assert.ok(code === 0 || signal === "SIGKILL", `ended with ${code}`);
  return signal;
}

/** What the log of {@link crawlAndDie} leads to. */
function replay({ folder }: Crawler): Record<string, string> {
  const pages: Record<string, string> = {};
  for (const line of readFileSync(join(folder.path, "log"), "utf8").trimEnd().split("\n")) {
    const [act, path = "", body = ""] = line.split(" ");
    if (act === "take") pages[path] = Buffer.from(body, "base64").toString();
    else delete pages[path];
  }
  return pages;
}

describe("a crawl whose bodies are taken by a callback", () => {
  it("hands on each page that a mirror would keep, whole, and each that it would remove", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    const keep = new Shelf();
    site.set({ "/a.html": "a", "/gone.html": "g", "/large.png": Buffer.alloc(2_000_000, "large") });
    site.publishBase();
    assert.equal((await crawler.visit({ keep })).summary.created, 3);
    assert.deepEqual(keep.takeCalls(), ["take /a.html", "take /gone.html", "take /large.png"]);
    site.set({ "/a.html": "aa", "/gone.html": undefined });
    site.publish();
    await crawler.visit({ keep });
    assert.deepEqual(keep.takeCalls(), ["drop /gone.html: published", "take /a.html"]);
    assert.deepEqual(keep.pages, servedBy(site));
    await crawler.visit({ keep });
    assert.deepEqual(keep.takeCalls(), []);
    assert.deepEqual(readdirSync(crawler.folder.path), [".tidemark"]);
  });

  it("says of each what is known of it, of the bytes that came, also where they are others than announced", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/a.html": "announced" }, 1_000_000_000);
    site.publishBase();
    site.set({ "/a.html": "served" }, 1_000_000_001);
    const given: HandedPage[] = [];
    await crawler.visit({
      keep: {
        kind: "callback",
        onBody: (page) => {
          given.push(page);
        },
        onRemoval: () => undefined,
      },
    });
    const served = site.pages.get("/a.html") ?? assert.fail();
    const { body, ...facts } = given[0] ?? assert.fail();
    const record = { ...recordOf("/a.html", served), lastModified: 1_000_000_000 };
    assert.deepEqual(facts, { ...record, url: `${site.origin}/a.html` });
    assert.ok(body instanceof Uint8Array);
    assert.equal(Buffer.from(body).toString(), "served");
  });

  it("hands a large body on as a file, which may be moved away and is else removed", async () => {
    await using crawler = await Crawler.open();
    const { site, folder } = crawler;
    const large = Buffer.alloc(300 * 1024, "large").toString();
    site.set({ "/a.png": large, "/b.png": large, "/small.png": "small" });
    site.publishBase();
    const files: string[] = [];
    const moved = join(folder.path, "moved");
    const onBody = ({ path, body }: HandedPage): void => {
      assert.equal(body instanceof Uint8Array, path === "/small.png");
      if (body instanceof Uint8Array) return;
      files.push(body.file);
      if (path === "/a.png") renameSync(body.file, moved);
    };
    await crawler.visit({ keep: { kind: "callback", onBody, onRemoval: () => undefined } });
    assert.equal(files.length, 2);
    assert.equal(readFileSync(moved, "utf8"), large);
    for (const file of files) assert.ok(!existsSync(file));
  });

  it("waits for each call, and has no more than one request more than is allowed in hand", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`/p${at}.html`, `page ${at}`])));
    site.publishBase();
    const keep = new Shelf();
    let waiting = 0;
    let most = 0;
    let asked = 0;
    keep.wait = async () => {
      most = Math.max(most, ++waiting);
      // A turn in which the crawl could do whatever it does not wait for.
      await new Promise((resolve) => setTimeout(resolve, 5));
      asked = Math.max(asked, site.seen.filter(({ path }) => path.startsWith("/p")).length - keep.calls.length);
      waiting--;
    };
    const { summary } = await crawler.visit({ keep, concurrency: 2 });
    assert.deepEqual([summary.created, Object.keys(keep.pages).length], [40, 40]);
    assert.ok(most >= 2 && most <= 3, `${most} calls at once`);
    assert.ok(asked <= 3, `${asked} pages in hand`);
  });

  it("ends with what a callback throws, and hands only on what was not taken when it comes again", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set(Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`/p${at}.html`, `page ${at}`])));
    site.publishBase();
    const keep = new Shelf();
    const failure = Object.assign(new Error("the index is full"), { code: "ENOSPC" });
    keep.wait = async (path) => {
      if (path === "/p5.html") throw failure;
    };
    await assert.rejects(crawler.visit({ keep }), (error) => error === failure);
    const taken = keep.takeCalls();
    assert.ok(taken.length >= 5 && taken.length < 10 && !taken.includes("take /p5.html"), taken.join());
    keep.wait = async () => undefined;
    await crawler.visit({ keep });
    assert.deepEqual(
      [...taken, ...keep.takeCalls()].sort(),
      Object.keys(servedBy(site))
        .map((path) => `take ${path}`)
        .sort(),
    );
    site.set({ "/p1.html": undefined });
    site.publish();
    keep.wait = async () => Promise.reject(failure);
    await assert.rejects(crawler.visit({ keep }), (error) => error === failure);
    keep.wait = async () => undefined;
    await crawler.visit({ keep });
    assert.deepEqual(keep.takeCalls(), ["drop /p1.html: published"]);
  });

  it("follows a site without archives, and calls once at a time for a page that others lead to", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    const links = ["/a.html", "/to-a", "/b.html", "/broken.html"].map((path) => `<a href="${path}">x</a>`).join("");
    site.set({ "/": links, "/a.html": "a", "/b.html": "b" });
    site.answers.set("/to-a", (_, response) => response.writeHead(302, { location: "/a.html" }).end());
    const keep = new Shelf();
    const underWay = new Set<string>();
    keep.wait = async (path) => {
      assert.ok(!underWay.has(path), path);
      underWay.add(path);
      await new Promise((resolve) => setTimeout(resolve, 20));
      underWay.delete(path);
    };
    await crawler.visit({ keep, sources: ["links"], concurrency: 4 });
    assert.deepEqual(keep.pages, { "/": links, "/a.html": "a", "/b.html": "b" });
    assert.ok(keep.takeCalls().every((call) => call.startsWith("take ")));
    site.set({ "/b.html": undefined });
    site.answers.set("/b.html", (_, response) => response.writeHead(410).end());
    await crawler.visitNextDay({ keep, sources: ["links"] });
    assert.deepEqual(keep.takeCalls(), ["drop /b.html: gone"]);
  });

  it("begins a site anew that was kept in another way", async () => {
    await using crawler = await Crawler.open();
    crawler.site.set({ "/a.html": "a" });
    crawler.site.publishBase();
    await crawler.visit();
    const keep = new Shelf();
    await crawler.visit({ keep });
    assert.deepEqual(keep.takeCalls(), ["take /a.html"]);
  });
});

describe("a crawl that is killed in a callback", () => {
  it("hands the page on once more where the site publishes archives", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/a.html": "a", "/b.html": "b", "/c.html": "c" });
    site.publishBase();
    assert.equal(await crawlAndDie(crawler, 2), "SIGKILL");
    assert.equal(await crawlAndDie(crawler, 0), null);
    assert.deepEqual(replay(crawler), servedBy(site));
    site.set({ "/a.html": undefined, "/new.html": "brief" });
    site.publish();
    for (const killAt of [1, 2]) assert.equal(await crawlAndDie(crawler, killAt), "SIGKILL");
    site.set({ "/new.html": undefined });
    site.publish();
    await crawlAndDie(crawler, 0);
    assert.deepEqual(replay(crawler), servedBy(site));
  });

  it("hands a page on that went back to what it was, and drops one that came and went", async () => {
    await using crawler = await Crawler.open();
    const { site } = crawler;
    site.set({ "/": '<a href="/a.html">a</a>', "/a.html": "a" }, 1_000_000_000);
    await crawlAndDie(crawler, 0);
    site.set({ "/a.html": "other" });
    assert.equal(await crawlAndDie(crawler, 1), "SIGKILL");
    assert.equal(replay(crawler)["/a.html"], "other");
    site.set({ "/a.html": "a" }, 1_000_000_000);
    await crawlAndDie(crawler, 0);
    assert.deepEqual(replay(crawler), servedBy(site));

    site.set({ "/": '<a href="/a.html">a</a><a href="/b.html">b</a>', "/b.html": "b" });
    assert.equal(await crawlAndDie(crawler, 2), "SIGKILL");
    assert.equal(replay(crawler)["/b.html"], "b");
    site.set({ "/": '<a href="/a.html">a</a>', "/b.html": undefined }, 1_000_000_000);
    await crawlAndDie(crawler, 0);
    assert.deepEqual(replay(crawler), servedBy(site));

    site.answers.set("/a.html", (_, response) => response.writeHead(410).end());
    assert.equal(await crawlAndDie(crawler, 1), "SIGKILL");
    assert.equal(replay(crawler)["/a.html"], undefined);
    site.answers.delete("/a.html");
    await crawlAndDie(crawler, 0);
    assert.deepEqual(replay(crawler), servedBy(site));
  });
});
