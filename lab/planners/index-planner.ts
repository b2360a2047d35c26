import { freshnessCurve } from "../../src/crawler/engine/revisit/optimum.ts";
import { secondsUntilValue } from "../../src/crawler/engine/revisit/poll-index.ts";
import { type PollCurve, planByPrice } from "../../src/crawler/engine/revisit/price-search.ts";
import {
  type KnownPages,
  scheduleVisits,
  type VisitPlan,
  type VisitPlanner,
  type VisitWindow,
} from "../../src/crawler/engine/revisit/visit-schedule.ts";
import {
  effectiveSeconds,
  effectiveUntilValue,
  isSignalling,
  type SignalledPage,
  signalledCycle,
} from "./signalled-index.ts";

/** When pages that signal reach a value, and how often they are polled then; like pages are computed once. */
class Thresholds {
  /** The number of each page's likes, or -1 if it does not signal. */
  readonly #kinds: Int32Array;
  readonly #signalled: SignalledPage[] = [];
  readonly #weights: number[] = [];
  #bounds: Float64Array;
  #polls: Float64Array;
  #price = Number.NaN;

  constructor({ ratesPerSecond, weights, signals }: KnownPages) {
    this.#kinds = new Int32Array(ratesPerSecond.length).fill(-1);
    const numbers = new Map<string, number>();
    for (let page = 0; page < this.#kinds.length && signals !== undefined; page++) {
      const ratePerSecond = ratesPerSecond[page] ?? 0;
      const recall = signals.recalls[page] ?? 0;
      const falsePerSecond = signals.falsePerSecond[page] ?? 0;
      const signalled = { ratePerSecond, recall, falsePerSecond };
      if (!isSignalling(signalled)) continue;
      const weight = weights[page] ?? 0;
      const key = `${ratePerSecond} ${recall} ${falsePerSecond} ${weight}`;
      const number = numbers.get(key) ?? this.#signalled.length;
      if (number === this.#signalled.length) {
        numbers.set(key, number);
        this.#signalled.push(signalled);
        this.#weights.push(weight);
      }
      this.#kinds[page] = number;
    }
    this.#bounds = new Float64Array(this.#signalled.length);
    this.#polls = new Float64Array(this.#signalled.length);
  }

  signalsOf(page: number): SignalledPage | undefined {
    return this.#signalled[this.#kinds[page] ?? -1];
  }

  /** Effective seconds after which a page that signals is worth a price. */
  boundOf(price: number, page: number): number {
    this.#setPrice(price);
    return this.#bounds[this.#kinds[page] ?? -1] ?? Number.NaN;
  }

  /** Polls a second of a page that signals. */
  pollsOf(price: number, page: number): number {
    this.#setPrice(price);
    return this.#polls[this.#kinds[page] ?? -1] ?? 0;
  }

  #setPrice(price: number): void {
    if (price === this.#price) return;
    this.#price = price;
    for (const [kind, signalled] of this.#signalled.entries()) {
      const bound = effectiveUntilValue(price, signalled, this.#weights[kind]);
      this.#bounds[kind] = bound;
      const { recall, ratePerSecond, falsePerSecond } = signalled;
      // A page that is polled after a sure signal alone is polled as often as those come.
      if (bound < Number.POSITIVE_INFINITY) this.#polls[kind] = 1 / signalledCycle(signalled, bound).cycleSeconds;
      else this.#polls[kind] = falsePerSecond > 0 ? 0 : recall * ratePerSecond;
    }
  }
}

/**
 * The greedy index: always the page whose poll is worth most now. At a price per poll that spends the budget, each page is
 * due when its value reaches the price; where pages signal changes, time and signals add up.
 *
 * @see Busa-Fekete et al., "Learning to Crawl: Optimal freshness crawling with signals", arXiv 2502.02430, 2025
 */
export class IndexPlanner implements VisitPlanner {
  readonly name: string;
  readonly #usesSignals: boolean;
  #price: number = Number.NaN;
  /** Signals of a page since its last visit. */
  readonly #signals = new Map<number, number>();

  /** @param usesSignals - whether it listens to signals. Default true */
  constructor(usesSignals = true) {
    this.#usesSignals = usesSignals;
    this.name = usesSignals ? "index" : "index, no signals";
  }

  signal(page: number): void {
    if (this.#usesSignals) this.#signals.set(page, (this.#signals.get(page) ?? 0) + 1);
  }

  plan(pages: KnownPages, window: VisitWindow): VisitPlan {
    const { polledAtSeconds, ratesPerSecond, weights } = pages;
    const thresholds = new Thresholds(this.#usesSignals ? pages : { ...pages, signals: undefined });
    const curve: PollCurve = (price, rate, weight, row) =>
      thresholds.signalsOf(row) === undefined
        ? freshnessCurve(price, rate, weight, row)
        : thresholds.pollsOf(price, row);
    const { price } = planByPrice(curve, pages, window.visits / window.seconds, this.#price);
    this.#price = price;
    const waitOf = (page: number): number =>
      thresholds.signalsOf(page) === undefined
        ? secondsUntilValue(price, ratesPerSecond[page] ?? 0, weights[page] ?? 0)
        : thresholds.boundOf(price, page);
    const due = polledAtSeconds.map((at, page) => {
      if (Number.isNaN(at)) return Number.NEGATIVE_INFINITY;
      const signals = this.#signals.get(page) ?? 0;
      const signalled = thresholds.signalsOf(page);
      if (signals === 0 || signalled === undefined) return at + waitOf(page);
      const ahead = effectiveSeconds(signalled, 0, signals);
      return ahead === Number.POSITIVE_INFINITY ? at : at + waitOf(page) - ahead;
    });
    const plan = scheduleVisits(pages, window, { due, next: (page, now) => now + waitOf(page), isEager: true });
    for (const page of plan.pages) this.#signals.delete(page);
    return plan;
  }
}
