import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { EpochSeconds } from "../model/index.ts";
import { temporaryName } from "./durable-file.ts";

/** A line and the time that it is sorted by. */
export interface TimedLine {
  readonly time: EpochSeconds;
  readonly line: string;
}

/** Keys pack time and order of arrival into one double: 33 bits of seconds, 20 of order. */
const orderBits = 2 ** 20;

/**
 * Sorts lines by time, and of one time in the order in which they came, in bounded memory: runs
 * are sorted in memory, written to temporary files, and merged as they are read.
 */
export class SortedLines {
  readonly #folder: string;
  readonly #runBytes: number;
  #lines: string[] = [];
  #times: number[] = [];
  #bytes = 0;
  readonly #runs: string[] = [];

  /**
   * @param folder - where runs are spilled to
   * @param runBytes - memory of a run; default 24 MiB
   */
  constructor(folder: string, runBytes: number = 24 * 1024 * 1024) {
    this.#folder = folder;
    this.#runBytes = runBytes;
  }

  /** Appends a line. Spills to disk, blocking, when a run is full. */
  add(time: EpochSeconds, line: string): void {
    this.#lines.push(line);
    this.#times.push(time);
    this.#bytes += line.length + 40;
    if (this.#bytes >= this.#runBytes || this.#lines.length >= orderBits) this.#spill();
  }

  /** Gives all lines in order, in batches, and forgets them. */
  *drain(): Generator<TimedLine[]> {
    const memory = sortRun(this.#lines, this.#times);
    this.#lines = [];
    this.#times = [];
    if (this.#runs.length === 0) {
      yield* memory;
      return;
    }
    const readers = [...this.#runs.map((path) => readRun(path)), memory].map((run) => new RunReader(run));
    yield* mergeRuns(readers);
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
      for (const batch of sortRun(this.#lines, this.#times)) {
        const text = batch.map(({ time, line }) => `${time} ${line}\n`).join("");
        const bytes = Buffer.from(text, "latin1");
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      }
    } finally {
      closeSync(fd);
    }
    this.#lines = [];
    this.#times = [];
    this.#bytes = 0;
  }
}

function* sortRun(lines: readonly string[], times: readonly EpochSeconds[]): Generator<TimedLine[]> {
  const keys = new Float64Array(times.length);
  for (let at = 0; at < keys.length; at++) keys[at] = (times[at] ?? 0) * orderBits + at;
  keys.sort();
  for (let start = 0; start < keys.length; start += 4096) {
    const batch: TimedLine[] = [];
    for (const key of keys.subarray(start, start + 4096)) {
      batch.push({ time: Math.floor(key / orderBits), line: lines[key % orderBits] ?? "" });
    }
    yield batch;
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
    if (batch.length >= 4096) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
