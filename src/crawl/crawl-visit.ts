import type { Robots } from "../format/index.ts";
import type { CrawlPorts } from "./ports.ts";
import type { ReadingVisit } from "./reading-visit.ts";

/** A visit that fetches pages and keeps them. */
export interface CrawlVisit extends ReadingVisit {
  readonly ports: CrawlPorts;
  readonly robots: Robots;
  /** Page requests that the visit may make; Infinity for as many as there is work. */
  readonly budget: number;
}
