import type { CrawlPorts, EpochMs } from "../../../core/index.ts";
import type { Robots } from "../../../formats/robots/index.ts";
import type { ReadingVisit } from "./reading-visit.ts";

/** A visit that fetches pages and keeps them. */
export interface CrawlVisit extends ReadingVisit {
  readonly ports: CrawlPorts;
  readonly robots: Robots;
  /** From then on the rules of robots.txt are too old: no more pages are asked for. */
  readonly rulesUntil: EpochMs;
  /** Page requests that the visit may make; Infinity for as many as there is work. */
  readonly budget: number;
  /** Asked between two pages: whether the visit goes on, or is to end in order and leave the rest for another. */
  readonly mayGoOn: () => boolean;
}

/** Whether no more pages are to be asked for: the rules that the visit has are too old, it received all that it may, or it is to end. */
export function isTimeUp({ ports, bounds, rulesUntil, mayGoOn }: CrawlVisit): boolean {
  return ports.timing.now() >= rulesUntil || bounds.isSpent || !mayGoOn();
}
