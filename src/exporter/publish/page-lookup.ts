import { closeSync, openSync } from "node:fs";
import { stateCorrupt } from "./ledger.ts";
import { type Block, readBlock, readBlocks } from "./page-file.ts";
import { isGone, type PublishedPage, type RememberedPage } from "./published-page.ts";

/** Unpacked blocks that a file keeps, the ones looked into last. */
const keptBlocks = 8;

/** How many of a sorted list's entries come before a path. */
function countBefore<Entry>(entries: readonly Entry[], pathOf: (entry: Entry) => string, path: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = entries[middle];
    if (entry !== undefined && pathOf(entry) < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A place in one file of pages that can be moved to any path. */
class FileCursor {
  readonly #path: string;
  readonly #fd: number;
  readonly #blocks: Block[];
  readonly #kept = new Map<number, readonly RememberedPage[]>();
  #block = 0;
  #pages: readonly RememberedPage[] = [];
  #at = 0;

  constructor(path: string) {
    this.#path = path;
    try {
      this.#fd = openSync(path, "r");
    } catch (error) {
      throw stateCorrupt("list of pages", path, error);
    }
    try {
      this.#blocks = readBlocks(this.#fd);
    } catch (error) {
      this.close();
      throw stateCorrupt("list of pages", path, error);
    }
  }

  get head(): RememberedPage | undefined {
    return this.#pages[this.#at];
  }

  step(): void {
    this.#at += 1;
    if (this.#at >= this.#pages.length) this.#enter(this.#block + 1);
  }

  seek(path: string): void {
    // The last block that begins at the path or before it.
    const next = countBefore(this.#blocks, ({ firstPath }) => firstPath, path);
    const block = this.#blocks[next]?.firstPath === path ? next : Math.max(next - 1, 0);
    this.#enter(block);
    this.#keep();
    this.#at = countBefore(this.#pages, (page) => page.path, path);
    if (this.#at >= this.#pages.length) this.#enter(block + 1);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #enter(number: number): void {
    this.#block = number;
    this.#at = 0;
    this.#pages = this.#kept.get(number) ?? this.#unpack(number);
  }

  #unpack(number: number): readonly RememberedPage[] {
    const block = this.#blocks[number];
    if (block === undefined) return [];
    try {
      const pages = readBlock(this.#fd, block);
      const next = this.#blocks[number + 1];
      if (next !== undefined && (pages.at(-1)?.path ?? "") >= next.firstPath)
        throw new RangeError("blocks out of order");
      return pages;
    } catch (error) {
      throw stateCorrupt("list of pages", this.#path, error);
    }
  }

  // Who goes through a whole list does not come back to a block.
  #keep(): void {
    this.#kept.delete(this.#block);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= keptBlocks && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(this.#block, this.#pages);
  }
}

/** What lies directly in a folder, as it was published. */
export interface PublishedFolder {
  readonly pages: readonly PublishedPage[];
  /** Encoded paths, with `/` at their end, of folders with pages in them or below. */
  readonly folders: readonly string[];
}

/**
 * What is remembered of all pages: one list of all of them, and shorter ones of what became of some later; the
 * newest list that says something of a path is right. A look unpacks one block of some five hundred pages of each
 * list, which takes a millisecond or less, and blocks the thread; memory is some blocks a list.
 */
export class PageLookup implements Disposable {
  readonly #cursors: FileCursor[] = [];
  #head: PublishedPage | undefined;

  /**
   * @param paths - files, the oldest first
   * @throws TidemarkError `state-corrupt`, as do all methods
   */
  constructor(paths: readonly string[]) {
    try {
      for (const path of paths) this.#cursors.push(new FileCursor(path));
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** The page at hand; undefined after the last. */
  get head(): PublishedPage | undefined {
    return this.#head;
  }

  /** Goes to the first page whose path is this one or greater. */
  seek(path: string): void {
    for (const cursor of this.#cursors) cursor.seek(path);
    this.#settle();
  }

  /** Goes to the next page. */
  step(): void {
    if (this.#head !== undefined) this.#leave(this.#head.path);
    this.#settle();
  }

  /** What lies directly in a folder. Costs a look a page's block and a look a folder in it, whatever lies below those. */
  listFolder(folder: string): PublishedFolder {
    const pages: PublishedPage[] = [];
    const folders: string[] = [];
    this.seek(folder);
    for (let page = this.#head; page?.path.startsWith(folder) === true; page = this.#head) {
      const rest = /^[^/?]*\//.exec(page.path.slice(folder.length))?.[0];
      if (rest === undefined) {
        pages.push(page);
        this.step();
      } else {
        folders.push(folder + rest);
        this.seek(`${folder}${rest.slice(0, -1)}${afterSlash}`);
      }
    }
    return { pages, folders };
  }

  /** All pages below a folder, in path order. */
  below(folder: string): Generator<PublishedPage, undefined> {
    return this.between(folder, folder.slice(0, -1) + afterSlash);
  }

  /** Pages from a path to before another, in path order. @param to - undefined: to the last page */
  *between(from: string, to: string | undefined): Generator<PublishedPage, undefined> {
    this.seek(from);
    for (let page = this.#head; page !== undefined && (to === undefined || page.path < to); page = this.#head) {
      yield page;
      this.step();
    }
  }

  /** All that is said of any path, in path order: also that a page is there no more. */
  *records(): Generator<RememberedPage, undefined> {
    for (const cursor of this.#cursors) cursor.seek("");
    for (let record = this.#newest(); record !== undefined; record = this.#newest()) {
      yield record;
      this.#leave(record.path);
    }
  }

  /** Closes the files. */
  [Symbol.dispose](): void {
    for (const cursor of this.#cursors.splice(0)) cursor.close();
  }

  #leave(path: string): void {
    for (const cursor of this.#cursors) if (cursor.head?.path === path) cursor.step();
  }

  #settle(): void {
    let next = this.#newest();
    for (; next !== undefined && isGone(next); next = this.#newest()) this.#leave(next.path);
    this.#head = next;
  }

  /** What is said of the next path that any list has. */
  #newest(): RememberedPage | undefined {
    let next: RememberedPage | undefined;
    // A later list wins: they are gone through from the oldest to the newest.
    for (const { head } of this.#cursors)
      if (head !== undefined && (next === undefined || head.path <= next.path)) next = head;
    return next;
  }
}

/** What comes after `/` in the order of bytes: all that begins with a folder's path comes before. */
const afterSlash = "0";
