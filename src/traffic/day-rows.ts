import { Account } from "./account.ts";
import type { LogRequest } from "./log-request.ts";
import { createTally, type Tally, tallyKeys } from "./tally.ts";

const width = tallyKeys.length;
const column = Object.fromEntries(tallyKeys.map((key, at) => [key, at])) as Readonly<Record<keyof Tally, number>>;

/** Days that one list tells apart; others count in its latest. */
export const maxDays = 1000;
/** The list of no rows. */
export const noRows = -1;

/**
 * What many did, by day: a list of rows for each, the latest day first, in arrays of fixed size. Objects would be as many, but
 * most live just long enough that the garbage collector moves them to the old generation, which then grows to several times
 * of what is alive.
 */
export class DayRows {
  readonly #most: number;
  readonly #counts: Float64Array;
  readonly #days: Int32Array;
  readonly #next: Int32Array;
  #made = 0;
  #free = noRows;

  /** @param most - rows; memory is used only as they come */
  constructor(most: number) {
    this.#most = most;
    this.#counts = new Float64Array(width * most);
    this.#days = new Int32Array(most);
    this.#next = new Int32Array(most);
  }

  /** Whether there is a row left. */
  get hasRoom(): boolean {
    return this.#free !== noRows || this.#made < this.#most;
  }

  /** The row of a list that a day's requests count in; {@link noRows} if one has to be {@link push}ed first. */
  find(first: number, day: number): number {
    let seen = 0;
    for (let row = first; row !== noRows; row = this.#next[row] as number, seen++)
      if (this.#days[row] === day) return row;
    return seen < maxDays ? noRows : first;
  }

  /** Puts a new day before a list, if there is room. @returns its row, the list's first from now on */
  push(first: number, day: number): number {
    const row = this.#free === noRows ? this.#made++ : this.#free;
    if (row === this.#free) this.#free = this.#next[row] as number;
    this.#counts.fill(0, row * width, (row + 1) * width);
    this.#days[row] = day;
    this.#next[row] = first;
    return row;
  }

  /** @param isNeedless - whether the answer was nothing new */
  add(row: number, request: LogRequest, isNeedless: boolean, isBreach: boolean): void {
    const at = row * width;
    const { bytes } = request;
    this.#add(at + column.requests, 1);
    this.#add(at + column.bytes, bytes);
    if (isNeedless) {
      this.#add(at + column.needless, 1);
      this.#add(at + column.wastedBytes, bytes);
    }
    if (request.isConditional) this.#add(at + column.conditional, 1);
    if (request.status === 304) this.#add(at + column.notModified, 1);
    if (request.status >= 400) this.#add(at + column.errors, 1);
    if (request.isOfRobots) this.#add(at + column.robots, 1);
    if (isBreach) this.#add(at + column.breaches, 1);
    if (request.isSigned) this.#add(at + column.signed, 1);
    if (request.isOfArchives) {
      this.#add(at + column.archives, 1);
      this.#add(at + column.archiveBytes, bytes);
    }
  }

  /** What a list comes to. */
  accountOf(first: number): Account {
    const account = new Account();
    const tally = createTally();
    for (let row = first; row !== noRows; row = this.#next[row] as number) {
      for (const key of tallyKeys) tally[key] = this.#counts[row * width + column[key]] as number;
      account.add(this.#days[row] as number, tally);
    }
    return account;
  }

  /** Gives the rows of a list back. */
  free(first: number): void {
    for (let row = first; row !== noRows; ) {
      const next = this.#next[row] as number;
      this.#next[row] = this.#free;
      this.#free = row;
      row = next;
    }
  }

  #add(at: number, value: number): void {
    this.#counts[at] = (this.#counts[at] as number) + value;
  }
}
