import type { EpochMs } from "../../../core/index.ts";
import { type ChangeHistory, defaultPrior } from "./change-rate.ts";
import { LearnedValue } from "./learned-value.ts";
import { gridRates, gridSize, lastPollOf, weighRates } from "./rate-grid.ts";

/** Weight of the default distribution, in pages. */
const priorPages = 10;

/** Half of the mass follows the exponential distribution of the default prior, and half is spread evenly. */
function spreadDefault(): Float64Array {
  const { changes, seconds } = defaultPrior;
  const mean = changes / seconds;
  const parts = gridRates.map((rate) => (rate / mean) * Math.exp(-rate / mean));
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.map((part) => (0.5 * part) / sum + 0.5 / gridSize);
}

/** Distribution for an unknown site: its pages change about once a week, and may change otherwise. */
export const defaultShares: Float64Array = spreadDefault();

/**
 * The distribution of the rates of a site's pages over the grid: the most likely one of any form, by expectation
 * maximisation a page at a time. A page's previous shares are replaced by its new ones (Neal and Hinton's incremental
 * form).
 *
 * @see B. Efron, "Two Modeling Strategies for Empirical Bayes Estimation", Statistical Science 29(2), 2014
 */
export class RateMixture {
  readonly #sums = defaultShares.map((share) => share * priorPages);
  /** Shares of the grid's rates, whose sum is 1; updated with each page. */
  readonly shares: Float64Array = defaultShares.slice();
  #pages = priorPages;

  /** How many pages were counted. */
  get pages(): number {
    return this.#pages - priorPages;
  }

  /**
   * Counts a page.
   *
   * @param shares - see {@link weighRates}
   * @param before - those it was counted with before; left out the first time
   */
  count(shares: ArrayLike<number>, before?: ArrayLike<number>): void {
    if (before === undefined) this.#pages += 1;
    for (let at = 0; at < gridSize; at++) {
      const sum = (this.#sums[at] ?? 0) + (shares[at] ?? 0) - (before?.[at] ?? 0);
      this.#sums[at] = Math.max(0, sum);
      this.shares[at] = Math.max(0, sum) / this.#pages;
    }
  }
}

const daySeconds = 86_400;
/** Hazards, a day: how often a page's rate is drawn anew. */
const hazardsPerDay = [0, 0.00025, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016] as const;
const hazardCount = hazardsPerDay.length;
/** After this many polls of each page the older ones count a third. */
const rememberedPolls = 2;

/**
 * How often the rates of a site's pages change: scores how well each of some hazards h predicted the polls, as sums of
 * `ln((1 - r) p + r q)`, r = 1 - e^(-h I), where p is the probability of the outcome by the page's own shares before and q
 * by those of all pages. Older polls fade, so that a rebuilt site is noticed within one poll of each page.
 *
 * @see R. Adams, D. MacKay, "Bayesian Online Changepoint Detection", arXiv 0710.3742, 2007, for the model
 */
export class HazardScores {
  readonly #scores: Float64Array;
  readonly #keep: number;
  readonly #belief = new Float64Array(gridSize);

  /**
   * @param scores - of earlier polls
   * @param pages - of the site
   */
  constructor(scores: ArrayLike<number>, pages: number) {
    this.#scores = Float64Array.from({ length: hazardCount }, (_, at) => scores[at] ?? 0);
    this.#keep = 1 - 1 / (rememberedPolls * Math.max(12, pages));
  }

  /** Counts the last poll of a page; without effect if it is not kept separately. */
  count(history: ChangeHistory, shares: ArrayLike<number>): void {
    const last = lastPollOf(history);
    if (last === undefined) return;
    const before = weighRates(history, shares, this.#belief, { isBeforeLast: true });
    let [own, other] = [0, 0];
    for (let at = 0; at < gridSize; at++) {
      const equal = Math.exp(-(gridRates[at] ?? 0) * last.intervalSeconds);
      own += (before[at] ?? 0) * equal;
      other += (shares[at] ?? 0) * equal;
    }
    if (last.changed) [own, other] = [1 - own, 1 - other];
    for (let at = 0; at < hazardCount; at++) {
      const drawn = -Math.expm1((-(hazardsPerDay[at] ?? 0) * last.intervalSeconds) / daySeconds);
      const likely = Math.log(Math.max(1e-9, own + drawn * (other - own)));
      this.#scores[at] = (this.#scores[at] ?? 0) * this.#keep + likely;
    }
  }

  /** To be remembered; the best is 0. */
  get scores(): number[] {
    const most = Math.max(...this.#scores);
    return Array.from(this.#scores, (score) => Number((score - most).toPrecision(6)));
  }
}

/** Mean of the hazards weighted by their scores, a second. */
export function meanHazard(scores: ArrayLike<number>): number {
  let [sum, weights] = [0, 0];
  for (let at = 0; at < hazardCount; at++) {
    const weight = Math.exp(scores[at] ?? 0);
    weights += weight;
    sum += weight * (hazardsPerDay[at] ?? 0);
  }
  return weights > 0 ? sum / weights / daySeconds : 0;
}

/** What is remembered of a site's pages between visits, as plain JSON. */
export interface SiteLearning {
  /** Distribution of the rates of its pages over the grid. */
  readonly shares: readonly number[];
  readonly pages: number;
  /** Value of the last request of a budget, in seconds of freshness; undefined before the first visit. */
  readonly price?: number | undefined;
  /** See {@link HazardScores}; left out before the first. */
  readonly scores?: readonly number[] | undefined;
  /** Polls up to then are in the scores. */
  readonly scoredAt?: EpochMs | undefined;
}

/** An unknown site. */
export const noLearning: SiteLearning = { shares: Array.from(defaultShares), pages: 0 };

const mostSeconds = 1e12;
const isWithin = (value: unknown, least: number, most: number): value is number =>
  typeof value === "number" && value >= least && value <= most;

/** Reads a {@link SiteLearning} from any JSON; damaged parts count as unknown. */
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

const mostHorizonSeconds = 150 * daySeconds;
/** Pages that are visited this often teach enough anyway. */
const taughtAnywaySeconds = 7 * daySeconds;
/** The horizon grows by this factor of the wait beyond that: to 150 days if each page is visited once a month. */
const growth = 6.5;

/**
 * How long the information of a visit is useful, in seconds, at most 150 days: the sooner the next visits come, the less
 * it is worth.
 *
 * @param everySeconds - in which the budget could visit each page once
 */
export function horizonOf(everySeconds: number): number {
  return Math.min(mostHorizonSeconds, growth * Math.max(0, everySeconds - taughtAnywaySeconds));
}

/** Step of the price towards the value of the last visit. */
const pull = 0.05;

/** The price after visits, the last of which had this value by the page's weight. */
export function followPrice(price: number, last: number): number {
  return price + pull * (last - price);
}

/** Value of the last visit if the pages have this distribution and each is visited every so many seconds. */
export function priceInTurn(seconds: number, shares: ArrayLike<number>): number {
  return new LearnedValue(0).valueOf(seconds, seconds, Float64Array.from(shares));
}
