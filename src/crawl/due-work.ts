import type { WorkItem } from "../model/index.ts";
import type { CrawlVisit } from "./crawl-visit.ts";

const pageOfWork = 1000;

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
