import { createRandom, TidemarkError } from "../core/index.ts";
import { findStateFile, type KnownSite, StateReader } from "../storage/index.ts";
import { readHistory, readPrior } from "./engine/pipeline/poll-planning.ts";
import { Forecaster, type PlannerForecast } from "./engine/revisit/planner-forecast.ts";
import { pollPlannerNames } from "./engine/revisit/poll-planners.ts";
import { EstimatedPages } from "./engine/revisit/rate-posterior.ts";
import { chooseSites } from "./site-address.ts";

/** A budget of page requests: per day, or as a share of the pages per day. */
export type DailyBudget = { readonly perDay: number } | { readonly share: number };

/** Which crawler's pages to forecast, and for which budget. */
export interface PlannerForecastOptions {
  /** Folder of the mirrors, or the state file. */
  readonly store: string;
  /** Any URL of the site to forecast. Default: the pages of all sites together. */
  readonly url?: string;
  readonly budget: DailyBudget;
  /** From 0 to 1, exclusive: also find the budget that reaches this freshness. */
  readonly freshness?: number;
  /** Budgets for curves, as shares of the pages per day. Default: none. */
  readonly curveShares?: readonly number[];
  readonly onProgress?: (pages: number) => void;
}

/** The forecast of one planner. */
export interface PlannerOutlook extends PlannerForecast {
  /** Requests per day for the given freshness; null if no budget reaches it, undefined if none was given. */
  readonly neededPerDay?: number | null;
  /** Freshness for each of the given shares. */
  readonly curve: readonly number[];
}

/** Forecasts from a crawler's history of its pages. */
export interface PlannerForecasts {
  readonly sites: readonly string[];
  readonly pages: number;
  /** Pages requested at least twice. */
  readonly polledPages: number;
  /** Requests that gave evidence of change or its absence. */
  readonly polls: number;
  /**
   * What is assumed of a page before it is polled twice: one change in so many seconds, the least and the most of the sites.
   * It weighs as much as one observed change. A site of which nothing is known has a week; later its other pages decide.
   */
  readonly assumedSecondsPerChange: readonly [number, number];
  /** Shares of the pages that change at least so often. */
  readonly changing: { readonly daily: number; readonly weekly: number; readonly monthly: number };
  readonly budgetPerDay: number;
  readonly planners: readonly PlannerOutlook[];
}

/** Samples of the posterior that show how certain a forecast is. */
const worlds = 40;
const progressEvery = 5000;
const daySeconds = 86_400;

/**
 * Forecasts how each planner would use a budget in the long run, from how a crawler's pages changed so far. Pages
 * requested only once are assumed to behave like the others of their site; if none was requested twice, the forecast shows what
 * is assumed. Only reads, and works while a crawl runs.
 *
 * @throws TidemarkError `not-found`, also if no page was requested by a plan; `bad-option`, `state-corrupt`,
 * `state-version`
 */
export function readPlannerForecasts(options: PlannerForecastOptions): PlannerForecasts {
  const { store, url, budget, freshness, curveShares = [], onProgress } = options;
  using reader = new StateReader(findStateFile(store));
  const sites = chooseSites(reader.readSites(), url);
  const { pages, assumed } = estimatePages(reader, sites, onProgress);
  if (pages.pages === 0) throw noPages(store, sites);
  const budgetPerDay = "perDay" in budget ? budget.perDay : budget.share * pages.pages;
  const forecaster = new Forecaster(pages, (planner) => createRandom(1, "forecast", planner));
  const planners = pollPlannerNames.map((planner) => ({
    ...forecaster.forecast(planner, budgetPerDay),
    ...(freshness === undefined ? {} : { neededPerDay: forecaster.budgetFor(planner, freshness) ?? null }),
    curve: curveShares.map((share) => forecaster.freshnessOf(planner, share * pages.pages)),
  }));
  return {
    sites: sites.map(({ origin }) => origin),
    pages: pages.pages,
    polledPages: pages.polled,
    polls: Math.round(pages.visits),
    assumedSecondsPerChange: assumed,
    changing: {
      daily: pages.shareFrom(1 / daySeconds),
      weekly: pages.shareFrom(1 / (7 * daySeconds)),
      monthly: pages.shareFrom(1 / (30 * daySeconds)),
    },
    budgetPerDay,
    planners,
  };
}

function estimatePages(
  reader: StateReader,
  sites: readonly KnownSite[],
  onProgress: PlannerForecastOptions["onProgress"],
): { readonly pages: EstimatedPages; readonly assumed: readonly [number, number] } {
  const pages = new EstimatedPages(worlds, createRandom(1, "worlds"));
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const { id } of sites) {
    const prior = readPrior({ readSource: (source) => reader.readSource(id, source) });
    for (const numbers of reader.readHistories(id)) {
      pages.add(readHistory(numbers), prior);
      least = Math.min(least, prior.seconds / prior.changes);
      most = Math.max(most, prior.seconds / prior.changes);
      if (pages.pages % progressEvery === 0) onProgress?.(pages.pages);
    }
  }
  return { pages, assumed: [least, most] };
}

function noPages(store: string, sites: readonly KnownSite[]): TidemarkError {
  const of = sites.length === 1 ? (sites[0]?.origin ?? store) : store;
  return new TidemarkError("not-found", `There is no page of ${of} to plan for: none was requested by a plan.`, {
    hint: "Crawl first with --poll planned. Sites with archives say themselves what changed, and need no plan.",
    details: { store },
  });
}
