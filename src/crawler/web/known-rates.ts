import { grow } from "../../core/index.ts";
import { defaultPrior } from "../engine/revisit/change-rate.ts";
import { BucketedPages, bucketOfRate, newBucket, rateBuckets } from "../engine/revisit/rate-buckets.ts";

/** Of pages that were never polled. */
const firstBucket = bucketOfRate(defaultPrior.changes / defaultPrior.seconds);
/** Pages of a visit that count: more of them say the same. */
const mostNoted = 100;

/** What a visit saw of the known pages of a site. */
export interface SeenPages {
  readonly polled: number;
  readonly changed: number;
  /** Since they were polled before, in the mean. */
  readonly intervalSeconds: number;
}

/** How often the pages of known sites change: a byte a site, for the bucket to which its mean page belongs. */
export class KnownRates {
  #sites = new BucketedPages(new Uint8Array(0));
  readonly #random: () => number;

  /** @param random - from 0 to 1 */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Takes a site in. @param bucket - that was kept; default: as pages of which nothing is known */
  add(site: number, bucket: number = firstBucket): void {
    const { length } = this.#sites.bytes;
    if (site >= length) this.#sites = new BucketedPages(grow(this.#sites.bytes, site + 1).fill(newBucket, length));
    this.#sites.bytes[site] = Math.min(rateBuckets - 1, bucket);
  }

  /** The bucket of a site, which counts from now on. */
  bucketOf(site: number): number {
    if ((this.#sites.bytes[site] ?? newBucket) === newBucket) this.add(site);
    return this.#sites.bytes[site] as number;
  }

  /** Notes a visit. @returns the bucket of the site, to be kept */
  note(site: number, { polled, changed, intervalSeconds }: SeenPages): number {
    this.bucketOf(site);
    const noted = Math.min(mostNoted, polled);
    // Those that changed are spread among the others: the last ones would count most.
    const changedUpTo = (page: number): number => Math.round((page * changed) / polled);
    for (let page = 0; page < noted; page++)
      this.#sites.note(site, changedUpTo(page + 1) > changedUpTo(page), intervalSeconds, this.#random());
    return this.#sites.bytes[site] as number;
  }

  /** Known pages by bucket. O(sites). @param pagesOf - pages of a site */
  count(pagesOf: (site: number) => number): Float64Array {
    const counts = new Float64Array(rateBuckets);
    for (const [site, bucket] of this.#sites.bytes.entries())
      if (bucket < rateBuckets) counts[bucket] = (counts[bucket] as number) + pagesOf(site);
    return counts;
  }
}
