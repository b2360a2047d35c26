import type { CrawlPorts, MediaTypeFilter } from "../../../core/index.ts";
import type { Robots } from "../../../formats/robots/index.ts";
import type { ReadingVisit } from "./reading-visit.ts";
import type { VisitProgress } from "./visit-progress.ts";

/** A visit that looks for what changed at a site. */
export interface SourceVisit extends ReadingVisit {
  readonly ports: CrawlPorts;
  readonly robots: Robots;
  readonly filter: MediaTypeFilter;
  /** Asked before each of many lists: whether this visit reads it, or leaves it and the rest to another. */
  readonly mayReadList: () => boolean;
  readonly progress: VisitProgress;
}
