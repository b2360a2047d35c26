import { join } from "node:path";
import type { PageFile } from "./ledger.ts";
import { PageWriter } from "./page-file.ts";
import { PageLookup } from "./page-lookup.ts";
import { isGone, type PublishedPage } from "./published-page.ts";

/** A list of fewer pages is written anew whenever something changes. */
const smallList = 4096;
/** Later lists are merged with the first when together they say something of more than a quarter of its pages. */
const largestPart = 1 / 4;

/**
 * What a run remembers of pages: the files of earlier runs, and one that it writes. A run in which
 * little changes writes little: only what became of those pages, O(changes).
 */
export class PageMemory implements AsyncDisposable {
  readonly #folder: string;
  readonly #files: readonly PageFile[];
  readonly #isWhole: boolean;
  /** Opened when there is something to write: most runs of most sites write nothing. */
  #writer: PageWriter | undefined;
  #isChanged: boolean;
  /** Files that stay below the one that is written. */
  #below: readonly PageFile[];

  /**
   * @param files - of earlier runs, the oldest first
   * @param seesAll - whether the run looks at all pages, so that it may write the whole list anew
   */
  constructor(folder: string, files: readonly PageFile[], seesAll: boolean) {
    const [first, ...later] = files;
    const changed = later.reduce((sum, { records }) => sum + records, 0);
    this.#folder = folder;
    this.#files = files;
    this.#isWhole =
      first === undefined || (seesAll && (first.records < smallList || changed > first.records * largestPart));
    // Lists that wait to be merged, or none at all, are reason enough to write one.
    this.#isChanged = this.#isWhole && files.length !== 1;
    this.#below = this.#isWhole ? [] : files;
  }

  /** What earlier runs remembered. To be disposed of by the caller. */
  openEarlier(): PageLookup {
    return new PageLookup(this.#pathsOf(this.#files));
  }

  /** Takes a page; they come in path order. @returns whether {@link drain} must be awaited before the next */
  page(page: PublishedPage, isRemembered: boolean): boolean {
    if (isRemembered) this.#isChanged = true;
    return this.#isWhole || isRemembered ? this.#open().add(page) : false;
  }

  /** Takes a page that is there no more. @returns whether {@link drain} must be awaited before the next */
  gone(path: string): boolean {
    this.#isChanged = true;
    return this.#isWhole ? false : this.#open().addGone(path);
  }

  async drain(): Promise<void> {
    await this.#writer?.drain();
  }

  /** Whether there is anything to remember that earlier runs did not. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** Makes durable what was taken, and merges what became of pages in the last runs while that costs little. */
  async end(): Promise<void> {
    if (!this.#isChanged) return;
    await this.#open().end();
    if (this.#isWhole) return;
    let kept = this.#below.length;
    let records = this.#open().count;
    // Each record is copied a logarithmic number of times, and there are never many lists.
    for (let file = this.#below[kept - 1]; kept > 1 && file !== undefined && file.records <= 2 * records; ) {
      records += file.records;
      kept -= 1;
      file = this.#below[kept - 1];
    }
    if (kept === this.#below.length) return;
    const merged = this.#below.slice(kept);
    this.#below = this.#below.slice(0, kept);
    await this.#merge(merged, this.#open());
  }

  /** All pages as they are remembered from now on, once {@link end} was awaited. To be disposed of by the caller. */
  openLatest(): PageLookup {
    if (!this.#isChanged) return this.openEarlier();
    return new PageLookup([...this.#pathsOf(this.#below), this.#open().path]);
  }

  /** The files as the ledger is to name them. @param name - of the new one, if there is one */
  filesAs(name: string): readonly PageFile[] {
    return this.isChanged ? [...this.#below, { name, records: this.#writer?.count ?? 0 }] : this.#files;
  }

  /** Gives the new file its name. */
  async commit(name: string): Promise<void> {
    if (this.#isChanged) await this.#open().commit(join(this.#folder, name));
  }

  /** Drops what is not committed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer?.[Symbol.asyncDispose]();
  }

  #open(): PageWriter {
    this.#writer ??= new PageWriter(this.#folder);
    return this.#writer;
  }

  async #merge(files: readonly PageFile[], newest: PageWriter): Promise<void> {
    const merged = new PageWriter(this.#folder);
    // From here on it is what is kept, or what is dropped if this fails.
    this.#writer = merged;
    await using _ = newest;
    using pages = new PageLookup([...this.#pathsOf(files), newest.path]);
    for (const record of pages.records()) {
      const isFull = isGone(record) ? merged.addGone(record.path) : merged.add(record);
      if (isFull) await merged.drain();
    }
    await merged.end();
  }

  #pathsOf(files: readonly PageFile[]): string[] {
    return files.map(({ name }) => join(this.#folder, name));
  }
}
