import type { EpochSeconds } from "../../core/index.ts";
import { type ResourceSyncEntry, type ResourceSyncLink, ResourceSyncWriter } from "../../formats/resourcesync/index.ts";
import { SitemapWriter } from "../../formats/sitemap/index.ts";
import { contentId } from "../publish/archive-files.ts";
import type { ListInputs } from "./list-folder.ts";
import { type ShardPlan, shardFileName } from "./shard-plan.ts";
import { listNames, renderList } from "./site-lists.ts";
import type { PathRange, PublishedShard, ShardRanges } from "./standards-state.ts";

/** Which of the two forms of lists of pages are written. */
export interface ShardForms {
  readonly sitemap: boolean;
  readonly resourceList: boolean;
}

/** What lists of pages are written from. */
export interface ShardListInputs extends ListInputs {
  readonly forms: ShardForms;
  readonly publication: EpochSeconds;
  /** Shards of the last time. */
  readonly published: readonly PublishedShard[];
  /** What runs began to write that did not end. */
  readonly begun: ShardRanges;
  /** Told, before the first document is written, what is begun now. */
  readonly onBegin: (shards: ShardRanges) => Promise<void>;
}

interface ShardNames {
  readonly sitemap: string;
  readonly list: string;
}

/** What a shard's documents come to, in two steps where one would leave pages out. */
interface ShardTask {
  readonly at: number;
  readonly names: ShardNames;
  readonly range: PathRange;
  /** What they hold before the index is written; undefined if what is there holds enough. */
  readonly early: PathRange | undefined;
}

/** The ranges of shards that are in path order. */
export function rangesOf(shards: readonly { readonly from: string }[]): Map<string, PathRange> {
  return new Map(
    shards.map(({ from }, at) => [from, { start: at === 0 ? "" : from, end: shards[at + 1]?.from }] as const),
  );
}

/** The least range that has all pages of two that share a page, or of the one that there is. */
function joinRanges(a: PathRange, b: PathRange | undefined): PathRange {
  if (b === undefined) return a;
  const start = a.start < b.start ? a.start : b.start;
  return { start, end: a.end === undefined || b.end === undefined ? undefined : a.end > b.end ? a.end : b.end };
}

/** Whether two ranges are the same. */
function isSameRange(a: PathRange, b: PathRange): boolean {
  return a.start === b.start && a.end === b.end;
}

/** Name of a shard's resource list. */
export function resourceListName(from: string): string {
  return shardFileName(from).replace("sitemap", "resourcelist");
}

/**
 * Writes what the plan asks for: sitemaps and resource lists, and the indexes of both.
 *
 * Before an index is written, each document that it names has all its pages, and those also that an index of before, or of
 * a run that did not end, looks for in it; what it gave to others leaves it afterwards. So at any instant, wherever runs are
 * stopped, each page stands in a document that the index names.
 *
 * @returns the shards as they are published then
 */
