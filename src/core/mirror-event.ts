/** Kinds of findings about a mirror. `docs/cli.md` explains each. */
export const mirrorFindingKinds = ["missing", "not-a-file", "size", "digest", "unreadable", "foreign"] as const;

/** One of {@link mirrorFindingKinds}. */
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
