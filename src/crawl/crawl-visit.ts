import type { Robots } from "../format/index.ts";
import type { EpochMs } from "../model/index.ts";
import type { CrawlPorts } from "./ports.ts";
import type { ReadingVisit } from "./reading-visit.ts";

/** A visit that fetches pages and keeps them. */
export interface CrawlVisit extends ReadingVisit {
  readonly ports: CrawlPorts;
  readonly robots: Robots;
  /** From then on the rules of robots.txt are too old: no more pages are asked for. */
  readonly rulesUntil: EpochMs;
  /** Page requests that the visit may make; Infinity for as many as there is work. */
  readonly budget: number;
}

/** Whether pages may no longer be asked for under the rules that the visit has. */
export function areRulesOld({ ports, rulesUntil }: CrawlVisit): boolean {
  return ports.timing.now() >= rulesUntil;
}
