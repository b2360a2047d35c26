import { grow, IndexedHeap } from "../core/index.ts";
import { ByteText } from "./byte-text.ts";
import { prefixBytes, prefixOf, recordHeadBytes, sortRecords } from "./record-order.ts";
import { SpillFile } from "./spill-file.ts";

/** A record where it lies in `bytes`: the key from `start` to `keyEnd`, the rest from there to `end`. Valid until the next record. */
export interface SortedRecord {
  readonly bytes: Buffer;
  readonly start: number;
  readonly keyEnd: number;
  readonly end: number;
}

/** A sorted part of the spill file. */
interface Extent {
  readonly from: number;
  to: number;
}

const pieceBytes = 256 * 1024;
/** Memory for reading sorted runs back, all together. */
const readingBytes = 32 * 1024 * 1024;
/** What a record takes beside its bytes, while a run is sorted. */
const sortingBytes = 24;
const emptyHead = "\0".repeat(recordHeadBytes);

/**
 * Sorts records by their keys, byte by byte, and those of one key in the order in which they came, in bounded memory: runs are
 * sorted in memory, spilled to a file without a name, and merged as they are read. Records are bytes in one buffer all the way, out
 * of the garbage collector's sight. Records that come in order are not sorted, and make one run.
 */
export class RecordSort implements Disposable {
  readonly #runBytes: number;
  readonly #file: SpillFile;
  readonly #text: ByteText = new ByteText(pieceBytes);
  /** Where each record of the run begins, that being put included. */
  #offsets: Uint32Array = new Uint32Array(4096);
  #count = 0;
  readonly #extents: Extent[] = [];
  /** Key of the last record of the last extent. */
  #lastKey: Buffer | undefined;

  /**
   * @param folder - where runs are spilled to
   * @param runBytes - memory of a run; default 24 MiB
   */
  constructor(folder: string, runBytes: number = 24 * 1024 * 1024) {
    this.#file = new SpillFile(folder);
    this.#runBytes = runBytes;
    this.#text.put(emptyHead);
  }

  /** Where the next record is put, its key first; {@link add} ends it. */
  get text(): ByteText {
    return this.#text;
  }

  /** Bytes on disk. */
  get spilledBytes(): number {
    return this.#file.sizeBytes;
  }

