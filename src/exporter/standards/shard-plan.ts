import { createHash } from "node:crypto";
import type { EpochSeconds } from "../../core/index.ts";
import {
  maxSitemapBytes,
  maxSitemapEntries,
  sitemapEntryBytes,
  sitemapFrameBytes,
} from "../../formats/sitemap/index.ts";
import type { ListInputs } from "./list-folder.ts";
import type { PublishedShard } from "./standards-state.ts";

/** What an entry of a resource list takes more than one of a sitemap, at most. */
const metadataBytes = 400;
/**
 * Pages that a shard should have. One of more than twice as many is split, one of less than a quarter merged; so none has
 * more than the 50,000 that a sitemap may have.
 */
const defaultTargetPages = 5000;
/** A shard can be split at so many places. */
const runsOfTarget = 16;
/** Most bytes of a shard's entries. */
const maxBytes: number = maxSitemapBytes - sitemapFrameBytes;
const maxRunBytes: number = maxBytes / runsOfTarget;

/** A shard as it is to be, and the pages in it. */
export interface ShardPlan {
  readonly from: string;
  readonly pages: number;
  readonly lastModified: EpochSeconds;
  /** The published document that is still right, byte for byte; undefined if it has to be written. */
  readonly unchanged: PublishedShard | undefined;
}

