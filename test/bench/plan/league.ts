import {
  type ChangeHistory,
  defaultPrior,
  type KnownPages,
  noHistory,
  observe,
  type PageSignals,
  rateOf,
  type VisitPlanner,
} from "../../../src/revisit/index.ts";
import type { Random } from "../../interop/random.ts";

const daySeconds = 86_400;

/** Pages of a league that change as Poisson processes, and how they are polled. */
export interface LeagueSite {
  readonly ratesPerSecond: Float64Array;
  readonly weights?: Float64Array;
  readonly signals?: PageSignals;
  readonly sites?: Uint32Array;
  readonly siteLimitsPerSecond?: Float64Array;
}

/** How long, how many, and whether the planner is told the rates. */
export interface LeagueTrial {
  readonly days: number;
  readonly countFromDay: number;
  /** Visits in each window of a day. */
  readonly visitsPerDay: number;
  /** Whether rates are estimated from the visits, without dates. Default: they are known. */
  readonly learns?: boolean;
}

/** What came of it. */
export interface LeagueResult {
  /** Weighted mean share of time in which copies were as their pages. */
  readonly freshness: number;
  /** Visits that were made in the days that count. */
  readonly visits: number;
}

const exponential = (random: Random, rate: number): number => -Math.log1p(-random.next()) / rate;

/** Instants of a Poisson process in a span, ascending. */
function instants(random: Random, rate: number, from: number, seconds: number): number[] {
  const found: number[] = [];
  for (let at = from + exponential(random, rate); at < from + seconds; at += exponential(random, rate)) found.push(at);
  return found;
}

/** Runs a planner on a site: plans a day at a time, and tells it of signals at the end of each day. */
export function runLeague(planner: VisitPlanner, site: LeagueSite, trial: LeagueTrial, random: Random): LeagueResult {
  const { ratesPerSecond: rates, signals } = site;
  const weights = site.weights ?? new Float64Array(rates.length).fill(1);
  const polledAtSeconds = new Float64Array(rates.length);
  const estimates = trial.learns ? new Float64Array(rates.length).fill(rateOf(noHistory, defaultPrior)) : rates;
  const histories: ChangeHistory[] = trial.learns ? new Array(rates.length).fill(noHistory) : [];
  // When the copy became another than the page; Infinity while it is as the page.
  const staleAt = new Float64Array(rates.length).fill(Number.POSITIVE_INFINITY);
  const changedAt = new Float64Array(rates.length);
  const pages: KnownPages = { ...site, ratesPerSecond: estimates, weights, polledAtSeconds };
  let fresh = 0;
  let total = 0;
  let visits = 0;
  for (let day = 0; day < trial.days; day++) {
    const from = day * daySeconds;
    const plan = planner.plan(pages, { fromSeconds: from, seconds: daySeconds, visits: trial.visitsPerDay });
    const planned = new Map<number, number[]>();
    for (const [slot, page] of plan.pages.entries()) {
      const times = planned.get(page) ?? [];
      times.push(plan.atSeconds[slot] ?? 0);
      planned.set(page, times);
    }
    const counts = day >= trial.countFromDay;
    if (counts) visits += plan.pages.length;
    for (let page = 0; page < rates.length; page++) {
      const changes = instants(random, rates[page] ?? 0, from, daySeconds);
      let freshSeconds = 0;
      let since = from;
      let next = 0;
      const passTo = (until: number): void => {
        for (; (changes[next] ?? Number.POSITIVE_INFINITY) < until; next++) {
          changedAt[page] = changes[next] ?? 0;
          staleAt[page] = Math.min(staleAt[page] ?? 0, changes[next] ?? 0);
        }
        freshSeconds += Math.max(0, Math.min(until, staleAt[page] ?? 0) - since);
        since = until;
      };
      for (const at of planned.get(page) ?? []) {
        passTo(at);
        const intervalSeconds = at - (polledAtSeconds[page] ?? 0);
        const changed = staleAt[page] !== Number.POSITIVE_INFINITY;
        planner.note?.({ page, atSeconds: at, intervalSeconds, changed, modifiedAtSeconds: changedAt[page] });
        if (trial.learns) {
          const history = observe(histories[page] ?? noHistory, { intervalSeconds, changed });
          histories[page] = history;
          estimates[page] = rateOf(history, defaultPrior);
        }
        staleAt[page] = Number.POSITIVE_INFINITY;
        polledAtSeconds[page] = at;
      }
      passTo(from + daySeconds);
      if (counts) {
        fresh += (weights[page] ?? 0) * freshSeconds;
        total += (weights[page] ?? 0) * daySeconds;
      }
      if (signals === undefined || planner.signal === undefined) continue;
      const told = changes.filter(() => random.next() < (signals.recalls[page] ?? 0));
      const falseSignals = instants(random, signals.falsePerSecond[page] ?? 0, from, daySeconds);
      for (const at of [...told, ...falseSignals].sort((a, b) => a - b)) {
        if (at > (polledAtSeconds[page] ?? 0)) planner.signal(page, at);
      }
    }
  }
  return { freshness: fresh / total, visits };
}
