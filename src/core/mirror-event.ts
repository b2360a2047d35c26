/** What may be wrong with a mirror. `docs/cli.md` says what each means. */
export const mirrorFindingKinds = ["missing", "not-a-file", "size", "digest", "unreadable", "foreign"] as const;

/** One of {@link mirrorFindingKinds}. */
export type MirrorFindingKind = (typeof mirrorFindingKinds)[number];

/** What the verification of a mirror reports while it works. Plain JSON. */
export type MirrorEvent =
  | { readonly event: "progress"; readonly site: string; readonly done: number; readonly total: number }
  | {
      readonly event: "finding";
      readonly site: string;
      readonly kind: MirrorFindingKind;
      /** The page's path; undefined of a file that is no page's. */
      readonly path: string | undefined;
      /** Within the site's folder; undefined of a page. */
      readonly file: string | undefined;
      readonly message: string;
    };

/** What the verification of a mirror came to: the last line with `--json`. */
export interface MirrorSummary {
  readonly sites: readonly string[];
  /** Pages that are held of these sites. */
  readonly pages: number;
  /** Pages whose files were read. */
  readonly checked: number;
  readonly checkedBytes: number;
  /** Pages whose files are not what the state says. */
  readonly damaged: number;
  /** Files that are no page's. */
  readonly foreign: number;
  readonly findingsByKind: Readonly<Partial<Record<MirrorFindingKind, number>>>;
  /** Damaged pages that the next crawl fetches whole. */
  readonly due: number;
  readonly elapsedMs: number;
}
