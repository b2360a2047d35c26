import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type EpochSeconds, wrapSystemError } from "../core/index.ts";
import { ByteText } from "./byte-text.ts";
import { temporaryName } from "./durable-file.ts";

/** Lines of a run in order, as columns: line `at` is `bytes` from `starts[at]` to `ends[at]`. Valid until the next batch. */
interface LineBatch {
  readonly count: number;
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly times: Float64Array;
  readonly groups: Uint16Array;
}

/** Keys pack time and order of arrival into one double: 35 bits of seconds (to the year 3058), 18 of order. */
const orderBits = 2 ** 18;

/** Lines of a run that are looked at together. */
const batchLines = 4096;

/** A line of a run in a file: time as a double, group and length as 32 bits, the bytes. */
const runHeadBytes = 16;

/**
 * Sorts lines by time, and of one time in the order in which they came, in bounded memory: runs
 * are sorted in memory, written to temporary files, and merged as they are read. Lines are bytes in
 * one buffer all the way, out of the garbage collector's sight.
 */
export class SortedLines {
  readonly #folder: string;
  readonly #runBytes: number;
  #run: LineRun = new LineRun();
  readonly #runs: string[] = [];

  /**
   * @param folder - where runs are spilled to
   * @param runBytes - memory of a run; default 24 MiB
   */
  constructor(folder: string, runBytes: number = 24 * 1024 * 1024) {
    this.#folder = folder;
    this.#runBytes = runBytes;
  }

  /** Where the next line is put; {@link add} ends it. */
  get text(): ByteText {
    return this.#run.text;
  }

