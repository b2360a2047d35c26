import { createRandom, TidemarkError } from "../core/index.ts";
import { findStateFile, type KnownSite, StateReader } from "../storage/index.ts";
import { readHistory, readPrior } from "./engine/pipeline/poll-planning.ts";
import { Forecaster, type PlannerForecast } from "./engine/revisit/planner-forecast.ts";
import { pollPlannerNames } from "./engine/revisit/poll-planners.ts";
import { EstimatedPages } from "./engine/revisit/rate-posterior.ts";
import { chooseSites } from "./known-sites.ts";

/** Requests for pages: so many a day, or a share of the pages a day. */
export type DailyBudget = { readonly perDay: number } | { readonly share: number };

/** Of which crawler's pages forecasts are, and for which budget. */
export interface PlannerForecastOptions {
  /** Folder of the mirrors, or the state's file. */
  readonly store: string;
  /** Any URL of the only site that is meant. Default: the pages of all sites together. */
  readonly url?: string;
  readonly budget: DailyBudget;
  /** From 0 to 1, exclusive: also the budget that it takes is looked for. */
  readonly freshness?: number;
  /** Budgets for which curves are drawn, as shares of the pages a day. Default: none. */
  readonly curveShares?: readonly number[];
  readonly onProgress?: (pages: number) => void;
}

/** What one planner is expected to do. */
export interface PlannerOutlook extends PlannerForecast {
  /** Requests a day for the freshness that was asked for; null if no budget reaches it, undefined if none was asked for. */
  readonly neededPerDay?: number | null;
  /** Freshness by the shares that were asked for. */
  readonly curve: readonly number[];
}

/** What a crawler's history says of its pages, and of planners. */
export interface PlannerForecasts {
  readonly sites: readonly string[];
  readonly pages: number;
  /** Pages that were asked for twice or more. */
  readonly polledPages: number;
  /** Requests that told something. */
  readonly polls: number;
  /** Shares of the pages that change so often or oftener. */
  readonly changing: { readonly daily: number; readonly weekly: number; readonly monthly: number };
  readonly budgetPerDay: number;
  readonly planners: readonly PlannerOutlook[];
}

/** Possible worlds by which is told how sure a forecast is. */
const worlds = 40;
const progressEvery = 5000;
const daySeconds = 86_400;

/**
 * Tells what each planner would do with a budget in the long run, by how the pages of a crawler changed so far. Pages that
 * were asked for only once are taken to be like the others of their site. Reads only, and works while a crawl runs.
 *
 * @throws TidemarkError `not-found`, also if no page was asked for twice; `bad-option`, `state-corrupt`, `state-version`
 */
export function readPlannerForecasts(options: PlannerForecastOptions): PlannerForecasts {
  const { store, url, budget, freshness, curveShares = [], onProgress } = options;
  using reader = new StateReader(findStateFile(store));
  const sites = chooseSites(reader.readSites(), url);
  const pages = estimatePages(reader, sites, onProgress);
  if (pages.polled === 0) throw noHistory(store, sites, pages.pages);
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
): EstimatedPages {
  const pages = new EstimatedPages(worlds, createRandom(1, "worlds"));
  for (const { id } of sites) {
    const prior = readPrior({ readSource: (source) => reader.readSource(id, source) });
    for (const numbers of reader.readHistories(id)) {
      pages.add(readHistory(numbers), prior);
      if (pages.pages % progressEvery === 0) onProgress?.(pages.pages);
    }
  }
  return pages;
}

function noHistory(store: string, sites: readonly KnownSite[], pages: number): TidemarkError {
  const of = sites.length === 1 ? (sites[0]?.origin ?? store) : store;
  const why = pages === 0 ? "no page was asked for by a plan" : `none of ${pages} pages was asked for twice`;
  return new TidemarkError("not-found", `There is no history of ${of} to plan by yet: ${why}.`, {
    hint: "Crawl again, some days with --poll planned. Sites with archives say themselves what changed, and need no plan.",
    details: { store },
  });
}
