import type { Change, ExportEvent } from "../../core/index.ts";
import type { ScannedFile } from "../walk/scanned-file.ts";
import { diffListedPage, isListed, type ListedCandidate } from "./listed-diff.ts";
import { type CandidateDigest, type DiffOptions, diffPage, needsDigest, type PageDiff } from "./page-diff.ts";
import type { PublishedPage } from "./published-page.ts";
import type { Yielder } from "./yielder.ts";

/** Files and listed pages in path order, and places that could not be seen: what was published there stays. */
export interface SourceBatch {
  readonly pages: readonly (ScannedFile | ListedCandidate)[];
  readonly gaps: readonly { readonly path: string }[];
}

/** Reads the files of a comparison. */
export interface FileReader extends AsyncDisposable {
  /** Reads files. @param pause - to be awaited now and then while they are read; may throw */
  digestAll(files: readonly ScannedFile[], pause: () => Promise<void>): Promise<readonly CandidateDigest[]>;
  /** What sizes and times of included files say; not there where the server processes no includes. */
  readonly stampParts?: ((parts: readonly string[]) => string) | undefined;
}

/** Where pages come from: a document root's walk, lists, or both. */
export interface PageSource extends FileReader {
  /** All pages in path order. */
  batches(): AsyncIterable<SourceBatch>;
}

/** What takes the result of a comparison, in path order. A method that returns true wants {@link drain} awaited. */
export interface ComparisonSink {
  /** A page that is there. @param isRemembered - whether what is remembered of it is not as it was */
  page(page: PublishedPage, isRemembered: boolean): boolean;
  /** A page that was there and is no more. */
  gone(path: string): boolean;
  change(change: Change): boolean;
  drain(): Promise<void>;
}

/** What a comparison came to. */
export interface ComparisonCounts {
  pages: number;
  created: number;
  updated: number;
  deleted: number;
  touched: number;
  /** Pages that are published with a digest which is no promise any more. */
  withdrawn: number;
  /** Pages that include others, or show what no file tells. */
  included: number;
  /** Those of them that show what no file tells. */
  dynamic: number;
}

/** Pairs whose files are read at a time, a batch's or fewer. */
const maxPairs = 4096;

interface Pair {
  readonly file: ScannedFile | ListedCandidate | undefined;
  readonly before: PublishedPage | undefined;
  digest: CandidateDigest | undefined;
}

/** Pairs whose files are being read. */
interface Reading {
  readonly pairs: Pair[];
  readonly done: Promise<void>;
}

