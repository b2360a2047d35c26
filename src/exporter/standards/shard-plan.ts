import type { EpochSeconds } from "../../core/index.ts";
import { isListable, sitemapEntryBytes } from "../../formats/sitemap/index.ts";
import type { PageLookup } from "../publish/page-lookup.ts";
import type { Yielder } from "../publish/yielder.ts";
import { SitemapShardPlanner } from "./sitemap-shards.ts";
import type { PublishedShard } from "./standards-state.ts";

/** What an entry of a resource list takes more than one of a sitemap, at most. */
const metadataBytes = 400;
/** Pages that a shard aims at. */
const targetPages = 5000;

/** A shard as it is to be, and the pages in it. */
export interface ShardPlan {
  readonly from: string;
  readonly pages: number;
  readonly lastModified: EpochSeconds;
  /** What is published of it and still right; undefined if it has to be written. */
  readonly unchanged: PublishedShard | undefined;
}

/** What shards are planned from. */
export interface ShardInputs {
  /** The site's origin without a slash at its end. */
  readonly base: string;
  readonly published: readonly PublishedShard[];
  /** Paths of pages that came, changed or went since then, ascending; undefined if that is not known. */
  readonly changed: readonly string[] | undefined;
  readonly pages: PageLookup;
  readonly yielder: Yielder;
  /** Pages that a shard aims at, for tests. @default 5000 */
  readonly targetPages?: number | undefined;
}

interface Region {
  readonly first: number;
  readonly end: number;
}

/**
 * Says which pages share a sitemap from now on. Only the pages of shards that the changes touch are looked at, and
 * of their neighbours where one has become small: O(changes), whatever the site has.
 *
 * @throws TidemarkError `state-corrupt`, `aborted`
 */
export async function planShards(inputs: ShardInputs): Promise<readonly ShardPlan[]> {
  const { published, changed } = inputs;
  const planned: ShardPlan[] = [];
  let done = 0;
  const isWhole = changed === undefined || published.length === 0;
  const regions = isWhole ? [{ first: 0, end: published.length }] : findRegions(published, changed);
  for (const [at, region] of regions.entries()) {
    if (region.end <= done && !isWhole) continue;
    let { first, end } = { first: Math.max(region.first, done), end: region.end };
    let parts = await planRegion(inputs, first, end);
    if (!isWhole && parts.every((part) => part.pages * 4 >= (inputs.targetPages ?? targetPages)) === false) {
      first = Math.max(done, first - 1);
      end = Math.min(published.length, end + 1);
      for (const later of regions.slice(at + 1)) if (later.first < end) end = Math.max(end, later.end);
      parts = await planRegion(inputs, first, end);
    }
    planned.push(...published.slice(done, first).map(asPlan), ...parts);
    done = end;
  }
  return [...planned, ...published.slice(done).map(asPlan)];
}

function asPlan(shard: PublishedShard): ShardPlan {
  const { from, pages, lastModified } = shard;
  return { from, pages, lastModified, unchanged: shard };
}

/** Neighbouring shards that changes fall into. */
function findRegions(published: readonly PublishedShard[], changed: readonly string[]): Region[] {
  const regions: Region[] = [];
  let shard = 0;
  for (const path of changed) {
    while (shard + 1 < published.length && (published[shard + 1]?.from ?? "") <= path) shard += 1;
    const last = regions.at(-1);
    if (last === undefined || last.end < shard) regions.push({ first: shard, end: shard + 1 });
    else if (last.end === shard) regions[regions.length - 1] = { first: last.first, end: shard + 1 };
  }
  return regions;
}

async function planRegion(inputs: ShardInputs, first: number, end: number): Promise<readonly ShardPlan[]> {
  const { base, published, changed, pages, yielder } = inputs;
  const shards = published.slice(first, end);
  const start = first === 0 ? "" : (published[first]?.from ?? "");
  const stop = published[end]?.from;
  const planner = new SitemapShardPlanner(shards, { targetPages: inputs.targetPages ?? targetPages });
  const changes = changed?.filter((path) => path >= start && (stop === undefined || path < stop)) ?? [];
  let next = 0;
  for (const page of pagesBetween(pages, start, stop)) {
    for (let path = changes[next]; path !== undefined && path < page.path; path = changes[++next]) planner.remove(path);
    const isChanged = changed === undefined || changes[next] === page.path;
    if (changes[next] === page.path) next += 1;
    if (isListable(base, page.path))
      planner.add(page.path, page.lastModified, sitemapEntryBytes(base, page.path) + metadataBytes, isChanged);
    if (yielder.count()) await yielder.pause();
  }
  for (const path of changes.slice(next)) planner.remove(path);
  return planner.finish().map((part) => {
    const unchanged = shards.find((shard) => shard === part.unchanged);
    return { from: part.from, pages: part.pages, lastModified: part.lastModified, unchanged };
  });
}

/** Pages from a path to before another, in path order. */
export function* pagesBetween(
  pages: PageLookup,
  from: string,
  to: string | undefined,
): Generator<NonNullable<PageLookup["head"]>> {
  pages.seek(from);
  for (let page = pages.head; page !== undefined && (to === undefined || page.path < to); page = pages.head) {
    yield page;
    pages.step();
  }
}
