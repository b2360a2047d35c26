import { type ChangeHistory, noHistory } from "../../src/crawler/engine/revisit/change-rate.ts";
import { LearnedValue } from "../../src/crawler/engine/revisit/learned-value.ts";
import { pollValue } from "../../src/crawler/engine/revisit/poll-index.ts";
import { gridSize, observeRate, weighRates } from "../../src/crawler/engine/revisit/rate-grid.ts";
import {
  followPrice,
  HazardScores,
  horizonOf,
  meanHazard,
  priceInTurn,
  RateMixture,
} from "../../src/crawler/engine/revisit/site-learning.ts";
import {
  type KnownPages,
  type SeenVisit,
  SiteQuota,
  slotSeconds,
  VisitList,
  type VisitPlan,
  type VisitPlanner,
  type VisitWindow,
} from "../../src/crawler/engine/revisit/visit-schedule.ts";

const daySeconds = 86_400;

/** Numbers of {@link LearningPlanner}. */
export interface LearningOptions {
  /**
   * For how long what a visit teaches is used, in seconds; 0 for an index that seeks no knowledge. Default 150 days where the budget could
   * visit each page once a month or less, none where once a week.
   */
  readonly horizonSeconds?: number;
  /** So long after its last visit a page is due whatever is believed of it, in seconds: beliefs may be wrong. Default a year. */
  readonly mostSeconds?: number;
  /** Whether dates of changes are used where visits tell them. Default false. */
  readonly usesDates?: boolean;
}

/** A page is looked at again after its time since the last visit has grown by at least and at most so much. */
const leastGrowth = 1.04;
const mostGrowth = 1.2;
/** In a part of a window no more than one page in so many is visited, each once. */
const pagesAVisit = 4;
/** Of pages that were not visited one in so many is weighed anew in each window, as what is thought of all changes. */
const weighedEvery = 16;

/**
 * Learns how often pages change while it visits them, and needs to be told no rates: each page is believed to have one of
 * some rates, by what was seen of it and by how the rates of all the site's pages are distributed, which is learned as
 * well (empirical Bayes). It visits the page whose visit is worth most, what it teaches included.
 *
 * The price is what the last visits of the budget are worth. Each page is looked at some ten times between two visits; 500 bytes a page.
 */
export class LearningPlanner implements VisitPlanner {
  readonly name = "learning";
  readonly #horizonSeconds: number | undefined;
  #value = new LearnedValue(0);
  readonly #mostSeconds: number;
  readonly #usesDates: boolean;
  readonly #mixture = new RateMixture();
  readonly #histories: ChangeHistory[] = [];
  /** What is believed of each page, by page and rate. */
  #beliefs = new Float32Array(0);
  /** What a visit was worth when the page was looked at the last time, and when it is looked at next. */
  #values = new Float64Array(0);
  #lookAt = new Float64Array(0);
  #counted = new Uint8Array(0);
  #price = Number.NaN;
  #scores = new HazardScores([], 0);
  /** How often rates become others. */
  #hazardPerSecond = 0;
  /** What a page would give whose rate is drawn anew, as a share of time. */
  #renewed = 0;
  #turn = 0;
  readonly #belief = new Float64Array(gridSize);

  constructor({ horizonSeconds, mostSeconds, usesDates }: LearningOptions = {}) {
    this.#horizonSeconds = horizonSeconds;
    this.#mostSeconds = mostSeconds ?? 365 * daySeconds;
    this.#usesDates = usesDates ?? false;
  }

  /** What the last visit of a budget is worth, in seconds of freshness. */
  get price(): number {
    return this.#price;
  }

  /** How the rates of the pages are thought to be distributed, as shares of the grid's rates. */
  get shares(): Float64Array {
    return this.#mixture.shares;
  }

  /** What is believed of a page's rate, as shares of the grid's rates. */
  beliefOf(page: number): Float32Array {
    return this.#beliefs.slice(page * gridSize, (page + 1) * gridSize);
  }

