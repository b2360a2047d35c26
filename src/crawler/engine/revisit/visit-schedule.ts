import { IndexedHeap } from "../../../core/index.ts";

/** What there is to poll, in rows: a page each, or many similar ones. Columns may be plain or typed arrays. */
export interface PollRows {
  /** Expected changes a second. */
  readonly ratesPerSecond: ArrayLike<number>;
  /** How much each page matters: its rank, or the requests it gets. */
  readonly weights: ArrayLike<number>;
  /** Pages of each row. Default 1. */
  readonly counts?: ArrayLike<number> | undefined;
  /** The number of each row's site, from 0; needed for limits only. */
  readonly sites?: ArrayLike<number> | undefined;
  /** Polls a second that each site allows, by its number; Infinity for no limit. */
  readonly siteLimitsPerSecond?: ArrayLike<number> | undefined;
}

/** Signals that a page changed: from a sitemap, a feed, a ping. */
export interface PageSignals {
  /** Share of each page's changes that send one, from 0 (none) to 1. */
  readonly recalls: ArrayLike<number>;
  /** False signals a second. */
  readonly falsePerSecond: ArrayLike<number>;
}

/** Pages, a row each, as planners of visits see them. */
export interface KnownPages extends PollRows {
  readonly counts?: undefined;
  /** When each was last polled, in seconds since any instant; NaN if never. */
  readonly polledAtSeconds: Float64Array;
  readonly signals?: PageSignals | undefined;
}

/** The time for which visits are planned, and their number. */
export interface VisitWindow {
  /** On the same scale as {@link KnownPages.polledAtSeconds}. */
  readonly fromSeconds: number;
  readonly seconds: number;
  /** They are spread evenly. */
  readonly visits: number;
}

/** Visits in the order of time. */
export interface VisitPlan {
  readonly pages: Uint32Array;
  readonly atSeconds: Float64Array;
}

/** What a visit saw. */
export interface SeenVisit {
  readonly page: number;
  readonly atSeconds: number;
  /** Since the visit before. */
  readonly intervalSeconds: number;
  readonly changed: boolean;
  /** When the page last changed, if it says so. */
  readonly modifiedAtSeconds?: number | undefined;
}

/** Plans visits within a budget from what is known of pages. */
export interface VisitPlanner {
  readonly name: string;
  /** Pages keep their indices between calls; new ones are appended. */
  plan(pages: KnownPages, window: VisitWindow): VisitPlan;
  /** Notes a visit; needed by planners that do not rely on the given rates only. */
  note?(seen: SeenVisit): void;
  /** Notes a signal of a page, before the window that is planned next. */
  signal?(page: number, atSeconds: number): void;
}

/** Visits that each site still allows in a window. */
export class SiteQuota {
  readonly #sites: ArrayLike<number> | undefined;
  readonly #left: Float64Array;

  /** Counted from time 0, so that fractions of a visit are not lost between windows. */
  constructor({ sites, siteLimitsPerSecond }: KnownPages, { fromSeconds, seconds }: VisitWindow) {
    this.#sites = siteLimitsPerSecond === undefined ? undefined : sites;
    this.#left = Float64Array.from(siteLimitsPerSecond ?? [], (limit) => {
      if (limit === Number.POSITIVE_INFINITY) return limit;
      return Math.floor(limit * (fromSeconds + seconds)) - Math.floor(limit * fromSeconds);
    });
  }

  /** Takes a visit to a page, if its site allows one more. */
  take(page: number): boolean {
    const site = this.#sites?.[page];
    if (site === undefined) return true;
    const left = this.#left[site] ?? 0;
    if (left < 1) return false;
    this.#left[site] = left - 1;
    return true;
  }
}

/** Collects the visits of a window. */
export class VisitList {
  readonly #pages: Uint32Array;
  readonly #times: Float64Array;
  #length = 0;

  constructor(capacity: number) {
    this.#pages = new Uint32Array(capacity);
    this.#times = new Float64Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  add(page: number, atSeconds: number): void {
    this.#pages[this.#length] = page;
    this.#times[this.#length] = atSeconds;
    this.#length += 1;
  }

  finish(): VisitPlan {
    return { pages: this.#pages.slice(0, this.#length), atSeconds: this.#times.slice(0, this.#length) };
  }
}

/** The instant of a visit, from 0: the middle of its share of the window. */
export function slotSeconds({ fromSeconds, seconds, visits }: VisitWindow, slot: number): number {
  return fromSeconds + ((slot + 0.5) * seconds) / visits;
}

/** When a schedule visits each page. */
interface DueRule {
  /** When each page is due; NaN for never. */
  readonly due: Float64Array;
  /** When a page that is visited now is due again. */
  readonly next: (page: number, nowSeconds: number) => number;
  /** Whether pages are visited before they are due if no other is due, so that the budget is always spent. */
  readonly isEager: boolean;
}

/** Order of pages that are due at once: not by number, because neighbours are often similar. */
function scatter(page: number): number {
  return Math.imul(page, 0x9e37_79b1) >>> 0;
}

/** Schedules visits evenly over a window, each to the page that is due first (earliest deadline first). O(n + visits log n). */
export function scheduleVisits(pages: KnownPages, window: VisitWindow, { due, next, isEager }: DueRule): VisitPlan {
  const heap = new IndexedHeap((page, other) => scatter(page) < scatter(other));
  for (const [page, at] of due.entries()) if (!Number.isNaN(at)) heap.set(page, at);
  const quota = new SiteQuota(pages, window);
  const list = new VisitList(window.visits);
  for (let slot = 0; slot < window.visits; slot++) {
    const now = slotSeconds(window, slot);
    let page = heap.first;
    while (page !== undefined && (isEager || heap.firstKey <= now) && !quota.take(page)) {
      heap.delete(page);
      page = heap.first;
    }
    if (page === undefined || heap.firstKey === Number.POSITIVE_INFINITY) break;
    if (!isEager && heap.firstKey > now) continue;
    list.add(page, now);
    heap.set(page, next(page, now));
  }
  return list.finish();
}
