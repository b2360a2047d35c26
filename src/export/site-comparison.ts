import { setImmediate as nextTurn } from "node:timers/promises";
import { type Change, type ExportEvent, TidemarkError } from "../model/index.ts";
import { diffListedPage, isListed, type ListedCandidate } from "./listed-diff.ts";
import {
  type CandidateDigest,
  type CandidateFile,
  type DiffOptions,
  diffPage,
  needsDigest,
  type PageDiff,
} from "./page-diff.ts";
import type { PublishedPage } from "./published-page.ts";
import type { PageStream } from "./published-pages.ts";

/** Files and listed pages in path order, and places that could not be seen: what was published there stays. */
export interface SourceBatch<File> {
  readonly pages: readonly (File | ListedCandidate)[];
  readonly gaps: readonly { readonly path: string }[];
}

/** Where pages come from: a document root's walk, lists, or both. */
export interface PageSource<File extends CandidateFile = CandidateFile> extends AsyncDisposable {
  /** Some pages in path order, and the places that could not be seen; undefined after the last. */
  next(): Promise<SourceBatch<File> | undefined>;
  /** Reads files. @param turn - to be awaited now and then while they are read; may throw */
  digestAll(files: readonly File[], turn: () => Promise<void>): Promise<readonly CandidateDigest[]>;
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
}

/** Pairs that wait to be settled: a batch's, and not all that was deleted before a batch's last file. */
const maxPairs = 4096;

interface Pair<File> {
  readonly file: File | ListedCandidate | undefined;
  readonly before: PublishedPage | undefined;
  digest: CandidateDigest | undefined;
}

/** Pairs whose files are being read. */
interface Reading<File> {
  readonly pairs: Pair<File>[];
  readonly done: Promise<void>;
}

/** One merge of two streams in path order, the scan and what was published; memory is a batch of each. */
export class SiteComparison<File extends CandidateFile> {
  readonly #source: PageSource<File>;
  readonly #options: DiffOptions;
  readonly #onEvent: (event: ExportEvent) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #counts: ComparisonCounts = {
    pages: 0,
    created: 0,
    updated: 0,
    deleted: 0,
    touched: 0,
    withdrawn: 0,
  };
  readonly #gaps: string[] = [];
  #reading: Reading<File> | undefined;

  constructor(
    source: PageSource<File>,
    options: DiffOptions,
    onEvent: (event: ExportEvent) => void,
    signal: AbortSignal | undefined,
  ) {
    this.#source = source;
    this.#options = options;
    this.#onEvent = onEvent;
    this.#signal = signal;
  }

  /** Runs to the end. @param reader - what was published */
  async run(reader: PageStream, sink: ComparisonSink): Promise<ComparisonCounts> {
    await reader.fill();
    for (;;) {
      await this.#turn();
      const batch = await this.#source.next();
      if (batch === undefined) break;
      if (batch.gaps.length > 0) {
        for (const gap of batch.gaps) this.#gaps.push(gap.path);
        this.#gaps.sort();
      }
      let pairs: Pair<File>[] = [];
      for (const file of batch.pages) {
        while (reader.head !== undefined && reader.head.path < file.path) {
          pairs.push({ file: undefined, before: reader.head, digest: undefined });
          if (pairs.length >= maxPairs) {
            await this.#read(pairs, sink);
            pairs = [];
          }
          if (reader.step()) await reader.fill();
        }
        const before = reader.head?.path === file.path ? reader.head : undefined;
        pairs.push({ file, before, digest: undefined });
        if (before !== undefined && reader.step()) await reader.fill();
      }
      await this.#read(pairs, sink);
      this.#onEvent({ event: "progress", phase: "scan", done: this.#counts.pages });
    }
    await this.#read([], sink);
    while (reader.head !== undefined) {
      if (this.#settle({ file: undefined, before: reader.head, digest: undefined }, sink)) await sink.drain();
      if (reader.step()) await reader.fill();
    }
    this.#onEvent({ event: "progress", phase: "scan", done: this.#counts.pages });
    await this.#turn();
    return this.#counts;
  }

  async #turn(): Promise<void> {
    await nextTurn();
    if (this.#signal?.aborted === true) throw new TidemarkError("aborted", "Stopped before anything was published.");
  }

  /** Begins to read files, and settles those that were begun before: threads read while this one compares. */
  async #read(pairs: Pair<File>[], sink: ComparisonSink): Promise<void> {
    const before = this.#reading;
    const done = this.#digest(pairs);
    done.catch(() => undefined); // Whatever goes wrong is met when it is awaited, unless something else was first.
    this.#reading = { pairs, done };
    if (before === undefined) return;
    await before.done;
    for (const pair of before.pairs) if (this.#settle(pair, sink)) await sink.drain();
  }

  async #digest(pairs: readonly Pair<File>[]): Promise<void> {
    const unread: Pair<File>[] = [];
    const files: File[] = [];
    for (const pair of pairs) {
      // Of a listed page there are no bytes to read.
      if (pair.file === undefined || isListed(pair.file)) continue;
      if (!needsDigest(pair.file, pair.before, this.#options)) continue;
      unread.push(pair);
      files.push(pair.file);
    }
    if (files.length === 0) return;
    const digests = await this.#source.digestAll(files, () => this.#turn());
    for (const [at, pair] of unread.entries()) pair.digest = digests[at];
  }

  #settle({ file, before, digest }: Pair<File>, sink: ComparisonSink): boolean {
    const diff = this.#compare(file, before, digest);
    if (diff.isWithdrawn === true) this.#counts.withdrawn += 1;
    let mustDrain = false;
    if (diff.page !== undefined) {
      this.#counts.pages += 1;
      mustDrain = sink.page(diff.page, diff.isRemembered);
    } else if (before !== undefined) mustDrain = sink.gone(before.path);
    if (diff.change !== undefined) {
      this.#counts[diff.change.kind] += 1;
      this.#onEvent(eventOf(diff.change));
      mustDrain = sink.change(diff.change) || mustDrain;
    } else if (diff.isTouched && diff.page !== undefined) {
      this.#counts.touched += 1;
      this.#onEvent({ event: "page", path: diff.page.path, change: "touched" });
    }
    return mustDrain;
  }

  #compare(
    file: File | ListedCandidate | undefined,
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

function eventOf(change: Change): ExportEvent {
  if (change.kind === "deleted") return { event: "page", path: change.path, change: change.kind };
  const { path, mediaType } = change.page;
  return { event: "page", path, change: change.kind, mediaType };
}
