import { createNutchRule, createStormRule, type IntervalRule } from "./adaptive-interval.ts";
import { freshnessCurve, harmonicCurve, proportionalCurve, randomFreshnessCurve, uniformCurve } from "./optimum.ts";
import type { PollCurve } from "./price-search.ts";

/** Names of the planners that can choose what a visit asks for, the crawler's own first. */
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
 * How a planner comes to what a visit asks for: by what is believed of each page's rate, and what a visit teaches, which is the crawler's
 * own way; by the index of each page's estimated rate; by dividing a budget by a curve of rates, each page
 * due a period after its last poll; or by an interval of each page, which is stepped by what each poll saw.
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

/** What a planner of a name is. */
export function pollPlannerOf(name: PollPlannerName): PollPlannerKind {
  return kinds[name];
}

/** Whether a text names a planner. */
export function isPollPlannerName(text: string): text is PollPlannerName {
  return (pollPlannerNames as readonly string[]).includes(text);
}
