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

/** One of {@link findingKinds}. */
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
