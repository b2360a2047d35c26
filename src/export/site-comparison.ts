import { setImmediate as nextTurn } from "node:timers/promises";
import { type Change, type ExportEvent, TidemarkError } from "../model/index.ts";
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

/** Files in path order, and places that could not be seen: what was published there stays. */
export interface SourceBatch<File> {
  readonly files: readonly File[];
  readonly gaps: readonly { readonly path: string }[];
}

/** Where candidate files come from: a document root's walk, or a list. */
export interface PageSource<File extends CandidateFile = CandidateFile> extends AsyncDisposable {
  /** Some files in path order, and the places that could not be seen; undefined after the last. */
  next(): Promise<SourceBatch<File> | undefined>;
  /** Reads a file. @param turn - to be awaited now and then while a large one is read; may throw */
  digest(file: File, turn: () => Promise<void>): CandidateDigest | Promise<CandidateDigest>;
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
}

/** Bytes that are read between two turns of the event loop, in which a signal can arrive. */
const bytesPerTurn = 16 * 1024 * 1024;

/** Pairs that wait to be settled: a batch's, and not all that was deleted before a batch's last file. */
const maxPairs = 4096;

interface Pair<File> {
  readonly file: File | undefined;
  readonly before: PublishedPage | undefined;
  digest: CandidateDigest | undefined;
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
  };
  readonly #gaps: string[] = [];
  #bytesRead = 0;

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
      const pairs: Pair<File>[] = [];
      for (const file of batch.files) {
        while (reader.head !== undefined && reader.head.path < file.path) {
          pairs.push({ file: undefined, before: reader.head, digest: undefined });
          if (pairs.length >= maxPairs) await this.#settleAll(pairs, sink);
          if (reader.step()) await reader.fill();
        }
        const before = reader.head?.path === file.path ? reader.head : undefined;
        pairs.push({ file, before, digest: undefined });
        if (before !== undefined && reader.step()) await reader.fill();
      }
      await this.#settleAll(pairs, sink);
      this.#onEvent({ event: "progress", phase: "scan", done: this.#counts.pages });
    }
    while (reader.head !== undefined) {
      if (this.#settle({ file: undefined, before: reader.head, digest: undefined }, sink)) await sink.drain();
      if (reader.step()) await reader.fill();
    }
    return this.#counts;
  }

  async #turn(): Promise<void> {
    await nextTurn();
    if (this.#signal?.aborted === true) throw new TidemarkError("aborted", "Stopped before anything was published.");
  }

  async #settleAll(pairs: Pair<File>[], sink: ComparisonSink): Promise<void> {
    await this.#digest(pairs);
    for (const pair of pairs) if (this.#settle(pair, sink)) await sink.drain();
    pairs.length = 0;
  }

  async #digest(pairs: readonly Pair<File>[]): Promise<void> {
    const turn = () => this.#turn();
    for (const pair of pairs) {
      if (pair.file === undefined || !needsDigest(pair.file, pair.before, this.#options)) continue;
      // Small files are read at once: a promise for each would cost more than the reading.
      const digest = this.#source.digest(pair.file, turn);
      pair.digest = digest instanceof Promise ? await digest : digest;
      this.#bytesRead += pair.file.sizeBytes + 16_384;
      if (this.#bytesRead < bytesPerTurn) continue;
      this.#bytesRead = 0;
      await this.#turn();
    }
  }

  #settle({ file, before, digest }: Pair<File>, sink: ComparisonSink): boolean {
    const diff =
      file === undefined ? this.#absent(before) : diffPage(file, before, digest, this.#options, this.#onEvent);
    let mustDrain = false;
    if (diff.page !== undefined) {
      this.#counts.pages += 1;
      mustDrain = sink.page(diff.page, diff.isRemembered);
    } else if (before !== undefined) mustDrain = sink.gone(before.path);
    if (diff.change !== undefined) {
      this.#counts[diff.change.kind] += 1;
      const path = diff.change.kind === "deleted" ? diff.change.path : diff.change.page.path;
      this.#onEvent({ event: "page", path, change: diff.change.kind });
      mustDrain = sink.change(diff.change) || mustDrain;
    } else if (diff.isTouched && diff.page !== undefined) {
      this.#counts.touched += 1;
      this.#onEvent({ event: "page", path: diff.page.path, change: "touched" });
    }
    return mustDrain;
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
