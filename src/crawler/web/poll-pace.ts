import type { EpochMs } from "../../core/index.ts";
import { dueAfterSeconds, pollPolicy } from "../engine/revisit/poll-policy.ts";
import { rateBuckets, rateOfBucket } from "../engine/revisit/rate-buckets.ts";

/** The pace is planned anew after so much time and so many polls, and after a day in any case. */
const leastPlanMs = 600_000;
const leastPolls = 200;
const mostPlanMs = 86_400_000;
/** What was waiting is worked off. */
const lateShare = 0.95;
/** Of a pace at which no site waits, in a day: visits that are made now were planned hours ago. */
const growth = 8;
/**
 * Polls that a visit is made for: so many at least, and a share of the site's pages, but no more than another share of them. A visit costs a
 * robots.txt a day, and a look at all that is known of the site. Where a sitemap says what changed, a visit late is a change seen late.
 */
const visitSizes = {
  listed: { least: 6, share: 1 / 32, most: 1 / 4 },
  polled: { least: 16, share: 1 / 16, most: 1 / 2 },
} as const;

/** Polls that a site has not made so far. */
export interface PollAllowance {
  readonly polls: number;
  readonly at: EpochMs;
}

/** A site whose pages are polled. */
export interface PolledSite {
  readonly pages: number;
  /** Whether a sitemap tells which of them changed. */
  readonly isListed: boolean;
}

/** What a crawl got done. */
export interface PollLoad {
  /** Known pages of the sites whose polls are counted, by their bucket of rate. */
  readonly known: ArrayLike<number>;
  /** Whether sites wait for their visits although they may be visited. */
  readonly isLate: boolean;
}

/**
 * How often known pages are polled where there are more of them that are due than the crawl can request. Each site has polls by the number
 * of its pages, and its planner spends them on those that are worth it most. Without that, sites would be visited in turn, later and later, with polls
 * of all that is due: mostly of pages that change too fast for any crawl to follow.
 *
 * The pace is what was got done while sites waited; where none waits, it grows until all that is due is requested.
 */
export class PollPace {
  readonly #load: () => PollLoad;
  #perPage: number | undefined;
  #polls = 0;
  #plannedAt: EpochMs;

  constructor(load: () => PollLoad, now: EpochMs) {
    this.#load = load;
    this.#plannedAt = now;
  }

  /** Polls a page and second; undefined for all that are due. */
  get perPage(): number | undefined {
    return this.#perPage;
  }

  /** Counts polls of sites that nothing tells of changes: others have the same pace. */
  count(polls: number, now: EpochMs): void {
    this.#polls += polls;
    // The system clock was set back.
    this.#plannedAt = Math.min(this.#plannedAt, now);
    const passedMs = now - this.#plannedAt;
    if (passedMs < leastPlanMs || (this.#polls < leastPolls && passedMs < mostPlanMs)) return;
    const { known, isLate } = this.#load();
    this.#perPage = this.#plan(known, isLate, passedMs);
    this.#polls = 0;
    this.#plannedAt = now;
  }

  /** What a site may poll now. */
  allowanceOf(before: PollAllowance | undefined, site: PolledSite, now: EpochMs): PollAllowance | undefined {
    const perPage = this.#perPage;
    if (perPage === undefined) return undefined;
    // A site that is new to the pace begins with a visit.
    if (before === undefined) return { polls: visitOf(site), at: now };
    const earned = (perPage * site.pages * Math.max(0, now - before.at)) / 1000;
    return { polls: Math.min(before.polls + earned, Math.max(site.pages, visitOf(site))), at: now };
  }

  /** When a site may poll as many pages as a visit is made for, after its last visit; no later than any page is to be polled. */
  readyAt({ polls, at }: PollAllowance, site: PolledSite): EpochMs {
    const perPage = this.#perPage;
    if (perPage === undefined) return at;
    const seconds = Math.max(0, visitOf(site) - polls) / Math.max(Number.MIN_VALUE, perPage * site.pages);
    return at + Math.min(seconds, pollPolicy.maxIntervalSeconds) * 1000;
  }

  #plan(known: ArrayLike<number>, isLate: boolean, passedMs: number): number | undefined {
    let pages = 0;
    let due = 0;
    for (let bucket = 0; bucket < rateBuckets; bucket++) {
      const count = known[bucket] ?? 0;
      pages += count;
      due += count / dueAfterSeconds(rateOfBucket(bucket), pollPolicy.minChangeProbability);
    }
    if (pages === 0) return undefined;
    // Where nothing was polled at all, the pace is not to blame.
    if (isLate && this.#polls > 0) return (lateShare * this.#polls * 1000) / passedMs / pages;
    if (this.#perPage === undefined) return undefined;
    const grown = this.#perPage * growth ** (passedMs / mostPlanMs);
    return grown * pages >= due ? undefined : grown;
  }
}

/** Polls that a visit is made for. */
function visitOf({ pages, isListed }: PolledSite): number {
  const { least, share, most } = isListed ? visitSizes.listed : visitSizes.polled;
  return Math.max(1, Math.min(Math.max(least, Math.ceil(pages * share)), Math.ceil(pages * most)));
}
