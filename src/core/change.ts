import type { Page } from "./page.ts";

/** What can happen to a page. A *web event* in McLearn's thesis. */
export const changeKinds = ["created", "updated", "deleted"] as const;

/** One of {@link changeKinds}. */
export type ChangeKind = (typeof changeKinds)[number];

/** A page came to be, or its bytes became others. */
export interface PageChange {
  readonly kind: "created" | "updated";
  readonly page: Page;
}

/** A page is there no more; only its path is kept. */
export interface Deletion {
  readonly kind: "deleted";
  readonly path: string;
  /** It was not there before either: it was created and deleted within the time of which this is told. */
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
 * What two changes of one page, one after the other, come to: whether it was there before the earlier one and is there
 * after the later one says the kind, and the page is the later one's. So a page that was deleted and created again is
 * updated.
 *
 * Creation followed by deletion stays a deletion, one that {@link Deletion.cameAndWent}: a reader that stopped half-way
 * may hold the page. Associative, so that it does not matter in which order neighbouring intervals are merged.
 */
export function composeChanges(earlier: Change, later: Change): Change {
  const isKnown = wasThere(earlier);
  if (later.kind !== "deleted") return { kind: isKnown ? "updated" : "created", page: later.page };
  const { kind, path } = later;
  return isKnown ? { kind, path } : { kind, path, cameAndWent: true };
}
