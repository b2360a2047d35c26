import { addTally, createTally, type Tally } from "./tally.ts";

/** What a day's requests come to. */
export interface DayTally {
  /** Days since 1970, of UTC. */
  readonly day: number;
  requests: number;
  bytes: number;
  needless: number;
  wastedBytes: number;
  /** Requests of the site's published archives. */
  archives: number;
}

/** How many days several accounts may tell apart together, beside one for each. */
export class DayBudget {
  left: number;
  /** Requests that count in another day than theirs, because there were too many days. */
  misplaced = 0;

  constructor(most: number) {
    this.left = most;
  }
}

/** What somebody did: in all, and by day. */
export class Account {
  readonly tally: Tally = createTally();
  readonly days: DayTally[] = [];
  readonly #budget: DayBudget | undefined;

  /** @param budget - days that it has together with other accounts; what comes when they are spent counts in its last day */
  constructor(budget?: DayBudget) {
    this.#budget = budget;
  }

  /** Takes in a day. */
  add(day: number, counts: Readonly<Tally>): void {
    addTally(this.tally, counts);
    this.#addDay({ day, ...counts });
  }

  /** Takes in what another did. */
  merge(other: Account): void {
    addTally(this.tally, other.tally);
    for (const day of other.days) this.#addDay(day);
  }

  #addDay({ day, requests, bytes, needless, wastedBytes, archives }: DayTally): void {
    const sum = this.#dayOf(day);
    sum.requests += requests;
    sum.bytes += bytes;
    sum.needless += needless;
    sum.wastedBytes += wastedBytes;
    sum.archives += archives;
    if (sum.day !== day && this.#budget !== undefined) this.#budget.misplaced += requests;
  }

  #dayOf(day: number): DayTally {
    // Logs are in order of time, but for their last seconds: the day is one of the last.
    const held = this.days.findLast((one) => one.day === day);
    if (held !== undefined) return held;
    const last = this.days.at(-1);
    const budget = this.#budget;
    if (last !== undefined && budget !== undefined && budget.left <= 0) return last;
    if (last !== undefined && budget !== undefined) budget.left--;
    const added = { day, requests: 0, bytes: 0, needless: 0, wastedBytes: 0, archives: 0 };
    this.days.push(added);
    return added;
  }
}
