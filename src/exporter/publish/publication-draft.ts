import { type Clock, type EpochMs, type EpochSeconds, type ExportEvent, TidemarkError } from "../../core/index.ts";
import { baseGroup, formatArchiveName } from "../../formats/archive/index.ts";
import type { ArchiveFiles } from "./archive-files.ts";
import { BaseWriter } from "./base-writer.ts";
import { carryIntervals } from "./interval-merge.ts";
import type { Base, Interval, Ledger, ListGuardOptions } from "./ledger.ts";
import type { ContentPolicy, DigestMode, IncludePolicy } from "./page-diff.ts";
import { PageMemory } from "./page-memory.ts";
import { namesOf, namesOfBase, planRetired, removeFiles } from "./retired-files.ts";
import { type PartitionOptions, SegmentWriter } from "./segment-writer.ts";
import {
  type ComparisonCounts,
  type ComparisonSink,
  type FileReader,
  type PageSource,
  SiteComparison,
} from "./site-comparison.ts";
import { gatherParts, IncludedFolders, mayBeIncluded, type PartSource, type SiteParts } from "./site-parts.ts";
import { isBaseDue, planChain, planRetention } from "./tiers.ts";
import { Yielder } from "./yielder.ts";

/** How a site is compared and published. All folders are absolute. */
export interface DraftOptions extends PartitionOptions, ListGuardOptions {
  /** The site's base URL: an origin with `/`. */
  readonly site: string;
  /** State folder; outside the document root. */
  readonly stateDir: string;
  readonly digestMode: DigestMode;
  /** Which bytes of a page count; undefined if all do. */
  readonly content?: ContentPolicy | undefined;
  /** Which files are searched for server-side includes; undefined if the server processes none. */
  readonly includes?: IncludeChoice | undefined;
  /** Only compare and report; write nothing. */
  readonly dryRun: boolean;
  /** Whether a site that had pages may become empty. */
  readonly allowEmpty: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExportEvent) => void;
  /** Starts a scan. */
  readonly openSource: () => PageSource;
  /** Limits the comparison to these parts, if there is a state to compare with; O(files in them). */
  readonly parts?: { readonly parts: SiteParts; readonly openSource: () => PartSource } | undefined;
}

/** Which files are searched for server-side includes. */
export interface IncludeChoice extends Pick<IncludePolicy, "appliesTo"> {
  /** Name of the choice: if it changes, all pages are searched again. */
  readonly mode: string;
}

/** What a run knows before it compares anything. */
export interface Baseline {
  readonly ledger: Ledger | undefined;
  /** Whether a base or its list is missing. */
  readonly baseIsBroken: boolean;
  readonly baseArchives: readonly string[];
  /** Names of all archives that readers may know. */
  readonly listed: readonly string[];
  /** Whether missing archives were removed from the ledger. */
  readonly isMended: boolean;
  /** Whether there is a ledger, but the published index is of another epoch. */
  readonly isForeign: boolean;
  readonly publication: EpochSeconds;
}

/** A publication that is written and not decided: no reader can see it, and disposing of it undoes it. */
export interface Draft extends AsyncDisposable {
  readonly counts: ComparisonCounts;
  /** What is to be decided; the baseline's own ledger if there is nothing to decide. */
  readonly ledger: Ledger;
  readonly isPublication: boolean;
  readonly isNewBase: boolean;
  /** Names of the base's archives. */
  readonly baseArchives: readonly string[];
  /** Gives the new list of pages its name. */
  readonly commitPages: () => Promise<void>;
  /** Says that the ledger is written: from now on the draft's files are public. */
  readonly decided: () => void;
}

/** Compares the site with what was published and writes whatever archives that asks for. */
export async function draftPublication(
  options: DraftOptions,
  files: ArchiveFiles,
  baseline: Baseline,
  epoch: string,
): Promise<Draft> {
  const drafting = new Drafting(options, files, baseline, epoch);
  try {
    return await drafting.run();
  } catch (error) {
    await drafting[Symbol.asyncDispose]();
    throw error;
  }
}

class Drafting {
  readonly #options: DraftOptions;
  readonly #files: ArchiveFiles;
  readonly #baseline: Baseline;
  readonly #epoch: string;
  readonly #yielder: Yielder;
  readonly #scanStartMs: EpochMs;
  readonly #memory: PageMemory;
  readonly #tier: SegmentWriter | undefined;
  #base: BaseWriter | undefined;
  #isDecided = false;
  /** Folders of what pages include, once they were compared. */
  #included: IncludedFolders = new IncludedFolders([]);

