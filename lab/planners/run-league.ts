import {
  type ChangeHistory,
  defaultPrior,
  noHistory,
  observe,
  rateOf,
} from "../../src/crawler/engine/revisit/change-rate.ts";
import type { KnownPages, VisitPlanner } from "../../src/crawler/engine/revisit/visit-schedule.ts";
import type { LeagueWeb } from "./league-web.ts";

/** How long a league is, and what planners are told. */
export interface LeagueTrial {
  readonly seconds: number;
  /** From when on freshness counts. */
  readonly countFromSeconds: number;
  /** How long the windows are that are planned one after the other. */
  readonly windowSeconds: number;
  /** Visits a second, by the beginning of a window. */
  readonly budgetAt: (seconds: number) => number;
  /** Whether rates are estimated from the visits. Otherwise they are told. */
  readonly isLearned: boolean;
  /** Whether visits tell when a page last changed. Default false. */
  readonly isDated?: boolean;
}

/** What came of it. */
export interface LeagueResult {
  /** Mean share of time in which copies were as their pages, of the pages that were there. */
  readonly freshness: number;
  /** Visits that were made in the time that counts. */
  readonly visits: number;
  /** Visits by the budget, in the time that counts. */
  readonly allowed: number;
}

/** Copies of pages, and for how long each is as its page. */
class Copies {
  readonly #web: LeagueWeb;
  readonly #countFrom: number;
  /** The place of the first change after each copy was taken. */
  readonly #next: Uint32Array;
  readonly takenAt: Float64Array;
  fresh = 0;

  constructor(web: LeagueWeb, countFrom: number) {
    this.#web = web;
    this.#countFrom = countFrom;
    this.#next = web.starts.slice(0, -1);
    this.takenAt = web.bornAt.map((at) => (at > 0 ? Number.NaN : 0));
  }

  /** When the page last changed or came to be, at an instant that never goes back. */
  changedAt(page: number, atSeconds: number): number {
    const { changes, starts, bornAt } = this.#web;
    let next = this.#next[page] ?? 0;
    const end = starts[page + 1] ?? 0;
    while (next < end && (changes[next] ?? 0) <= atSeconds) next++;
    return next > (starts[page] ?? 0) ? (changes[next - 1] ?? 0) : (bornAt[page] ?? 0);
  }

  /** Takes a page's copy anew. @returns whether the page was another */
  take(page: number, atSeconds: number): boolean {
    const { changes, starts } = this.#web;
    const taken = this.takenAt[page] ?? Number.NaN;
    const end = starts[page + 1] ?? 0;
    let next = this.#next[page] ?? 0;
    const staleAt = next < end ? (changes[next] ?? 0) : Number.POSITIVE_INFINITY;
    if (taken <= atSeconds) {
      this.fresh += Math.max(0, Math.min(atSeconds, staleAt) - Math.max(taken, this.#countFrom));
    }
    while (next < end && (changes[next] ?? 0) <= atSeconds) next++;
    this.#next[page] = next;
    this.takenAt[page] = atSeconds;
    return staleAt <= atSeconds;
  }
}

/** Runs a planner on a web: a window is planned at a time, and signals are told at its end. Pages of the beginning are held. */
export function runLeague(planner: VisitPlanner, web: LeagueWeb, trial: LeagueTrial): LeagueResult {
  const { bornAt, ratesPerSecond, signals } = web;
  const { seconds, countFromSeconds, windowSeconds, budgetAt, isLearned, isDated } = trial;
  const copies = new Copies(web, countFromSeconds);
  const estimates = isLearned ? new Float64Array(bornAt.length).fill(rateOf(noHistory, defaultPrior)) : ratesPerSecond;
  const histories: ChangeHistory[] = isLearned ? new Array(bornAt.length).fill(noHistory) : [];
  const weights = new Float64Array(bornAt.length).fill(1);
  let [known, signal, owed, visits, allowed] = [0, 0, 0, 0, 0];
  for (let from = 0; from < seconds; from += windowSeconds) {
    while (known < bornAt.length && (bornAt[known] ?? 0) <= from) known++;
    owed += budgetAt(from) * windowSeconds;
    const count = Math.floor(owed + 1e-9);
    owed -= count;
    if (from >= countFromSeconds) allowed += count;
    const pages: KnownPages = {
      ratesPerSecond: estimates.subarray(0, known),
      weights: weights.subarray(0, known),
      polledAtSeconds: copies.takenAt.subarray(0, known),
      signals: signals?.told,
    };
    const plan =
      count > 0 ? planner.plan(pages, { fromSeconds: from, seconds: windowSeconds, visits: count }) : undefined;
    for (const [slot, page] of plan?.pages.entries() ?? []) {
      const atSeconds = plan?.atSeconds[slot] ?? 0;
      const intervalSeconds = atSeconds - (copies.takenAt[page] ?? 0);
      const modifiedAtSeconds = isDated ? copies.changedAt(page, atSeconds) : undefined;
      const changed = copies.take(page, atSeconds);
      if (from >= countFromSeconds) visits += 1;
      // A first visit is beside no other.
      if (Number.isNaN(intervalSeconds)) continue;
      planner.note?.({ page, atSeconds, intervalSeconds, changed, modifiedAtSeconds });
      if (!isLearned) continue;
      const history = observe(histories[page] ?? noHistory, { intervalSeconds, changed });
      histories[page] = history;
      estimates[page] = rateOf(history, defaultPrior);
    }
    for (
      ;
      signals !== undefined && (signals.atSeconds[signal] ?? Number.POSITIVE_INFINITY) < from + windowSeconds;
      signal++
    ) {
      const page = signals.pages[signal] ?? 0;
      const at = signals.atSeconds[signal] ?? 0;
      if (at > (copies.takenAt[page] ?? 0)) planner.signal?.(page, at);
    }
  }
  let total = 0;
  for (let page = 0; page < bornAt.length; page++) {
    total += Math.max(0, seconds - Math.max(countFromSeconds, bornAt[page] ?? 0));
    if (!Number.isNaN(copies.takenAt[page])) copies.take(page, seconds);
  }
  return { freshness: copies.fresh / total, visits, allowed };
}
