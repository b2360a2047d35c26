import type { CyclePlan } from "./cycle-plan.ts";

/** What the queues of a period are served with. */
export interface QueueWeights {
  /** By bucket: the share of its pages to fetch, `x_it / b_i,t-1`. */
  readonly old: Float64Array;
  /** The share of waiting pages to fetch. */
  readonly waiting: number;
  /** Of all fetches of the period, the part that is of new pages: how likely the queue of new pages is drawn from. */
  readonly newPart: number;
}

/**
 * The weights of a crawler's two queues in a period: known pages, bucket by bucket, and pages never fetched.
 *
 * @param period - from 1
 * @see Edwards, McCurley, Tomlin, 2001, end of section 4 and figure 1
 */
export function weighQueues({ periods, buckets, shares, course }: CyclePlan, period: number): QueueWeights {
  const old = new Float64Array(buckets);
  let fetches = 0;
  for (let i = 0; i < buckets; i++) {
    old[i] = shares.old[i * periods + period - 1] ?? 0;
    fetches += course.fetched[i * periods + period - 1] ?? 0;
  }
  const taken = course.fetchedNew[period - 1] ?? 0;
  return { old, waiting: shares.waiting[period - 1] ?? 0, newPart: taken > 0 ? taken / (taken + fetches) : 0 };
}
