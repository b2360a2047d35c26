import { IndexedHeap } from "../../../core/index.ts";
import type { KnownPages, VisitPlan, VisitWindow } from "./known-pages.ts";

/** How many visits of a window each site allows, less those that were given. */
export class SiteQuota {
  readonly #sites: ArrayLike<number> | undefined;
  readonly #left: Float64Array;

  /** Counted from the beginning of time, so that parts of a visit that a window leaves are not lost. */
  constructor({ sites, siteLimitsPerSecond }: KnownPages, { fromSeconds, seconds }: VisitWindow) {
    this.#sites = siteLimitsPerSecond === undefined ? undefined : sites;
    this.#left = Float64Array.from(siteLimitsPerSecond ?? [], (limit) => {
      if (limit === Number.POSITIVE_INFINITY) return limit;
      return Math.floor(limit * (fromSeconds + seconds)) - Math.floor(limit * fromSeconds);
    });
  }

  /** Takes a visit of a page, if its site allows one more. */
  take(page: number): boolean {
    const site = this.#sites?.[page];
    if (site === undefined) return true;
    const left = this.#left[site] ?? 0;
    if (left < 1) return false;
    this.#left[site] = left - 1;
    return true;
  }
}

/** Gathers visits, as many as a window can hold. */
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

/** How a schedule comes to the next visit of a page. */
export interface DueRule {
  /** When each page is due; NaN for never. */
  readonly due: Float64Array;
  /** When a page that is visited now is due again. */
  readonly next: (page: number, nowSeconds: number) => number;
  /** Whether a page is visited before it is due when no other is: the budget is then always spent. */
  readonly isEager: boolean;
}

/** Orders pages that are due at once: not by their numbers, for pages of like numbers are often alike. */
function scatter(page: number): number {
  return Math.imul(page, 0x9e37_79b1) >>> 0;
}

/** Visits spread evenly over a window, each of the page that is due first (earliest deadline first). O(n + visits log n). */
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
