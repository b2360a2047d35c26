import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { TidemarkError } from "../../src/core/error.ts";
import { contentId } from "../../src/exporter/publish/archive-files.ts";
import { DumpPackage } from "../../src/exporter/standards/dump-package.ts";
import { MemorySite } from "../exporter/publish/memory-site.ts";
import { checkAgreement, StandardsReader } from "../exporter/publish/standards-site.ts";
import { mountSmallDisk, type SmallDisk, skipWithoutMount } from "./small-disk.ts";

const skip = skipWithoutMount();
const standards = { sitemap: true, resourceSync: true, changeDumps: true, resourceDump: false, shardPages: 12 };
const options = { standards, segmentSize: 20, minGroup: 1 };
const roomyKiB = 1536;
const origin = "https://example.org";

/** Changes a site: pages come, change and go. */
function change(site: MemorySite, round: number): void {
  for (let page = 0; page < 8; page++) {
    const path = `/d${(page * 7 + round) % 5}/p${(round * 11 + page * 17) % 90}.html`;
    if ((round + page) % 4 === 0) site.pages.delete(path);
    else site.pages.set(path, 1000 + round);
  }
}

/**
 * When a run finds the disk full: from the nth time on that it looks at its clock, or whether it is to stop; or once
 * it has replaced a file of the published folder.
 */
type Moment =
  | { readonly look: "clock" | "signal"; readonly at: number }
  | { readonly after: RegExp; readonly isNewName: boolean };

/** Whether a file of such a name came or was replaced; it is asked again and again. */
function watchFor(folder: string, { after, isNewName }: Extract<Moment, { readonly after: RegExp }>): () => boolean {
  const identify = (): (string | number)[] =>
    readdirSync(folder)
      .filter((name) => after.test(name))
      .map((name) => (isNewName ? name : statSync(join(folder, name)).ino));
  const before = new Set(identify());
  return () => identify().some((file) => !before.has(file));
}

/** Exports, and fills the disk at a moment. */
async function exportFilling(
  site: MemorySite,
  disk: SmallDisk,
  moment: Moment,
): Promise<{ readonly failed: TidemarkError | undefined; readonly isFilled: boolean }> {
  let looks = 0;
  let isFilled = false;
  const isDone = "after" in moment ? watchFor(site.publishedFolder, moment) : undefined;
  const look = (kind: "clock" | "signal"): void => {
    const isNow = "after" in moment ? isDone?.() === true : kind === moment.look && ++looks === moment.at;
    if (!isNow || isFilled) return;
    isFilled = true;
    disk.leave(0);
  };
  const signal = new AbortController().signal;
  Object.defineProperty(signal, "aborted", {
    get: () => {
      look("signal");
      return false;
    },
  });
  const clock = (): number => {
    look("clock");
    return site.nowMs;
  };
  try {
    await site.export({ ...options, signal, clock });
    return { failed: undefined, isFilled };
  } catch (error) {
    assert.ok(error instanceof TidemarkError, String((error as Error).stack));
    return { failed: error, isFilled: true };
  }
}

/** What was being written, without what makes each file's name its own. */
function stageOf({ details }: TidemarkError): string {
  const name = basename(String(details.path));
  if (/^[\dTZ]+_[\dTZ]+\..*\.gz$/.test(name)) return "archive";
  return name.replace(/-[0-9a-f]{16}|-[\d-]+/, "-n").replace(/^\.tidemark-n\.tmp$/, "pages");
}

/** Follows every name that a reader may follow; each document is whole, the old one or the new one. */
function readAll(site: MemorySite): Set<string> {
  const reader = new StandardsReader(site);
  const locations = reader.sitemapLocations();
  reader.resources();
  for (const [capability, url] of reader.capabilities()) {
    const { entries } = reader.document(url);
    if (capability === "changelist") for (const { location } of entries) reader.document(location);
    if (capability === "changedump") for (const { location } of entries) assert.ok(reader.isThere(location), location);
  }
  return locations;
}

/** Digests of what is public, by name; of the index without the epoch, which each exporter draws. */
function published(site: MemorySite): Record<string, string> {
  const files: Record<string, string> = { "robots.txt": contentId(readFileSync(join(site.docroot, "robots.txt"))) };
  for (const name of readdirSync(site.publishedFolder).sort()) {
    const bytes = readFileSync(join(site.publishedFolder, name));
    const isIndex = name === "index.gz";
    files[name] = contentId(
      isIndex
        ? Buffer.from(
            gunzipSync(bytes)
              .toString()
              .replace(/^epoch.*$/m, ""),
          )
        : bytes,
    );
  }
  return files;
}

