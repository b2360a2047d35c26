import { BestItems } from "./poll-selection.ts";
import {
  type KnownPages,
  type SeenVisit,
  SiteQuota,
  slotSeconds,
  VisitList,
  type VisitPlan,
  type VisitPlanner,
  type VisitWindow,
} from "./visit-schedule.ts";

/** Assumed duration of a crawl of the whole Web: half a year. */
const crawlSeconds: number = 182.5 * 86_400;

/**
 * The priority of a known page, `P = C T (I + O)`, T its age in whole crawls.
 *
 * @param changeRatio - C: the part of its links that changed between its last two visits, from 0 to 1. (Equation 4.2 of the
 *   thesis gives the part that both had, under the name of change.)
 * @param degree - I + O: links to it and from it
 * @see K. Chen, "An Open Solution to Discover the Graph Structure of World Wide Web", equations 4.1 and 4.4
 */
export function linkPriority(changeRatio: number, elapsedSeconds: number, degree: number): number {
  return changeRatio * (elapsedSeconds / crawlSeconds) * degree;
}

interface Ranked {
  readonly page: number;
  readonly priority: number;
}

/**
 * Visits by that priority, ranked once per window. Weights stand for I + O, and C is 1 or 0: whether the last visit saw a
 * change. New pages, by their weights, get at least a quarter of the visits.
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
        known.add({ page, priority: linkPriority(changeRatio, window.fromSeconds - at, degree) });
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
