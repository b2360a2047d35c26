import type { EpochSeconds } from "./time.ts";

/** The rules that keep a file from being published, by name. */
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

/** One of {@link withholdRules}. */
export type WithholdRule = (typeof withholdRules)[number];

/** What the exporter reports while it works. Plain JSON. */
export type ExportEvent =
  | {
      readonly event: "progress";
      readonly phase: "scan" | "base" | "archives" | "merge";
      readonly done: number;
      readonly total?: number;
    }
  | { readonly event: "withheld"; readonly path: string; readonly rule: WithholdRule }
  | {
      readonly event: "page";
      readonly path: string;
      readonly change: "created" | "updated" | "deleted" | "touched";
      /** With which it is published; of what is created or updated. */
      readonly mediaType?: string;
      /** Whether the server puts it together from includes: it is published without size and digest. */
      readonly hasIncludes?: true;
    }
  | { readonly event: "warning"; readonly code: string; readonly message: string; readonly path?: string }
  /** One item of many failed; what was published of it before stays. */
  | { readonly event: "item-error"; readonly code: string; readonly message: string; readonly path: string };

/** What the server said of listed pages without a last-modified of their own. */
export interface ProbeCounts {
  readonly asked: number;
  /** Answers of 304. */
  readonly same: number;
  readonly fetched: number;
  readonly gone: number;
  /** Requests without an answer that says something; what was known stays. */
  readonly troubled: number;
  /** Left for another run. */
  readonly deferred: number;
}

/** What an export came to: the last line with `--json`. */
export interface ExportSummary {
  readonly site: string;
  /** Folder in which the site is remembered. */
  readonly stateDir: string;
  /** Live pages after this run. */
  readonly pages: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  /** Files whose size or times moved and whose bytes did not; counted in `unchanged` too. */
  readonly touched: number;
  readonly withheld: number;
  /** Number of files held back, by rule; a folder held back counts once. */
  readonly withheldByRule: Readonly<Partial<Record<WithholdRule, number>>>;
  readonly errors: number;
  readonly warnings: number;
  /**
   * Pages that the server puts together from includes, and those of them that show what no file tells; only if there
   * are any, and if all pages were looked at.
   */
  readonly includes?: { readonly pages: number; readonly dynamic: number };
  /** Pages taken from lists, and those left to files of their paths; only if there are lists. */
  readonly listed?: { readonly pages: number; readonly shadowed: number };
  /** What became of listed pages without a last-modified; only if the server was to be asked. */
  readonly probes?: ProbeCounts;
  readonly archivesWritten: number;
  /** Archives that the index and the base's list name. */
  readonly archivesListed: number;
  readonly intervals: number;
  readonly bytesWritten: number;
  /** The newest publication, seconds since 1970; that of an earlier run if nothing changed. */
  readonly publication: EpochSeconds;
  /** Whether this run made changes public. */
  readonly published: boolean;
  readonly newBase: boolean;
  readonly epoch: string;
  readonly dryRun: boolean;
  readonly elapsedMs: number;
}
