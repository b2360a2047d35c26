import assert from "node:assert/strict";
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import type { CrawlSiteOptions } from "../../src/crawler/crawl-site-options.ts";
import { createPoliteness } from "../../src/crawler/politeness.ts";
import { readCrawlChanges } from "../../src/crawler/read-crawl-changes.ts";
import { runProgram } from "../cli/run-program.ts";
import { listenSite, type SiteServer } from "../site-server.ts";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";

const pages: Readonly<Record<string, string>> = {
  "/": "<a href=/a.html>a</a><a href=/b.html>b</a>",
  "/a.html": "<p>one and the same",
  "/b.html": "<p>one and the same",
};

class Crawl implements AsyncDisposable {
  readonly #temp: TempFolder = makeTempFolder();
  readonly into: string = join(this.#temp.path, "into");
  readonly objects: string = join(this.#temp.path, "objects");
  readonly site: Record<string, string> = { ...pages };
  readonly server: SiteServer;

  private constructor(server: SiteServer) {
    this.server = server;
    server.answer = ({ url = "" }, response) => {
      const text = this.site[url];
      response.writeHead(text === undefined ? 410 : 200, { "content-type": "text/html" });
      response.end(text);
    };
  }

  static async open(): Promise<Crawl> {
    return new Crawl(await listenSite(() => undefined));
  }

  async visit(options: Partial<CrawlSiteOptions> = { keep: "objects", objects: this.objects }) {
    const { into, server } = this;
    const politeness = createPoliteness({ maxWaitMs: 0 });
    return await crawlSite({ url: `${server.origin}/`, into, sources: ["links"], politeness, ...options });
  }

  /** The body of each page, by the names that `changes` tells. */
  bodies(): Record<string, string | undefined> {
    using seen = readCrawlChanges({ store: this.into });
    return Object.fromEntries(
      [...seen.changes].map(({ path, object }) => {
        return [path, object === undefined ? undefined : readFileSync(join(this.objects, object), "utf8")];
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    this.#temp[Symbol.dispose]();
  }
}

describe("a crawl that keeps pages as objects", () => {
  it("has the body of each page under the name that its changes tell, after each visit", async () => {
    await using crawl = await Crawl.open();
    assert.equal((await crawl.visit()).created, 3);
    assert.deepEqual(crawl.bodies(), pages);
    crawl.site["/a.html"] = "<p>another one";
    delete crawl.site["/b.html"];
    crawl.site["/"] = "<a href=/a.html>a</a><a href=/c.html>c</a>";
    crawl.site["/c.html"] = "<p>a third";
    for (let visit = 0; visit < 3; visit++) await crawl.visit();
    assert.deepEqual(crawl.bodies(), crawl.site);
  });

  it("begins anew where pages were kept in another way, and forgets the objects when it leaves them", async () => {
    await using crawl = await Crawl.open();
    await crawl.visit({});
    assert.equal((await crawl.visit()).created, 3);
    assert.deepEqual(crawl.bodies(), pages);
    assert.equal((await crawl.visit({})).created, 3);
    assert.deepEqual(crawl.bodies(), { "/": undefined, "/a.html": undefined, "/b.html": undefined });
  });

  it("ends before its first request if the store is another one", async () => {
    await using crawl = await Crawl.open();
    await crawl.visit();
    renameSync(crawl.objects, `${crawl.objects}-moved`);
    crawl.server.requests.length = 0;
    await assert.rejects(crawl.visit(), { code: "not-found" });
    assert.deepEqual(crawl.server.requests, []);
    await crawl.visit({ keep: "objects", objects: `${crawl.objects}-moved` });
  });

  it("needs both --keep objects and --objects", async () => {
    await using crawl = await Crawl.open();
    for (const given of [
      ["--keep", "objects"],
      ["--objects", crawl.objects],
      ["--keep", "warc", "--objects", "x"],
    ]) {
      const { code, stderr } = await runProgram("crawl", `${crawl.server.origin}/`, "--into", crawl.into, ...given);
      assert.match(stderr, /need each other/);
      assert.equal(code, 2);
    }
    assert.deepEqual(crawl.server.requests, []);
  });
});
