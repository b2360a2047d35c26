import type { Cursor } from "./cursor.ts";
import type { EpochMs } from "./time.ts";

/** Ways to learn what changed at a site, the best first. */
export const sourceNames = ["archives", "resourcesync", "sitemap", "links", "list"] as const;

/** One of {@link sourceNames}. */
export type SourceName = (typeof sourceNames)[number];

/** Under which names things are remembered of a site: of a source, or of its visits whatever the source. */
export type SourceStateKey = SourceName | "sitemap-round" | "visit" | "progress" | "tags" | "rates" | "pace" | "bounds";

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
    }
  /** Nothing is asked of the site for a second or more. */
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

/** What a visit came to; with several sites, also the sum of them. The last line with `--json`. */
export interface CrawlSummary {
  /** Origin; of several sites, their origins joined by a space. */
  readonly site: string;
  /** Where the changes came from; `none` if the site could not be asked, or no source that was allowed works. */
  readonly source: SourceName | "none";
  /** Better sources that were looked for, and why they were not used. */
  readonly passedOver: readonly PassedOver[];
  readonly requests: number;
  readonly pageRequests: number;
  /** Answers of 304. */
  readonly notModified: number;
  /** Bytes of bodies of robots.txt, index and archives as received. */
  readonly metadataBytes: number;
  /** Bytes of bodies of pages as received. */
  readonly pageBytes: number;
  /** Bytes of packages of pages as received. */
  readonly packageBytes: number;
  /** Pages that came in packages: so many page requests were not made. */
  readonly packedPages: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** Pages held that needed no request. */
  readonly unchanged: number;
  readonly failed: number;
  /** Pages whose bytes were not those of their record; kept as served and asked for again next visit. */
  readonly differing: number;
  /** Pages that robots.txt does not allow. */
  readonly disallowed: number;
  /** Pages still to be fetched or deleted. */
  readonly pending: number;
  readonly cursor: Cursor | undefined;
  readonly elapsedMs: number;
}