export async function writeShardLists(
  inputs: ShardListInputs,
  plan: readonly ShardPlan[],
): Promise<readonly PublishedShard[]> {
  const { files, forms, publication, published, begun } = inputs;
  // A single list needs no index, and has its name.
  const isIndexed = plan.length > 1;
  const wasIndexed = published.length > 1;
  const ranges = rangesOf(plan);
  const before = rangesOf(published);
  const shards: PublishedShard[] = [];
  const tasks: ShardTask[] = [];
  for (const [at, part] of plan.entries()) {
    const { from, pages, lastModified } = part;
    const names = { sitemap: shardFileName(from), list: isIndexed ? resourceListName(from) : listNames.resourceList };
    const isThere =
      (!forms.sitemap || files.has(names.sitemap)) &&
      (!forms.resourceList || (isIndexed === wasIndexed && files.has(names.list)));
    const isCertain = isThere && !begun.has(from);
    if (part.unchanged !== undefined && isCertain) {
      if (forms.sitemap) files.keep(names.sitemap);
      if (forms.resourceList) files.keep(names.list);
      shards.push(part.unchanged);
      continue;
    }
    const range = ranges.get(from) as PathRange;
    const wide = joinRanges(joinRanges(range, before.get(from)), begun.get(from));
    const isHeld = isCertain && !isSameRange(wide, range) && isSameRange(wide, before.get(from) ?? range);
    tasks.push({ at, names, range, early: isHeld ? undefined : wide });
    shards.push({ from, pages, lastModified, digest: "", at: publication });
  }
  const toBegin = new Map(begun);
  for (const { at, range } of tasks) {
    const from = plan[at]?.from as string;
    toBegin.set(from, joinRanges(range, begun.get(from)));
  }
  if (tasks.length > 0) await inputs.onBegin(toBegin);
  const write = async ({ at, names }: ShardTask, range: PathRange): Promise<boolean> => {
    const digest = await writeShard(inputs, range, names, isIndexed);
    if (digest !== undefined) shards[at] = { ...(shards[at] as PublishedShard), digest };
    return digest !== undefined;
  };
  const late = new Set(tasks);
  for (const task of tasks) {
    const { early, range } = task;
    if (early === undefined) continue;
    // What does not fit has grown by very many pages that no index promised.
    const isWritten = await write(task, early);
    if (!isWritten && (isSameRange(early, range) || !(await write(task, range)))) throw tooManyPages();
    if (!isWritten || isSameRange(early, range)) late.delete(task);
  }
  await files.sync();
  await writeIndexes(inputs, shards, isIndexed);
  await files.sync();
  for (const task of late) if (!(await write(task, task.range))) throw tooManyPages();
  await files.sync();
  return shards;
}

function tooManyPages(): RangeError {
  return new RangeError("a sitemap, or a resource list, of too many pages");
}

/** @returns the digest of what was written; undefined if so many pages do not fit */
async function writeShard(
  inputs: ShardListInputs,
  range: PathRange,
  names: ShardNames,
  isIndexed: boolean,
): Promise<string | undefined> {
  const { site, files, pages, yielder, forms, publication } = inputs;
  const sitemap = new SitemapWriter("urlset", site.base);
  const links: ResourceSyncLink[] = [site.up];
  if (isIndexed) links.push({ rel: "index", href: site.urlOf(listNames.resourceList) });
  const list = new ResourceSyncWriter({ kind: "urlset", capability: "resourcelist", at: publication, links });
  for (const page of pages.between(range.start, range.end)) {
    if (!site.lists(page.path)) continue;
    if (forms.sitemap && !sitemap.add(page.path, page.lastModified)) return undefined;
    if (forms.resourceList && !list.add(site.entryOf(page))) return undefined;
    if (yielder.count()) await yielder.pause();
  }
  yielder.stopIfAsked();
  const sitemapBytes = sitemap.end();
  if (sitemapBytes !== undefined) await files.write(names.sitemap, sitemapBytes);
  if (!forms.resourceList) return contentId(sitemapBytes ?? new Uint8Array());
  const listBytes = list.end();
  await files.write(names.list, listBytes);
  return contentId(listBytes);
}

async function writeIndexes(
  inputs: ShardListInputs,
  shards: readonly PublishedShard[],
  isIndexed: boolean,
): Promise<void> {
  const { site, files, forms, publication } = inputs;
  if (forms.sitemap && shards.length > 0) {
    const index = new SitemapWriter("sitemapindex", "");
    for (const { from, lastModified } of shards)
      if (!index.add(site.urlOf(shardFileName(from)), lastModified)) throw new RangeError("too many sitemaps");
    const bytes = index.end();
    if (bytes !== undefined) await files.write(listNames.sitemap, bytes);
  }
  if (!forms.resourceList || shards.length === 1) return;
  const header = { kind: isIndexed ? "sitemapindex" : "urlset", capability: "resourcelist", at: publication } as const;
  const entries = shards.map(
    ({ from, at }): ResourceSyncEntry => ({ location: site.urlOf(resourceListName(from)), at }),
  );
  await files.write(listNames.resourceList, renderList({ ...header, links: [site.up] }, entries));
}
