import { type EpochMs, type EpochSeconds, type ExportEvent, TidemarkError } from "../../core/index.ts";
import { baseGroup, formatArchiveName, parseBaseList } from "../../formats/archive/index.ts";
import type { ArchiveFiles } from "./archive-files.ts";
import { BaseWriter } from "./base-writer.ts";
import type { ContentPolicy } from "./content-policy.ts";
import { IncludedFolders, mayBeIncluded } from "./included-folders.ts";
import { carryIntervals } from "./interval-merge.ts";
import type { Base, Interval, Ledger } from "./ledger.ts";
import { areSameLists, type ListGuardOptions } from "./list-guard.ts";
import type { CandidateFile, DigestMode, IncludePolicy } from "./page-diff.ts";
import { PageMemory } from "./page-memory.ts";
import { namesOf, planRetired, removeFiles } from "./retired-files.ts";
import { type PartitionOptions, SegmentWriter } from "./segment-writer.ts";
import { type ComparisonCounts, type ComparisonSink, type PageSource, SiteComparison } from "./site-comparison.ts";
import { gatherParts, type PartSource, type SiteParts, sourceOfParts } from "./site-parts.ts";
import { isBaseDue, planChain, planRetention } from "./tiers.ts";
import { Yielder } from "./yielder.ts";

/** In which files server-side includes are looked for. */
export interface IncludeChoice {
  /** A word that says so: with another one, all pages are looked into anew. */
  readonly mode: string;
  readonly appliesTo: (mediaType: string) => boolean;
}

/** What a draft needs of a run's options. */
export interface DraftOptions<File extends CandidateFile> extends PartitionOptions, ListGuardOptions {
  readonly site: string;
  readonly stateDir: string;
  readonly digestMode: DigestMode;
  readonly content?: ContentPolicy | undefined;
  /** Where server-side includes are looked for; undefined if the server processes none. */
  readonly includes?: IncludeChoice | undefined;
  readonly dryRun: boolean;
  readonly allowEmpty: boolean;
  readonly clock: () => EpochMs;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExportEvent) => void;
  readonly openSource: () => PageSource<File>;
  /** The only parts to look at, if there is a state to compare them with. */
  readonly parts?: { readonly parts: SiteParts; readonly openSource: () => PartSource<File> } | undefined;
}

/** What a draft starts from. */
export interface DraftBaseline {
  readonly ledger: Ledger | undefined;
  readonly baseIsBroken: boolean;
  readonly baseArchives: readonly string[];
  /** Names of all archives that readers may have been told of. */
  readonly listed: readonly string[];
  /** Whether the ledger had to be relieved of archives that are not there any more. */
  readonly isMended: boolean;
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
  commitPages(): Promise<void>;
  /** Says that the ledger is written: from now on the draft's files are public. */
  decided(): void;
}