  /**
   * Takes what was put to {@link text} since the last call as a line. Spills to disk, blocking, when a run is full.
   *
   * @param group - any number below 65536 that stays with the line
   */
  add(time: EpochSeconds, group: number): void {
    this.#run.add(time, group);
    if (this.#run.bytes >= this.#runBytes || this.#run.count >= orderBits) this.#spill();
  }

  /** Gives all lines in order, and forgets them. */
  drain(): LineMerge {
    const memory = this.#run.drain();
    this.#run = new LineRun();
    return new LineMerge([...this.#runs.map((path) => readRun(path)), memory]);
  }

  /** Removes the temporary files. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const run of this.#runs.splice(0)) await rm(run, { force: true });
  }

  #spill(): void {
    const path = temporaryName(join(this.#folder, "run"));
    this.#runs.push(path);
    const fd = openSync(path, "wx", 0o600);
    try {
      const piece = new ByteText(1 << 20);
      for (const batch of this.#run.drain()) {
        piece.clear();
        for (let at = 0; at < batch.count; at++) putRunLine(piece, batch, at);
        for (let at = 0; at < piece.length; ) at += writeSync(fd, piece.bytes, at, piece.length - at);
      }
    } catch (error) {
      throw wrapSystemError(error, `sort in ${this.#folder}`, { path });
    } finally {
      closeSync(fd);
    }
    this.#run.clear();
  }
}

/** Lines that wait in memory. */
class LineRun {
  readonly text: ByteText = new ByteText(1 << 20);
  #ends: Uint32Array = new Uint32Array(1 << 14);
  #keys: Float64Array = new Float64Array(1 << 14);
  #groups: Uint16Array = new Uint16Array(1 << 14);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.text.length + this.#count * 14;
  }

  add(time: EpochSeconds, group: number): void {
    if (this.#count === this.#ends.length) this.#grow();
    this.#ends[this.#count] = this.text.length;
    this.#groups[this.#count] = group;
    this.#keys[this.#count] = time * orderBits + this.#count;
    this.#count += 1;
  }

  clear(): void {
    this.text.clear();
    this.#count = 0;
  }

  *drain(): Generator<LineBatch> {
    const keys = this.#keys.subarray(0, this.#count).sort();
    const columns = makeColumns();
    const { bytes } = this.text;
    for (let start = 0; start < keys.length; start += batchLines) {
      const count = Math.min(batchLines, keys.length - start);
      for (let at = 0; at < count; at++) {
        const key = keys[start + at] ?? 0;
        const time = Math.floor(key / orderBits);
        const line = key - time * orderBits;
        columns.times[at] = time;
        columns.groups[at] = this.#groups[line] ?? 0;
        columns.starts[at] = line === 0 ? 0 : (this.#ends[line - 1] ?? 0);
        columns.ends[at] = this.#ends[line] ?? 0;
      }
      yield { ...columns, bytes, count };
    }
  }

  #grow(): void {
    const room = 2 * this.#count;
    const [ends, keys, groups] = [new Uint32Array(room), new Float64Array(room), new Uint16Array(room)];
    ends.set(this.#ends);
    keys.set(this.#keys);
    groups.set(this.#groups);
    this.#ends = ends;
    this.#keys = keys;
    this.#groups = groups;
  }
}

type LineColumns = Omit<LineBatch, "count" | "bytes">;

function makeColumns(): LineColumns {
  return {
    starts: new Uint32Array(batchLines),
    ends: new Uint32Array(batchLines),
    times: new Float64Array(batchLines),
    groups: new Uint16Array(batchLines),
  };
}

const head = Buffer.alloc(runHeadBytes);

function putRunLine(piece: ByteText, { bytes, starts, ends, times, groups }: LineBatch, at: number): void {
  const [from = 0, to = 0] = [starts[at], ends[at]];
  head.writeDoubleLE(times[at] ?? 0, 0);
  head.writeUInt32LE(groups[at] ?? 0, 8);
  head.writeUInt32LE(to - from, 12);
  piece.putBytes(head, 0, runHeadBytes);
  piece.putBytes(bytes, from, to);
}

function* readRun(path: string): Generator<LineBatch> {
  const fd = openSync(path, "r");
  try {
    const columns = makeColumns();
    let bytes = Buffer.allocUnsafeSlow(256 * 1024);
    let filled = 0;
    for (;;) {
      const length = readSync(fd, bytes, filled, bytes.length - filled, null);
      filled += length;
      if (filled === 0) return;
      const { count, end } = parseRunLines(bytes, filled, columns);
      if (count > 0) yield { ...columns, bytes, count };
      else if (length === 0) throw new RangeError(`${path} ends within a line`);
      // A line that is longer than the buffer makes it grow.
      const next = count === 0 ? Buffer.allocUnsafeSlow(2 * bytes.length) : bytes;
      bytes.copy(next, 0, end, filled);
      bytes = next;
      filled -= end;
    }
  } finally {
    closeSync(fd);
  }
}

/** Finds the lines that are whole in the buffer's first bytes, at most a batch of them. */
function parseRunLines(bytes: Buffer, filled: number, columns: LineColumns): { count: number; end: number } {
  let count = 0;
  let end = 0;
  while (count < batchLines && end + runHeadBytes <= filled) {
    const start = end + runHeadBytes;
    const lineEnd = start + bytes.readUInt32LE(end + 12);
    if (lineEnd > filled) break;
    columns.times[count] = bytes.readDoubleLE(end);
    columns.groups[count] = bytes.readUInt32LE(end + 8);
    columns.starts[count] = start;
    columns.ends[count] = lineEnd;
    count += 1;
    end = lineEnd;
  }
  return { count, end };
}

/** Steps through a run's lines. */
class RunReader {
  readonly #batches: Generator<LineBatch>;
  batch: LineBatch | undefined;
  at = 0;
  /** Time of the line at hand; infinite after the last. */
  time: number = Number.POSITIVE_INFINITY;

  constructor(batches: Generator<LineBatch>) {
    this.#batches = batches;
    this.#fill();
  }

  step(): void {
    this.at += 1;
    if (this.batch !== undefined && this.at < this.batch.count) this.time = this.batch.times[this.at] ?? 0;
    else this.#fill();
  }

  /** Closes what is not read to its end. */
  close(): void {
    this.#batches.return(undefined);
  }

  #fill(): void {
    const next = this.#batches.next();
    this.batch = next.done === true ? undefined : next.value;
    this.at = 0;
    this.time = this.batch?.times[0] ?? Number.POSITIVE_INFINITY;
  }
}

const noBytes = Buffer.alloc(0);

/** Lines in order, one at a time, where they lie: the line at hand is `bytes` from `start` to `end`. */
export class LineMerge implements Disposable {
  readonly #readers: readonly RunReader[];
  #current: RunReader | undefined;
  bytes: Buffer = noBytes;
  start = 0;
  end = 0;
  time = 0;
  group = 0;

  constructor(runs: readonly Generator<LineBatch>[]) {
    this.#readers = runs.map((run) => new RunReader(run));
  }

  /** Goes to the next line; what was said of the one before holds no longer. @returns whether there is one */
  next(): boolean {
    this.#current?.step();
    // Runs are few (a gigabyte of lines makes some forty), so a scan for the least is as fast as a heap.
    let least: RunReader | undefined;
    for (const reader of this.#readers) if (reader.time < (least?.time ?? Number.POSITIVE_INFINITY)) least = reader;
    this.#current = least;
    if (least?.batch === undefined) return false;
    const { at, batch } = least;
    this.bytes = batch.bytes;
    this.start = batch.starts[at] ?? 0;
    this.end = batch.ends[at] ?? 0;
    this.time = least.time;
    this.group = batch.groups[at] ?? 0;
    return true;
  }

  [Symbol.dispose](): void {
    for (const reader of this.#readers) reader.close();
  }
}
