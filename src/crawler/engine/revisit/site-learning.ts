import type { EpochMs } from "../../../core/index.ts";
import { LearnedValue } from "./learned-value.ts";
import { gridSize } from "./rate-grid.ts";
import { hazardCount } from "./rate-hazard.ts";
import { defaultShares } from "./rate-mixture.ts";

/** What is remembered of a site's pages from one visit to the next, as plain JSON. */
export interface SiteLearning {
  /** How the rates of its pages are distributed, as shares of the grid's rates. */
  readonly shares: readonly number[];
  /** How many pages it has. */
  readonly pages: number;
  /** What the last request of a budget is worth, in seconds of freshness; undefined before the first. */
  readonly price?: number | undefined;
  /** How well each hazard of rates that become others foretold polls, by `HazardScores`; left out before the first. */
  readonly scores?: readonly number[] | undefined;
  /** Polls up to that instant are in the scores. */
  readonly scoredAt?: EpochMs | undefined;
}

/** A site of which nothing is known. */
export const noLearning: SiteLearning = { shares: Array.from(defaultShares), pages: 0 };

const mostSeconds = 1e12;
const isWithin = (value: unknown, least: number, most: number): value is number =>
  typeof value === "number" && value >= least && value <= most;

/** What is remembered, from JSON of any origin: what makes no sense is as if nothing were known. */
export function readLearning(state: unknown): SiteLearning {
  const { shares, pages, price, scores, scoredAt } = (state ?? {}) as Record<string, unknown>;
  if (!Array.isArray(shares) || shares.length !== gridSize) return noLearning;
  if (!shares.every((share) => isWithin(share, 0, 1)) || !isWithin(pages, 0, 1e15)) return noLearning;
  const sum = shares.reduce((total: number, share: number) => total + share, 0);
  if (!isWithin(sum, 0.9, 1.1)) return noLearning;
  const isScored =
    Array.isArray(scores) && scores.length === hazardCount && scores.every((score) => isWithin(score, -1e9, 0));
  return {
    shares: shares.map((share: number) => share / sum),
    pages,
    ...(isWithin(price, 1e-3, mostSeconds) && { price }),
    ...(isScored && isWithin(scoredAt, 0, 1e15) && { scores, scoredAt }),
  };
}

const daySeconds = 86_400;
const mostHorizonSeconds = 150 * daySeconds;
/** Where each page is visited so often anyway, that teaches enough. */
const taughtAnywaySeconds = 7 * daySeconds;
/** By how much longer what a visit teaches is used than pages wait beyond that: 150 days where each is visited once a month. */
const growth = 6.5;

/**
 * For how long what a visit teaches is used, in seconds: what the page's next visits teach as well is the less worth, the sooner they
 * come. At most 150 days.
 *
 * @param everySeconds - the time in which the budget could visit each page once
 */
export function horizonOf(everySeconds: number): number {
  return Math.min(mostHorizonSeconds, growth * Math.max(0, everySeconds - taughtAnywaySeconds));
}

/** How far the price follows what the last visit of a part of the budget was worth. */
const pull = 0.05;

/** The price of visits after a part of a budget, the last of which was worth so much by the page's weight. */
export function followPrice(price: number, last: number): number {
  return price + pull * (last - price);
}

/** What the last visit is worth if all pages are as is thought of them, and each is visited every so many seconds. */
export function priceInTurn(seconds: number, shares: ArrayLike<number>): number {
  return new LearnedValue(0).valueOf(seconds, seconds, Float64Array.from(shares));
}