/** One merge of two streams in path order, the scan and what was published; memory is a batch of each. */
export class SiteComparison {
  readonly #reader: FileReader;
  readonly #options: DiffOptions;
  readonly #onEvent: (event: ExportEvent) => void;
  readonly #yielder: Yielder;
  readonly #counts: ComparisonCounts = {
    pages: 0,
    created: 0,
    updated: 0,
    deleted: 0,
    touched: 0,
    withdrawn: 0,
    included: 0,
    dynamic: 0,
  };
  #gaps: readonly string[] = [];
  #pairs: Pair[] = [];
  #reading: Reading | undefined;

  constructor(reader: FileReader, options: DiffOptions, onEvent: (event: ExportEvent) => void, yielder: Yielder) {
    this.#reader = reader;
    this.#options = options;
    this.#onEvent = onEvent;
    this.#yielder = yielder;
  }

  /** Runs to the end. @param pages - what was published, in path order */
  async run(
    batches: AsyncIterable<SourceBatch> | Iterable<SourceBatch>,
    pages: Iterable<PublishedPage, undefined>,
    sink: ComparisonSink,
  ): Promise<ComparisonCounts> {
    this.#yielder.stopIfAsked();
    const published = pages[Symbol.iterator]();
    let before = published.next().value;
    for await (const batch of batches) {
      if (batch.gaps.length > 0) {
        this.#gaps = withoutNested([...this.#gaps, ...batch.gaps.map(({ path }) => path)].sort());
      }
      for (const file of batch.pages) {
        for (; before !== undefined && before.path < file.path; before = published.next().value)
          if (this.#pair(undefined, before)) await this.#read(sink);
        const isThere = before?.path === file.path;
        if (this.#pair(file, isThere ? before : undefined)) await this.#read(sink);
        if (isThere) before = published.next().value;
      }
      await this.#read(sink);
      this.#onEvent({ event: "progress", phase: "scan", done: this.#counts.pages });
    }
    for (; before !== undefined; before = published.next().value)
      if (this.#pair(undefined, before)) await this.#read(sink);
    await this.#read(sink);
    await this.#read(sink);
    this.#onEvent({ event: "progress", phase: "scan", done: this.#counts.pages });
    return this.#counts;
  }

  /** @returns whether {@link #read} is to be awaited */
  #pair(file: ScannedFile | ListedCandidate | undefined, before: PublishedPage | undefined): boolean {
    this.#pairs.push({ file, before, digest: undefined });
    return this.#pairs.length >= maxPairs;
  }

  /** Begins to read files, and settles those that were begun before: threads read while this one compares. */
  async #read(sink: ComparisonSink): Promise<void> {
    await this.#yielder.pause();
    const earlier = this.#reading;
    const pairs = this.#pairs;
    this.#pairs = [];
    const done = this.#digest(pairs);
    done.catch(() => undefined); // Whatever goes wrong is met when it is awaited, unless something else was first.
    this.#reading = { pairs, done };
    if (earlier === undefined) return;
    await earlier.done;
    for (const pair of earlier.pairs) if (this.#settle(pair, sink)) await sink.drain();
  }

  async #digest(pairs: readonly Pair[]): Promise<void> {
    const unread: Pair[] = [];
    const files: ScannedFile[] = [];
    for (const pair of pairs) {
      // Of a listed page there are no bytes to read.
      if (pair.file === undefined || isListed(pair.file)) continue;
      if (!needsDigest(pair.file, pair.before, this.#options)) continue;
      unread.push(pair);
      files.push(pair.file);
    }
    if (files.length === 0) return;
    const digests = await this.#reader.digestAll(files, () => this.#yielder.pause());
    for (const [at, pair] of unread.entries()) pair.digest = digests[at];
  }

  #settle({ file, before, digest }: Pair, sink: ComparisonSink): boolean {
    const diff = this.#compare(file, before, digest);
    if (diff.isWithdrawn === true) this.#counts.withdrawn += 1;
    let mustDrain = false;
    if (diff.page !== undefined) {
      this.#counts.pages += 1;
      if (diff.page.includes !== undefined) {
        this.#counts.included += 1;
        if (diff.page.includes.isDynamic) this.#counts.dynamic += 1;
      }
      mustDrain = sink.page(diff.page, diff.isRemembered);
    } else if (before !== undefined) mustDrain = sink.gone(before.path);
    if (diff.change !== undefined) {
      this.#counts[diff.change.kind] += 1;
      this.#onEvent(eventOf(diff.change, diff.page?.includes !== undefined));
      mustDrain = sink.change(diff.change) || mustDrain;
    } else if (diff.isTouched && diff.page !== undefined) {
      this.#counts.touched += 1;
      this.#onEvent({ event: "page", path: diff.page.path, change: "touched" });
    }
    return mustDrain;
  }

  #compare(
    file: ScannedFile | ListedCandidate | undefined,
    before: PublishedPage | undefined,
    digest: CandidateDigest | undefined,
  ): PageDiff {
    if (file === undefined) return this.#absent(before);
    if (!isListed(file)) return diffPage(file, before, digest, this.#options, this.#onEvent);
    const { page, change, isRemembered } = diffListedPage(file, before, this.#options.publication);
    return { page, change: change && { kind: change, page }, isTouched: false, isRemembered };
  }

  #absent(before: PublishedPage | undefined): PageDiff {
    if (before === undefined || this.#isHidden(before.path)) {
      return { page: before, change: undefined, isTouched: false, isRemembered: false };
    }
    return { page: undefined, change: { kind: "deleted", path: before.path }, isTouched: false, isRemembered: true };
  }

  // Gaps are sorted and not nested: only the last one before a path can cover it.
  #isHidden(path: string): boolean {
    let low = 0;
    let high = this.#gaps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#gaps[middle] ?? "") <= path) low = middle + 1;
      else high = middle;
    }
    const gap = this.#gaps[low - 1];
    return gap !== undefined && (gap === path || (gap.endsWith("/") && path.startsWith(gap)));
  }
}

/** Leaves out what is in another gap. @param gaps - sorted */
function withoutNested(gaps: readonly string[]): string[] {
  let folder: string | undefined;
  return gaps.filter((gap) => {
    if (folder !== undefined && gap.startsWith(folder)) return false;
    if (gap.endsWith("/")) folder = gap;
    return true;
  });
}

function eventOf(change: Change, hasIncludes: boolean): ExportEvent {
  if (change.kind === "deleted") return { event: "page", path: change.path, change: change.kind };
  const { path, mediaType } = change.page;
  const event = { event: "page", path, change: change.kind, mediaType } as const;
  return hasIncludes ? { ...event, hasIncludes } : event;
}
