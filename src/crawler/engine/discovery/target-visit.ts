import type { EpochSeconds, PageOrder } from "../../../core/index.ts";
import type { TextComparison } from "../../../formats/html/index.ts";
import type { PollPlannerName } from "../revisit/poll-planners.ts";
import type { CrawlVisit } from "../visit/crawl-visit.ts";
import type { SourceVisit } from "../visit/source-visit.ts";
import type { PollPlan } from "./source.ts";
import type { TargetScope } from "./target-scope.ts";

/** Texts that resemble each other so much or more, 0 to 1, are the same to whoever plans. */
export interface Significance {
  readonly leastResemblance: number;
  readonly texts: TextComparison;
}

/** A visit that asks for the pages of a site which does not publish its changes. */
export interface TargetVisit extends CrawlVisit, SourceVisit {
  readonly plan: PollPlan;
  readonly scope: TargetScope;
  /** Whether only pages are asked for that have probably changed; under a budget that is so in any case. */
  readonly isPlanned: boolean;
  /** Which planner chooses them. */
  readonly planner: PollPlannerName;
  /** When the visit began. */
  readonly since: EpochSeconds;
  /** A body that was fetched whole so many milliseconds ago is fetched without validators. */
  readonly distrustMs: number;
  /** Which changes of HTML pages say nothing of when to ask again. */
  readonly significance: Significance | undefined;
  /** Most pages of the site that are kept. */
  readonly maxPages: number;
  /** Most links from a start to a page. */
  readonly maxDepth: number;
  /** In which order new pages are asked for. */
  readonly order: PageOrder;
}
