import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { TidemarkError } from "../../../src/core/error.ts";
import type { Ledger } from "../../../src/exporter/publish/ledger.ts";
import { holdRobotsPlace, publishRobots } from "../../../src/exporter/publish/published-files.ts";
import { blockEnd, blockStart } from "../../../src/formats/robots/robots-block.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { TestSite, warningsOf } from "./test-site.ts";

const read = (site: TestSite) => readFileSync(join(site.docroot, "robots.txt"), "latin1");

/** A robots.txt without our block. */
function outside(text: string): string {
  const start = text.indexOf(blockStart);
  const end = text.indexOf(blockEnd) + blockEnd.length + 1;
  assert.ok(start >= 0 && end > start, text);
  assert.equal(text.indexOf(blockStart, start + 1), -1, "there is one block");
  return text.slice(0, start) + text.slice(end);
}

async function changeWholeSite(site: TestSite, round: number): Promise<void> {
  for (let at = 0; at < 4; at++) site.write(`page-${at}.html`, `${round} ${at}`);
  const { summary } = await site.export({ segmentSize: 4 });
  assert.ok(summary.newBase);
}

test("whatever stands in robots.txt is kept byte for byte, through new bases too", async () => {
  const texts: readonly (readonly [string, string])[] = [
    ["User-agent: *\nDisallow: /x\n", "User-agent: *\nDisallow: /x\n\n"],
    ["User-agent: *\nDisallow: /x", "User-agent: *\nDisallow: /x\n\n"],
    ["User-agent: *\r\nDisallow: /x\r\n", "User-agent: *\r\nDisallow: /x\r\n\n"],
    ["\xef\xbb\xbf# caf\xe9 \xff\x00\nUser-agent: *\n", "\xef\xbb\xbf# caf\xe9 \xff\x00\nUser-agent: *\n\n"],
    ["Sitemap: https://example.org/sitemap.xml\n\n\n", "Sitemap: https://example.org/sitemap.xml\n\n\n\n"],
    ["\n", "\n\n"],
    ["", ""],
  ];
  for (const [before, expected] of texts) {
    using site = new TestSite();
    site.write("robots.txt", Buffer.from(before, "latin1"));
    for (let round = 0; round < 3; round++) {
      await changeWholeSite(site, round);
      assert.equal(outside(read(site)), expected, JSON.stringify(before));
    }
  }
});

test("what is written around the block afterwards stays where it is", async () => {
  using site = new TestSite();
  await changeWholeSite(site, 0);
  const block = read(site);
  site.write("robots.txt", `User-agent: a\nDisallow: /a\n\n${block}\nUser-agent: b\nDisallow: /b\n`);
  await changeWholeSite(site, 1);
  assert.equal(outside(read(site)), "User-agent: a\nDisallow: /a\n\n\nUser-agent: b\nDisallow: /b\n");
  assert.notEqual(read(site).indexOf(blockStart), 0);
});

test("robots.txt is written only when the base changes", async () => {
  using site = new TestSite();
  for (let at = 0; at < 40; at++) site.write(`page-${at}.html`, `${at}`);
  await site.export();
  const path = join(site.docroot, "robots.txt");
  const before = statSync(path);
  site.write("page-1.html", "other");
  const { summary } = await site.export();
  assert.deepEqual([summary.published, summary.newBase], [true, false]);
  assert.deepEqual([statSync(path).ino, statSync(path).mtimeMs], [before.ino, before.mtimeMs]);
  rmSync(path);
  await site.export();
  assert.match(read(site), /^Archive-Index: https:\/\/example\.org\/\.well-known\/tidemark\/index\.gz$/m);
});

test("it names the index and the archives of the base, newest first", async () => {
  using site = new TestSite();
  for (let at = 0; at < 12; at++) site.write(`page-${at}.html`, `${at}`, 1_600_000_000 + at);
  await site.export({ segmentSize: 4, minGroup: 1 });
  const urls = [...read(site).matchAll(/^Archive: (.*)$/gm)].map(([, url]) => url);
  const { archives } = site.reader().base;
  assert.equal(urls.length, 3);
  assert.deepEqual(
    urls.map((url) =>
      Number(
        /_(\d{8})T(\d{6})Z\./
          .exec(url ?? "")
          ?.slice(1)
          .join(""),
      ),
    ),
    [20200913122651, 20200913122647, 20200913122643],
  );
  assert.equal(archives.length, 3);
  for (const url of urls) statSync(join(site.docroot, new URL(url ?? "").pathname));
});

