import { Account, type DayBudget } from "./account.ts";
import type { CrawlerName } from "./known-crawlers.ts";
import type { LogRequest } from "./log-request.ts";
import { mediaKinds } from "./media-kind.ts";
import type { PageVisits } from "./page-visits.ts";

/** Why a client is taken for a crawler. */
export const bases = ["list", "robots.txt", "behaviour"] as const;
export type Basis = (typeof bases)[number];

/** Whether an address is one that the crawler's operator says it uses; undefined if nothing was asked. */
export type Verified = boolean | undefined;

/** Minutes whose requests are counted at a time: Apache logs a request when it ends, with the time at which it began. */
const minutesHeld = 16;

/** Requests in the minute with the most of them. */
export class PeakMinute {
  readonly #minutes = new Uint32Array(minutesHeld);
  readonly #counts = new Uint32Array(minutesHeld);
  /** Seconds since 1970. */
  at = 0;
  requests = 0;

  add(time: number): void {
    const minute = Math.floor(time / 60);
    const place = minute % minutesHeld;
    if (this.#minutes[place] !== minute) this.#counts[place] = 0;
    this.#minutes[place] = minute;
    const requests = (this.#counts[place] as number) + 1;
    this.#counts[place] = requests;
    if (requests <= this.requests) return;
    this.requests = requests;
    this.at = minute * 60;
  }
}

/** One crawler, by its name, and what its clients did. */
export class Crawler {
  readonly name: CrawlerName;
  readonly basis: Basis;
  readonly verified: Verified;
  /** Tells its answers from those of others. */
  readonly salt: number;
  /** Whether many who have nothing to do with each other go by the name: that of a program, or none. */
  readonly isOfMany: boolean;
  /** What clients did that are not counted on their own any more. */
  readonly account: Account;
  readonly peak: PeakMinute;
  /** Requests and bytes by number of {@link mediaKinds}, from when the client was known for a crawler. */
  readonly kinds: Float64Array;
  /** How many clients there are. */
  clients = 0;
  /** What it saw of the site's pages, if their history is known; the same of all parts. */
  visits: PageVisits | undefined;

  /** @param unverified - of which this one is a part: what is not told apart by client stays that of the whole */
  constructor(
    name: CrawlerName,
    basis: Basis,
    verified: Verified,
    salt: number,
    budget: DayBudget,
    unverified?: Crawler,
  ) {
    this.name = name;
    this.basis = basis;
    this.verified = verified;
    this.salt = salt;
    this.isOfMany = name.purpose === "tool" || (name.name.startsWith("(") && basis !== "behaviour");
    this.account = new Account(budget);
    this.peak = unverified?.peak ?? new PeakMinute();
    this.kinds = unverified?.kinds ?? new Float64Array(2 * mediaKinds.length);
    this.visits = unverified?.visits;
  }

  /** Counts what is not told apart by client. */
  note(request: LogRequest): void {
    if (request.hasTime) this.peak.add(request.time);
    const at = 2 * request.kind;
    this.kinds[at] = (this.kinds[at] as number) + 1;
    this.kinds[at + 1] = (this.kinds[at + 1] as number) + request.bytes;
  }
}
