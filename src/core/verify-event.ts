/** What a crawler may find otherwise than published. `docs/cli.md` says what each means. */
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

/** Something that a crawler would find otherwise than published, or that costs it or the server needlessly. */
export interface Finding {
  readonly kind: FindingKind;
  /** A difference makes crawlers hold or miss something wrong; a note does not. */
  readonly severity: "difference" | "note";
  /** The path that was asked for. */
  readonly path: string;
  readonly message: string;
  /** What to do about it; equal for all that one deed puts right. */
  readonly fix: string;
}

/** What a verification reports while it works. Plain JSON. */
export type VerifyEvent =
  | { readonly event: "progress"; readonly phase: "archives" | "pages"; readonly done: number; readonly total?: number }
  | ({ readonly event: "finding" } & Finding)
  | { readonly event: "warning"; readonly code: string; readonly message: string };

/** What a verification came to: the last line with `--json`. */
export interface VerifySummary {
  readonly site: string;
  /** Pages that the site publishes; 0 if its archives could not be read. */
  readonly pages: number;
  /** Pages that were asked for. */
  readonly asked: number;
  /** Of these, the pages in which a crawler would find a difference. */
  readonly differing: number;
  /** Findings that are differences, those of the site itself too. */
  readonly differences: number;
  readonly notes: number;
  readonly findingsByKind: Readonly<Partial<Record<FindingKind, number>>>;
  /** Chooses the same sample again, of the same pages. */
  readonly seed: number;
  readonly requests: number;
  readonly elapsedMs: number;
}