test("each write gives robots.txt and the index a later time, also within a second", async () => {
  using site = new TestSite();
  await changeWholeSite(site, 0);
  let last = { robots: 0, index: 0 };
  for (let round = 1; round < 5; round++) {
    site.nowMs -= 86_400_000; // The clock stands still.
    await changeWholeSite(site, round);
    const now = {
      robots: Math.floor(statSync(join(site.docroot, "robots.txt")).mtimeMs / 1000),
      index: Math.floor(statSync(join(site.publishedFolder, "index.gz")).mtimeMs / 1000),
    };
    assert.ok(now.robots > last.robots && now.index > last.index);
    last = now;
  }
  utimesSync(join(site.docroot, "robots.txt"), last.robots + 1e6, last.robots + 1e6);
  await changeWholeSite(site, 5);
  assert.ok(
    statSync(join(site.docroot, "robots.txt")).mtimeMs > (last.robots + 1e6) * 1000,
    "after a time to come too",
  );
});

test("mode and owner are kept", async () => {
  using site = new TestSite();
  site.write("robots.txt", "# ours\n");
  const path = join(site.docroot, "robots.txt");
  if (process.getuid?.() === 0) chownSync(path, 12_345, 23_456);
  chmodSync(path, 0o640);
  const before = statSync(path);
  await changeWholeSite(site, 0);
  const after = statSync(path);
  assert.notEqual(after.ino, before.ino);
  assert.deepEqual([after.mode, after.uid, after.gid], [before.mode, before.uid, before.gid]);
});

