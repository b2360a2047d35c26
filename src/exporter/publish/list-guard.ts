import { TidemarkError } from "../../core/index.ts";
import type { Ledger } from "./ledger.ts";

/** What the guard goes by. */
export interface ListGuardOptions {
  /** Options of this run that list pages which are no files. */
  readonly lists?: readonly string[];
  /** Whether lists of earlier runs may be left out, and their pages deleted. */
  readonly allowFewerLists?: boolean;
}

/**
 * Refuses a run that leaves out a list which the last one had: all pages that only stand there would be deleted,
 * by an option that somebody forgot.
 *
 * @throws TidemarkError `bad-option`
 */
export function refuseFewerLists(ledger: Ledger, { lists = [], allowFewerLists = false }: ListGuardOptions): void {
  const missing = (ledger.lists ?? []).filter((list) => !lists.includes(list));
  if (missing.length === 0 || allowFewerLists) return;
  throw new TidemarkError(
    "bad-option",
    `The last export had ${missing.join(" and ")}; without, the pages that stand only there would be deleted. ` +
      "Nothing was changed.",
    { hint: `Say ${missing.join(" and ")} again, or --allow-fewer-lists if they are to go.`, details: { missing } },
  );
}

/** Whether two runs have the same lists. */
export function areSameLists(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((list) => b.includes(list));
}
