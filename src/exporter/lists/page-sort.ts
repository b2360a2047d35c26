import { RecordSort } from "../../fs/index.ts";
import type { ListedPage } from "./listed-page.ts";
import { ListedPageRecords } from "./listed-page-record.ts";

/** Sorts listed pages by path in bounded memory. Of one path the page that came last is given. */
export class PageSort implements Disposable {
  readonly #sort: RecordSort;
  readonly #records: ListedPageRecords = new ListedPageRecords();
  #count = 0;
  #duplicates = 0;

  /** @param runBytes - memory of a run, which is spilled to the folder when it is full. Default: that of {@link RecordSort} */
  constructor(folder: string, runBytes?: number) {
    this.#sort = new RecordSort(folder, runBytes);
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
    return this.#sort.spilledBytes;
  }

  /** Adds a page. Spills, blocking, when a run is full. */
  add(page: ListedPage): void {
    this.#records.encode(page, this.#sort.text);
    this.#sort.add(page.path.length);
    this.#count += 1;
  }

  /** Gives all pages in order; may be called once. */
  *drain(batchSize = 4096): Generator<ListedPage[]> {
    let batch: ListedPage[] = [];
    let pending: ListedPage | undefined;
    for (const record of this.#sort.drain()) {
      const page = this.#records.decode(record);
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
    this.#sort[Symbol.dispose]();
  }
}
