import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type EpochSeconds, wrapSystemError } from "../model/index.ts";
import { temporaryName } from "./durable-file.ts";

/** A line and the time that it is sorted by. */
export interface TimedLine {
  readonly time: EpochSeconds;
  readonly line: string;
}

/** Keys pack time and order of arrival into one double: 35 bits of seconds (to the year 3058), 18 of order. */
const orderBits = 2 ** 18;

/** Lines that are handed on together. */
const batchLines = 4096;

/**
 * Sorts lines by time, and of one time in the order in which they came, in bounded memory: runs
 * are sorted in memory, written to temporary files, and merged as they are read. Lines wait as
 * bytes in one buffer, out of the garbage collector's sight.
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

  /** Appends a line of ASCII. Spills to disk, blocking, when a run is full. */
  add(time: EpochSeconds, line: string): void {
    this.#run.add(time, line);
    if (this.#run.bytes >= this.#runBytes || this.#run.count >= orderBits) this.#spill();
  }

  /** Gives all lines in order, in batches, and forgets them. */
  *drain(): Generator<TimedLine[]> {
    const memory = this.#run.drain();
    this.#run = new LineRun();
    if (this.#runs.length === 0) yield* memory;
    else yield* mergeRuns([...this.#runs.map((path) => readRun(path)), memory].map((run) => new RunReader(run)));
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
      for (const batch of this.#run.drain()) {
        const text = batch.map(({ time, line }) => `${time} ${line}\n`).join("");
        const bytes = Buffer.from(text, "latin1");
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      }
    } catch (error) {
      throw wrapSystemError(error, `sort in ${this.#folder}`, { path });
    } finally {
      closeSync(fd);
    }
    this.#run = new LineRun();
  }
}

/** Lines that wait in memory. */
class LineRun {
  #text: Buffer = Buffer.allocUnsafe(1 << 20);
  #ends: Uint32Array = new Uint32Array(1 << 14);
  #keys: Float64Array = new Float64Array(1 << 14);
  #bytes = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes + this.#count * 12;
  }

  add(time: EpochSeconds, line: string): void {
    if (this.#bytes + line.length > this.#text.length) {
      const larger = Buffer.allocUnsafe(2 * (this.#text.length + line.length));
      this.#text.copy(larger, 0, 0, this.#bytes);
      this.#text = larger;
    }
    if (this.#count === this.#ends.length) {
      const ends = new Uint32Array(2 * this.#count);
      const keys = new Float64Array(2 * this.#count);
      ends.set(this.#ends);
      keys.set(this.#keys);
      this.#ends = ends;
      this.#keys = keys;
    }
    this.#bytes += this.#text.write(line, this.#bytes, "latin1");
    this.#ends[this.#count] = this.#bytes;
    this.#keys[this.#count] = time * orderBits + this.#count;
    this.#count += 1;
  }

  *drain(): Generator<TimedLine[]> {
    const keys = this.#keys.subarray(0, this.#count).sort();
    for (let start = 0; start < keys.length; start += batchLines) {
      const batch: TimedLine[] = [];
      for (const key of keys.subarray(start, start + batchLines)) {
        const at = key % orderBits;
        const from = at === 0 ? 0 : (this.#ends[at - 1] ?? 0);
        batch.push({ time: Math.floor(key / orderBits), line: this.#text.toString("latin1", from, this.#ends[at]) });
      }
      yield batch;
    }
  }
}

function* readRun(path: string): Generator<TimedLine[]> {
  const fd = openSync(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(256 * 1024);
    let rest = "";
    for (;;) {
      const length = readSync(fd, buffer, 0, buffer.length, null);
      if (length === 0) return;
      const lines = (rest + buffer.toString("latin1", 0, length)).split("\n");
      rest = lines.pop() ?? "";
      yield lines.map((text) => {
        const space = text.indexOf(" ");
        return { time: Number(text.slice(0, space)), line: text.slice(space + 1) };
      });
    }
  } finally {
    closeSync(fd);
  }
}

class RunReader {
  readonly #batches: Generator<TimedLine[]>;
  #batch: TimedLine[] = [];
  #at = 0;

  constructor(batches: Generator<TimedLine[]>) {
    this.#batches = batches;
    this.step();
  }

  head: TimedLine | undefined;

  step(): void {
    while (this.#at >= this.#batch.length) {
      const next = this.#batches.next();
      if (next.done === true) {
        this.head = undefined;
        return;
      }
      this.#batch = next.value;
      this.#at = 0;
    }
    this.head = this.#batch[this.#at++];
  }
}

// Runs are few (a gigabyte of lines makes some forty), so a scan for the least is as fast as a heap.
function* mergeRuns(readers: readonly RunReader[]): Generator<TimedLine[]> {
  let batch: TimedLine[] = [];
  for (;;) {
    let least: RunReader | undefined;
    for (const reader of readers) {
      if (reader.head !== undefined && (least?.head === undefined || reader.head.time < least.head.time))
        least = reader;
    }
    if (least?.head === undefined) break;
    batch.push(least.head);
    least.step();
    if (batch.length >= batchLines) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