  constructor(options: DraftOptions, files: ArchiveFiles, baseline: Baseline, epoch: string) {
    this.#options = options;
    this.#files = files;
    this.#baseline = baseline;
    this.#epoch = epoch;
    this.#yielder = new Yielder(options.signal, "Stopped before anything was published.");
    this.#scanStartMs = options.clock();
    this.#memory = new PageMemory(options.stateDir, baseline.ledger?.pageFiles ?? [], options.parts === undefined);
    if (options.dryRun) return;
    if (baseline.ledger === undefined) {
      this.#base = new BaseWriter(files, options, options.stateDir);
    } else {
      const span = { from: baseline.ledger.publication, to: baseline.publication };
      this.#tier = new SegmentWriter(files, options, () => span);
    }
  }

  async run(): Promise<Draft> {
    const { ledger } = this.#baseline;
    const counts = await this.#compare();
    if (counts.pages === 0 && (ledger?.pages ?? 0) > 0 && !this.#options.allowEmpty) {
      throw new TidemarkError(
        "not-found",
        `The document root holds no page, and ${ledger?.pages} were published: nothing was changed.`,
        {
          hint: "Check that it is mounted and complete. If the site is to be empty, say --allow-empty.",
        },
      );
    }
    const changes = counts.created + counts.updated + counts.deleted;
    if (!this.#options.dryRun) await this.#memory.end();
    const tierArchives = (await this.#tier?.end()) ?? [];
    const isFirst = ledger === undefined;
    const isPublication = isFirst || changes > 0;
    const publication = isPublication ? this.#baseline.publication : ledger.publication;
    const changesSinceBase = isFirst ? 0 : ledger.changesSinceBase + changes;
    let intervals: readonly Interval[] = ledger?.intervals ?? [];
    if (ledger !== undefined && changes > 0) {
      const newest = { tier: 0, from: ledger.publication, to: publication, archives: tierArchives, merged: false };
      intervals = [...intervals, newest];
      if (!this.#options.dryRun) intervals = await carryIntervals(this.#files, intervals, this.#options, this.#yielder);
    }
    const chainIsBroken =
      !isFirst && !this.#options.dryRun && planChain(intervals, ledger.base.publication, publication) === undefined;
    const isNewBase =
      isFirst ||
      this.#baseline.baseIsBroken ||
      // A base is no change: crawlers that hold the pages are not told anything.
      counts.withdrawn > 0 ||
      chainIsBroken ||
      isBaseDue(changesSinceBase, counts.pages, this.#options.segmentSize);
    const base =
      isNewBase && !this.#options.dryRun
        ? await this.#writeBase(publication, counts.pages)
        : (ledger?.base ?? emptyBase(publication));
    const { kept } = planRetention(intervals, base.publication, publication);
    const isFresh = isNewBase && !this.#options.dryRun;
    const baseArchives = isFresh ? await namesOfBase(this.#files, base.list.name) : this.#baseline.baseArchives;
    if (baseArchives === undefined) throw new TypeError("the base list that was just written cannot be read");
    // A new base may list an archive of the old one again, or one of a tier: equal bytes, equal name.
    const listed = new Set([...namesOf(kept), formatArchiveName(base.list.name), ...baseArchives]);
    const pagesFile = `pages-${publication}-${this.#scanStartMs}.blocks`;
    const { lists = [], includes } = this.#options;
    const next: Ledger = {
      site: this.#options.site,
      epoch: this.#epoch,
      publication,
      pages: counts.pages,
      base,
      intervals: kept,
      changesSinceBase: isNewBase ? 0 : changesSinceBase,
      retired: planRetired(ledger?.retired ?? [], this.#baseline.listed, listed, isPublication, this.#scanStartMs),
      pageFiles: this.#memory.filesAs(pagesFile),
      ...(lists.length === 0 ? {} : { lists }),
      ...(includes === undefined ? {} : { includes: this.#included.memory(includes.mode) }),
    };
    const isChanged =
      isPublication ||
      isNewBase ||
      this.#memory.isChanged ||
      this.#baseline.isMended ||
      JSON.stringify([ledger?.lists, ledger?.includes]) !== JSON.stringify([next.lists, next.includes]);
    return {
      counts,
      ledger: isChanged || isFirst ? next : ledger,
      isPublication,
      isNewBase,
      baseArchives,
      commitPages: () => this.#memory.commit(pagesFile),
      decided: () => {
        this.#isDecided = true;
      },
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    };
  }

  async #compare(): Promise<ComparisonCounts> {
    const { parts } = this.#options;
    const { ledger } = this.#baseline;
    const ofParts = parts === undefined || ledger === undefined ? undefined : await this.#compareParts(parts, ledger);
    if (ofParts !== undefined) return ofParts;
    await using source = this.#options.openSource();
    using earlier = this.#memory.openEarlier();
    return await this.#comparison(source).run(source.batches(), earlier.below("/"), this.#sink());
  }

  async #compareParts(
    { parts, openSource }: NonNullable<DraftOptions["parts"]>,
    ledger: Ledger,
  ): Promise<ComparisonCounts | undefined> {
    // Pages elsewhere may include what changed.
    const { includes } = ledger;
    if (includes?.mode !== this.#options.includes?.mode) return undefined;
    if (includes !== undefined && mayBeIncluded(parts, includes)) return undefined;
    this.#included = new IncludedFolders(includes?.folders ?? []);
    await using source = openSource();
    using earlier = this.#memory.openEarlier();
    const gathered = await gatherParts(source, earlier, parts);
    if (gathered === undefined) {
      this.#included = new IncludedFolders([]);
      return undefined;
    }
    const counts = await this.#comparison(source).run([gathered], gathered.before, this.#sink());
    return { ...counts, pages: ledger.pages + counts.created - counts.deleted, included: 0, dynamic: 0 };
  }

  #comparison(source: FileReader): SiteComparison {
    const { digestMode, content, onEvent } = this.#options;
    const scanStartUs = this.#scanStartMs * 1000;
    const includes = this.#includePolicy(source.stampParts);
    const options = { digestMode, publication: this.#baseline.publication, scanStartUs, content, includes };
    return new SiteComparison(source, options, onEvent, this.#yielder);
  }

  #includePolicy(stampOf: ((parts: readonly string[]) => string) | undefined): IncludePolicy | undefined {
    const { includes } = this.#options;
    if (includes === undefined || stampOf === undefined) return undefined;
    const { mode, appliesTo } = includes;
    return { appliesTo, isNew: this.#baseline.ledger?.includes?.mode !== mode, stampOf };
  }

  #sink(): ComparisonSink {
    const { dryRun } = this.#options;
    const included = this.#included;
    const memory = this.#memory;
    const tier = this.#tier;
    const base = this.#base;
    return {
      page: (page, isRemembered) => {
        included.add(page);
        base?.add(page);
        return dryRun ? false : memory.page(page, isRemembered);
      },
      gone: (path) => (dryRun ? false : memory.gone(path)),
      change: (change) => tier?.add(change) ?? false,
      drain: async () => {
        await memory.drain();
        await tier?.drain();
      },
    };
  }

  /** On the first export the base was filled by the scan; later it is read from the new list of pages. */
  async #writeBase(publication: EpochSeconds, total: number): Promise<Base> {
    if (this.#base === undefined) {
      this.#base = new BaseWriter(this.#files, this.#options, this.#options.stateDir);
      using pages = this.#memory.openLatest();
      for (const page of pages.below("/")) {
        this.#base.add(page);
        if (this.#yielder.count()) await this.#yielder.pause();
      }
    }
    return await this.#base.end(publication, (done) => {
      this.#options.onEvent({ event: "progress", phase: "base", done, total });
      this.#yielder.stopIfAsked();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tier?.[Symbol.asyncDispose]();
    this.#base?.[Symbol.dispose]();
    await this.#memory[Symbol.asyncDispose]();
    if (!this.#isDecided) await removeFiles(this.#files.folder, this.#files.written);
  }
}

/** Stands for the base that a dry run does not write. */
function emptyBase(publication: EpochSeconds): Base {
  const name = { from: 0, to: publication, group: baseGroup, id: "0".repeat(16) };
  return { publication, list: { name, changes: 0, sizeBytes: 0 }, archives: 0, announced: [] };
}
