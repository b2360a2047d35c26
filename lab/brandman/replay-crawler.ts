import type { ReplayedWeb } from "./replayed-web.ts";

/** The crawlers that follow a site: how they learn what changed. */
export const replayCrawlers = ["conventional", "conditional", "archives", "ideal"] as const;

/** One of {@link replayCrawlers}. */
export type ReplayCrawlerKind = (typeof replayCrawlers)[number];

/** What a crawler asks for, day by day, and how fresh that keeps its copies. */
export interface CrawlerSums {
  /** Sum of the share of fresh copies at the ends of days. */
  freshness: number;
  /** The share on the last day. */
  last: number;
  days: number;
  bytes: number;
  metadataBytes: number;
}

const gone = -1;

/**
 * A crawler with a bandwidth, and copies of all pages that are fresh at first. What it may download a day and does not is lost; what
 * the last download of a day takes too much is taken off the next.
 */
export class ReplayCrawler {
  readonly #web: ReplayedWeb;
  readonly #budgetBytes: number;
  readonly #fieldsBytes: number;
  readonly #held: Int32Array;
  readonly #waiting: Uint8Array;
  #waits = 0;
  #next = 0;
  #balance = 0;
  #fresh = 0;
  readonly sums: CrawlerSums = { freshness: 0, last: 1, days: 0, bytes: 0, metadataBytes: 0 };

  /**
   * @param budgetBytes - a day
   * @param fieldsBytes - what the fields of an answer take
   */
  constructor(web: ReplayedWeb, budgetBytes: number, fieldsBytes: number) {
    this.#web = web;
    this.#budgetBytes = budgetBytes;
    this.#fieldsBytes = fieldsBytes;
    this.#held = web.versions.slice();
    this.#waiting = new Uint8Array(web.versions.length);
    this.#fresh = web.pages.size;
  }

  /** Whether there is anything left to spend today. */
  get canSpend(): boolean {
    return this.#balance > 0;
  }

  /** Begins a day. @param changed - numbers of pages that were fresh before the day began and are not any more */
  beginDay(changed: readonly number[], before: Int32Array): void {
    this.#balance = Math.min(this.#balance, 0) + this.#budgetBytes;
    for (const number of changed) {
      const version = before[number] ?? 0;
      if (version !== 0 && this.#held[number] === version) this.#fresh -= 1;
    }
  }

  /** Pays for the meta-data. */
  payMetadata(bytes: number): void {
    this.#balance -= bytes;
    this.sums.bytes += bytes;
    this.sums.metadataBytes += bytes;
  }

  /** Is told that pages changed: they wait for their turn, once each. */
  learn(changed: readonly number[]): void {
    for (const number of changed) {
      if (this.#waiting[number] === 1) continue;
      this.#waiting[number] = 1;
      this.#waits += 1;
    }
  }

  /** Downloads the next pages in turn of those that it was told of (section 6, step 3). */
  downloadChanged(): void {
    const { known, versions } = this.#web;
    for (let step = 0; step < known && this.#balance > 0 && this.#waits > 0; step++) {
      const number = this.#step(known);
      if (this.#waiting[number] === 0) continue;
      this.#waiting[number] = 0;
      this.#waits -= 1;
      // What is deleted is known to be: it costs nothing.
      if (versions[number] === 0) this.#held[number] = gone;
      else if (this.#held[number] !== versions[number]) this.#download(number);
    }
  }

  /**
   * Asks for page after page in turn, each at most once a day. It knows of new pages for nothing, and of deleted ones once it has
   * asked.
   *
   * @param isConditional - whether a page that has not changed costs no more than the fields of an answer
   */
  downloadInTurn(isConditional: boolean): void {
    const { known, versions } = this.#web;
    for (let asked = 0; asked < known && this.#balance > 0; asked++) {
      const number = this.#step(known);
      const version = versions[number] ?? 0;
      const held = this.#held[number] ?? 0;
      if (version === 0) {
        if (held > 0) this.#pay(this.#fieldsBytes);
        this.#held[number] = gone;
      } else if (isConditional && held === version) this.#pay(this.#fieldsBytes);
      else this.#download(number);
    }
  }

  /** Ends a day. */
  endDay(): void {
    const { sums } = this;
    const pages = this.#web.pages.size;
    sums.last = pages === 0 ? 1 : this.#fresh / pages;
    sums.freshness += sums.last;
    sums.days += 1;
  }

  /** The next page in the order in which pages were first seen, and after the last the first. */
  #step(known: number): number {
    const number = this.#next;
    this.#next = number + 1 >= known ? 0 : number + 1;
    return number;
  }

  #download(number: number): void {
    this.#pay(this.#fieldsBytes + (this.#web.sizes[number] ?? 0));
    const version = this.#web.versions[number] ?? 0;
    if (this.#held[number] !== version) this.#fresh += 1;
    this.#held[number] = version;
  }

  #pay(bytes: number): void {
    this.#balance -= bytes;
    this.sums.bytes += bytes;
  }
}
