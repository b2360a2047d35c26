import { bernoulli } from "./interval-sums.ts";

/** Buckets of pages that change about equally often; a byte more, {@link newBucket}, is for pages never fetched. */
export const rateBuckets = 255;

/** The byte of a page that is known and was never fetched. */
export const newBucket = 255;

const yearSeconds = 365 * 86_400;
/** Once in ten years, and each quarter of an hour. */
const slowest = 1 / (10 * yearSeconds);
const fastest = 1 / 900;
/** Each bucket changes 5 % more often than the one before. */
const ratio = Math.log(fastest / slowest) / (rateBuckets - 1);

/** Changes a second of the pages of a bucket, from 0 (slowest) to 254. */
export function rateOfBucket(bucket: number): number {
  return slowest * Math.exp(ratio * bucket);
}

/** The bucket that is nearest to a rate in changes a second. */
export function bucketOfRate(ratePerSecond: number): number {
  if (!(ratePerSecond > slowest)) return 0;
  return Math.min(rateBuckets - 1, Math.round(Math.log(ratePerSecond / slowest) / ratio));
}

/** The share of a bucket's pages that change in some time. */
export function changedShare(bucket: number, seconds: number): number {
  return -Math.expm1(-rateOfBucket(bucket) * seconds);
}

/** Rates of pages, a byte each: for very many pages. */
export class BucketedPages {
  /** The bucket of each page, by its number. */
  readonly bytes: Uint8Array;
  readonly #pace: number;

  /** @param pace - how far a visit moves a page, as the part of ln L that it tells; smaller follows later and errs less. Default 0.3 */
  constructor(bytes: Uint8Array, pace = 0.3) {
    this.bytes = bytes;
    this.#pace = pace;
  }

  /**
   * Moves a page to another bucket by what a visit saw: one step up the gradient of the likelihood of ln L, which is 0 on
   * average at the true rate. Parts of a bucket are moved by chance, so that slow pages are not stuck.
   *
   * @param chance - a random number from 0 to 1, exclusive
   */
  note(page: number, changed: boolean, intervalSeconds: number, chance: number): void {
    const bucket = this.bytes[page] ?? newBucket;
    if (bucket === newBucket || !(intervalSeconds > 0)) return;
    const expected = rateOfBucket(bucket) * intervalSeconds;
    // Of very many expected changes one visit without any would tell too much.
    const score = changed ? bernoulli(expected)[0] : -Math.min(3, expected);
    const moved = Math.floor(bucket + (this.#pace * score) / ratio + chance);
    this.bytes[page] = Math.min(rateBuckets - 1, Math.max(0, moved));
  }

  /** How many pages each byte has. O(pages). */
  count(): Float64Array {
    const counts = new Uint32Array(256);
    for (let page = 0; page < this.bytes.length; page++) {
      const byte = this.bytes[page] ?? 0;
      counts[byte] = (counts[byte] ?? 0) + 1;
    }
    return Float64Array.from(counts);
  }
}
