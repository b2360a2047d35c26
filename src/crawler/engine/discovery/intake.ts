import type { Change, Intake, MediaTypeFilter, Page, Result, SiteMemory } from "../../../core/index.ts";

/** Fills an intake, which commits itself; unless it succeeds, everything is rolled back. */
export async function fillIntake<Outcome extends Result<unknown, unknown>>(
  memory: SiteMemory,
  fill: (intake: Intake) => Promise<Outcome>,
): Promise<Outcome> {
  const intake = memory.beginIntake();
  let isCommitted = false;
  try {
    const outcome = await fill(intake);
    isCommitted = outcome.ok;
    return outcome;
  } finally {
    if (!isCommitted) intake.rollback();
  }
}

/** What the changes of one archive require, by treatment. */
interface SortedChanges {
  readonly wanted: Page[];
  /** Pages that are wanted only if they are held already. */
  readonly old: Page[];
  readonly withdrawn: string[];
}

/**
 * Sorts an archive's changes by what they require.
 *
 * @param admits - whether a path is wanted; default: all are
 */
export function sortChanges(
  changes: readonly Change[],
  filter: MediaTypeFilter,
  since: number | undefined,
  admits: (path: string) => boolean = () => true,
): SortedChanges {
  const sorted: SortedChanges = { wanted: [], old: [], withdrawn: [] };
  for (const change of changes) {
    if (change.kind === "deleted") sorted.withdrawn.push(change.path);
    else if (!filter.matches(change.page.mediaType) || !admits(change.page.path))
      sorted.withdrawn.push(change.page.path);
    else if (since !== undefined && change.page.lastModified < since) sorted.old.push(change.page);
    else sorted.wanted.push(change.page);
  }
  return sorted;
}
