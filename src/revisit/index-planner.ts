import type { KnownPages, VisitPlan, VisitPlanner, VisitWindow } from "./known-pages.ts";
import { freshnessCurve } from "./optimum.ts";
import { secondsUntilValue } from "./poll-index.ts";
import { type PollCurve, planByPrice } from "./price-search.ts";
import {
  effectiveSeconds,
  effectiveUntilValue,
  isSignalling,
  type SignalledPage,
  signalledCycle,
} from "./signalled-index.ts";
import { scheduleVisits } from "./visit-schedule.ts";

/** When pages reach a value, by time and by signals; like pages are computed once. */
class Thresholds {
  readonly #pages: KnownPages;
  readonly #bounds = new Map<string, number>();
  #price = Number.NaN;

  constructor(pages: KnownPages) {
    this.#pages = pages;
  }

  signalsOf(page: number): SignalledPage | undefined {
    const { ratesPerSecond, signals } = this.#pages;
    if (signals === undefined) return undefined;
    const ratePerSecond = ratesPerSecond[page] ?? 0;
    const found = {
      ratePerSecond,
      recall: signals.recalls[page] ?? 0,
      falsePerSecond: signals.falsePerSecond[page] ?? 0,
    };
    return isSignalling(found) ? found : undefined;
  }

  /** Effective seconds after which a page is worth a price. */
  boundOf(price: number, weight: number, signalled: SignalledPage): number {
    if (price !== this.#price) this.#bounds.clear();
    this.#price = price;
    const { ratePerSecond, recall, falsePerSecond } = signalled;
    const key = `${ratePerSecond} ${recall} ${falsePerSecond} ${weight}`;
    const known = this.#bounds.get(key);
    if (known !== undefined) return known;
    const bound = effectiveUntilValue(price, signalled, weight);
    this.#bounds.set(key, bound);
    return bound;
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
    const thresholds = new Thresholds(pages);
    const signalsOf = (page: number): SignalledPage | undefined =>
      this.#usesSignals ? thresholds.signalsOf(page) : undefined;
    const curve: PollCurve = (price, rate, weight, row) => {
      const signalled = signalsOf(row);
      if (signalled === undefined) return freshnessCurve(price, rate, weight, row);
      const bound = thresholds.boundOf(price, weight, signalled);
      // A page that is polled after a sure signal alone is polled as often as those come.
      if (bound === Number.POSITIVE_INFINITY) return signalled.falsePerSecond > 0 ? 0 : signalled.recall * rate;
      return 1 / signalledCycle(signalled, bound).cycleSeconds;
    };
    const { price } = planByPrice(curve, pages, window.visits / window.seconds);
    const waitOf = (page: number): number => {
      const weight = weights[page] ?? 0;
      const signalled = signalsOf(page);
      if (signalled === undefined) return secondsUntilValue(price, ratesPerSecond[page] ?? 0, weight);
      return thresholds.boundOf(price, weight, signalled);
    };
    const due = polledAtSeconds.map((at, page) => {
      if (Number.isNaN(at)) return Number.NEGATIVE_INFINITY;
      const signals = this.#signals.get(page) ?? 0;
      const signalled = signalsOf(page);
      if (signals === 0 || signalled === undefined) return at + waitOf(page);
      const ahead = effectiveSeconds(signalled, 0, signals);
      return ahead === Number.POSITIVE_INFINITY ? at : at + waitOf(page) - ahead;
    });
    const plan = scheduleVisits(pages, window, { due, next: (page, now) => now + waitOf(page), isEager: true });
    for (const page of plan.pages) this.#signals.delete(page);
    return plan;
  }
}
