import type { Page } from "./page.ts";
import type { EpochSeconds } from "./time.ts";

/** What can happen to a page: a *web event* in McLearn's thesis. */
export const changeKinds = ["created", "updated", "deleted"] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** A page was created, or its bytes changed. */
export interface PageChange {
  readonly kind: "created" | "updated";
  readonly page: Page;
}

/** A page no longer exists; only its path is kept. */
export interface Deletion {
  readonly kind: "deleted";
  readonly path: string;
  /** It was created and deleted within the interval, so it did not exist before either. */
  readonly cameAndWent?: true;
}

/** A page was created, updated or deleted. */
export type Change = PageChange | Deletion;

/** The path that a change is about. */
export function pathOf(change: Change): string {
  return change.kind === "deleted" ? change.path : change.page.path;
}

/** Whether a page was there before a change. */
function wasThere(change: Change): boolean {
  return change.kind === "updated" || (change.kind === "deleted" && change.cameAndWent !== true);
}

/**
 * Combines two successive changes of one page. The kind follows from whether the page existed before the first and
 * exists after the second; the page is that of the second. So a page that was deleted and created again is `updated`.
 *
 * Creation followed by deletion stays a deletion, marked {@link Deletion.cameAndWent}, because a reader that stopped
 * half-way may hold the page. The operation is associative: neighbouring intervals can be merged in any grouping.
 */
export function composeChanges(earlier: Change, later: Change): Change {
  const isKnown = wasThere(earlier);
  if (later.kind !== "deleted") return { kind: isKnown ? "updated" : "created", page: later.page };
  const { kind, path } = later;
  return isKnown ? { kind, path } : { kind, path, cameAndWent: true };
}

/** How far a reader has followed a site: it has applied everything up to and including `publication`. */
export interface Cursor {
  /** The exporter's epoch. A cursor of another epoch is not valid. */
  readonly epoch: string;
  readonly publication: EpochSeconds;
}
