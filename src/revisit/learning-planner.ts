import { type ChangeHistory, noHistory, observe } from "./change-rate.ts";
import type { KnownPages, SeenVisit, VisitPlan, VisitPlanner, VisitWindow } from "./known-pages.ts";
import { LearnedValue } from "./learned-value.ts";
import { gridSize, weighRates } from "./rate-grid.ts";
import { RateMixture } from "./rate-mixture.ts";
import { scheduleVisits } from "./visit-schedule.ts";

const daySeconds = 86_400;

/** Numbers of {@link LearningPlanner}. */
export interface LearningOptions {
  /** For how long what a visit teaches is used, in seconds. Default 100 days; 0 for an index that seeks no knowledge. */
  readonly horizonSeconds?: number;
  /** So long after its last visit a page is due whatever is believed of it, in seconds: beliefs may be wrong. Default a year. */
  readonly mostSeconds?: number;
  /** Whether dates of changes are used where visits tell them. Default false. */
  readonly usesDates?: boolean;
}

/** Of all pages a part is looked at anew in each window. */
const partOfPages = 1 / 16;
/** By how much, as a logarithm, the price may move before all pages are looked at anew. */
const mostMoved = 0.5;

/**
 * Learns how often pages change while it visits them, and needs to be told no rates: each page is believed to have one of
 * some rates, by what was seen of it and by how the rates of all the site's pages are distributed, which is learned as
 * well (empirical Bayes). It visits the page whose visit is worth most, what it teaches included.
 *
 * The price follows the budget from window to window. O(visits + pages / 16) beliefs a window; 300 bytes a page.
 */
export class LearningPlanner implements VisitPlanner {
  readonly name = "learning";
  readonly #value: LearnedValue;
  readonly #mostSeconds: number;
  readonly #usesDates: boolean;
  readonly #mixture = new RateMixture();
  readonly #histories: ChangeHistory[] = [];
  /** What is believed of each page, by page and rate; and how long after its last visit the next is worth the price. */
  #beliefs = new Float32Array(0);
  #waits = new Float64Array(0);
  #price = daySeconds;
  #pricedAt = Number.NaN;
  #next = 0;
  #waitOfNew = Number.NaN;
  readonly #belief = new Float64Array(gridSize);

  constructor({ horizonSeconds, mostSeconds, usesDates }: LearningOptions = {}) {
    this.#value = new LearnedValue(horizonSeconds ?? 100 * daySeconds);
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
    this.#histories[page] = observe(this.#histories[page] ?? noHistory, {
      intervalSeconds,
      changed,
      ...(isDated && { lastModifiedAgeSeconds: atSeconds - modifiedAtSeconds }),
    });
    if (page < this.#waits.length) this.#waits[page] = Number.NaN;
  }

  plan(pages: KnownPages, window: VisitWindow): VisitPlan {
    const { polledAtSeconds } = pages;
    const count = polledAtSeconds.length;
    this.#grow(count);
    this.#followBudget(pages, window);
    const due = new Float64Array(count);
    for (let page = 0; page < count; page++) {
      const at = polledAtSeconds[page] ?? Number.NaN;
      due[page] = Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at + (this.#waits[page] ?? 0);
    }
    const next = (page: number, now: number): number => now + (this.#waits[page] ?? 0);
    return scheduleVisits(pages, window, { due, next, isEager: true });
  }

  #grow(count: number): void {
    const before = this.#waits.length;
    if (count <= before) return;
    const beliefs = new Float32Array(count * gridSize);
    beliefs.set(this.#beliefs);
    this.#beliefs = beliefs;
    const waits = new Float64Array(count).fill(Number.NaN);
    waits.set(this.#waits);
    this.#waits = waits;
  }

  /** Looks at what was visited and at a part of the other pages anew, and moves the price towards what spends the budget. */
  #followBudget(pages: KnownPages, window: VisitWindow): void {
    const count = this.#waits.length;
    const budget = window.visits / window.seconds;
    if (count === 0 || !(budget > 0)) return;
    const part = Math.ceil(count * partOfPages);
    this.#waitOfNew = Number.NaN;
    for (let page = 0; page < count; page++) {
      if (Number.isNaN(this.#waits[page]) || (page - this.#next + count) % count < part) this.#look(pages, page);
    }
    this.#next = (this.#next + part) % count;
    const isFirst = Number.isNaN(this.#pricedAt);
    this.#pace(pages, budget, isFirst ? 1 : 0.05);
    for (let turn = 0; turn < (isFirst ? 8 : 1); turn++) {
      if (Math.abs(Math.log(this.#price / this.#pricedAt)) < mostMoved) break;
      this.#pricedAt = this.#price;
      this.#waitOfNew = Number.NaN;
      for (let page = 0; page < count; page++) this.#look(pages, page);
      this.#pace(pages, budget, 0.5);
    }
  }

  /** Moves the price by how far visits that are worth it are from the budget, whose root it goes with, about. */
  #pace({ weights, polledAtSeconds }: KnownPages, budget: number, power: number): void {
    let wanted = 0;
    for (let page = 0; page < polledAtSeconds.length; page++) {
      if ((weights[page] ?? 0) > 0) wanted += 1 / (this.#waits[page] ?? Number.POSITIVE_INFINITY);
    }
    const ratio = Math.min(4, Math.max(0.25, wanted / budget));
    this.#price *= ratio ** power;
  }

  #waitFor(weight: number, shares: Float64Array): number {
    return Math.min(this.#mostSeconds, this.#value.secondsUntil(this.#price / weight, shares));
  }

  /** What is believed of a page now, and when it is worth a visit. */
  #look({ weights }: KnownPages, page: number): void {
    const history = this.#histories[page] ?? noHistory;
    const own = this.#beliefs.subarray(page * gridSize, (page + 1) * gridSize);
    if (!(history.visits > 0) && weights[page] === 1) {
      // Pages that nothing is known of are all alike.
      if (Number.isNaN(this.#waitOfNew)) this.#waitOfNew = this.#waitFor(1, this.#mixture.shares);
      this.#waits[page] = this.#waitOfNew;
      return;
    }
    const belief = weighRates(history, this.#mixture.shares, this.#belief);
    if (history.visits > 0) {
      const before = own[0] === 0 && own[gridSize - 1] === 0 && sumOf(own) === 0 ? undefined : own.slice();
      own.set(belief);
      this.#mixture.count(own, before);
    }
    const weight = weights[page] ?? 0;
    this.#waits[page] = weight > 0 ? this.#waitFor(weight, belief) : Number.POSITIVE_INFINITY;
  }
}

function sumOf(values: Float32Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}
