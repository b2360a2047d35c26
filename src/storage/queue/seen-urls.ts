import { join } from "node:path";
import { HashRun, mergeHashes } from "./hash-run.ts";
import { HashTable } from "./hash-table.ts";
import { lowBitsOf } from "./url-hash.ts";

/** A run as a checkpoint names it. */
export interface NamedRun {
  readonly number: number;
  readonly count: number;
}

const recentPlaces = 2 ** 16;

/**
 * The numbers of URLs that were seen: the newest in memory, all others in sorted runs on disk. Each run has more
 * than twice as many as the next, so that there are few.
 */
export class SeenUrls {
  readonly #folder: string;
  readonly #table: HashTable;
  /** Those that were asked for lately and are on disk: most links of a site lead to a few pages. */
  readonly #recent = new Float64Array(recentPlaces);
  readonly #runs: { readonly number: number; readonly run: HashRun }[];
  #nextRun: number;

  constructor(folder: string, tableBytes: number, runs: readonly NamedRun[]) {
    this.#folder = folder;
    this.#table = new HashTable(tableBytes);
    this.#runs = runs.map(({ number, count }) => ({ number, run: new HashRun(this.#pathOf(number), count) }));
    this.#nextRun = Math.max(0, ...runs.map(({ number }) => number + 1));
  }

  get size(): number {
    return this.#table.size + this.#runs.reduce((sum, { run }) => sum + run.count, 0);
  }

  /** How many it takes between two times of {@link spill}. */
  get capacity(): number {
    return this.#table.capacity;
  }

  /** How many more it takes before {@link spill}. */
  get room(): number {
    return this.#table.room;
  }

  get runs(): NamedRun[] {
    return this.#runs.map(({ number, run }) => ({ number, count: run.count }));
  }

  /** Whether a file of the folder is a run that nobody needs any more. */
  isLeftOver(name: string): boolean {
    const match = /^seen-(\d+)$/.exec(name);
    return match !== null && !this.#runs.some(({ number }) => number === Number(match[1]));
  }

  /** Adds one that is known to be new. */
  restore(hashed: number): void {
    this.#table.add(hashed);
  }

  /** Adds those that were never seen. @returns by place, 1 for one that is new */
  admit(hashes: Float64Array): Uint8Array {
    const sorted = hashes.filter((hashed) => !this.#table.has(hashed) && !this.#isRecent(hashed)).sort();
    const isFound = new Uint8Array(sorted.length);
    for (const { run } of this.#runs) run.find(sorted, isFound);
    const onDisk = new Set(sorted.filter((_, at) => isFound[at] === 1));
    const isNew = Uint8Array.from(hashes, (hashed) => {
      if (this.#table.has(hashed) || this.#isRecent(hashed) || onDisk.has(hashed)) return 0;
      this.#table.add(hashed);
      return 1;
    });
    // Not before: one may take the place of another that was asked for along with it.
    for (const hashed of onDisk) this.#recent[lowBitsOf(hashed) % recentPlaces] = hashed;
    return isNew;
  }

  /** Moves what is in memory to disk, durably. The runs that it replaces stay as files: they are left over from then on. */
  spill(): void {
    if (this.#table.size === 0) return;
    let pieces: Iterable<Float64Array> = [this.#table.sorted()];
    let count = this.#table.size;
    const replaced: HashRun[] = [];
    for (let last = this.#runs.at(-1); last !== undefined && last.run.count <= count * 2; last = this.#runs.at(-1)) {
      this.#runs.pop();
      replaced.push(last.run);
      pieces = mergeHashes(last.run.pieces(), pieces);
      count += last.run.count;
    }
    const number = this.#nextRun++;
    HashRun.write(this.#pathOf(number), pieces);
    this.#runs.push({ number, run: new HashRun(this.#pathOf(number), count) });
    for (const run of replaced) run[Symbol.dispose]();
    this.#table.clear();
  }

  close(): void {
    for (const { run } of this.#runs) run[Symbol.dispose]();
  }

  #isRecent(hashed: number): boolean {
    return this.#recent[lowBitsOf(hashed) % recentPlaces] === hashed;
  }

  #pathOf(number: number): string {
    return join(this.#folder, `seen-${number}`);
  }
}
