import { createNutchRule, createStormRule, type IntervalRule } from "./adaptive-interval.ts";
import { freshnessCurve, harmonicCurve, proportionalCurve, randomFreshnessCurve, uniformCurve } from "./optimum.ts";
import type { PollCurve } from "./price-search.ts";

/** Names of the planners that can choose the pages of a visit, the crawler's own first. */
export const pollPlannerNames = [
  "default",
  "index",
  "round-robin",
  "proportional",
  "optimum",
  "azar",
  "lambda",
  "nutch",
  "stormcrawler",
] as const;

export type PollPlannerName = (typeof pollPlannerNames)[number];

/**
 * How a planner chooses pages. `beliefs`, the crawler's own: by the probabilities of each page's rate and the information of
 * a visit. `index`: by the index of its estimated rate. `rates`: a curve divides the budget, and each page is due a period
 * after its last poll. `intervals`: by an interval of each page, which is adapted after each poll.
 */
export type PollPlannerKind =
  | { readonly kind: "beliefs" }
  | { readonly kind: "index" }
  | { readonly kind: "rates"; readonly curve: PollCurve }
  | { readonly kind: "intervals"; readonly rule: IntervalRule };

const kinds: Readonly<Record<PollPlannerName, PollPlannerKind>> = {
  default: { kind: "beliefs" },
  index: { kind: "index" },
  "round-robin": { kind: "rates", curve: uniformCurve },
  proportional: { kind: "rates", curve: proportionalCurve },
  optimum: { kind: "rates", curve: freshnessCurve },
  azar: { kind: "rates", curve: randomFreshnessCurve },
  lambda: { kind: "rates", curve: harmonicCurve },
  nutch: { kind: "intervals", rule: createNutchRule() },
  stormcrawler: { kind: "intervals", rule: createStormRule() },
};

export function pollPlannerOf(name: PollPlannerName): PollPlannerKind {
  return kinds[name];
}

export function isPollPlannerName(text: string): text is PollPlannerName {
  return (pollPlannerNames as readonly string[]).includes(text);
}
