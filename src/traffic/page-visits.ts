import type { EpochSeconds } from "../core/index.ts";
import type { KnownPage, SiteHistory } from "./site-history.ts";

/** Delays are counted in bins whose bounds grow by a fourth root of two, from a second on. */
const binsPerOctave = 4;
const bins = 32 * binsPerOctave;
const daySeconds = 86_400;

/** What one crawler saw of the pages of a site whose history is known. */
export class PageVisits {
  readonly #history: SiteHistory;
  /** When each page was last requested; 0 for never. */
  readonly #last: Uint32Array;
  readonly #delays = new Uint32Array(bins);
  #visitDay = -1;
  #visitTime = 0;
  /** Requests of pages that had not changed since this crawler's last, and the bytes of their answers. */
  needless = 0;
  wastedBytes = 0;
  /** Requests of which the archives cannot tell, because they keep only the page's latest change. */
  undecided = 0;
  /** Requests that found a changed page. */
  updates = 0;
  /** Requests that are compared, and the bytes of their answers. */
  requests = 0;
  bytes = 0;
  /** What they would have cost with archives. */
  neededRequests = 0;
  neededBytes = 0;

  constructor(history: SiteHistory) {
    this.#history = history;
    this.#last = new Uint32Array(history.size);
  }

  /** Counts a request that archives would not have changed. */
  addNeeded(bytes: number): void {
    this.requests++;
    this.bytes += bytes;
    this.#need(bytes);
  }

  /** Counts a request of the archives themselves: it stands for what reading them costs on this day. */
  addArchive(time: EpochSeconds, bytes: number): void {
    this.addNeeded(bytes);
    this.#visitDay = Math.max(this.#visitDay, Math.floor(time / daySeconds));
    this.#visitTime = Math.max(this.#visitTime, time);
  }

  /** @param page - undefined for what is no page of the archives; such requests are taken to be needed */
  add(page: KnownPage | undefined, time: EpochSeconds, bytes: number): void {
    this.requests++;
    this.bytes += bytes;
    const day = Math.floor(time / daySeconds);
    // Requests are logged when they end: at midnight, some of the day before come later.
    if (day > this.#visitDay) {
      const { requests, bytes: listBytes } = this.#history.costBetween(this.#visitTime, time);
      this.neededRequests += requests;
      this.neededBytes += listBytes;
      this.#visitDay = day;
      this.#visitTime = time;
    }
    const verdict = page === undefined ? "first" : this.#judge(page, time);
    if (verdict === "needless") {
      this.needless++;
      this.wastedBytes += bytes;
      return;
    }
    if (verdict === "undecided") this.undecided++;
    // A 304 would have been a page that was downloaded only if it had changed.
    this.#need(bytes);
  }

  #need(bytes: number): void {
    this.neededRequests++;
    this.neededBytes += bytes;
  }

  #judge(page: KnownPage, time: EpochSeconds): "first" | "needless" | "updated" | "undecided" {
    const last = this.#last[page.index] as number;
    this.#last[page.index] = Math.max(last, time);
    if (last === 0 || time < last) return "first";
    const next = page.changes.find(({ at }) => at > last);
    if (next === undefined) return "needless";
    // Another change between the two requests is hidden if it was in the same interval.
    if (next.at > time) return next.from < time ? "undecided" : "needless";
    this.updates++;
    const bin = Math.min(bins - 1, Math.floor(Math.log2(Math.max(1, time - next.at)) * binsPerOctave));
    this.#delays[bin] = (this.#delays[bin] as number) + 1;
    return "updated";
  }

  /** When a page was last requested; 0 for never. */
  lastOf(page: KnownPage): EpochSeconds {
    return this.#last[page.index] as number;
  }

  /** How long after its change a page was requested, in seconds, of this share of the updates; undefined without updates. */
  delayOf(share: number): number | undefined {
    let left = share * this.updates;
    for (let bin = 0; bin < bins && this.updates > 0; bin++) {
      left -= this.#delays[bin] as number;
      if (left <= 0) return Math.round(2 ** ((bin + 0.5) / binsPerOctave));
    }
    return undefined;
  }
}
