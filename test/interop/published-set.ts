import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import type { Change } from "../../src/core/change.ts";
import { pathOf } from "../../src/core/change.ts";
import type { Page } from "../../src/core/page.ts";
import type { Problem, Result } from "../../src/core/result.ts";
import type { EpochSeconds } from "../../src/core/time.ts";
import { parseArchive } from "../../src/formats/archive/archive.ts";
import {
  type ArchiveEntry,
  type ArchiveIndex,
  indexFileName,
  parseArchiveIndex,
  parseBaseList,
  publishedFolder,
} from "../../src/formats/archive/archive-index.ts";
import { baseGroup, escapeArchiveName, formatArchiveName } from "../../src/formats/archive/archive-name.ts";
import type { Random } from "./random.ts";

/** What a site said of itself at one moment, wholly read and verified. */
export interface PublishedSet {
  readonly index: ArchiveIndex;
  /** Live pages by path. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Files that were read, index and robots.txt included. */
  readonly files: number;
}

/** Thrown for every promise of the published files that is broken. */
export class BrokenSetError extends Error {}

function must<Value>(result: Result<Value, Problem>, what: string): Value {
  if (!result.ok) throw new BrokenSetError(`${what}: ${result.error.message}`);
  return result.value;
}

/** @throws BrokenSetError if it does not hold */
export function check(condition: boolean, message: () => string): asserts condition {
  if (!condition) throw new BrokenSetError(message());
}

/** Gets what must be there. @throws BrokenSetError if it is not */
export async function getBytes(url: string): Promise<Buffer> {
  const response = await fetch(url, { headers: { "accept-encoding": "identity" } });
  const body = Buffer.from(await response.arrayBuffer());
  check(response.status === 200, () => `${url} answers ${response.status}`);
  return body;
}

/** Gets an immutable file and verifies it against its name and its entry. */
async function getNamed(siteUrl: string, entry: ArchiveEntry): Promise<Buffer> {
  const name = formatArchiveName(entry.name);
  const packed = await getBytes(new URL(publishedFolder + escapeArchiveName(name), siteUrl).href);
  check(packed.length === entry.sizeBytes, () => `${name} has ${packed.length} bytes, listed are ${entry.sizeBytes}`);
  const content = gunzipSync(packed);
  const id = createHash("sha256").update(content).digest("hex").slice(0, 16);
  check(id === entry.name.id, () => `${name} holds other bytes`);
  return content;
}

async function getChanges(siteUrl: string, entries: readonly ArchiveEntry[]): Promise<Change[]> {
  const changes: Change[] = [];
  const paths = new Set<string>();
  for (const entry of entries) {
    const lines = must(parseArchive(await getNamed(siteUrl, entry)), formatArchiveName(entry.name));
    check(lines.length === entry.changes, () => `${formatArchiveName(entry.name)} has ${lines.length} lines`);
    for (const change of lines) {
      const path = pathOf(change);
      check(!paths.has(path), () => `${path} stands twice in one interval`);
      paths.add(path);
      changes.push(change);
    }
  }
  return changes;
}

interface Interval {
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
  readonly changes: readonly Change[];
}

