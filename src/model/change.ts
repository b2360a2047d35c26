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
}

/** A page was created, updated or deleted. */
export type Change = PageChange | Deletion;

/** The path that a change is about. */
export function pathOf(change: Change): string {
  return change.kind === "deleted" ? change.path : change.page.path;
}

/**
 * What two changes of one page, one after the other, come to: the last one wins, and what comes
 * after a creation or a deletion without being a deletion itself is a creation.
 *
 * Creation followed by deletion stays a deletion: a reader that stopped half-way may hold the page.
 * Associative, so that it does not matter in which order neighbouring intervals are merged.
 */
export function composeChanges(earlier: Change, later: Change): Change {
  if (later.kind !== "updated" || earlier.kind === "updated") return later;
  return { kind: "created", page: later.page };
}
