/** Kinds of differences between what is published and what a crawler finds. `docs/cli.md` explains each. */
export const findingKinds = [
  "base-url",
  "robots",
  "index",
  "archive",
  "redirect",
  "missing",
  "refused",
  "unavailable",
  "size",
  "digest",
  "content-coding",
  "media-type",
  "includes",
  "url-form",
  "noindex",
  "robots-disallow",
  "last-modified",
  "caching",
] as const;
export type FindingKind = (typeof findingKinds)[number];

/** A difference from what is published, or a needless cost for crawlers or the server. */
export interface Finding {
  readonly kind: FindingKind;
  /** A difference makes crawlers miss a page or hold a wrong one; a note does not. */
  readonly severity: "difference" | "note";
  /** The requested path. */
  readonly path: string;
  readonly message: string;
  /** What to do about it; findings with the same remedy have the same text. */
  readonly fix: string;
}

/** Events of a verification. Plain JSON. */
export type VerifyEvent =
  | { readonly event: "progress"; readonly phase: "archives" | "pages"; readonly done: number; readonly total?: number }
  | ({ readonly event: "finding" } & Finding)
  | { readonly event: "warning"; readonly code: string; readonly message: string };

/** Summary of a verification: the last line with `--json`. */
export interface VerifySummary {
  readonly site: string;
  /** Pages that the site publishes; 0 if its archives could not be read. */
  readonly pages: number;
  /** Pages requested. */
  readonly asked: number;
  /** Requested pages with a difference. */
  readonly differing: number;
  /** Findings that are differences, including those of the whole site. */
  readonly differences: number;
  readonly notes: number;
  readonly findingsByKind: Readonly<Partial<Record<FindingKind, number>>>;
  /** Seed that selects the same sample again. */
  readonly seed: number;
  readonly requests: number;
  readonly elapsedMs: number;
}

/** Kinds of findings about a mirror. `docs/cli.md` explains each. */
export const mirrorFindingKinds = ["missing", "not-a-file", "size", "digest", "unreadable", "foreign"] as const;
export type MirrorFindingKind = (typeof mirrorFindingKinds)[number];

/** Events of a mirror verification. Plain JSON. */
export type MirrorEvent =
  | { readonly event: "progress"; readonly site: string; readonly done: number; readonly total: number }
  | {
      readonly event: "finding";
      readonly site: string;
      readonly kind: MirrorFindingKind;
      /** The page's path; undefined for a file that belongs to no page. */
      readonly path: string | undefined;
      /** Path within the site's folder; undefined for a page. */
      readonly file: string | undefined;
      readonly message: string;
    };

/** Summary of a mirror verification: the last line with `--json`. */
export interface MirrorSummary {
  readonly sites: readonly string[];
  /** Pages held for these sites. */
  readonly pages: number;
  /** Pages whose files were read. */
  readonly checked: number;
  readonly checkedBytes: number;
  /** Pages whose files differ from the state. */
  readonly damaged: number;
  /** Files that belong to no page. */
  readonly foreign: number;
  readonly findingsByKind: Readonly<Partial<Record<MirrorFindingKind, number>>>;
  /** Damaged pages that the next crawl fetches completely. */
  readonly due: number;
  readonly elapsedMs: number;
}
