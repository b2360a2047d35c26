import {
  createNutchRule,
  createStormRule,
  IntervalPlanner,
} from "../../src/crawler/engine/revisit/adaptive-interval.ts";
import { LinkPlanner } from "../../src/crawler/engine/revisit/link-priority.ts";
import type { VisitPlanner } from "../../src/crawler/engine/revisit/visit-schedule.ts";
import { CyclePlanner } from "../edwards/cycle-planner.ts";
import { CrawlerPlanner } from "./crawler-planner.ts";
import { IndexPlanner } from "./index-planner.ts";
import { LearningPlanner } from "./learning-planner.ts";
import { NoticedPlanner } from "./noticed-planner.ts";
import { RatePlanner, ratePolicies } from "./rate-planner.ts";

/** Where a planner's rates come from: they are told, it is told what `rateOf` estimates of the visits, or it needs none. */
export type PlayerRates = "known" | "learned" | "none";

/** A planner in the league. */
export interface Player {
  readonly name: string;
  readonly rates: PlayerRates;
  readonly make: () => VisitPlanner;
}

const ofRates: ReadonlyArray<readonly [name: string, make: () => VisitPlanner]> = [
  ["proportional", () => new RatePlanner("proportional", ratePolicies.proportional)],
  ["optimum", () => new RatePlanner("optimum", ratePolicies.optimum)],
  ["azar", () => new RatePlanner("azar", ratePolicies.azar)],
  ["lambda", () => new NoticedPlanner()],
  ["index", () => new IndexPlanner()],
  ["cycle", () => new CyclePlanner()],
];

/** All planners, those of rates twice. */
export const players: readonly Player[] = [
  { name: "round-robin", rates: "none", make: () => new RatePlanner("uniform", ratePolicies.uniform) },
  { name: "nutch", rates: "none", make: () => new IntervalPlanner(createNutchRule(false)) },
  { name: "storm", rates: "none", make: () => new IntervalPlanner(createStormRule()) },
  { name: "links", rates: "none", make: () => new LinkPlanner() },
  ...(["known", "learned"] as const).flatMap((rates) => ofRates.map(([name, make]) => ({ name, rates, make }))),
  { name: "default", rates: "learned", make: () => new CrawlerPlanner() },
  { name: "learning", rates: "learned", make: () => new LearningPlanner() },
];

/** A player's name with where its rates come from, which no two share. */
export function labelOf({ name, rates }: Pick<Player, "name" | "rates">): string {
  return rates === "known" ? `${name}-known` : name;
}