/** Compares the site with what was published and writes whatever archives that asks for. */
export async function draftPublication<File extends CandidateFile>(
  options: DraftOptions<File>,
  files: ArchiveFiles,
  baseline: DraftBaseline,
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

class Drafting<File extends CandidateFile> {
  readonly #options: DraftOptions<File>;
  readonly #files: ArchiveFiles;
  readonly #baseline: DraftBaseline;
  readonly #epoch: string;
  readonly #yielder: Yielder;
  readonly #scanStartMs: EpochMs;
  readonly #memory: PageMemory;
  readonly #tier: SegmentWriter | undefined;
  #base: BaseWriter | undefined;
  #isDecided = false;
  /** Folders of what pages include, once they were compared. */
  #included: IncludedFolders = new IncludedFolders([]);

  constructor(options: DraftOptions<File>, files: ArchiveFiles, baseline: DraftBaseline, epoch: string) {
    this.#options = options;
    this.#files = files;
    this.#baseline = baseline;
    this.#epoch = epoch;
    this.#yielder = new Yielder(options.signal, "Stopped before anything was published.");
    this.#scanStartMs = options.clock();
    this.#memory = new PageMemory(options.stateDir, baseline.ledger?.pageFiles ?? [], options.parts === undefined);
    if (options.dryRun) return;
    if (baseline.ledger === undefined) this.#base = this.#openBase();
    const span = { from: baseline.ledger?.publication ?? 0, to: baseline.publication };
    if (baseline.ledger !== undefined) this.#tier = new SegmentWriter(files, options, () => span);
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
    const baseArchives = isFresh ? await readBaseArchives(this.#files, base) : this.#baseline.baseArchives;
    // A new base may list an archive of the old one again, or one of a tier: equal bytes, equal name.
    const listed = new Set([...namesOf(kept), formatArchiveName(base.list.name), ...baseArchives]);
    const { listed: wasListed, isMended } = this.#baseline;
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
      retired: planRetired(ledger?.retired ?? [], wasListed, listed, isPublication, this.#scanStartMs),
      pageFiles: this.#memory.filesAs(pagesFile),
      ...(lists.length === 0 ? {} : { lists }),
      ...(includes === undefined ? {} : { includes: this.#included.memory(includes.mode) }),
    };
    const isRelisted = !areSameLists(ledger?.lists, lists);
    const isIncluded = JSON.stringify(ledger?.includes) !== JSON.stringify(next.includes);
    const isChanged = isPublication || isNewBase || this.#memory.isChanged || isMended || isRelisted || isIncluded;
    return this.#toDraft(
      counts,
      isChanged || isFirst ? next : ledger,
      isPublication,
      isNewBase,
      baseArchives,
      pagesFile,
    );
  }

  async #compare(): Promise<ComparisonCounts> {
    const { parts } = this.#options;
    const { ledger } = this.#baseline;
    const ofParts = parts === undefined || ledger === undefined ? undefined : await this.#compareParts(parts, ledger);
    if (ofParts !== undefined) return ofParts;
    await using source = this.#options.openSource();
    using earlier = this.#memory.openEarlier();
    return await this.#comparison(source).run(earlier.below("/"), this.#sink());
  }

  async #compareParts(
    { parts, openSource }: NonNullable<DraftOptions<File>["parts"]>,
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
    const counts = await this.#comparison(sourceOfParts(gathered, source)).run(gathered.before, this.#sink());
    return { ...counts, pages: ledger.pages + counts.created - counts.deleted, included: 0, dynamic: 0 };
  }

  #comparison(source: PageSource<File>): SiteComparison<File> {
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

  #openBase(): BaseWriter {
    return new BaseWriter(this.#files, this.#options, this.#options.stateDir);
  }

  /** On the first export the base was filled by the scan; later it is read from the new list of pages. */
  async #writeBase(publication: EpochSeconds, total: number): Promise<Base> {
    const isFilled = this.#base !== undefined;
    this.#base ??= this.#openBase();
    if (!isFilled) {
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

  #toDraft(
    counts: ComparisonCounts,
    ledger: Ledger,
    isPublication: boolean,
    isNewBase: boolean,
    baseArchives: readonly string[],
    pagesFile: string,
  ): Draft {
    return {
      counts,
      ledger,
      isPublication,
      isNewBase,
      baseArchives,
      commitPages: async () => await this.#memory.commit(pagesFile),
      decided: () => {
        this.#isDecided = true;
      },
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tier?.[Symbol.asyncDispose]();
    this.#base?.[Symbol.dispose]();
    await this.#memory[Symbol.asyncDispose]();
    if (!this.#isDecided) await removeFiles(this.#files.folder, this.#files.written);
  }
}

async function readBaseArchives(files: ArchiveFiles, base: Base): Promise<string[]> {
  const list = parseBaseList(await files.readContent(base.list.name));
  if (!list.ok) throw new TypeError(`the base list that was just written cannot be read: ${list.error.message}`);
  return list.value.archives.map(({ name }) => formatArchiveName(name));
}

/** Stands for the base that a dry run does not write. */
function emptyBase(publication: EpochSeconds): Base {
  const name = { from: 0, to: publication, group: baseGroup, id: "0".repeat(16) };
  return { publication, list: { name, changes: 0, sizeBytes: 0 }, archives: 0, announced: [] };
}
