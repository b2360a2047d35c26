import type { PollRows } from "./known-pages.ts";
import { bucketOfRate, rateBuckets, rateOfBucket } from "./rate-buckets.ts";

/** How many pages change how often, in steps of 5 %: all that a policy of rates needs of very many pages. */
export class RateTally {
  readonly #counts = new Float64Array(rateBuckets);

  /** Counts a page. */
  add(ratePerSecond: number): void {
    const row = this.rowOf(ratePerSecond);
    this.#counts[row] = (this.#counts[row] ?? 0) + 1;
  }

  /** The row that stands for a page that changes so often. */
  rowOf(ratePerSecond: number): number {
    return bucketOfRate(ratePerSecond);
  }

  /** What was counted, each page of the same weight. */
  rows(): PollRows {
    return {
      ratesPerSecond: Float64Array.from({ length: rateBuckets }, (_, row) => rateOfBucket(row)),
      weights: new Float64Array(rateBuckets).fill(1),
      counts: this.#counts,
    };
  }
}