/** What shards are planned from. */
export interface ShardInputs extends Pick<ListInputs, "site" | "pages" | "yielder"> {
  readonly published: readonly PublishedShard[];
  /** Paths of pages that came, changed or went since then, ascending; undefined if that is not known. */
  readonly changed: readonly string[] | undefined;
  /** Pages that a shard should have, for tests. @default 5000 */
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
  const { published, changed, targetPages = defaultTargetPages } = inputs;
  const planned: ShardPlan[] = [];
  let done = 0;
  const isWhole = changed === undefined || published.length === 0;
  const regions = isWhole ? [{ first: 0, end: published.length }] : findRegions(published, changed);
  for (const [at, region] of regions.entries()) {
    if (region.end <= done && !isWhole) continue;
    let { first, end } = { first: Math.max(region.first, done), end: region.end };
    let parts = await planRegion(inputs, first, end);
    if (!isWhole && parts.every((part) => part.pages * 4 >= targetPages) === false) {
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
  const { site, published, changed, pages, yielder, targetPages } = inputs;
  const shards = published.slice(first, end);
  const start = first === 0 ? "" : (published[first]?.from ?? "");
  const stop = published[end]?.from;
  const planner = new SitemapShardPlanner(shards, targetPages);
  const changes = changed?.filter((path) => path >= start && (stop === undefined || path < stop)) ?? [];
  let next = 0;
  for (const page of pages.between(start, stop)) {
    for (let path = changes[next]; path !== undefined && path < page.path; path = changes[++next]) planner.remove(path);
    const isChanged = changed === undefined || changes[next] === page.path;
    if (changes[next] === page.path) next += 1;
    if (site.lists(page.path))
      planner.add(page.path, page.lastModified, sitemapEntryBytes(site.base, page.path) + metadataBytes, isChanged);
    if (yielder.count()) await yielder.pause();
  }
  for (const path of changes.slice(next)) planner.remove(path);
  return planner.finish();
}

/**
 * Names the file of a shard by its boundary, so that splits and merges elsewhere rename nothing.
 *
 * @param from - as {@link PublishedShard} has it
 * @returns for instance `sitemap-8a5edab282632443.xml`
 */
export function shardFileName(from: string): string {
  return `sitemap-${createHash("sha256").update(from).digest("hex").slice(0, 16)}.xml`;
}

/** Neighbouring pages of one shard: between two runs a shard can be split. */
interface Run {
  readonly from: string;
  pages: number;
  bytes: number;
  lastModified: EpochSeconds;
}

/** What has become of a published shard, or one that is planned. */
interface Draft {
  from: string;
  runs: Run[];
  pages: number;
  bytes: number;
  touched: boolean;
  readonly before: PublishedShard | undefined;
}

/**
 * Decides which pages share a sitemap, so that a publication rewrites only the sitemaps that its changes touch.
 *
 * Boundaries are paths and stay where they are, whatever is inserted or deleted elsewhere. A shard that outgrew
 * twice the target is split into parts of about the target; one below a quarter of it is merged with the smaller of
 * its neighbours, if that stays below twice the target; nothing else moves a boundary. The same pages and the same
 * memory always give the same plan. Memory grows with the pages by a path for each sixteenth of the target.
 */
export class SitemapShardPlanner {
  readonly #published: readonly PublishedShard[];
  readonly #targetPages: number;
  readonly #maxPages: number;
  readonly #runPages: number;
  readonly #drafts: Draft[] = [];
  #draft: Draft;
  #run: Run | undefined;
  #next = 1;
  #nextFrom: string | undefined;
  #lastPath = "";

  /**
   * @param published - shards of the last publication, in ascending order of `from`; empty the first time
   * @param targetPages - pages that a shard should have, from 1 to 25,000
   * @throws RangeError if they are not in order, or the target is out of its range
   */
  constructor(published: readonly PublishedShard[], targetPages: number = defaultTargetPages) {
    if (published.some((shard, at) => at > 0 && shard.from <= (published[at - 1]?.from ?? "")))
      throw new RangeError("published sitemaps are not in path order");
    this.#published = published;
    this.#targetPages = targetPages;
    this.#maxPages = 2 * this.#targetPages;
    if (!Number.isInteger(this.#targetPages) || this.#targetPages < 1 || this.#maxPages > maxSitemapEntries)
      throw new RangeError(`a sitemap cannot aim at ${this.#targetPages} pages`);
    this.#runPages = Math.max(1, Math.floor(this.#targetPages / runsOfTarget));
    this.#draft = newDraft(published[0]);
    this.#nextFrom = published[1]?.from;
  }

  /**
   * Tells of a page that is to be listed.
   *
   * @param path - greater than the one before
   * @param entryBytes - what it takes in the document; as `sitemapEntryBytes` says
   * @param changed - whether it was not listed before, or with another last-modified
   */
  add(path: string, lastModified: EpochSeconds, entryBytes: number, changed: boolean): void {
    this.#enter(path);
    const draft = this.#draft;
    let run = this.#run;
    if (run === undefined || run.pages >= this.#runPages || run.bytes + entryBytes > maxRunBytes) {
      run = { from: path, pages: 0, bytes: 0, lastModified: 0 };
      this.#run = run;
      draft.runs.push(run);
    }
    run.pages++;
    run.bytes += entryBytes;
    if (lastModified > run.lastModified) run.lastModified = lastModified;
    draft.pages++;
    draft.bytes += entryBytes;
    if (changed) draft.touched = true;
  }

  /** Tells of a page that was listed and is not to be any more; its path takes its place in the order. */
  remove(path: string): void {
    this.#enter(path);
    this.#draft.touched = true;
  }

  /** Says that there are no more pages. @returns the shards in path order; none if there is no page */
  finish(): readonly ShardPlan[] {
    this.#drafts.push(this.#draft);
    const parts = this.#drafts.filter((draft) => draft.pages > 0).flatMap((draft) => this.#split(draft));
    return this.#merge(parts).map(planOf);
  }

  #enter(path: string): void {
    if (path <= this.#lastPath) throw new RangeError(`${path} comes after ${this.#lastPath}`);
    this.#lastPath = path;
    while (this.#nextFrom !== undefined && path >= this.#nextFrom) {
      this.#drafts.push(this.#draft);
      this.#draft = newDraft(this.#published[this.#next]);
      this.#run = undefined;
      this.#next++;
      this.#nextFrom = this.#published[this.#next]?.from;
    }
  }

  #split(draft: Draft): Draft[] {
    if (draft.pages <= this.#maxPages && draft.bytes <= maxBytes) return [draft];
    const count = Math.max(2, Math.round(draft.pages / this.#targetPages), Math.ceil(draft.bytes / maxBytes));
    const parts: Draft[] = [];
    let part: Draft | undefined;
    let pagesBefore = 0;
    for (const run of draft.runs) {
      const isFull =
        part !== undefined &&
        (pagesBefore >= (draft.pages * parts.length) / count || part.bytes + run.bytes > maxBytes);
      if (part === undefined || isFull) {
        // The first part keeps the boundary of the whole, and its file; but pages before the site's first boundary
        // may have come, and then the second part would have the same one.
        const keepsBoundary = part === undefined && draft.from !== "" && draft.from <= run.from;
        part = {
          from: keepsBoundary ? draft.from : run.from,
          runs: [],
          pages: 0,
          bytes: 0,
          touched: true,
          before: undefined,
        };
        parts.push(part);
      }
      part.runs.push(run);
      part.pages += run.pages;
      part.bytes += run.bytes;
      pagesBefore += run.pages;
    }
    return parts;
  }

  #merge(parts: readonly Draft[]): readonly Draft[] {
    const merged: Draft[] = [];
    const rest = [...parts];
    for (const [at, part] of rest.entries()) {
      const before = merged.at(-1);
      const after = rest[at + 1];
      const intoBefore = before !== undefined && this.#fits(before, part);
      const intoAfter = after !== undefined && this.#fits(part, after);
      if (part.pages * 4 >= this.#targetPages || !(intoBefore || intoAfter)) merged.push(part);
      else if (intoBefore && !(intoAfter && after.pages < before.pages))
        merged[merged.length - 1] = joined(before, part);
      // Looked at again as the next one: it may still be small.
      else if (after !== undefined) rest[at + 1] = joined(part, after);
    }
    return merged;
  }

  #fits(a: Draft, b: Draft): boolean {
    return a.pages + b.pages <= this.#maxPages && a.bytes + b.bytes <= maxBytes;
  }
}

function newDraft(before: PublishedShard | undefined): Draft {
  return { from: before?.from ?? "", runs: [], pages: 0, bytes: 0, touched: before === undefined, before };
}

function joined(a: Draft, b: Draft): Draft {
  const runs = [...a.runs, ...b.runs];
  return { from: a.from, runs, pages: a.pages + b.pages, bytes: a.bytes + b.bytes, touched: true, before: undefined };
}

function planOf(draft: Draft): ShardPlan {
  const { pages, before } = draft;
  const lastModified = draft.runs.reduce((newest, run) => Math.max(newest, run.lastModified), 0);
  const from = draft.from || (draft.runs[0]?.from ?? "");
  const isSame = !draft.touched && before?.pages === pages && before.lastModified === lastModified;
  return { from, pages, lastModified, unchanged: isSame ? before : undefined };
}
