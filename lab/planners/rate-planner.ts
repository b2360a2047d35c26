import {
  freshnessCurve,
  harmonicCurve,
  leastAgeCurve,
  proportionalCurve,
  randomFreshnessCurve,
  uniformCurve,
} from "../../src/crawler/engine/revisit/optimum.ts";
import { type PollCurve, planByPrice } from "../../src/crawler/engine/revisit/price-search.ts";
import {
  type KnownPages,
  scheduleVisits,
  type VisitPlan,
  type VisitPlanner,
  type VisitWindow,
} from "../../src/crawler/engine/revisit/visit-schedule.ts";

/** Visits at the rates of a policy: each page is due a period after its last poll, new pages at once. */
export class RatePlanner implements VisitPlanner {
  readonly name: string;
  readonly #curve: PollCurve;
  #price: number = Number.NaN;

  constructor(name: string, curve: PollCurve) {
    this.name = name;
    this.#curve = curve;
  }

  plan(pages: KnownPages, window: VisitWindow): VisitPlan {
    const budget = window.visits / window.seconds;
    const { pollsPerSecond, price } = planByPrice(this.#curve, pages, budget, this.#price);
    this.#price = price;
    const due = pages.polledAtSeconds.map((at, page) => {
      if (Number.isNaN(at)) return Number.NEGATIVE_INFINITY;
      return at + 1 / (pollsPerSecond[page] ?? 0);
    });
    const next = (page: number, now: number): number => now + 1 / (pollsPerSecond[page] ?? 0);
    return scheduleVisits(pages, window, { due, next, isEager: true });
  }
}

/** Names of {@link ratePolicies}. */
export type RatePolicyName = "uniform" | "proportional" | "optimum" | "age" | "azar" | "lambda";

/** The policies that need rates alone, by the name that tables and options give them. */
export const ratePolicies: Readonly<Record<RatePolicyName, PollCurve>> = {
  uniform: uniformCurve,
  proportional: proportionalCurve,
  optimum: freshnessCurve,
  age: leastAgeCurve,
  azar: randomFreshnessCurve,
  lambda: harmonicCurve,
};
