import { SpillFile } from "../../fs/index.ts";
import type { ListedPage } from "./listed-page.ts";
import { ListedPageRecords } from "./listed-page-record.ts";
import { type Extent, PageRun, readExtent } from "./page-run.ts";

/** Memory for reading sorted runs back, all together. */
const readingBytes = 32 * 1024 * 1024;

/**
 * Sorts listed pages by path in bounded memory: runs are sorted in memory, spilled, and merged as they are read. Of
 * one path the page that came last is given. What comes in order is not sorted, and makes one run.
 */
export class PageSort implements Disposable {
  readonly #runBytes: number;
  readonly #file: SpillFile;
  readonly #records: ListedPageRecords = new ListedPageRecords();
  readonly #run: PageRun = new PageRun(this.#records);
  readonly #extents: Extent[] = [];
  #lastPath = "";
  /** Whether the run in memory is in order. */
  #inOrder = true;
  /** Whether, being in order, it goes on where the last extent ends. */
  #continues = false;
  #count = 0;
  #duplicates = 0;

  /**
   * @param folder - where runs are spilled to
   * @param runBytes - memory of a run; default 32 MiB
   */
  constructor(folder: string, runBytes: number = 32 * 1024 * 1024) {
    this.#file = new SpillFile(folder);
    this.#runBytes = runBytes;
  }

  /** Pages that came. */
  get count(): number {
    return this.#count;
  }

  /** Pages that were dropped for a later one of their path; known when all were drained. */
  get duplicates(): number {
    return this.#duplicates;
  }

  /** Bytes on disk. */
  get spilledBytes(): number {
    return this.#file.sizeBytes;
  }

  /** Adds a page of at most 8000 characters of path. Spills, blocking, when a run is full. */
  add(page: ListedPage): void {
    if (page.path < this.#lastPath) {
      if (this.#run.count === 0) this.#continues = false;
      else this.#inOrder = false;
    }
    this.#lastPath = page.path;
    this.#run.add(page);
    this.#count += 1;
    if (this.#run.sizeBytes >= this.#runBytes) this.#spill();
  }

  /** Gives all pages in order and forgets them; may be called once. */
  *drain(batchSize = 4096): Generator<ListedPage[]> {
    if (!this.#inOrder) this.#run.sort();
    const bufferBytes = Math.min(256 * 1024, Math.floor(readingBytes / (this.#extents.length + 1)));
    const runs = this.#extents.map((extent) => readExtent(this.#file, extent, this.#records, bufferBytes));
    let batch: ListedPage[] = [];
    let pending: ListedPage | undefined;
    for (const page of mergeRuns([...runs, this.#run.pages()])) {
      if (pending?.path === page.path) this.#duplicates += 1;
      else if (pending !== undefined) batch.push(pending);
      pending = page;
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
    if (pending !== undefined) batch.push(pending);
    if (batch.length > 0) yield batch;
  }

  /** Frees the disk. */
  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
    this.#run.clear();
  }

  #spill(): void {
    const from = this.#file.sizeBytes;
    if (this.#inOrder) {
      this.#run.spillAsIs(this.#file);
    } else {
      this.#run.sort();
      this.#run.spill(this.#file);
    }
    const to = this.#file.sizeBytes;
    const last = this.#extents.at(-1);
    if (this.#inOrder && this.#continues && last !== undefined) last.to = to;
    else this.#extents.push({ from, to });
    // After a run that was sorted, the last page that came is not the extent's last.
    this.#continues = this.#inOrder;
    this.#inOrder = true;
  }
}

interface Head {
  readonly pages: Generator<ListedPage>;
  readonly order: number;
  page: ListedPage;
}

/** Merges runs, those of one path in the order of the runs, by a heap of their heads. */
function* mergeRuns(runs: readonly Generator<ListedPage>[]): Generator<ListedPage> {
  const heap: Head[] = [];
  for (const [order, pages] of runs.entries()) {
    const first = pages.next();
    if (first.done !== true) heap.push({ pages, order, page: first.value });
  }
  for (let at = (heap.length >>> 1) - 1; at >= 0; at--) sink(heap, at);
  for (let least = heap[0]; least !== undefined; least = heap[0]) {
    yield least.page;
    const next = least.pages.next();
    if (next.done !== true) {
      least.page = next.value;
    } else {
      const last = heap.pop();
      if (last === undefined || last === least) continue;
      heap[0] = last;
    }
    sink(heap, 0);
  }
}

function sink(heap: Head[], start: number): void {
  const head = heap[start];
  if (head === undefined) return;
  let at = start;
  for (;;) {
    const left = heap[2 * at + 1];
    if (left === undefined) break;
    const right = heap[2 * at + 2];
    const isRight = right !== undefined && isBefore(right, left);
    const child = isRight ? right : left;
    if (!isBefore(child, head)) break;
    heap[at] = child;
    at = 2 * at + (isRight ? 2 : 1);
  }
  heap[at] = head;
}

function isBefore(a: Head, b: Head): boolean {
  return a.page.path < b.page.path || (a.page.path === b.page.path && a.order < b.order);
}