interface Sweep {
  /** A day's list is gone on with four times a day, or closed and packed by each publication. */
  readonly hours: number;
  readonly moments: (round: number) => Moment | undefined;
}

// Which file is met at a look differs from round to round: these are met after the one before them.
const written: readonly Moment[] = [
  { after: /^sitemap\.xml$/, isNewName: false },
  { after: /^changelist-/, isNewName: true },
];
const sweeps: readonly Sweep[] = [
  { hours: 6, moments: (at) => ({ look: "clock", at }) },
  { hours: 24, moments: (at) => ({ look: "signal", at }) },
  { hours: 6, moments: (at) => ({ look: "signal", at }) },
  { hours: 24, moments: (round) => written[round - 1] },
];

async function tryAll(site: MemorySite, disk: SmallDisk): Promise<Set<string>> {
  // A site to which all of that happens, and no disk is ever full.
  using twin = new MemorySite();
  using _docroot = mountSmallDisk(65_536, twin.docroot);
  using _state = mountSmallDisk(65_536, twin.stateDir);
  const stages = new Set<string>();
  // What was written long ago and is known to nobody goes; files have the real time.
  // From a midnight on, so that the days end at the same looks whenever the test runs.
  site.nowMs = (Math.floor(Date.now() / 86_400_000) + 30) * 86_400_000;
  twin.nowMs = site.nowMs;
  for (const each of [site, twin]) {
    for (let page = 0; page < 90; page++) each.pages.set(`/d${page % 5}/p${page}.html`, 1);
    await each.export(options);
  }
  let at = 0;
  for (let sweep = 0, round = 1; round < 300; round++) {
    const { hours, moments } = sweeps[sweep] ?? assert.fail("no sweep is left");
    const moment = moments(++at);
    if (moment === undefined) break;
    for (const each of [site, twin]) {
      each.nowMs += hours * 3_600_000;
      change(each, round);
    }
    const before = site.hold();
    const { failed, isFilled } = await exportFilling(site, disk, moment);
    const locations = readAll(site);
    const now = site.hold();
    for (const path of site.pages.keys())
      if (before.has(path))
        assert.ok(locations.has(origin + path), `${path} is in no sitemap in sweep ${sweep}, round ${at}`);
    if (failed !== undefined) {
      assert.equal(failed.code, "disk-full", failed.message);
      stages.add(stageOf(failed));
      const isNew = [...now.keys()].sort().join() === [...site.pages.keys()].sort().join();
      assert.ok(isNew || JSON.stringify([...now]) === JSON.stringify([...before]), "the old pages or the new ones");
    }
    disk.leave(roomyKiB);
    await site.export(options);
    await twin.export(options);
    checkAgreement(site);
    assert.deepEqual(published(site), published(twin), `filled in sweep ${sweep}, round ${at}`);
    if (isFilled || sweep === sweeps.length - 1) continue;
    at = 0;
    sweep++;
  }
  return stages;
}

test("wherever the document root becomes full, all formats stay whole, and the next run catches up", {
  skip,
}, async () => {
  using site = new MemorySite();
  using disk = mountSmallDisk(3072, site.docroot);
  const stages = await tryAll(site, disk);
  for (const stage of [
    ".tidemark.lock",
    "archive",
    "index.gz",
    "sitemap-n.xml",
    "sitemap.xml",
    "resourcelist-n.xml",
    "resourcelist.xml",
    "changelist-n.xml",
    "changelist.xml",
    "changedump.xml",
  ])
    assert.ok(stages.has(stage), `${stage}: ${[...stages].join(" ")}`);
});

test("wherever the disk of the state becomes full, all formats stay whole, and the next run catches up", {
  skip,
}, async () => {
  using site = new MemorySite();
  using disk = mountSmallDisk(3072, site.stateDir);
  const stages = await tryAll(site, disk);
  for (const stage of ["lock", "pages", "ledger.json.gz", "standards.json.gz"])
    assert.ok(stages.has(stage), `${stage}: ${[...stages].join(" ")}`);
});

test("a package that finds the disk full says so, and leaves nothing", { skip }, async () => {
  using disk = mountSmallDisk(1024);
  for (const full of ["in a page", "at the end"]) {
    disk.leave(full === "in a page" ? 64 : 512);
    const fill = async (): Promise<void> => {
      await using zip = await DumpPackage.open(join(disk.path, "dump.zip"));
      for (let page = 0; page < 8; page++) await zip.add(randomBytes(32 * 1024));
      disk.leave(0);
      await zip.end(randomBytes(64 * 1024));
    };
    await assert.rejects(fill(), { code: "disk-full" });
    assert.deepEqual(readdirSync(disk.path), ["filler.tmp"]);
  }
});
