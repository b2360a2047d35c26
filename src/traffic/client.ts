import { Account } from "./account.ts";
import type { Crawler } from "./crawler.ts";
import type { LogRequest } from "./log-request.ts";

/** A crawler that hides has asked for this many pages, */
const leastPages = 100;
/** loads this share of files that a browser loads with a page, at most, */
const mostAssetShare = 0.02;
/** and goes to so many different pages that this many of 64 bits are set. */
const leastBits = 40;

/** A client: an address with a User-Agent. */
export class Client {
  readonly account: Account = new Account();
  /** Whose client this is; undefined as long as it may be a person's. */
  crawler: Crawler | undefined;
  /** Of clients of crawlers alone. */
  address = "";
  #pages = 0;
  #assets = 0;
  #lowBits = 0;
  #highBits = 0;

  /** @param crawler - if the User-Agent says whose it is */
  constructor(crawler: Crawler | undefined) {
    this.crawler = crawler;
  }

  /** Notes how it behaves. @returns whether it may be time to look at {@link behavesAsCrawler} */
  note(request: LogRequest): boolean {
    if (request.isAsset) this.#assets++;
    if (!request.isPage || request.isOfRobots) return false;
    const bit = request.targetHash & 63;
    if (bit < 32) this.#lowBits |= 1 << bit;
    else this.#highBits |= 1 << (bit - 32);
    return ++this.#pages >= leastPages;
  }

  /** Whether it is a crawler, also by what it did since it was taken for one. */
  get isCrawler(): boolean {
    return this.crawler !== undefined && (this.crawler.basis !== "behaviour" || this.behavesAsCrawler);
  }

  /** Whether it goes through the pages of a site and loads nothing of what belongs to them. */
  get behavesAsCrawler(): boolean {
    return (
      this.#pages >= leastPages &&
      this.#assets <= mostAssetShare * this.#pages &&
      countBits(this.#lowBits) + countBits(this.#highBits) >= leastBits
    );
  }
}

function countBits(word: number): number {
  let left = word >>> 0;
  let count = 0;
  for (; left !== 0; left &= left - 1) count++;
  return count;
}
