import type { ScanBatch, ScanGap, ScannedFile } from "../walk/scanned-file.ts";
import type { ListedPage, ListedPageSource } from "./listed-page.ts";

/** A page of the site: a file of the document root, or one that a list names. */
export type SitePage = ScannedFile | ListedPage;

/** Some thousand pages in path order, and places that could not be seen: what was published there stays. */
export interface SitePageBatch {
  readonly pages: readonly SitePage[];
  readonly gaps: readonly ScanGap[];
}

/** Files in path order, as a walk gives them. */
export interface FileSource extends AsyncDisposable {
  next(): Promise<ScanBatch | undefined>;
}

/** Whether a page is a file. */
export function isScannedFile(page: SitePage): page is ScannedFile {
  return "mtimeUs" in page;
}

/**
 * Merges files and listed pages in path order; where both have a path the file counts. It disposes of both sources.
 *
 * A list that is not complete makes the whole site a gap: nothing is deleted because of it. A page whose line is not
 * understood is a gap of its own.
 */
export class MergedPages implements AsyncDisposable {
  readonly #files: FileSource;
  readonly #listed: ListedPageSource;
  #fileBatch: readonly ScannedFile[] = [];
  #fileAt = 0;
  #filesEnded = false;
  #listedBatch: readonly ListedPage[] = [];
  #listedAt = 0;
  #listedEnded = false;
  #isGapTold = false;
  #shadowed = 0;

  constructor(files: FileSource, listed: ListedPageSource) {
    this.#files = files;
    this.#listed = listed;
  }

  /** Listed pages until now for which a file was taken. */
  get shadowed(): number {
    return this.#shadowed;
  }

  /** Gives the next pages; undefined after the last. */
  async next(): Promise<SitePageBatch | undefined> {
    let gaps: ScanGap[] = [];
    while (!this.#filesEnded && this.#fileAt >= this.#fileBatch.length) {
      const batch = await this.#files.next();
      this.#filesEnded = batch === undefined;
      this.#fileBatch = batch?.files ?? [];
      this.#fileAt = 0;
      for (const gap of batch?.gaps ?? []) gaps.push(gap);
    }
    while (!this.#listedEnded && this.#listedAt >= this.#listedBatch.length) {
      const batch = await this.#listed.next();
      this.#listedEnded = batch === undefined;
      this.#listedBatch = batch ?? [];
      this.#listedAt = 0;
    }
    if (!this.#listed.isComplete) {
      // Gaps are not nested: this one holds all others.
      gaps = this.#isGapTold ? [] : [{ path: "/" }];
    } else if (!this.#isGapTold) {
      for (const path of this.#listed.kept) gaps.push({ path });
    }
    this.#isGapTold = true;
    const pages = this.#merge();
    return pages.length === 0 && gaps.length === 0 ? undefined : { pages, gaps };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#files[Symbol.asyncDispose]();
    } finally {
      await this.#listed[Symbol.asyncDispose]();
    }
  }

  // As far as both are known.
  #merge(): SitePage[] {
    const pages: SitePage[] = [];
    for (;;) {
      const file = this.#fileBatch[this.#fileAt];
      const listed = this.#listedBatch[this.#listedAt];
      if ((file === undefined && !this.#filesEnded) || (listed === undefined && !this.#listedEnded)) return pages;
      if (listed === undefined) {
        if (file === undefined) return pages;
        pages.push(file);
        this.#fileAt += 1;
      } else if (file === undefined || listed.path < file.path) {
        pages.push(listed);
        this.#listedAt += 1;
      } else {
        if (listed.path === file.path) {
          this.#shadowed += 1;
          this.#listedAt += 1;
        }
        pages.push(file);
        this.#fileAt += 1;
      }
    }
  }
}
