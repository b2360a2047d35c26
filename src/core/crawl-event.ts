import type { Cursor } from "./change.ts";
import type { EpochMs } from "./time.ts";
import type { UsagePreferences } from "./usage.ts";

/** Ways to learn what changed at a site, best first. */
export const sourceNames = ["archives", "resourcesync", "sitemap", "links", "list"] as const;
export type SourceName = (typeof sourceNames)[number];

/** Keys under which facts about a site are stored: one per source, and one for visits whatever the source. */
export type SourceStateKey =
  | SourceName
  | "sitemap-round"
  | "visit"
  | "progress"
  | "tags"
  | "urls"
  | "rates"
  | "pace"
  | "bounds";

/** A source that was not used. */
export interface PassedOver {
  readonly source: SourceName;
  readonly code: string;
  readonly why: string;
}

/** What the crawler reports while it works. Plain JSON. */
export type CrawlEvent =
  | {
      readonly event: "plan";
      readonly site: string;
      readonly source: "chain" | "base" | "unchanged";
      readonly archives: number;
      readonly metadataBytes: number;
      readonly changes: number;
    }
  | {
      readonly event: "progress";
      readonly site: string;
      readonly phase: "metadata" | "pages";
      readonly done: number;
      readonly total: number;
    }
  | {
      readonly event: "page";
      readonly site: string;
      readonly path: string;
      readonly outcome: "created" | "updated" | "unchanged" | "deleted" | "differs" | "gone" | "failed" | "disallowed";
      readonly message?: string;
      /** What the site states about its use. */
      readonly usage?: UsagePreferences;
    }
  /** No request is sent to the site for a second or more. */
  | {
      readonly event: "waiting";
      readonly site: string;
      readonly untilMs: EpochMs;
      readonly why: "retry-after" | "back-off" | "crawl-delay" | "rest" | "shared-address";
    }
  | { readonly event: "warning"; readonly site: string; readonly code: string; readonly message: string }
  | {
      readonly event: "item-error";
      readonly site: string;
      readonly code: string;
      readonly message: string;
      readonly path: string;
    };

/** Summary of a visit, or of several sites together. The last line with `--json`. */
export interface CrawlSummary {
  /** Origin; of several sites, their origins joined by a space. */
  readonly site: string;
  /** Source of the changes; `none` if the site could not be reached or no allowed source works. */
  readonly source: SourceName | "none";
  /** Better sources that were tried, and why each was not used. If the site cannot be reached, that is said of the first source. */
  readonly passedOver: readonly PassedOver[];
  readonly requests: number;
  readonly pageRequests: number;
  /** Responses with status 304. */
  readonly notModified: number;
  /** Bytes of bodies of robots.txt, index and archives as received. */
  readonly metadataBytes: number;
  /** Bytes of bodies of pages as received. */
  readonly pageBytes: number;
  /** Bytes of packages of pages as received. */
  readonly packageBytes: number;
  /** Pages received in packages; each saved a page request. */
  readonly packedPages: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** Pages held that needed no request. */
  readonly unchanged: number;
  readonly failed: number;
  /** Pages whose bytes did not match their record. They are kept as served and requested again on the next visit. */
  readonly differing: number;
  /** Pages disallowed by robots.txt, and pages that are not kept because the site disallows a use that is respected. */
  readonly disallowed: number;
  /** Pages still to be fetched or deleted. */
  readonly pending: number;
  readonly cursor: Cursor | undefined;
  readonly elapsedMs: number;
  /**
   * Present if the visit was halted, because its site was paused or taken off the list, the crawler was stopped, or an address
   * that the site shares with others rests for longer than a visit waits; the next visit goes on from there. It is no failure, and `source` may be `none`.
   */
  readonly isCutShort?: true;
}