  /**
   * Takes what was put to {@link text} since the last call as a record. Spills, blocking, when a run is full.
   *
   * @param keyBytes - how much of it is the key
   * @throws TidemarkError `disk-full`, `no-permission`
   */
  add(keyBytes: number): void {
    const { bytes, length } = this.#text;
    const start = this.#offsets[this.#count] as number;
    bytes.writeUInt32LE(keyBytes, start);
    bytes.writeUInt32LE(length - start - recordHeadBytes - keyBytes, start + 4);
    this.#count += 1;
    if (length + this.#count * sortingBytes >= this.#runBytes) this.#spill();
    this.#offsets = grow(this.#offsets, this.#count + 1);
    this.#offsets[this.#count] = this.#text.length;
    this.#text.put(emptyHead);
  }

  /** Gives all records in order; may be called once, after the last was added. */
  *drain(): Generator<SortedRecord> {
    const bufferBytes = Math.min(pieceBytes, Math.floor(readingBytes / (this.#extents.length + 1)));
    const runs = this.#extents.map((extent) => readExtent(this.#file, extent, bufferBytes));
    runs.push(readMemory(this.#text.bytes, this.#sorted()));
    const heads: RecordAt[] = [];
    const heap = new IndexedHeap((run, other) => {
      const order = compareLikeKeys(heads[run] as RecordAt, heads[other] as RecordAt);
      return order < 0 || (order === 0 && run < other);
    });
    const step = (run: number): void => {
      const next = (runs[run] as Generator<RecordAt>).next();
      if (next.done === true) {
        heap.delete(run);
        return;
      }
      heads[run] = next.value;
      heap.set(run, prefixOf(next.value.bytes, next.value.start, next.value.keyEnd));
    };
    for (let run = 0; run < runs.length; run++) step(run);
    for (let run = heap.first; run !== undefined; run = heap.first) {
      yield heads[run] as RecordAt;
      step(run);
    }
  }

  /** Frees the disk. */
  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  #sorted(): Uint32Array {
    const offsets = this.#offsets.subarray(0, this.#count);
    sortRecords(this.#text.bytes, offsets);
    return offsets;
  }

  #spill(): void {
    const offsets = this.#sorted();
    const { bytes, length } = this.#text;
    const from = this.#file.sizeBytes;
    if (offsets.every((offset, at) => at === 0 || offset > (offsets[at - 1] as number)))
      this.#file.append(bytes.subarray(0, length));
    else this.#appendEach(offsets);
    const to = this.#file.sizeBytes;
    const record = new RecordAt(bytes);
    record.place(offsets[0] as number);
    const last = this.#extents.at(-1);
    if (last !== undefined && this.#lastKey !== undefined && this.#lastKey.compare(record.key()) <= 0) last.to = to;
    else this.#extents.push({ from, to });
    record.place(offsets[offsets.length - 1] as number);
    this.#lastKey = Buffer.from(record.key());
    this.#text.clear();
    this.#count = 0;
  }

  #appendEach(offsets: Uint32Array): void {
    const { bytes } = this.#text;
    const record = new RecordAt(bytes);
    const piece = new ByteText(pieceBytes);
    for (const offset of offsets) {
      record.place(offset);
      if (piece.length + record.end - offset > pieceBytes) {
        this.#file.append(piece.bytes.subarray(0, piece.length));
        piece.clear();
      }
      piece.putBytes(bytes, offset, record.end);
    }
    this.#file.append(piece.bytes.subarray(0, piece.length));
  }
}

class RecordAt implements SortedRecord {
  bytes: Buffer;
  start = 0;
  keyEnd = 0;
  end = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Goes to the record whose head is at a place. */
  place(at: number): void {
    this.start = at + recordHeadBytes;
    this.keyEnd = this.start + this.bytes.readUInt32LE(at);
    this.end = this.keyEnd + this.bytes.readUInt32LE(at + 4);
  }

  key(): Buffer {
    return this.bytes.subarray(this.start, this.keyEnd);
  }
}

/** Compares keys that begin alike, see {@link prefixOf}. A loop, since most differ soon, and a call into native code costs more. */
function compareLikeKeys(a: RecordAt, b: RecordAt): number {
  const length = Math.min(a.keyEnd - a.start, b.keyEnd - b.start);
  for (let at = prefixBytes; at < length; at++) {
    const difference = (a.bytes[a.start + at] as number) - (b.bytes[b.start + at] as number);
    if (difference !== 0) return difference;
  }
  return a.keyEnd - a.start - (b.keyEnd - b.start);
}

function* readMemory(bytes: Buffer, offsets: Uint32Array): Generator<RecordAt> {
  const record = new RecordAt(bytes);
  for (const offset of offsets) {
    record.place(offset);
    yield record;
  }
}

function* readExtent(file: SpillFile, { from, to }: Extent, bufferBytes: number): Generator<RecordAt> {
  const record = new RecordAt(Buffer.allocUnsafeSlow(Math.max(bufferBytes, recordHeadBytes)));
  let position = from;
  let at = 0;
  let filled = 0;
  for (;;) {
    let wholeBytes = recordHeadBytes;
    if (at + wholeBytes <= filled) {
      record.place(at);
      wholeBytes = record.end - at;
      if (record.end <= filled) {
        yield record;
        at += wholeBytes;
        continue;
      }
    }
    // A record that is longer than the buffer makes it grow.
    const before = record.bytes;
    if (wholeBytes > before.length) record.bytes = Buffer.allocUnsafeSlow(Math.max(wholeBytes, 2 * before.length));
    before.copy(record.bytes, 0, at, filled);
    filled -= at;
    at = 0;
    const wanted = Math.min(record.bytes.length - filled, to - position);
    if (wanted === 0) return;
    const came = file.read(record.bytes, filled, wanted, position);
    if (came === 0) throw new RangeError("a file that was sorted in became shorter");
    position += came;
    filled += came;
  }
}
