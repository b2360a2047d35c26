import type { EpochMs } from "../../core/index.ts";
import { freshnessCurve } from "../engine/revisit/optimum.ts";
import { rateBuckets, rateOfBucket } from "../engine/revisit/rate-buckets.ts";

/** The time that is planned for. */
const cycleSeconds = 86_400;
const replanMs = 60_000;
/** Neither kind gets less: rates of known pages are learned, and new ones are found. */
const leastShare = 0.1;
/** The split is that of so many requests at last: what was long ago does not make up for what is. */
const countedRequests = 1000;

/**
 * Divides requests between new and known pages so that most are fresh at the end of a cycle: known pages are polled as long as a poll
 * keeps a copy fresh for longer, in the mean, than the request of a new page does. That is the optimum of the model of Edwards et al.
 * where polls are spread evenly; its variables are as many as there are buckets of rates.
 *
 * @param known - polled pages by their bucket of rate
 * @param requestsPerSecond - what the crawl gets done, above 0
 * @returns the share of requests for new pages while there are enough
 * @see J. Edwards, K. McCurley, J. Tomlin, An Adaptive Model for Optimizing Performance of an Incremental Web Crawler, WWW10 2001, section 3
 */
export function planNewShare(known: ArrayLike<number>, requestsPerSecond: number): number {
  let pages = 0;
  let freshSeconds = 0;
  for (let bucket = 0; bucket < rateBuckets; bucket++) {
    const count = known[bucket] ?? 0;
    const rate = rateOfBucket(bucket);
    pages += count;
    freshSeconds += (count * -Math.expm1(-rate * cycleSeconds)) / rate;
  }
  if (pages === 0) return 1 - leastShare;
  // A new page is like those that are known.
  const worth = freshSeconds / pages;
  let polls = 0;
  for (let bucket = 0; bucket < rateBuckets; bucket++) {
    const count = known[bucket] ?? 0;
    if (count > 0) polls += count * freshnessCurve(worth, rateOfBucket(bucket), 1, bucket);
  }
  return Math.min(1 - leastShare, Math.max(leastShare, 1 - polls / requestsPerSecond));
}

/** Whose turn it is: that of new pages or of known ones. */
export class RequestShares {
  readonly #given: number | undefined;
  readonly #countKnown: () => ArrayLike<number>;
  #newPages = 0;
  #knownPages = 0;
  #planned = 1 - leastShare;
  #plannedAt: EpochMs;
  #requests = 0;

  /**
   * @param given - share of new pages; undefined to plan it again and again
   * @param countKnown - counts polled pages by their bucket of rate
   */
  constructor(given: number | undefined, countKnown: () => ArrayLike<number>, now: EpochMs) {
    this.#given = given;
    this.#countKnown = countKnown;
    this.#plannedAt = now;
  }

  /** Share of requests for new pages, while there are enough. */
  get newShare(): number {
    return this.#given ?? this.#planned;
  }

  /** Counts page requests. */
  count(newPages: number, knownPages: number, now: EpochMs): void {
    this.#requests += newPages + knownPages;
    if (this.#newPages + this.#knownPages > countedRequests) {
      this.#newPages /= 2;
      this.#knownPages /= 2;
    }
    this.#newPages += newPages;
    this.#knownPages += knownPages;
    if (this.#given !== undefined || now - this.#plannedAt < replanMs) return;
    this.#planned = planNewShare(this.#countKnown(), (this.#requests * 1000) / (now - this.#plannedAt));
    this.#plannedAt = now;
    this.#requests = 0;
  }

  /** Whether known pages had less than their share of requests. */
  get isTurnOfKnown(): boolean {
    return this.#knownPages * this.newShare <= this.#newPages * (1 - this.newShare);
  }
}
