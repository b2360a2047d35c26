import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { digestOf } from "../../src/http/node-adapters.ts";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { runBash } from "./built-site.ts";
import { exportDocroot, findCli, runTidemark } from "./command.ts";
import { readDocumentCode } from "./document-code.ts";
import { listFiles } from "./file-tree.ts";
import { ObjectStore, objectStorePrograms } from "./object-store.ts";
import { skipWithout, skipWithoutCached } from "./programs.ts";
import { check, getBytes, type PublishedSet, readPublishedSet } from "./published-set.ts";
import { createRandom } from "./random.ts";

/** A site whose publications are made in a new folder each time, and uploaded to a bucket. */
class UploadedSite implements AsyncDisposable {
  readonly store: ObjectStore;
  /** Publications that a reader met. */
  readonly seen = new Set<number>();
  /** What a reader found broken. */
  readonly broken: string[] = [];
  readonly #temp: TempFolder = makeTempFolder("upload");
  readonly #source: string = join(this.#temp.path, "source");
  readonly #random = createRandom(5);
  #dist = "";
  #builds = 0;
  #earlier: PublishedSet[] = [];

  private constructor(store: ObjectStore) {
    this.store = store;
  }

  static async open(): Promise<UploadedSite> {
    const site = new UploadedSite(await ObjectStore.open());
    mkdirSync(join(site.#temp.path, "bin"));
    const tidemark = `#!/bin/sh\nexec "${process.execPath}" "${findCli()}" "$@"\n`;
    writeFileSync(join(site.#temp.path, "bin", "tidemark"), tidemark, { mode: 0o755 });
    site.writeAll("first");
    return site;
  }

  writeAll(text: string): void {
    const figures = [1, 2, 3].map((at) => `figure-${at}.svg`);
    for (const path of ["one.html", "two.html", "docs/index.html", "docs/a b[c]*.html", ...figures])
      this.write(path, text);
  }

  write(path: string, text: string): void {
    mkdirSync(join(this.#source, path, ".."), { recursive: true });
    writeFileSync(join(this.#source, path), `<title>${path}</title>${text}`);
  }

  remove(path: string): void {
    rmSync(join(this.#source, path));
  }

  /** Builds and exports in a new folder, going on from what the bucket has. */
  async build(): Promise<void> {
    const { path } = this.#temp;
    this.#builds += 1;
    this.#dist = join(path, `dist-${this.#builds}`);
    cpSync(this.#source, this.#dist, { recursive: true });
    const { url } = this.store.site;
    const more = [
      "--index",
      "index.html",
      "--segment-size",
      "8",
      "--min-group",
      "2",
      "--resourcesync",
      "--previous",
      url,
    ];
    if (this.#builds === 1) more.push("--previous-optional");
    await exportDocroot(this.#dist, url, join(path, `state-${this.#builds}`), ...more);
  }

  /**
   * Runs a script with the folder of the last build. A reader reads the site in the end and, if something was published
   * before, each time that an object was written or deleted.
   */
  async upload(script: string): Promise<void> {
    const { path } = this.#temp;
    if (this.#builds > 1) this.store.onWrite = async () => await this.#look();
    const env = {
      PATH: [join(path, "bin"), objectStorePrograms(), process.env.PATH].join(":"),
      HOME: path,
      ...this.store.env,
    };
    const { code, output } = await runBash(["-c", script, "upload.sh", this.#dist], path, env);
    this.store.onWrite = undefined;
    assert.equal(code, 0, output);
    await this.#look();
  }

  /** The bucket holds the last build and nothing else. */
  async expectUploaded(): Promise<void> {
    const { url } = this.store.site;
    for (const path of listFiles(this.#dist))
      assert.deepEqual(await getBytes(this.#urlOf(path)), readFileSync(join(this.#dist, path)), path);
    const { exitCode, events } = await runTidemark(["verify", url, "--all", "--delay", "0", "--json"]);
    const differences = events.filter(({ severity }) => severity === "difference");
    assert.deepEqual([exitCode, differences], [0, []]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
    this.#temp[Symbol.dispose]();
  }

  #urlOf(path: string): string {
    return new URL(path.split("/").map(encodeURIComponent).join("/"), this.store.site.url).href;
  }

  async #look(): Promise<void> {
    try {
      const set = await readPublishedSet(this.store.site.url, this.#random, this.#earlier);
      await this.#checkPages(set);
      if (!this.seen.has(set.index.publication)) this.#earlier.push(set);
      this.seen.add(set.index.publication);
    } catch (error) {
      this.broken.push(`after ${this.store.writes.at(-1)}: ${(error as Error).message}`);
    }
  }

  /** Each listed page is as it is listed, or already as it will be listed next. */
  async #checkPages({ pages }: PublishedSet): Promise<void> {
    for (const [path, { digest }] of pages) {
      const body = await getBytes(new URL(path, this.store.site.url).href);
      const next = join(this.#dist, decodeURIComponent(path), path.endsWith("/") ? "index.html" : "");
      const isNext = existsSync(next) && readFileSync(next).equals(body);
      check(digestOf(body) === digest || isNext, () => `${path} is neither as it was nor as it will be`);
    }
  }
}

const lines = (tool: string): string => readDocumentCode("docs/operations.md", `sh ${tool}`);
/** The same steps in another order. */
const naive: Readonly<Record<string, (script: string) => string>> = {
  "the index first": (script) => script.replace("in pages archives", "in index pages archives"),
  "removals first": (script) => {
    const removals = script.slice(script.indexOf("rclone lsf"));
    return script.replace(removals, "").replace("for step", `${removals}for step`);
  },
};

describe("an upload to an object store", {
  skip: skipWithoutCached("object-store-1") || skipWithout("nginx"),
}, () => {
  for (const tool of ["rclone", "aws"])
    it(`by the lines for ${tool} is whole after each object`, { timeout: 180_000 }, async () => {
      await using site = await UploadedSite.open();
      await site.build();
      await site.upload(lines(tool));
      // A publication that makes a new base, and one after which the old base is gone.
      site.writeAll("second");
      site.write("new.html", "second");
      site.remove("two.html");
      await site.build();
      await site.upload(lines(tool));
      site.write("one.html", "third");
      site.remove("new.html");
      await site.build();
      await site.upload(lines(tool));
      await site.expectUploaded();
      assert.deepEqual(site.broken, []);
      assert.equal(site.seen.size, 3);
      const removed = site.store.writes.filter((write) => write.startsWith("DELETE"));
      for (const path of [/two\.html$/, /new\.html$/, /\/0_.*\.base\..*gz$/])
        assert.ok(
          removed.some((write) => path.test(write)),
          `${path} stays: ${removed}`,
        );
      assert.equal(site.store.writes.filter((write) => write === "PUT robots.txt").length, 2 + Number(tool === "aws"));
    });

  it("in another order is broken for a while", { timeout: 180_000 }, async () => {
    await using site = await UploadedSite.open();
    await site.build();
    await site.upload(lines("rclone"));
    for (const [order, change] of Object.entries(naive)) {
      site.write(`${order}.html`, "second");
      site.remove(order === "removals first" ? "one.html" : "two.html");
      await site.build();
      const script = change(lines("rclone"));
      assert.notEqual(script, lines("rclone"));
      assert.deepEqual(site.broken, [], order);
      await site.upload(script);
      assert.match(site.broken.splice(0)[0] ?? "", /: http:.* answers 404$/, order);
    }
    await site.expectUploaded();
  });
});