  note({ page, atSeconds, intervalSeconds, changed, modifiedAtSeconds }: SeenVisit): void {
    const isDated = this.#usesDates && modifiedAtSeconds !== undefined;
    const dated = isDated && { lastModifiedAgeSeconds: atSeconds - modifiedAtSeconds };
    const seen = { intervalSeconds, changed, ...dated };
    const history = observeRate(this.#histories[page] ?? noHistory, seen, this.#hazardPerSecond);
    this.#histories[page] = history;
    this.#scores.count(history, this.#mixture.shares);
    if (page < this.#counted.length) this.#weigh(page);
  }

  plan(pages: KnownPages, window: VisitWindow): VisitPlan {
    const count = pages.polledAtSeconds.length;
    this.#grow(count);
    const everySeconds = (count * window.seconds) / Math.max(1, window.visits);
    this.#value = new LearnedValue(this.#horizonSeconds ?? horizonOf(everySeconds));
    this.#hazardPerSecond = Number.isNaN(this.#price) ? 0 : meanHazard(this.#scores.scores);
    this.#scores = new HazardScores(this.#scores.scores, count);
    if (Number.isNaN(this.#price)) this.#price = priceInTurn(everySeconds, this.#mixture.shares);
    this.#renewed = LearnedValue.bestOf(this.#price, this.#mixture.shares);
    const list = new VisitList(window.visits);
    const quota = new SiteQuota(pages, window);
    for (let page = this.#turn; page < count; page += weighedEvery) this.#weigh(page);
    this.#turn = (this.#turn + 1) % weighedEvery;
    const parts = Math.ceil((pagesAVisit * window.visits) / Math.max(1, count));
    const visitedAt = pages.polledAtSeconds.slice();
    for (let part = 0; part < parts && count > 0; part++) {
      const upTo = Math.round(((part + 1) * window.visits) / parts);
      this.#planPart({ ...pages, polledAtSeconds: visitedAt }, window, upTo, quota, list);
    }
    return list.finish();
  }

  /** Adds the visits that are worth most in the middle of a part of the window, the most valuable first. */
  #planPart(pages: KnownPages, window: VisitWindow, upTo: number, quota: SiteQuota, list: VisitList): void {
    const { polledAtSeconds, weights } = pages;
    const now = (slotSeconds(window, list.length) + slotSeconds(window, Math.max(list.length, upTo - 1))) / 2;
    const most = upTo - list.length;
    for (let page = 0; page < polledAtSeconds.length; page++) this.#look(page, now, polledAtSeconds, weights);
    const values = this.#values;
    const sorted = values.slice().sort();
    // Where sites have limits pages that are worth less may have to stand in.
    const least = pages.siteLimitsPerSecond === undefined ? (sorted[sorted.length - most] ?? 0) : 0;
    const chosen: number[] = [];
    for (let page = 0; page < values.length; page++) if ((values[page] ?? 0) >= least) chosen.push(page);
    chosen.sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b);
    let last = 0;
    for (const page of chosen) {
      if (list.length >= upTo) break;
      const value = values[page] ?? 0;
      if (!(value > 0)) break;
      if (!quota.take(page)) continue;
      const at = slotSeconds(window, list.length);
      list.add(page, at);
      if (value < Number.POSITIVE_INFINITY) last = value / (weights[page] ?? 1);
      polledAtSeconds[page] = at;
      this.#lookAt[page] = 0;
    }
    if (last > 0) this.#price = followPrice(this.#price, last);
  }

  #grow(count: number): void {
    const before = this.#counted.length;
    if (count <= before) return;
    const grown = <Column extends Float32Array | Float64Array | Uint8Array>(column: Column, into: Column): Column => {
      into.set(column);
      return into;
    };
    this.#beliefs = grown(this.#beliefs, new Float32Array(count * gridSize));
    this.#values = grown(this.#values, new Float64Array(count));
    this.#lookAt = grown(this.#lookAt, new Float64Array(count));
    this.#counted = grown(this.#counted, new Uint8Array(count));
    for (let page = before; page < count; page++) this.#weigh(page);
  }

  /** What is believed of a page by what was seen of it and what is thought of all pages now. */
  #weigh(page: number): void {
    const history = this.#histories[page] ?? noHistory;
    const own = this.#beliefs.subarray(page * gridSize, (page + 1) * gridSize);
    weighRates(history, this.#mixture.shares, this.#belief);
    this.#lookAt[page] = 0;
    const before = this.#counted[page] === 1 ? own.slice() : undefined;
    own.set(this.#belief);
    // A page that was never visited twice tells nothing of all pages.
    if (!(history.visits > 0)) return;
    this.#mixture.count(own, before);
    this.#counted[page] = 1;
  }

  /** What a visit of a page is worth now, unless it was looked at not long ago. */
  #look(page: number, now: number, polledAtSeconds: Float64Array, weights: ArrayLike<number>): void {
    if (now < (this.#lookAt[page] ?? 0)) return;
    const at = polledAtSeconds[page] ?? Number.NaN;
    const weight = weights[page] ?? 0;
    const elapsed = now - at;
    if (!(weight > 0) || Number.isNaN(at) || elapsed > this.#mostSeconds) {
      this.#values[page] = weight > 0 ? Number.POSITIVE_INFINITY : 0;
      return;
    }
    const known = elapsed > 0 ? this.#value.valueOf(this.#price / weight, elapsed, this.#beliefs, page * gridSize) : 0;
    const value = known + this.#renewed * pollValue(this.#hazardPerSecond, Math.max(0, elapsed));
    this.#values[page] = weight * value;
    // It grows with the square of the time at most, but for what a visit teaches.
    const growth = Math.sqrt(this.#price / (weight * value));
    this.#lookAt[page] = at + elapsed * Math.min(mostGrowth, Math.max(leastGrowth, growth || 0));
  }
}
