import type { EpochMs, EpochSeconds, SiteMemory } from "../../../core/index.ts";
import { maxCopyAgeMs } from "./robots-freshness.ts";

/** What is remembered of a visit that has not come to its end. */
interface Kept {
  /** When it was gone on with last; 0 if the last visit came to its end. */
  readonly at: EpochMs;
  /** When the index, or the lists, were read that name pages to be asked for; 0 if they were not. */
  readonly indexAt: EpochMs;
  /** Whether it ended because the Crawl-delay is longer than a visit waits; else it was cut short. */
  readonly isDelayed: boolean;
  /** Since when pages that were polled are not polled again: when the first of the visits began that were cut short. */
  readonly pollsSince: EpochSeconds;
  /** When lists were read whose pages visits go on with that were ended in order; 0 if none were. */
  readonly listsAt: EpochMs;
}

const nothing: Kept = { at: 0, indexAt: 0, isDelayed: false, pollsSince: 0, listsAt: 0 };
/** Where each visit is ended after a few requests, lists are read no more often than this. */
const listsAgeMs = 3_600_000;
/** Of a site that grants a request a visit: so long its archives are read on from one index. */
const maxDelayedMs = 30 * maxCopyAgeMs;

/**
 * How far a visit came that was killed, or that the site's own delay ended after a request or two: the next goes on behind it.
 * Otherwise each would ask for robots.txt and the index, and come to nothing else.
 */
export class VisitProgress {
  readonly #memory: SiteMemory;
  readonly #startedAt: EpochMs;
  readonly #earlier: Kept;
  #now: Kept;
  readonly #areListsRead: boolean;

  /**
   * @param startedAt - when this visit began
   * @param pollsSince - the same in seconds, or later, so that its answers can be told from those of the visit before
   */
  constructor(memory: SiteMemory, startedAt: EpochMs, pollsSince: EpochSeconds) {
    this.#memory = memory;
    this.#startedAt = startedAt;
    // Earlier versions kept fewer of them.
    const kept: Kept = { ...nothing, ...(memory.readSource("progress") as Partial<Kept> | undefined) };
    const { listsAt } = kept;
    this.#areListsRead = startedAt >= listsAt && startedAt - listsAt < listsAgeMs;
    const limitMs = kept.isDelayed ? maxDelayedMs : maxCopyAgeMs;
    const isRecent = kept.at > 0 && startedAt >= kept.at && startedAt - kept.at < limitMs;
    this.#earlier = isRecent ? kept : nothing;
    const isSameRound = isRecent && startedAt - kept.pollsSince * 1000 < limitMs;
    this.#now = {
      ...this.#earlier,
      at: startedAt,
      isDelayed: false,
      listsAt,
      pollsSince: isSameRound ? kept.pollsSince : pollsSince,
    };
  }

  /**
   * What was polled since then is not polled again: when this visit began, or the first of those before it that were cut short. A
   * round of visits that do not end is begun anew after a day.
   */
  get pollsSince(): EpochSeconds {
    return this.#now.pollsSince;
  }

  /** Whether this visit goes on with what an earlier one began. */
  get isResumed(): boolean {
    return this.#earlier.at > 0;
  }

  /** Whether the site's delay ended the earlier one. */
  get isAfterDelay(): boolean {
    return this.#earlier.isDelayed;
  }

  /** Whether an index or lists were read not too long ago, and pages that they name may not have been asked for yet. */
  get isIndexRead(): boolean {
    return this.#startedAt - this.#earlier.indexAt < this.indexAgeMs;
  }

  /** When lists were read last whose pages this visit requests; 0 if none were. */
  get listsReadAt(): EpochMs {
    const { indexAt, listsAt } = this.#now;
    return Math.max(indexAt, listsAt);
  }

  /** Whether the visit before was ended in order, and lists were read not long ago: their pages are gone on with. */
  get areListsRead(): boolean {
    return this.#areListsRead;
  }

  /**
   * For how long a robots.txt is used without asking again. RFC 9309 section 2.4 would have it used for no more than a day; a
   * site that is visited each night and grants one request a visit is asked for something else every other time.
   */
  get robotsAgeMs(): number {
    return this.#earlier.isDelayed ? 2 * maxCopyAgeMs : maxCopyAgeMs;
  }

  /** For how long an index is gone on with. After a kill it is asked for again: what it said may be out of date, and that is one request. */
  get indexAgeMs(): number {
    return this.#earlier.isDelayed ? maxDelayedMs : 0;
  }

  /** Notes that the visit has begun to do something. */
  begin(): void {
    this.#memory.rememberSource("progress", this.#now);
  }

  /** Notes that the index, or lists, were read. */
  noteIndex(): void {
    this.#now = { ...this.#now, indexAt: this.#startedAt };
    this.begin();
  }

  /**
   * Notes how the visit ended; what was begun before does not count any more, unless its Crawl-delay ended it.
   *
   * @param isCutShort - whether it was ended in order before all was done
   */
  end(isDelayed: boolean, isCutShort = false): void {
    const { indexAt, listsAt } = this.#now;
    const cut = isCutShort ? { listsAt: Math.max(indexAt, listsAt) } : { listsAt: 0 };
    this.#now = isDelayed ? { ...this.#now, ...cut, isDelayed } : { ...nothing, ...cut };
    this.begin();
  }
}
