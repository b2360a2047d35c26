import { bernoulli } from "./change-rate.ts";
import type { PollRows } from "./visit-schedule.ts";

/** Buckets of pages that change about equally often; one more byte, {@link newBucket}, is for pages never fetched. */
export const rateBuckets = 255;

/** The byte of a known page that was never fetched. */
export const newBucket = 255;

const yearSeconds = 365 * 86_400;
/** Once in ten years, and four times an hour. */
const slowest = 1 / (10 * yearSeconds);
const fastest = 1 / 900;
/** Each bucket changes 5 % more often than the one before. */
const ratio = Math.log(fastest / slowest) / (rateBuckets - 1);

/** Changes a second of the pages of a bucket, from 0 (slowest) to 254. */
export function rateOfBucket(bucket: number): number {
  return slowest * Math.exp(ratio * bucket);
}

/** The bucket nearest to a rate in changes a second. */
export function bucketOfRate(ratePerSecond: number): number {
  if (!(ratePerSecond > slowest)) return 0;
  return Math.min(rateBuckets - 1, Math.round(Math.log(ratePerSecond / slowest) / ratio));
}

/** Rates of very many pages, a byte each. */
export class BucketedPages {
  /** The bucket of each page, by its number. */
  readonly bytes: Uint8Array;
  readonly #pace: number;

  /** @param pace - step of ln L after a visit; a smaller one adapts later and errs less. Default 0.3 */
  constructor(bytes: Uint8Array, pace = 0.3) {
    this.bytes = bytes;
    this.#pace = pace;
  }

  /**
   * Moves a page to another bucket after a visit: a step along the gradient of the likelihood of ln L, which is 0 on average
   * at the true rate. Fractions of a bucket are moved by chance, so that slow pages do not get stuck.
   *
   * @param chance - a random number from 0 to 1, exclusive
   */
  note(page: number, changed: boolean, intervalSeconds: number, chance: number): void {
    const bucket = this.bytes[page] ?? newBucket;
    if (bucket === newBucket || !(intervalSeconds > 0)) return;
    const expected = rateOfBucket(bucket) * intervalSeconds;
    // Bounded: one visit without any of very many expected changes would move it too far.
    const score = changed ? bernoulli(expected)[0] : -Math.min(3, expected);
    const moved = Math.floor(bucket + (this.#pace * score) / ratio + chance);
    this.bytes[page] = Math.min(rateBuckets - 1, Math.max(0, moved));
  }

  /** Pages by byte. O(pages). */
  count(): Float64Array {
    const counts = new Uint32Array(256);
    for (let page = 0; page < this.bytes.length; page++) {
      const byte = this.bytes[page] ?? 0;
      counts[byte] = (counts[byte] ?? 0) + 1;
    }
    return Float64Array.from(counts);
  }
}

const bucketRates = Float64Array.from({ length: rateBuckets }, (_, bucket) => rateOfBucket(bucket));
const equalWeights = new Float64Array(rateBuckets).fill(1);

/** Rows of pages of equal weight, by bucket. @param counts - pages of each bucket */
export function bucketRows(counts: ArrayLike<number>): PollRows {
  return { ratesPerSecond: bucketRates, weights: equalWeights, counts };
}

/** How many pages change how often: all that a policy of rates needs of very many pages. */
export class RateTally {
  readonly #counts = new Float64Array(rateBuckets);

  /** Counts a page. */
  add(ratePerSecond: number): void {
    const row = this.rowOf(ratePerSecond);
    this.#counts[row] = (this.#counts[row] ?? 0) + 1;
  }

  /** The row that stands for a page of this rate. */
  rowOf(ratePerSecond: number): number {
    return bucketOfRate(ratePerSecond);
  }

  rows(): PollRows {
    return bucketRows(this.#counts);
  }
}
