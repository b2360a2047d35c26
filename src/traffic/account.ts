import type { LogRequest } from "./log-request.ts";
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

/** Days that one account tells apart; later ones count in the last. */
const maxDays = 1000;

/** What somebody did: in all, and by day. */
export class Account {
  readonly tally: Tally = createTally();
  readonly days: DayTally[] = [];

  /** @param isNeedless - whether the answer was nothing new */
  add(request: LogRequest, isNeedless: boolean, isBreach: boolean): void {
    const { tally } = this;
    const { bytes } = request;
    const day = this.#dayOf(request.day);
    tally.requests++;
    tally.bytes += bytes;
    day.requests++;
    day.bytes += bytes;
    if (isNeedless) {
      tally.needless++;
      tally.wastedBytes += bytes;
      day.needless++;
      day.wastedBytes += bytes;
    }
    if (request.isConditional) tally.conditional++;
    if (request.status === 304) tally.notModified++;
    if (request.status >= 400) tally.errors++;
    if (request.isOfRobots) tally.robots++;
    if (isBreach) tally.breaches++;
    if (request.isSigned) tally.signed++;
    if (request.isOfArchives) {
      tally.archives++;
      tally.archiveBytes += bytes;
      day.archives++;
    }
  }

  /** Takes in what another did. */
  merge(other: Account): void {
    addTally(this.tally, other.tally);
    for (const { day, requests, bytes, needless, wastedBytes, archives } of other.days) {
      const sum = this.#dayOf(day);
      sum.requests += requests;
      sum.bytes += bytes;
      sum.needless += needless;
      sum.wastedBytes += wastedBytes;
      sum.archives += archives;
    }
  }

  #dayOf(day: number): DayTally {
    const { days } = this;
    // Logs are in order of time, but for their last seconds: the day is one of the last.
    for (let at = days.length - 1; at >= 0; at--) {
      const held = days[at] as DayTally;
      if (held.day === day) return held;
    }
    if (days.length >= maxDays) return days[maxDays - 1] as DayTally;
    const added = { day, requests: 0, bytes: 0, needless: 0, wastedBytes: 0, archives: 0 };
    days.push(added);
    return added;
  }
}
