import type { KnownPages, SeenVisit, VisitPlan, VisitPlanner, VisitWindow } from "./known-pages.ts";
import { scheduleVisits } from "./visit-schedule.ts";

/** An interval, and how long after this visit the next is. */
export interface AdaptedInterval {
  readonly intervalSeconds: number;
  readonly waitSeconds: number;
}

/** A rule that steps a page's interval by what each visit saw. */
export interface IntervalRule {
  readonly name: string;
  /** The interval of a page that was never visited twice. */
  readonly firstSeconds: number;
  adapt(intervalSeconds: number, seen: SeenVisit): AdaptedInterval;
}

const daySeconds = 86_400;
const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** Numbers of {@link createNutchRule}. */
export interface NutchOptions {
  /** By which part an interval grows after a visit that saw no change. Default 0.4. */
  readonly increase: number;
  /** By which part it falls after one that did. Default 0.2. */
  readonly decrease: number;
  /** Default 60. */
  readonly minSeconds: number;
  /** Default 365 days. */
  readonly maxSeconds: number;
  /** Whether the page's time of change is followed. Default true. */
  readonly followsDates: boolean;
  /** What part of the time since the change the next visit is brought forward. Default 0.3. */
  readonly syncRate: number;
  /** Default 30 days. */
  readonly firstSeconds: number;
}

const nutchDefaults: NutchOptions = {
  increase: 0.4,
  decrease: 0.2,
  minSeconds: 60,
  maxSeconds: 365 * daySeconds,
  followsDates: true,
  syncRate: 0.3,
  firstSeconds: 30 * daySeconds,
};

/** Apache Nutch's AdaptiveFetchSchedule with the numbers of its nutch-default.xml. */
export function createNutchRule(options: Partial<NutchOptions> = {}): IntervalRule {
  const { increase, decrease, minSeconds, maxSeconds, followsDates, syncRate, firstSeconds } = {
    ...nutchDefaults,
    ...options,
  };
  return {
    name: "nutch",
    firstSeconds,
    adapt: (interval, { changed, atSeconds, modifiedAtSeconds }) => {
      const stepped = interval * (changed ? 1 - decrease : 1 + increase);
      const since = modifiedAtSeconds === undefined ? undefined : atSeconds - modifiedAtSeconds;
      if (!followsDates || since === undefined || !(since >= 0)) {
        const kept = clamp(stepped, minSeconds, maxSeconds);
        return { intervalSeconds: kept, waitSeconds: kept };
      }
      const synced = clamp(Math.max(stepped, since), minSeconds, maxSeconds);
      return { intervalSeconds: synced, waitSeconds: Math.max(minSeconds, synced - syncRate * since) };
    },
  };
}

/** StormCrawler's AdaptiveScheduler: half as long again after no change, half way to the least after one; an hour to 14 days. */
export function createStormRule(
  minSeconds = 3600,
  maxSeconds: number = 14 * daySeconds,
  firstSeconds: number = daySeconds,
): IntervalRule {
  return {
    name: "stormcrawler",
    firstSeconds,
    adapt: (interval, { changed }) => {
      const stepped = changed ? (interval + minSeconds) / 2 : Math.min(maxSeconds, 1.5 * interval);
      return { intervalSeconds: stepped, waitSeconds: stepped };
    },
  };
}

/** Visits by a rule of intervals: what is due, the longest due first; the budget need not be spent. */
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
