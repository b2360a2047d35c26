import { BestItems } from "./best-items.ts";
import type { KnownPages, SeenVisit, VisitPlan, VisitPlanner, VisitWindow } from "./known-pages.ts";
import { SiteQuota, slotSeconds, VisitList } from "./visit-schedule.ts";

/** What a page's priority is made of; letters as in the thesis. */
export interface LinkFacts {
  /**
   * C: the part of its links that changed between its last two visits, from 0 to 1. (The thesis' equation 4.2 prints the part
   * that both had, under the name of change.)
   */
  readonly changeRatio: number;
  /** Since its last visit. */
  readonly elapsedSeconds: number;
  /** I + O: links that lead to it and away from it. */
  readonly degree: number;
}

/** How long a crawl of the whole web is thought to take: half a year. */
const defaultCrawlSeconds: number = 182.5 * 86_400;

/**
 * The priority of a known page, `P = C T (I + O)` with T its age in whole crawls.
 *
 * @see K. Chen, "An Open Solution to Discover the Graph Structure of World Wide Web", equations 4.1 and 4.4
 */
export function linkPriority(
  { changeRatio, elapsedSeconds, degree }: LinkFacts,
  crawlSeconds: number = defaultCrawlSeconds,
): number {
  return changeRatio * (elapsedSeconds / crawlSeconds) * degree;
}

interface Ranked {
  readonly page: number;
  readonly priority: number;
}

/**
 * Visits by that priority, ranked once a window: weights stand for I + O, and whether the last visit saw a change for C
 * where no links were compared. New pages, by their weights, have a quarter of the visits at least.
 */
export class LinkPlanner implements VisitPlanner {
  readonly name = "C T (I + O)";
  readonly #ratios = new Map<number, number>();

  note({ page, changed }: SeenVisit): void {
    this.#ratios.set(page, changed ? 1 : 0);
  }

  plan(pages: KnownPages, window: VisitWindow): VisitPlan {
    const compare = (a: Ranked, b: Ranked): number => b.priority - a.priority || a.page - b.page;
    const fresh = new BestItems<Ranked>(window.visits, compare);
    const known = new BestItems<Ranked>(window.visits, compare);
    for (let page = 0; page < pages.polledAtSeconds.length; page++) {
      const at = pages.polledAtSeconds[page] ?? Number.NaN;
      const degree = pages.weights[page] ?? 0;
      if (Number.isNaN(at)) fresh.add({ page, priority: degree });
      else {
        const changeRatio = this.#ratios.get(page) ?? 1;
        const elapsedSeconds = window.fromSeconds - at;
        known.add({ page, priority: linkPriority({ changeRatio, elapsedSeconds, degree }) });
      }
    }
    const quarter = Math.min(fresh.size, Math.max(Math.ceil(window.visits / 4), window.visits - known.size));
    const newest = fresh.sorted().slice(0, quarter);
    const quota = new SiteQuota(pages, window);
    const list = new VisitList(window.visits);
    for (const { page } of [...newest, ...known.sorted()]) {
      if (list.length === window.visits) break;
      if (quota.take(page)) list.add(page, slotSeconds(window, list.length));
    }
    return list.finish();
  }
}
