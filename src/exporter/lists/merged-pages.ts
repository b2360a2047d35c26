import type { ScanGap, ScannedFile } from "../walk/scanned-file.ts";
import type { RootWalk } from "../walk/site-walk.ts";
import type { ListedPage, ListedPageSource } from "./listed-page.ts";

interface HasPath {
  readonly path: string;
}

/** Reads batches of what comes in path order one by one. */
export class PathCursor<Item extends HasPath> {
  readonly #next: () => Promise<readonly Item[] | undefined>;
  #batch: readonly Item[] = [];
  #at = 0;
  #isEnded = false;

  /** @param next - gives the next batch, which may be empty; undefined after the last */
  constructor(next: () => Promise<readonly Item[] | undefined>) {
    this.#next = next;
  }

  /** The next item, once {@link fill} was awaited; undefined at the end. */
  get head(): Item | undefined {
    return this.#batch[this.#at];
  }

  /** Whether {@link head} is the next item, or undefined because there is none. */
  get isKnown(): boolean {
    return this.#isEnded || this.#at < this.#batch.length;
  }

  step(): void {
    this.#at += 1;
  }

  /** Reads on until there is an item, or the end. */
  async fill(): Promise<void> {
    while (!this.isKnown) {
      const batch = await this.#next();
      this.#isEnded = batch === undefined;
      this.#batch = batch ?? [];
      this.#at = 0;
    }
  }
}

/** Takes items of both in path order, as far as both are known; items of one path together. */
function merge<A extends HasPath, B extends HasPath>(
  first: PathCursor<A>,
  second: PathCursor<B>,
  take: (a: A | undefined, b: B | undefined) => void,
): void {
  while (first.isKnown && second.isKnown) {
    const [a, b] = [first.head, second.head];
    if (a === undefined && b === undefined) return;
    const isFirst = a !== undefined && (b === undefined || a.path <= b.path);
    const isSecond = b !== undefined && (a === undefined || b.path <= a.path);
    take(isFirst ? a : undefined, isSecond ? b : undefined);
    if (isFirst) first.step();
    if (isSecond) second.step();
  }
}

async function disposeBoth(first: AsyncDisposable, second: AsyncDisposable): Promise<void> {
  try {
    await first[Symbol.asyncDispose]();
  } finally {
    await second[Symbol.asyncDispose]();
  }
}

/** Two lists as one, in path order; where both have a path, the second counts. It disposes of both. */
export class JoinedLists implements ListedPageSource {
  readonly #first: ListedPageSource;
  readonly #second: ListedPageSource;
  readonly #cursors: readonly [PathCursor<ListedPage>, PathCursor<ListedPage>];

  constructor(first: ListedPageSource, second: ListedPageSource) {
    this.#first = first;
    this.#second = second;
    this.#cursors = [new PathCursor(() => first.next()), new PathCursor(() => second.next())];
  }

  get isComplete(): boolean {
    return this.#first.isComplete && this.#second.isComplete;
  }

  get kept(): ReadonlySet<string> {
    return new Set([...this.#first.kept, ...this.#second.kept]);
  }

  async next(): Promise<readonly ListedPage[] | undefined> {
    const [first, second] = this.#cursors;
    const pages: ListedPage[] = [];
    // A batch may be passed over whole.
    while (pages.length === 0) {
      await first.fill();
      await second.fill();
      if (first.head === undefined && second.head === undefined) return undefined;
      merge(first, second, (a, b) => {
        const page = b ?? a;
        if (page !== undefined && (b !== undefined || !this.#second.kept.has(page.path))) pages.push(page);
      });
    }
    return pages;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await disposeBoth(this.#first, this.#second);
  }
}

/** A page of the site: a file of the document root, or one that a list names. */
export type SitePage = ScannedFile | ListedPage;

/** Some thousand pages in path order, and places that could not be seen: what was published there stays. */
export interface SitePageBatch {
  readonly pages: readonly SitePage[];
  readonly gaps: readonly ScanGap[];
}

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
  readonly #files: RootWalk;
  readonly #listed: ListedPageSource;
  readonly #fileCursor: PathCursor<ScannedFile>;
  readonly #listedCursor: PathCursor<ListedPage>;
  #gaps: ScanGap[] = [];
  #isGapTold = false;
  #shadowed = 0;

  constructor(files: RootWalk, listed: ListedPageSource) {
    this.#files = files;
    this.#listed = listed;
    this.#fileCursor = new PathCursor(async () => {
      const batch = await files.next();
      for (const gap of batch?.gaps ?? []) this.#gaps.push(gap);
      return batch?.files;
    });
    this.#listedCursor = new PathCursor(() => listed.next());
  }

  /** Listed pages until now for which a file was taken. */
  get shadowed(): number {
    return this.#shadowed;
  }

  async next(): Promise<SitePageBatch | undefined> {
    await this.#fileCursor.fill();
    await this.#listedCursor.fill();
    let gaps = this.#gaps;
    this.#gaps = [];
    // Gaps are not nested: the whole site contains all others.
    if (!this.#listed.isComplete) gaps = this.#isGapTold ? [] : [{ path: "/" }];
    else if (!this.#isGapTold) for (const path of this.#listed.kept) gaps.push({ path });
    this.#isGapTold = true;
    const pages: SitePage[] = [];
    merge(this.#fileCursor, this.#listedCursor, (file, listed) => {
      const page = file ?? listed;
      if (page !== undefined) pages.push(page);
      if (file !== undefined && listed !== undefined) this.#shadowed += 1;
    });
    return pages.length === 0 && gaps.length === 0 ? undefined : { pages, gaps };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await disposeBoth(this.#files, this.#listed);
  }
}
