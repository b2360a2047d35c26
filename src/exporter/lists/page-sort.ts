import { contentDigestLength } from "../../formats/html/index.ts";
import { type ByteText, RecordSort, type SortedRecord } from "../../fs/index.ts";
import type { ListedPage } from "./listed-page.ts";

const flagSize = 1;
const flagTime = 2;
const flagDigest = 4;
const flagType = 8;

/** Distinct types of a list; those beyond count as unknown, so that a hostile list costs no memory. */
const maxTypes = 4096;

/**
 * Sorts listed pages by path in bounded memory; of one path it gives the page that was added last. Records exist as long
 * as a run of the program: they are no format.
 */
export class PageSort implements Disposable {
  readonly #sort: RecordSort;
  readonly #types: string[] = [];
  readonly #numbers = new Map<string, number>();
  #count = 0;
  #duplicates = 0;

  /** @param runBytes - memory of a run, which is spilled to the folder when it is full. Default: that of {@link RecordSort} */
  constructor(folder: string, runBytes?: number) {
    this.#sort = new RecordSort(folder, runBytes);
  }

  get count(): number {
    return this.#count;
  }

  /** Pages that were dropped for a later one of their path; known when all were drained. */
  get duplicates(): number {
    return this.#duplicates;
  }

  /** Adds a page. Spills, blocking, when a run is full. */
  add(page: ListedPage): void {
    this.#encode(page, this.#sort.text);
    this.#sort.add(page.path.length);
    this.#count += 1;
  }

  /** Gives all pages in order; may be called once. */
  *drain(batchSize = 4096): Generator<ListedPage[]> {
    let batch: ListedPage[] = [];
    let pending: ListedPage | undefined;
    for (const record of this.#sort.drain()) {
      const page = this.#decode(record);
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

  [Symbol.dispose](): void {
    this.#sort[Symbol.dispose]();
  }

  /** Writes a page, its path first: the key of the record. */
  #encode({ path, sizeBytes, lastModified, mediaType, digest }: ListedPage, text: ByteText): void {
    const type = mediaType === undefined ? undefined : this.#numberOf(mediaType);
    text.put(path);
    text.putUint(
      (sizeBytes === undefined ? 0 : flagSize) |
        (lastModified === undefined ? 0 : flagTime) |
        (digest === undefined ? 0 : flagDigest) |
        (type === undefined ? 0 : flagType),
      1,
    );
    if (sizeBytes !== undefined) text.putUint(sizeBytes, 7);
    if (lastModified !== undefined) text.putUint(lastModified, 5);
    if (digest !== undefined) text.put(digest);
    if (type !== undefined) text.putUint(type, 2);
  }

  #decode({ bytes, start, keyEnd }: SortedRecord): ListedPage {
    const path = bytes.toString("latin1", start, keyEnd);
    const flags = bytes[keyEnd] ?? 0;
    let at = keyEnd + 1;
    let sizeBytes: number | undefined;
    let lastModified: number | undefined;
    let digest: string | undefined;
    let mediaType: string | undefined;
    if ((flags & flagSize) !== 0) {
      sizeBytes = bytes.readUIntBE(at, 6) * 256 + (bytes[at + 6] ?? 0);
      at += 7;
    }
    if ((flags & flagTime) !== 0) {
      lastModified = bytes.readUIntBE(at, 5);
      at += 5;
    }
    if ((flags & flagDigest) !== 0) {
      digest = bytes.toString("latin1", at, at + contentDigestLength);
      at += contentDigestLength;
    }
    if ((flags & flagType) !== 0) mediaType = this.#types[bytes.readUInt16BE(at)];
    return { path, sizeBytes, lastModified, mediaType, digest };
  }

  #numberOf(type: string): number | undefined {
    const known = this.#numbers.get(type);
    if (known !== undefined || this.#types.length >= maxTypes) return known;
    this.#numbers.set(type, this.#types.length);
    this.#types.push(type);
    return this.#types.length - 1;
  }
}
