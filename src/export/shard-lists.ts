import { type ResourceSyncEntry, type ResourceSyncLink, ResourceSyncWriter, SitemapWriter } from "../format/index.ts";
import type { EpochSeconds } from "../model/index.ts";
import { contentId } from "./archive-files.ts";
import type { Breather } from "./breather.ts";
import type { ListFolder } from "./list-folder.ts";
import type { PageLookup } from "./page-lookup.ts";
import { pagesBetween, type ShardPlan } from "./shard-plan.ts";
import { type ListSite, listNames, renderList } from "./site-lists.ts";
import { shardFileName } from "./sitemap-shards.ts";
import type { PublishedShard } from "./standards-state.ts";

/** Which of the two forms of lists of pages are written. */
export interface ShardForms {
  readonly sitemap: boolean;
  readonly resourceList: boolean;
}

/** What lists of pages are written from. */
export interface ShardListGround {
  readonly site: ListSite;
  readonly files: ListFolder;
  readonly pages: PageLookup;
  readonly breather: Breather;
  readonly forms: ShardForms;
  readonly publication: EpochSeconds;
  /** Shards of the last time. */
  readonly published: readonly PublishedShard[];
}

interface Range {
  readonly start: string;
  readonly end: string | undefined;
}

/** Name of a shard's resource list. */
export function resourceListName(from: string): string {
  return shardFileName(from).replace("sitemap", "resourcelist");
}

/**
 * Writes what the plan asks for: sitemaps and resource lists, and the indexes of both.
 *
 * Documents of more pages than before, and new ones, come before the index; those that gave pages to others after it.
 * So at any instant each page stands in a document that the index names.
 *
 * @returns the shards as they are published then
 */
export async function writeShardLists(
  ground: ShardListGround,
  plan: readonly ShardPlan[],
): Promise<readonly PublishedShard[]> {
  const { files, forms, publication, published } = ground;
  const before = new Map(published.map((shard, at) => [shard.from, rangeOf(published, at)]));
  // A single list needs no index, and has its name.
  const isIndexed = plan.length > 1;
  const wasIndexed = published.length > 1;
  const shards: PublishedShard[] = [];
  const late: (() => Promise<void>)[] = [];
  for (const [at, part] of plan.entries()) {
    const names = { sitemap: shardFileName(part.from), list: resourceListName(part.from) };
    const isThere =
      (!forms.sitemap || files.has(names.sitemap)) &&
      (!forms.resourceList || (isIndexed === wasIndexed && files.has(isIndexed ? names.list : listNames.resourceList)));
    if (part.unchanged !== undefined && isThere) {
      if (forms.sitemap) files.keep(names.sitemap);
      if (forms.resourceList) files.keep(isIndexed ? names.list : listNames.resourceList);
      shards.push(part.unchanged);
      continue;
    }
    const range = rangeOf(plan, at);
    const write = async () => {
      const { from, pages, lastModified } = part;
      const digest = await writeShard(ground, range, names, isIndexed);
      shards[at] = { from, pages, lastModified, digest, at: publication };
    };
    shards.push({ from: part.from, pages: part.pages, lastModified: part.lastModified, digest: "", at: publication });
    if (shrinks(before.get(part.from), range)) late.push(write);
    else await write();
  }
  await files.sync();
  await writeIndexes(ground, shards, isIndexed);
  await files.sync();
  for (const write of late) await write();
  await files.sync();
  return shards;
}

function rangeOf(shards: readonly { readonly from: string }[], at: number): Range {
  return { start: at === 0 ? "" : (shards[at]?.from ?? ""), end: shards[at + 1]?.from };
}

function shrinks(before: Range | undefined, after: Range): boolean {
  if (before === undefined) return false;
  const endsEarlier = after.end !== undefined && (before.end === undefined || after.end < before.end);
  return endsEarlier || after.start > before.start;
}

async function writeShard(
  ground: ShardListGround,
  range: Range,
  names: { readonly sitemap: string; readonly list: string },
  isIndexed: boolean,
): Promise<string> {
  const { site, files, pages, breather, forms, publication } = ground;
  const sitemap = new SitemapWriter("urlset", site.base);
  const links: ResourceSyncLink[] = [site.up];
  if (isIndexed) links.push({ rel: "index", href: site.urlOf(listNames.resourceList) });
  const list = new ResourceSyncWriter({ kind: "urlset", capability: "resourcelist", at: publication, links });
  for (const page of pagesBetween(pages, range.start, range.end)) {
    if (!site.lists(page.path)) continue;
    if (forms.sitemap && !sitemap.add(page.path, page.lastModified))
      throw new RangeError("a sitemap of too many pages");
    if (forms.resourceList && !list.add(site.entryOf(page))) throw new RangeError("a resource list of too many pages");
    if (breather.count()) await breather.breathe();
  }
  breather.stopIfAsked();
  const sitemapBytes = sitemap.end();
  if (sitemapBytes !== undefined) await files.write(names.sitemap, sitemapBytes);
  if (!forms.resourceList) return contentId(sitemapBytes ?? new Uint8Array());
  const listBytes = list.end();
  await files.write(isIndexed ? names.list : listNames.resourceList, listBytes);
  return contentId(listBytes);
}

async function writeIndexes(
  ground: ShardListGround,
  shards: readonly PublishedShard[],
  isIndexed: boolean,
): Promise<void> {
  const { site, files, forms, publication } = ground;
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
