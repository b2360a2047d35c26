import type { FetchItem, WorkItem } from "../../../core/index.ts";
import { patienceVisits } from "../politeness/patient-request.ts";
import type { CrawlVisit } from "../visit/crawl-visit.ts";

const pageOfWork = 1000;
/** What could not be had before and is asked for again in a visit is so many at most. */
export const maxAway = 10_000;
/** So many requests of a budget are theirs, should the rest be used up before their turn. */
const reservedRequests = 2;

/** Whether a page could not be had when it was asked for last. */
export function isAway({ postponed }: Pick<FetchItem, "postponed">): boolean {
  return postponed?.trouble === "unavailable";
}

/** Whether it could not be had in so many visits that one attempt a visit is enough. */
export function isLongAway({ postponed }: Pick<FetchItem, "postponed">): boolean {
  return postponed?.trouble === "unavailable" && postponed.attempts >= patienceVisits;
}

/**
 * Due work of a kind, in the order of paths, read from the store a part at a time.
 *
 * @param after - only what lies beyond this path
 */
export function* dueWork<Item extends WorkItem>(
  visit: CrawlVisit,
  kind: Item["kind"],
  pathOf: (item: Item) => string,
  after = "",
): Generator<Item, void, void> {
  for (let last = after; ; ) {
    const items = visit.ports.work.take(kind, last, pageOfWork) as Item[];
    yield* items;
    const end = items.at(-1);
    if (end === undefined || items.length < pageOfWork) return;
    last = pathOf(end);
  }
}

/**
 * Due fetches: in the order of paths, and apart from them what could not be had in earlier visits, which comes last. A few such
 * pages one after the other are taken for a site in trouble, and one can ask for a long rest: they would keep those behind them waiting
 * for ever.
 */
export function dueFetches(visit: CrawlVisit): {
  readonly first: Generator<FetchItem, void, void>;
  readonly away: readonly FetchItem[];
} {
  const away = visit.ports.work.takeAway(maxAway);
  const apart = new Set(away.map(({ page }) => page.path));
  const all = dueWork<FetchItem>(visit, "fetch", ({ page }) => page.path);
  function* first(): Generator<FetchItem, void, void> {
    // One that fails otherwise this time is no longer away, and asked for already.
    for (const item of all) if (!isAway(item) && !apart.has(item.page.path)) yield item;
  }
  return { first: first(), away };
}

/** How many requests of a budget are left to what could not be had before. */
export function reservedFor(away: number, budget: number): number {
  return Math.min(away, reservedRequests, Math.floor(budget / 2));
}
