import type { EpochSeconds } from "./time.ts";

/** Names of the rules that withhold a file from publication. */
export const withholdRules = [
  "hidden",
  "version-control",
  "backup",
  "server-configuration",
  "server-source",
  "private-data",
  "unknown-type",
  "unreadable",
  "outside-root",
  "broken-link",
  "link-loop",
  "not-a-file",
  "own-output",
  "robots-disallow",
  "excluded",
  "not-included",
  "name-too-long",
  "noindex",
  "shadowed",
  "folder-link",
] as const;
export type WithholdRule = (typeof withholdRules)[number];

/** What the exporter reports while it works. Plain JSON. */
export type ExportEvent =
  | {
      readonly event: "progress";
      readonly phase: "previous" | "scan" | "base" | "archives" | "merge";
      readonly done: number;
      readonly total?: number;
    }
  | { readonly event: "withheld"; readonly path: string; readonly rule: WithholdRule }
  | {
      readonly event: "page";
      readonly path: string;
      readonly change: "created" | "updated" | "deleted" | "touched";
      /** The metadata with which it is published; present when it was created or updated. */
      readonly mediaType?: string;
      /** Whether the server assembles it from includes. Such a page is published without size and digest. */
      readonly hasIncludes?: true;
    }
  | { readonly event: "warning"; readonly code: string; readonly message: string; readonly path?: string }
  /** One item failed; what was published of it before stays. */
  | { readonly event: "item-error"; readonly code: string; readonly message: string; readonly path: string };

/** Responses to requests for listed pages without a last-modified time. */
export interface ProbeCounts {
  readonly asked: number;
  /** Responses with status 304. */
  readonly same: number;
  readonly fetched: number;
  readonly gone: number;
  /** Requests without a usable response; the known values stay. */
  readonly troubled: number;
  /** Left for a later run. */
  readonly deferred: number;
}

/** What was taken from the published site. */
export interface PreviousCounts {
  readonly source: "site" | "state" | "none";
  readonly files: number;
  readonly receivedBytes: number;
}

/** Summary of an export: the last line with `--json`. */
export interface ExportSummary {
  readonly site: string;
  /** Folder of the site's state. */
  readonly stateDir: string;
  /** Live pages after this run. */
  readonly pages: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  /** Files whose size or times changed but whose bytes did not; also counted in `unchanged`. */
  readonly touched: number;
  readonly withheld: number;
  /** Files withheld, by rule; a withheld folder counts once. */
  readonly withheldByRule: Readonly<Partial<Record<WithholdRule, number>>>;
  readonly errors: number;
  readonly warnings: number;
  /**
   * Pages assembled from server-side includes, and those whose output depends on more than files. Present only if there
   * are any and all pages were examined.
   */
  readonly includes?: { readonly pages: number; readonly dynamic: number };
  /** Pages taken from lists, and those skipped because a file has the same path. Present only with lists. */
  readonly listed?: { readonly pages: number; readonly shadowed: number };
  /** Results for listed pages without a last-modified time. Present only if the server was to be asked. */
  readonly probes?: ProbeCounts;
  /**
   * What the export went on from: the published site, the state of this machine, or nothing; how many archives were
   * taken from the site, and bytes received. Present only if the export was given the published site.
   */
  readonly previous?: PreviousCounts;
  readonly archivesWritten: number;
  /** Archives named by the index and the base list. */
  readonly archivesListed: number;
  readonly intervals: number;
  readonly bytesWritten: number;
  /** The newest publication, in seconds since 1970; that of an earlier run if nothing changed. */
  readonly publication: EpochSeconds;
  /** Whether this run published changes. */
  readonly published: boolean;
  readonly newBase: boolean;
  readonly epoch: string;
  readonly dryRun: boolean;
  readonly elapsedMs: number;
}
