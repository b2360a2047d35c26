import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { CrawlSiteOptions } from "../../src/crawler/crawl-site-options.ts";
import { readCrawlChanges } from "../../src/crawler/read-crawl-changes.ts";
import { verifyMirror } from "../../src/verify/verify-mirror.ts";
import { Crawler } from "../crawler/engine/site-visit.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { findProgram } from "./programs.ts";

/** A file system on which names that differ in case only are one. */
interface FoldingDisk {
  readonly path: string;
  readonly [Symbol.dispose]: () => void;
}

/** What `node:test` takes as `skip` where none can be mounted. */
function skipWithoutFolding(): string | false {
  if (process.getuid?.() !== 0) return "needs root to mount exFAT";
  if (!existsSync("/dev/fuse")) return "no FUSE";
  const missing = ["mkfs.exfat", "mount.exfat-fuse", "losetup"].find((name) => findProgram(name) === undefined);
  return missing === undefined ? false : `no ${missing}`;
}

/** Mounts an exFAT of 64 MiB, which folds case as Windows does, and takes the names that Windows takes. */
function mountFoldingDisk(): FoldingDisk {
  const temp = makeTempFolder("folding-disk");
  const [image, path] = [join(temp.path, "image"), join(temp.path, "disk")];
  mkdirSync(path);
  writeFileSync(image, "");
  truncateSync(image, 64 * 1024 * 1024);
  execFileSync("mkfs.exfat", [image], { stdio: "ignore" });
  const device = execFileSync("losetup", ["--find", "--show", image], { encoding: "utf8" }).trim();
  execFileSync("mount.exfat-fuse", [device, path], { stdio: "ignore" });
  return {
    path,
    [Symbol.dispose]: () => {
      // A database that was closed may be open until it is collected.
      execFileSync("umount", ["--lazy", path]);
      execFileSync("losetup", ["--detach", device]);
      temp[Symbol.dispose]();
    },
  };
}

const skip = skipWithoutFolding();

// Each differs from another in nothing but case, or in what Windows does not take.
const twins = ["/A.html", "/a.html", "/Docs/x", "/docs/x", "/docs/X", "/DOCS", "/docs/y", "/%C3%89", "/%C3%A9"];
const odd = [
  "/q?x=1",
  "/q?X=1",
  "/q%3Fx=1",
  "/%FF",
  "/%FE",
  "/dot.",
  "/dot",
  "/C++",
  "/C%2B%2B",
  "/c++",
  "/plain.html",
];

function bodiesOf(version: number): Record<string, string> {
  return Object.fromEntries([...twins, ...odd].map((path) => [path, `${path} ${version}`]));
}

/** Each page's body as a reader of the mirror finds it, by its path. */
function held(store: string): Record<string, string> {
  using seen = readCrawlChanges({ store });
  const live = [...seen.changes].filter(({ kind }) => kind !== "deleted");
  return Object.fromEntries(live.map(({ path, file }) => [path, readFileSync(Buffer.from(file ?? ""), "utf8")]));
}

async function checkMirror(crawler: Crawler, disk: FoldingDisk, stateFile?: string): Promise<void> {
  const served = [...crawler.site.pages].map(([path, { body }]) => [path, body]);
  assert.deepEqual(held(stateFile ?? disk.path), Object.fromEntries(served));
  const found: unknown[] = [];
  const { damaged, foreign } = await verifyMirror({
    into: disk.path,
    ...(stateFile === undefined ? {} : { stateFile }),
    onEvent: (event) => found.push(event),
  });
  assert.deepEqual([damaged, foreign], [0, 0], JSON.stringify(found));
}

describe("a mirror on a file system that folds case", { skip }, () => {
  for (const source of ["archives", "links"] as const) {
    it(`keeps twins apart (${source})`, async () => {
      using disk = mountFoldingDisk();
      await using crawler = await Crawler.open();
      const { site } = crawler;
      const options: Partial<CrawlSiteOptions> = { into: disk.path, sources: [source], starts: [...twins, ...odd] };
      const publish = (): void => {
        if (source === "archives") site.publish();
      };
      site.set(bodiesOf(1));
      if (source === "archives") site.publishBase();
      const first = await crawler.visitNextDay(options);
      assert.deepEqual([first.summary.created, first.warnings], [twins.length + odd.length, []]);
      await checkMirror(crawler, disk);

      const folder = join(disk.path, readdirSync(disk.path).find((name) => name !== ".tidemark") ?? "");
      const names = readdirSync(folder);
      assert.ok(names.includes("plain.html") && names.includes("dot"), names.join());
      assert.equal(names.filter((name) => /^a\.html$/i.test(name)).length, 1);

      site.set(bodiesOf(2));
      publish();
      const second = await crawler.visitNextDay(options);
      assert.equal(second.summary.updated, twins.length + odd.length);
      await checkMirror(crawler, disk);

      const gone = names.includes("a.html") ? "/a.html" : "/A.html";
      for (const path of [gone, "/docs/x", "/DOCS", "/%FF"]) {
        site.set({ [path]: undefined });
        site.answers.set(path, (_, response) => void response.writeHead(410).end());
      }
      publish();
      const third = await crawler.visitNextDay(options);
      assert.equal(third.summary.deleted, 4);
      await checkMirror(crawler, disk);
      assert.ok(readdirSync(folder).every((name) => !/^a\.html$/i.test(name)));

      site.answers.clear();
      site.set({ [gone]: "again", "/docs/x": "again", "/docs/deep/er": "deep" });
      publish();
      crawler.now += 31 * 86_400_000;
      await crawler.visit({ ...options, starts: ["/docs/deep/er", "/docs/x"] });
      await checkMirror(crawler, disk);
    });
  }

  it("finds bodies again when the state is lost", async () => {
    using disk = mountFoldingDisk();
    await using crawler = await Crawler.open();
    crawler.site.set(bodiesOf(1));
    crawler.site.publishBase();
    const [first, second] = ["1.db", "2.db"].map((name) => join(crawler.folder.path, name)) as [string, string];
    await crawler.visit({ into: disk.path, stateFile: first });
    const { summary, pages } = await crawler.visitNextDay({ into: disk.path, stateFile: second });
    assert.deepEqual([summary.pageRequests, pages], [0, []]);
    await checkMirror(crawler, disk, second);
  });
});
