import {
  type KnownPages,
  type SeenVisit,
  scheduleVisits,
  type VisitPlan,
  type VisitPlanner,
  type VisitWindow,
} from "./visit-schedule.ts";

/** A page's interval, and the wait until its next visit. */
export interface AdaptedInterval {
  readonly intervalSeconds: number;
  readonly waitSeconds: number;
}

/** A rule that adapts a page's interval after each visit. */
export interface IntervalRule {
  readonly name: string;
  /** Before the second visit. */
  readonly firstSeconds: number;
  adapt(intervalSeconds: number, seen: SeenVisit): AdaptedInterval;
}

const daySeconds = 86_400;
const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/**
 * The AdaptiveFetchSchedule of Apache Nutch with the numbers of its nutch-default.xml: an interval grows by 0.4 after a
 * visit without a change and falls by 0.2 after one with, from a minute to a year.
 *
 * @param followsDates - whether the interval is at least the time since the last change, and the next visit is brought
 *   forward by 0.3 of that time
 */
export function createNutchRule(followsDates = true): IntervalRule {
  const minSeconds = 60;
  const bound = (seconds: number): number => clamp(seconds, minSeconds, 365 * daySeconds);
  return {
    name: "nutch",
    firstSeconds: 30 * daySeconds,
    adapt: (interval, { changed, atSeconds, modifiedAtSeconds }) => {
      const stepped = interval * (changed ? 0.8 : 1.4);
      const since = modifiedAtSeconds === undefined ? undefined : atSeconds - modifiedAtSeconds;
      if (!followsDates || since === undefined || !(since >= 0)) {
        const kept = bound(stepped);
        return { intervalSeconds: kept, waitSeconds: kept };
      }
      const synced = bound(Math.max(stepped, since));
      return { intervalSeconds: synced, waitSeconds: Math.max(minSeconds, synced - 0.3 * since) };
    },
  };
}

/** StormCrawler's AdaptiveScheduler: half as long again after no change, half way to an hour after one; at most 14 days. */
export function createStormRule(): IntervalRule {
  return {
    name: "stormcrawler",
    firstSeconds: daySeconds,
    adapt: (interval, { changed }) => {
      const stepped = changed ? (interval + 3600) / 2 : Math.min(14 * daySeconds, 1.5 * interval);
      return { intervalSeconds: stepped, waitSeconds: stepped };
    },
  };
}

/** Visits by a rule of intervals: pages that are due, the longest due first; the budget need not be spent. */
export class IntervalPlanner implements VisitPlanner {
  readonly name: string;
  readonly #rule: IntervalRule;
  readonly #intervals = new Map<number, AdaptedInterval>();

  constructor(rule: IntervalRule) {
    this.name = rule.name;
    this.#rule = rule;
  }

  note(seen: SeenVisit): void {
    const { intervalSeconds = this.#rule.firstSeconds } = this.#intervals.get(seen.page) ?? {};
    this.#intervals.set(seen.page, this.#rule.adapt(intervalSeconds, seen));
  }

  plan(pages: KnownPages, window: VisitWindow): VisitPlan {
    const waitOf = (page: number): number => this.#intervals.get(page)?.waitSeconds ?? this.#rule.firstSeconds;
    const due = pages.polledAtSeconds.map((at, page) =>
      Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at + waitOf(page),
    );
    return scheduleVisits(pages, window, { due, next: (page, now) => now + waitOf(page), isEager: false });
  }
}
