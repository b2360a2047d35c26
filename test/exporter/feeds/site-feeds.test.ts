import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import type { ExportSummary } from "../../../src/core/index.ts";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { listUploadOrder } from "../../../src/exporter/upload-order.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";

const base = 1_800_000_000;

interface Item {
  readonly id: string;
  readonly title: string;
  readonly date_modified: string;
}

/** A site that publishes feeds. */
class Site implements Disposable {
  readonly folder: TempFolder = makeTempFolder();
  readonly docroot: string = join(this.folder.path, "site");
  #now = base;

  write(path: string, title: string, at: number = this.#now): void {
    const file = join(this.docroot, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `<title>${title}</title>`);
    utimesSync(file, at, at);
  }

  async export(options: object = {}): Promise<ExportSummary> {
    this.#now += 100;
    const settings = {
      docroot: this.docroot,
      baseUrl: "https://a.example/",
      stateDir: join(this.folder.path, "state"),
    };
    return await exportSite({ ...settings, feed: true, clock: () => this.#now * 1000, ...options });
  }

  fileOf(name: string): string {
    return join(this.docroot, ".well-known/tidemark", name);
  }

  read(name: string): string {
    return readFileSync(this.fileOf(name), "utf8");
  }

  get items(): Item[] {
    return JSON.parse(this.read("feed.json")).items;
  }

  get paths(): string[] {
    return this.items.map(({ id }) => new URL(id).pathname);
  }

  [Symbol.dispose](): void {
    this.folder[Symbol.dispose]();
  }
}

describe("feeds of the latest changed pages", () => {
  it("have the latest publication's pages first, then those of earlier ones, none that is gone", async () => {
    using site = new Site();
    for (const name of ["a", "b", "c", "d"]) site.write(`${name}.html`, name, base - name.charCodeAt(0));
    site.write("note.txt", "no page");
    await site.export();
    assert.deepEqual(site.paths, ["/a.html", "/b.html", "/c.html", "/d.html"]);
    site.write("d.html", "D &amp; &lt;E> \u{1}\u{1f600}", base - 5000);
    site.write("c.html", "C");
    await site.export();
    rmSync(join(site.docroot, "c.html"));
    site.write("e/index.html", "");
    await site.export();
    assert.deepEqual(site.paths, ["/e/index.html", "/d.html", "/a.html", "/b.html"]);
    const { title, date_modified: modified } = site.items[1] ?? {};
    assert.deepEqual(
      [title, modified],
      ["D & <E> \u{1f600}", new Date((base - 5000) * 1000).toISOString().replace(".000", "")],
    );
    assert.equal(site.items[0]?.title, "e");
    assert.match(site.read("feed.atom"), /<id>https:\/\/a\.example\/d\.html<\/id>\n<title>D &amp; &lt;E&gt; /);
  });

  it("have at most 50 pages, the same bytes in each folder, and the URLs of options", async () => {
    using site = new Site();
    using other = new Site();
    for (const one of [site, other]) {
      for (let at = 0; at < 120; at++) one.write(`${at}/index.html`, `page ${at}`, base - at);
      await one.export({ index: ["index.html"], segmentSize: 16, minGroup: 1 });
    }
    assert.deepEqual(
      site.paths,
      Array.from({ length: 50 }, (_, at) => `/${at}/`),
    );
    assert.equal(site.items[7]?.title, "page 7");
    // The epoch is random, and of the index too.
    assert.equal(site.read("feed.atom"), other.read("feed.atom"));
  });

  it("are left alone while nothing is published, made up for when missing, and removed without the option", async () => {
    using site = new Site();
    site.write("a.html", "a");
    await site.export();
    const before = statSync(site.fileOf("feed.atom")).ino;
    await site.export();
    assert.equal(statSync(site.fileOf("feed.atom")).ino, before);
    const [atom, json] = [site.read("feed.atom"), site.read("feed.json")];
    for (const name of ["feed.atom", "feed.json"]) {
      rmSync(site.fileOf(name));
      assert.equal((await site.export()).published, false);
      assert.deepEqual([site.read("feed.atom"), site.read("feed.json")], [atom, json]);
    }
    const order: string[] = [];
    for await (const { phase, path } of listUploadOrder({ documentRoot: site.docroot })) order.push(`${phase} ${path}`);
    for (const name of ["feed.atom", "feed.json"])
      assert.ok(order.includes(`lists .well-known/tidemark/${name}`), name);
    await site.export({ feed: false });
    assert.deepEqual(
      ["feed.atom", "feed.json"].filter((name) => existsSync(site.fileOf(name))),
      [],
    );
  });

  it("leave a file of that name alone that is not theirs, if they are not asked for", async () => {
    using site = new Site();
    site.write("a.html", "a");
    await site.export({ feed: false });
    writeFileSync(site.fileOf("feed.json"), '{"version":1}');
    await site.export({ feed: false });
    assert.equal(site.read("feed.json"), '{"version":1}');
  });

  it("name a listed page by its path: what the server shows for it is not the file of that name", async () => {
    using site = new Site();
    site.write("a.html", "a");
    site.write("b.php", "source");
    site.write("draft.html", "draft");
    const urls = join(site.folder.path, "urls");
    writeFileSync(urls, "/b.php\n/draft.html\n");
    await site.export({ urls, exclude: ["draft.html"] });
    const titles = site.items.map(({ title }) => title);
    assert.deepEqual(titles.sort(), ["a", "b.php", "draft.html"]);
  });

  it("say nothing of bytes that are not published yet", async () => {
    using site = new Site();
    site.write("a.html", "public");
    const onEvent = ({ event }: { event: string }): void => {
      if (event === "page") site.write("a.html", "later");
    };
    await site.export({ onEvent });
    assert.equal(site.items[0]?.title, "a.html");
    await site.export();
    assert.equal(site.items[0]?.title, "later");
  });
});
