import type { SpillFile } from "../../fs/index.ts";
import { sortByPath } from "../walk/path-sort.ts";
import type { ListedPage } from "./listed-page.ts";
import { type ListedPageRecords, maxRecordBytes } from "./listed-page-record.ts";

/** A sorted stretch of a spill file. */
export interface Extent {
  readonly from: number;
  to: number;
}

const pieceBytes = 256 * 1024;

/** Records that wait in memory, as bytes in one buffer, out of the garbage collector's sight. */
export class PageRun {
  readonly #records: ListedPageRecords;
  #bytes: Buffer = Buffer.allocUnsafeSlow(pieceBytes);
  #length = 0;
  #offsets: Uint32Array = new Uint32Array(4096);
  #count = 0;

  constructor(records: ListedPageRecords) {
    this.#records = records;
  }

  /** Memory that it fills, with what sorting takes. */
  get sizeBytes(): number {
    return this.#length + this.#count * 24;
  }

  get count(): number {
    return this.#count;
  }

  add(page: ListedPage): void {
    if (this.#length + maxRecordBytes > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * this.#bytes.length);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    if (this.#count === this.#offsets.length) {
      const larger = new Uint32Array(2 * this.#count);
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    this.#offsets[this.#count++] = this.#length;
    this.#length = this.#records.encode(page, this.#bytes, this.#length);
  }

  sort(): void {
    sortByPath(this.#bytes, this.#offsets.subarray(0, this.#count));
  }

  /** Appends the records in their order to a file, and forgets them. */
  spill(file: SpillFile): void {
    const piece = Buffer.allocUnsafe(pieceBytes);
    let filled = 0;
    for (let at = 0; at < this.#count; at++) {
      const start = this.#offsets[at] ?? 0;
      const length = this.#records.measure(this.#bytes, start, this.#length) ?? 0;
      if (filled + length > pieceBytes) {
        file.append(piece.subarray(0, filled));
        filled = 0;
      }
      this.#bytes.copy(piece, filled, start, start + length);
      filled += length;
    }
    file.append(piece.subarray(0, filled));
    this.clear();
  }

  /** Appends the records, which came in order, to a file, and forgets them. */
  spillAsIs(file: SpillFile): void {
    file.append(this.#bytes.subarray(0, this.#length));
    this.clear();
  }

  clear(): void {
    this.#length = 0;
    this.#count = 0;
  }

  /** The pages in their order. */
  *pages(): Generator<ListedPage> {
    for (let at = 0; at < this.#count; at++) yield this.#records.decode(this.#bytes, this.#offsets[at] ?? 0);
  }
}

/** Reads the pages of a sorted stretch back. */
export function* readExtent(
  file: SpillFile,
  extent: Extent,
  records: ListedPageRecords,
  bufferBytes: number,
): Generator<ListedPage> {
  const buffer = Buffer.allocUnsafeSlow(Math.max(bufferBytes, maxRecordBytes));
  let position = extent.from;
  let start = 0;
  let end = 0;
  for (;;) {
    const length = records.measure(buffer, start, end);
    if (length !== undefined) {
      yield records.decode(buffer, start);
      start += length;
      continue;
    }
    buffer.copy(buffer, 0, start, end);
    end -= start;
    start = 0;
    const wanted = Math.min(buffer.length - end, extent.to - position);
    if (wanted === 0) return;
    const came = file.read(buffer, end, wanted, position);
    if (came === 0) throw new RangeError("a file that was sorted in became shorter");
    position += came;
    end += came;
  }
}
