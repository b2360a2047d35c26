import type { FetchItem, WorkItem } from "../model/index.ts";
import type { CrawlVisit } from "./crawl-visit.ts";
import { patienceVisits } from "./patient-request.ts";

const pageOfWork = 1000;
/** What could not be had before and is asked for again in a visit is so many at most. */
export const maxAway = 10_000;
/** Of those so many come first, should a budget not reach to the others. */
export const firstAway = 2;

/** Whether a page could not be had when it was asked for last. */
export function isAway({ postponed }: Pick<FetchItem, "postponed">): boolean {
  return postponed?.trouble === "unavailable";
}

/** Whether it could not be had in so many visits that one attempt a visit is enough. */
export function isLongAway({ postponed }: Pick<FetchItem, "postponed">): boolean {
  return postponed?.trouble === "unavailable" && postponed.strikes >= patienceVisits;
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
 * Due fetches in the order of paths. What could not be had in earlier visits comes last: a few such pages one after the other are
 * taken for a site in trouble, and would keep those behind them waiting for ever.
 */
export function* dueFetches(visit: CrawlVisit): Generator<FetchItem, void, void> {
  const away = visit.ports.work.takeAway(maxAway);
  yield* away.slice(0, firstAway);
  for (const item of dueWork<FetchItem>(visit, "fetch", ({ page }) => page.path)) if (!isAway(item)) yield item;
  yield* away.slice(firstAway);
}