async function getIntervals(siteUrl: string, index: ArchiveIndex): Promise<Interval[]> {
  const groups = new Map<string, ArchiveEntry[]>();
  for (const entry of index.archives) {
    const key = `${entry.name.from}_${entry.name.to}`;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const intervals: Interval[] = [];
  for (const entries of groups.values()) {
    const [first] = entries;
    if (first === undefined) continue;
    const { from, to } = first.name;
    intervals.push({ from, to, changes: await getChanges(siteUrl, entries) });
  }
  return intervals;
}

function apply(pages: Map<string, Page>, changes: readonly Change[]): void {
  for (const change of changes) {
    if (change.kind === "deleted") pages.delete(change.path);
    else pages.set(change.page.path, change.page);
  }
}

/** A random walk over intervals from one publication to another, or undefined where there is none. */
function chooseChain(
  intervals: readonly Interval[],
  from: EpochSeconds,
  to: EpochSeconds,
  random: Random,
): Interval[] | undefined {
  const arrives = new Set([to]);
  // Later intervals first, so that one pass finds every boundary that leads to the end.
  for (const interval of [...intervals].sort((a, b) => b.from - a.from || b.to - a.to)) {
    if (arrives.has(interval.to)) arrives.add(interval.from);
  }
  const chain: Interval[] = [];
  for (let at = from; at !== to; ) {
    const [next] = random.sample(
      intervals.filter((interval) => interval.from === at && arrives.has(interval.to)),
      1,
    );
    if (next === undefined) return undefined;
    chain.push(next);
    at = next.to;
  }
  return chain;
}

function replay(start: ReadonlyMap<string, Page>, chain: readonly Interval[]): Map<string, Page> {
  const pages = new Map(start);
  for (const interval of chain) apply(pages, interval.changes);
  return pages;
}

function listPages(pages: ReadonlyMap<string, Page>): string {
  return JSON.stringify([...pages.values()].sort((a, b) => (a.path < b.path ? -1 : 1)));
}

function mustBeEqual(left: ReadonlyMap<string, Page>, right: ReadonlyMap<string, Page>, what: () => string): void {
  if (listPages(left) === listPages(right)) return;
  const paths = [...new Set([...left.keys(), ...right.keys()])];
  const differing = paths.filter((path) => JSON.stringify(left.get(path)) !== JSON.stringify(right.get(path)));
  throw new BrokenSetError(`${what()} disagree on ${differing.length} pages, one is ${differing[0]}`);
}

async function checkRobots(siteUrl: string): Promise<number> {
  const robots = (await getBytes(new URL("/robots.txt", siteUrl).href)).toString("latin1");
  const urls = [...robots.matchAll(/^Archive: (\S+)$/gm)].map(([, url = ""]) => url);
  check(/^Archive-Index: \S+index\.gz$/m.test(robots), () => "robots.txt names no index");
  for (const url of urls) await getBytes(url);
  return urls.length + 1;
}

/**
 * Reads all published files of a site as a reader would who comes for the first time, and one who comes
 * back from any publication, and checks every promise they make.
 *
 * @param earlier - sets that were read before; those from which a chain leads to now must lead to the same pages
 * @throws BrokenSetError with the promise that is broken
 */
export async function readPublishedSet(
  siteUrl: string,
  random: Random,
  earlier: readonly PublishedSet[] = [],
): Promise<PublishedSet> {
  const indexUrl = new URL(publishedFolder + indexFileName, siteUrl).href;
  const index = must(parseArchiveIndex(gunzipSync(await getBytes(indexUrl))), "index");
  check(index.site === siteUrl, () => `the index is of ${index.site}`);
  const list = must(parseBaseList(await getNamed(siteUrl, index.base)), "base list");
  const { to: basePublication } = index.base.name;
  check(index.base.name.group === baseGroup, () => "the base's list has another name");
  check(list.publication === basePublication, () => "the base's list is of another publication");
  check(list.pages === index.base.changes, () => "the base's list holds another number of pages");
  const base = new Map<string, Page>();
  apply(base, await getChanges(siteUrl, list.archives));
  check(base.size === list.pages, () => `the base holds ${base.size} pages, ${list.pages} are listed`);

  const intervals = await getIntervals(siteUrl, index);
  const fromBase = chooseChain(intervals, basePublication, index.publication, random);
  check(fromBase !== undefined, () => "no chain leads from the base to now");
  const pages = replay(base, fromBase);
  check(pages.size === index.pages, () => `replay gives ${pages.size} pages, the index says ${index.pages}`);
  const complete = chooseChain(intervals, index.completeFrom, index.publication, random);
  check(complete !== undefined, () => "no chain leads from complete-from to now");

  // Any boundary between base and now: two chains by way of it come to the same.
  const boundaries = intervals.map((interval) => interval.from).filter((at) => at > basePublication);
  for (const at of random.sample([...new Set(boundaries)], 2)) {
    const before = chooseChain(intervals, basePublication, at, random);
    const after = chooseChain(intervals, at, index.publication, random);
    check(after !== undefined, () => `no chain leads from ${at} to now`);
    if (before !== undefined) mustBeEqual(replay(base, [...before, ...after]), pages, () => `chains by way of ${at}`);
  }
  for (const old of random.sample(earlier, 2)) {
    const { epoch, publication } = old.index;
    check(epoch !== index.epoch || publication <= index.publication, () => "the publication went back");
    const isCovered = epoch === index.epoch && publication >= index.completeFrom;
    const chain = isCovered ? chooseChain(intervals, publication, index.publication, random) : undefined;
    if (chain !== undefined) mustBeEqual(replay(old.pages, chain), pages, () => `the reader of ${publication} and now`);
  }
  const robotsFiles = await checkRobots(siteUrl);
  return { index, pages, files: 2 + list.archives.length + index.archives.length + robotsFiles };
}
