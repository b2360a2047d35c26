import { createHash } from "node:crypto";
import type { EpochSeconds } from "../../core/index.ts";
import { maxSitemapBytes, maxSitemapEntries, sitemapFrameBytes } from "../../formats/sitemap/index.ts";

/** What is remembered of a published sitemap; the list of them, in path order, is the whole memory of a site's. */
export interface SitemapShard {
  /**
   * The shard holds every page from this path to before the next shard's; the first holds those before it too. It
   * may have become the path of no page.
   */
  readonly from: string;
  /** Number of pages in it, at least 1. */
  readonly pages: number;
  /** The newest last-modified in it: the shard's own in the sitemap index. */
  readonly lastModified: EpochSeconds;
  /** Of the document's bytes; what the exporter found when it wrote them. */
  readonly digest: string;
}

/** A shard as it is to be. */
export interface PlannedShard {
  readonly from: string;
  readonly pages: number;
  readonly lastModified: EpochSeconds;
  /** The published document that is still right, byte for byte; undefined if it has to be written. */
  readonly unchanged: SitemapShard | undefined;
}

/** How large shards are. */
export interface ShardSizes {
  /**
   * Pages that a shard should have, from 1 to 25,000. One of more than twice as many is split, one of less than a
   * quarter merged; so none has more than the 50,000 that a sitemap may have. @default 5000
   */
  readonly targetPages?: number;
  /** Most bytes of a shard's document. @default 50 MiB, the most that a sitemap may have */
  readonly maxBytes?: number;
}

const defaultTargetPages = 5000;
const runsOfTarget = 16;

/**
 * Names the file of a shard by its boundary, so that splits and merges elsewhere rename nothing.
 *
 * @param from - as {@link SitemapShard} has it
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
  readonly before: SitemapShard | undefined;
}

/**
 * Decides which pages share a sitemap, so that a publication rewrites only the sitemaps that its changes touch.
 *
 * Boundaries are paths and stay where they are, whatever is inserted or deleted elsewhere. A shard that outgrew
 * twice the target is split into parts of about the target; one below a quarter of it is merged with the smaller of
 * its neighbours, if that stays below twice the target; nothing else moves a boundary. The same pages and the same
 * memory always give the same plan. Memory grows with the pages by a path for each sixteenth of the target.
 *
 * @example
 * const planner = new SitemapShardPlanner(published);
 * for (const page of pagesInPathOrder) planner.add(page.path, page.lastModified, sitemapEntryBytes(base, page.path), page.changed);
 * const shards = planner.finish();
 */
export class SitemapShardPlanner {
  readonly #published: readonly SitemapShard[];
  readonly #targetPages: number;
  readonly #maxPages: number;
  readonly #maxBytes: number;
  readonly #runPages: number;
  readonly #runBytes: number;
  readonly #drafts: Draft[] = [];
  #draft: Draft;
  #run: Run | undefined;
  #next = 1;
  #nextFrom: string | undefined;
  #lastPath = "";

  /**
   * @param published - shards of the last publication, in ascending order of `from`; empty the first time
   * @throws RangeError if they are not in order, or the target is out of its range
   */
  constructor(published: readonly SitemapShard[], sizes: ShardSizes = {}) {
    if (published.some((shard, at) => at > 0 && shard.from <= (published[at - 1]?.from ?? "")))
      throw new RangeError("published sitemaps are not in path order");
    this.#published = published;
    this.#targetPages = sizes.targetPages ?? defaultTargetPages;
    this.#maxPages = 2 * this.#targetPages;
    if (!Number.isInteger(this.#targetPages) || this.#targetPages < 1 || this.#maxPages > maxSitemapEntries)
      throw new RangeError(`a sitemap cannot aim at ${this.#targetPages} pages`);
    this.#maxBytes = Math.min(sizes.maxBytes ?? maxSitemapBytes, maxSitemapBytes) - sitemapFrameBytes;
    this.#runPages = Math.max(1, Math.floor(this.#targetPages / runsOfTarget));
    this.#runBytes = Math.floor(this.#maxBytes / runsOfTarget);
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
    if (run === undefined || run.pages >= this.#runPages || run.bytes + entryBytes > this.#runBytes) {
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
  finish(): readonly PlannedShard[] {
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
    if (draft.pages <= this.#maxPages && draft.bytes <= this.#maxBytes) return [draft];
    const count = Math.max(2, Math.round(draft.pages / this.#targetPages), Math.ceil(draft.bytes / this.#maxBytes));
    const parts: Draft[] = [];
    let part: Draft | undefined;
    let pagesBefore = 0;
    for (const run of draft.runs) {
      const isFull =
        part !== undefined &&
        (pagesBefore >= (draft.pages * parts.length) / count || part.bytes + run.bytes > this.#maxBytes);
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
    return a.pages + b.pages <= this.#maxPages && a.bytes + b.bytes <= this.#maxBytes;
  }
}

function newDraft(before: SitemapShard | undefined): Draft {
  return { from: before?.from ?? "", runs: [], pages: 0, bytes: 0, touched: before === undefined, before };
}

function joined(a: Draft, b: Draft): Draft {
  const runs = [...a.runs, ...b.runs];
  return { from: a.from, runs, pages: a.pages + b.pages, bytes: a.bytes + b.bytes, touched: true, before: undefined };
}

function planOf(draft: Draft): PlannedShard {
  const { pages, before } = draft;
  const lastModified = draft.runs.reduce((newest, run) => Math.max(newest, run.lastModified), 0);
  const from = draft.from || (draft.runs[0]?.from ?? "");
  const isSame = !draft.touched && before?.pages === pages && before.lastModified === lastModified;
  return { from, pages, lastModified, unchanged: isSame ? before : undefined };
}
