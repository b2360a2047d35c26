import { hash } from "node:crypto";
import { join } from "node:path";
import { HashRun, mergeHashes } from "./hash-run.ts";

export interface NamedRun {
  readonly number: number;
  readonly count: number;
}

const recentPlaces = 2 ** 16;
const firstPlaces = 2 ** 12;
const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

/**
 * A number that stands for a URL: 61 bits of a salted SHA-256, as a floating-point number. The sign and the first bit of the
 * exponent are cleared and the last bit is set, so that each is finite and above 0: numbers sort as their bits do, and natively.
 *
 * Two URLs of n have the same number with a chance of n * n / 2^62: one in 460 for 100 million URLs. The salt keeps
 * authors of URLs from looking for such pairs.
 */
export function hashUrl(url: string, salt: string): number {
  // A string costs less than half of what a buffer costs.
  const digest = hash("sha256", salt + url, "binary");
  words[0] = wordAt(digest, 0) | 1;
  words[1] = wordAt(digest, 4) & 0x3fff_ffff;
  return number[0] as number;
}

function wordAt(bytes: string, at: number): number {
  const upper = (bytes.charCodeAt(at + 3) << 24) | (bytes.charCodeAt(at + 2) << 16);
  return upper | (bytes.charCodeAt(at + 1) << 8) | bytes.charCodeAt(at);
}

/** 31 bits of the number of a URL, for a place in a table. */
function lowBitsOf(hashed: number): number {
  number[0] = hashed;
  return (words[0] as number) >>> 1;
}

/** A set of numbers of URLs in memory: 8 bytes a place, three quarters of which may be used. It grows with them, up to a bound. */
class HashTable {
  readonly #mostPlaces: number;
  #places: Float64Array;
  #size = 0;

  /** @param bytes - at most so many; the next power of two below is taken */
  constructor(bytes: number) {
    this.#mostPlaces = 2 ** Math.max(6, Math.floor(Math.log2(bytes / 8)));
    this.#places = new Float64Array(Math.min(firstPlaces, this.#mostPlaces));
  }

  get size(): number {
    return this.#size;
  }

  get capacity(): number {
    return Math.floor(this.#mostPlaces * 0.75);
  }

  get room(): number {
    return this.capacity - this.#size;
  }

  has(hashed: number): boolean {
    return this.#places[this.#placeOf(hashed)] === hashed;
  }

  add(hashed: number): void {
    const place = this.#placeOf(hashed);
    if (this.#places[place] === hashed) return;
    if (this.room <= 0) throw new RangeError("the table is full");
    this.#places[place] = hashed;
    this.#size++;
    if (this.#size > this.#places.length * 0.75) this.#grow();
  }

  sorted(): Float64Array {
    return this.#places.filter((hashed) => hashed !== 0).sort();
  }

  clear(): void {
    this.#places.fill(0);
    this.#size = 0;
  }

  #grow(): void {
    const before = this.#places;
    this.#places = new Float64Array(2 * before.length);
    for (const hashed of before) if (hashed !== 0) this.#places[this.#placeOf(hashed)] = hashed;
  }

  /** Where a number is, or may go. */
  #placeOf(hashed: number): number {
    const mask = this.#places.length - 1;
    let place = lowBitsOf(hashed) & mask;
    for (;;) {
      const there = this.#places[place] as number;
      if (there === hashed || there === 0) return place;
      place = (place + 1) & mask;
    }
  }
}

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

  /** How many numbers fit in memory between two calls of {@link spill}. */
  get capacity(): number {
    return this.#table.capacity;
  }

  /** How many more fit before {@link spill}. */
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

  /** Adds a number that is known to be new. */
  restore(hashed: number): void {
    this.#table.add(hashed);
  }

  /** Which numbers were seen. @returns at each place 1 if it was, else 0 */
  find(hashes: Float64Array): Uint8Array {
    const onDisk = this.#findOnDisk(hashes);
    return Uint8Array.from(hashes, (hashed) =>
      this.#table.has(hashed) || this.#isRecent(hashed) || onDisk.has(hashed) ? 1 : 0,
    );
  }

  /** Those of some numbers that are on disk, but for those that were asked for lately. */
  #findOnDisk(hashes: Float64Array): Set<number> {
    const sorted = hashes.filter((hashed) => !this.#table.has(hashed) && !this.#isRecent(hashed)).sort();
    const isFound = new Uint8Array(sorted.length);
    for (const { run } of this.#runs) run.find(sorted, isFound);
    return new Set(sorted.filter((_, at) => isFound[at] === 1));
  }

  /** Adds the numbers that were never seen. @returns at each place 1 if it is new, else 0 */
  admit(hashes: Float64Array): Uint8Array {
    const onDisk = this.#findOnDisk(hashes);
    const isNew = Uint8Array.from(hashes, (hashed) => {
      if (this.#table.has(hashed) || this.#isRecent(hashed) || onDisk.has(hashed)) return 0;
      this.#table.add(hashed);
      return 1;
    });
    // Not earlier: it may take the place of another of these.
    for (const hashed of onDisk) this.#recent[lowBitsOf(hashed) % recentPlaces] = hashed;
    return isNew;
  }

  /** Moves the numbers in memory to disk, durably. The files of the runs that it replaces stay, and are left over from then on. */
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