test("a link within the document root is followed and stays a link, and its folder is cleaned up too", async () => {
  using site = new TestSite();
  site.write("shared/robots.txt", "User-agent: *\nDisallow: /x\n");
  site.write("shared/.tidemark-1-1.tmp", "of a run that was killed");
  symlinkSync("shared/robots.txt", join(site.docroot, "robots.txt"));
  site.write("x.html", "x");
  const { summary } = await site.export();
  assert.ok(lstatSync(join(site.docroot, "robots.txt")).isSymbolicLink());
  assert.match(readFileSync(join(site.docroot, "shared/robots.txt"), "utf8"), /Disallow: \/x\n\n# BEGIN/);
  assert.deepEqual(readdirSync(join(site.docroot, "shared")), ["robots.txt"]);
  assert.equal(summary.withheldByRule["robots-disallow"], 1, "its rules hold");
});

test("through a link out of the document root robots.txt is not written, and what to do is said", async () => {
  using site = new TestSite();
  mkdirSync(join(site.folder, "shared"));
  writeFileSync(join(site.folder, "shared/robots.txt"), "User-agent: *\nDisallow: /x\n");
  symlinkSync("../shared/robots.txt", join(site.docroot, "robots.txt"));
  site.write("x.html", "x");
  for (const dryRun of [true, false]) {
    await assert.rejects(
      site.export({ dryRun }),
      (error) =>
        error instanceof TidemarkError &&
        error.code === "robots-unreadable" &&
        /link out of the folder/.test(error.message) &&
        /--robots-dir/.test(error.hint ?? ""),
    );
  }
  assert.equal(readFileSync(join(site.folder, "shared/robots.txt"), "utf8"), "User-agent: *\nDisallow: /x\n");
  assert.deepEqual(readdirSync(site.docroot).sort(), ["robots.txt", "x.html"]);
  // The folder that it is in may be named.
  const { summary } = await site.export({ robotsDir: join(site.folder, "shared") });
  assert.equal(summary.withheldByRule["robots-disallow"], 1);
});

test("robots.txt may live in another folder", async () => {
  using site = new TestSite();
  mkdirSync(join(site.folder, "robots"));
  writeFileSync(join(site.folder, "robots/robots.txt"), "User-agent: *\nDisallow: /x\n");
  site.write("x.html", "x");
  site.write("y.html", "y");
  const { summary } = await site.export({ robotsDir: join(site.folder, "robots") });
  assert.equal(summary.pages, 1);
  assert.deepEqual(readdirSync(site.docroot).sort(), [".well-known", "x.html", "y.html"]);
  assert.match(readFileSync(join(site.folder, "robots/robots.txt"), "utf8"), /Archive-Index:/);
});

test("a robots.txt that cannot be read stops the export before anything is published", async () => {
  const makes: readonly ((path: string) => void)[] = [
    (path) => mkdirSync(path),
    (path) => symlinkSync("nowhere", path),
    (path) => symlinkSync("robots.txt", path),
    (path) => {
      writeFileSync(path, "");
      truncateSync(path, 5 * 2 ** 20);
    },
    (path) => writeFileSync(path, Buffer.from("\ufeffUser-agent: *\nDisallow: /a\n", "utf16le")),
    (path) => writeFileSync(path, Buffer.from("User-agent: *\n", "utf16le").swap16()),
  ];
  for (const make of makes) {
    using site = new TestSite();
    site.write("a.html", "a");
    make(join(site.docroot, "robots.txt"));
    for (const dryRun of [true, false]) {
      await assert.rejects(
        site.export({ dryRun }),
        (error) => error instanceof TidemarkError && error.code === "robots-unreadable" && error.hint !== undefined,
      );
    }
    assert.deepEqual(readdirSync(site.docroot).sort(), ["a.html", "robots.txt"]);
  }
});

test("what the owner writes into robots.txt while the block is made is kept", async () => {
  for (const before of ["User-agent: *\n", undefined]) {
    using folder = makeTempFolder();
    const path = join(folder.path, "robots.txt");
    if (before !== undefined) writeFileSync(path, before);
    let edits = 0;
    const ledger = {
      site: "https://example.org/",
      publication: 1_800_000_000,
      // It is asked for once the file has been read.
      get base() {
        edits += 1;
        if (edits <= 2) {
          writeFileSync(`${path}.new`, `User-agent: *\nDisallow: /${edits}\n`);
          renameSync(`${path}.new`, path);
        }
        return { announced: [] };
      },
    };
    using place = await holdRobotsPlace(folder.path);
    const written = await publishRobots(place, ledger as unknown as Ledger, () => undefined);
    const text = readFileSync(path, "latin1");
    assert.match(text, /^User-agent: \*\nDisallow: \/2\n\n# BEGIN/);
    assert.equal(written, text.length);
    assert.deepEqual(readdirSync(folder.path), ["robots.txt"]);
  }
});

test("a block behind what crawlers read of robots.txt is told, and one before it is not", async () => {
  for (const [count, codes] of [
    [500 * 1024, ["robots-too-long"]],
    [490 * 1024, []],
  ] as const) {
    using site = new TestSite();
    site.write("a.html", "a");
    site.write("robots.txt", "#\n".repeat(count / 2));
    assert.deepEqual(warningsOf(await site.export()), codes);
  }
});

test("a robots.txt that changes each time ends the export", async () => {
  using folder = makeTempFolder();
  const path = join(folder.path, "robots.txt");
  let edits = 0;
  const ledger = {
    site: "https://example.org/",
    publication: 1_800_000_000,
    get base() {
      writeFileSync(path, `User-agent: *\nDisallow: /${"x".repeat(++edits)}\n`);
      return { announced: [] };
    },
  };
  using place = await holdRobotsPlace(folder.path);
  const isSaid = (error: unknown): boolean => error instanceof TidemarkError && error.code === "robots-unreadable";
  await assert.rejects(
    publishRobots(place, ledger as unknown as Ledger, () => undefined),
    isSaid,
  );
  assert.match(readFileSync(path, "latin1"), /^User-agent: \*\nDisallow: \/x+\n$/);
  assert.deepEqual(readdirSync(folder.path), ["robots.txt"]);
});
