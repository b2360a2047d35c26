import type {
  CrawlPorts,
  EpochMs,
  EpochSeconds,
  FetchedOutcome,
  PageFilter,
  PageOrder,
  TrackedUrl,
  Usage,
} from "../../../core/index.ts";
import type { TextComparison } from "../../../formats/html/index.ts";
import type { Robots } from "../../../formats/robots/index.ts";
import type { LastmodTrust } from "../revisit/lastmod-trust.ts";
import type { PollPlannerName } from "../revisit/poll-planners.ts";
import type { LeftPolls } from "../visit/left-polls.ts";
import type { ReadingVisit } from "../visit/reading-visit.ts";
import type { VisitProgress } from "../visit/visit-progress.ts";
import type { UrlScope } from "./url-scope.ts";

/** A visit that looks for what changed at a site. */
export interface SourceVisit extends ReadingVisit {
  readonly ports: CrawlPorts;
  readonly robots: Robots;
  readonly filter: PageFilter;
  /** Pages of which the site disallows one of these uses are not kept. */
  readonly respectUsage: readonly Usage[];
  /** Asked before each of many lists: whether this visit reads it, or leaves it and the rest to another. */
  readonly mayReadList: () => boolean;
  readonly progress: VisitProgress;
}

/** A received page or style sheet whose links may be read. */
export interface LinkedPage {
  readonly url: TrackedUrl;
  /** Of the page whose body it is, after redirects. */
  readonly path: string;
  /** Whether it was answered in this visit before: another URL redirects to it. */
  readonly isAgain: boolean;
  /** Without content coding. */
  readonly body: Uint8Array;
  readonly head: Pick<FetchedOutcome, "contentType" | "link" | "refresh" | "contentLanguage" | "usage">;
}

/** How pages are polled. */
export interface PollPlan {
  /** Whether links of pages are followed. */
  readonly followsLinks: boolean;
  /** Takes each page whose links are to be followed; then the visit does not follow them itself. */
  readonly takeLinks?: (page: LinkedPage) => void;
  /** Is told of pages whose links are as before, and of those that are gone or not kept any more. */
  readonly noteUnread?: (path: string, answer: "unmodified" | "gone") => void;
  /** Whether each result is kept as soon as the one before is, so that a kill costs no more than what is under way. */
  readonly settlesAtOnce?: boolean;
  /**
   * `all` polls every page that is due; `moved` only those that changed according to the list, and `sampled` others, which
   * show whether it is right.
   */
  readonly asks: "all" | "moved";
  readonly sampled: number;
  /** Whether a URL is a start page, or one that the user listed: while it is not held, it is due in each visit. */
  readonly isStart?: (url: TrackedUrl) => boolean;
  /** What the list's `lastmod` is worth, where it has one. */
  readonly trust?: LastmodTrust;
  /** Is told of each answer for a page that was known before. */
  readonly observe?: (url: TrackedUrl, hasChanged: boolean) => void;
  /** Is told when the polling ends, to remember what was observed. */
  readonly conclude?: () => void;
}

/** Texts that resemble each other so much or more, 0 to 1, count as equal for planning. */
export interface Significance {
  readonly leastResemblance: number;
  readonly texts: TextComparison;
}

/** A visit that fetches pages and keeps them. */
export interface CrawlVisit extends SourceVisit {
  readonly scope: UrlScope;
  /** From then on the rules of robots.txt are too old: no more pages are requested. */
  readonly rulesUntil: EpochMs;
  /** Page requests that the visit may make; Infinity for as many as there are due pages. */
  readonly budget: number;
  /** Asked between two pages: whether the visit goes on, or is to end in order and leave the rest for another. */
  readonly mayGoOn: () => boolean;
  /** When the visit began, or the first of those before it that were cut short. */
  readonly since: EpochSeconds;
  /** A body that came whole so many milliseconds ago is requested without validators. */
  readonly distrustMs: number;
  /** Whether only pages are polled that have probably changed; under a budget that is so in any case. */
  readonly isPlanned: boolean;
  /** Whether pages are polled that no list, and no event of another crawler, names. */
  readonly isPolled: boolean;
  /** The order among pages of about the same age, where other crawlers tell of their polls; see `planSharedPoll`. */
  readonly sharingSeed: number | undefined;
  /** What the visit before chose and did not come to; undefined where each visit chooses for itself. */
  readonly leftPolls: LeftPolls | undefined;
  /** Which planner chooses them. */
  readonly planner: PollPlannerName;
  /** How much the page of a URL matters to it; undefined for as much as any. */
  readonly weightOf: ((url: string) => number) | undefined;
  /** Which changes of HTML pages do not count for planning. */
  readonly significance: Significance | undefined;
  /** Most polled pages that are kept. */
  readonly maxPages: number;
  /** Most links from a start to a page. */
  readonly maxDepth: number;
  /** In which order new pages are requested. */
  readonly order: PageOrder;
  /** Undefined while announced pages are fetched, unless somebody takes their links. */
  readonly plan?: Partial<PollPlan>;
}

/** Whether no more pages are to be requested: the rules are too old, the visit received all that it may, or it is to end. */
export function isTimeUp({ ports, bounds, rulesUntil, mayGoOn }: CrawlVisit): boolean {
  return ports.timing.now() >= rulesUntil || bounds.isSpent || !mayGoOn();
}
