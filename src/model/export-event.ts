import type { EpochSeconds } from "./time.ts";

/** The rules that keep a file from being published, by name. */
export const withholdRules = [
  "hidden",
  "version-control",
  "backup",
  "server-configuration",
  "server-source",
  "private-data",
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
  | { readonly event: "page"; readonly path: string; readonly change: "created" | "updated" | "deleted" | "touched" }
  | { readonly event: "warning"; readonly code: string; readonly message: string; readonly path?: string }
  /** One item of many failed; what was published of it before stays. */
  | { readonly event: "item-error"; readonly code: string; readonly message: string; readonly path: string };

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
