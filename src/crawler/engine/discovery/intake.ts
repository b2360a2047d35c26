import type { Change, Intake, MediaTypeFilter, Page, Result, SiteMemory, SitePosition } from "../../../core/index.ts";
import { ok } from "../../../core/index.ts";
import { type ReadingVisit, throwIfAborted } from "../visit/reading-visit.ts";
import { type ArchiveTrouble, readArchives } from "./archive-reading.ts";
import type { Wanted } from "./reading-plan.ts";
import type { Reading, Readings } from "./readings.ts";

/** Where what is read goes. */
export interface IntakeTarget {
  readonly memory: SiteMemory;
  readonly wanted: Wanted;
  /** Path of the index that is read. */
  readonly indexPath: string;
}

/** What one archive asks to be done, by treatment. */
interface Sorted {
  readonly wanted: Page[];
  /** Pages that are only wanted if they are held already. */
  readonly old: Page[];
  readonly withdrawn: string[];
}

/** Sorts an archive's changes by what a reader has to do about them. */
export function sortChanges(changes: readonly Change[], filter: MediaTypeFilter, since: number | undefined): Sorted {
  const sorted: Sorted = { wanted: [], old: [], withdrawn: [] };
  for (const change of changes) {
    if (change.kind === "deleted") sorted.withdrawn.push(change.path);
    else if (!filter.matches(change.page.mediaType)) sorted.withdrawn.push(change.page.path);
    else if (since !== undefined && change.page.lastModified < since) sorted.old.push(change.page);
    else sorted.wanted.push(change.page);
  }
  return sorted;
}

async function fillIntake(
  visit: ReadingVisit,
  reading: Reading,
  { filter, since }: Wanted,
  intake: Intake,
): Promise<ArchiveTrouble | undefined> {
  for await (const archive of readArchives(visit, reading.folder, reading.archives)) {
    throwIfAborted(visit);
    if (!archive.ok) return archive.error;
    const { changes, archive: source } = archive.value;
    // In the chain a change is recent, whatever its page's last-modified says.
    const { wanted, old, withdrawn } = sortChanges(changes, filter, source.inBase ? since : undefined);
    if (withdrawn.length > 0) intake.withdraw(withdrawn);
    if (old.length > 0) intake.list(old, true);
    if (wanted.length > 0) intake.list(wanted, false);
  }
  if (reading.source === "base") intake.withdrawUnlisted(filter.matches);
  return undefined;
}

/**
 * Carries out the first reading that can be: its changes become work, in one transaction with the
 * position that they lead to.
 *
 * @returns the new position; undefined if there was nothing to read
 */
export async function takeIn(
  visit: ReadingVisit,
  readings: Readings,
  target: IntakeTarget,
): Promise<Result<SitePosition | undefined>> {
  const { memory, wanted, indexPath } = target;
  let trouble: ArchiveTrouble | undefined;
  for (;;) {
    const reading = await readings.next(trouble);
    throwIfAborted(visit);
    if (!reading.ok) return reading;
    if (reading.value === undefined) return ok(undefined);
    const { cursor, validators } = reading.value;
    const intake = memory.beginIntake();
    let committed = false;
    try {
      trouble = await fillIntake(visit, reading.value, wanted, intake);
      if (trouble !== undefined) continue;
      const position: SitePosition = {
        cursor,
        typesKey: wanted.filter.key,
        since: wanted.since,
        indexPath,
        indexValidators: validators,
      };
      intake.commit(position);
      committed = true;
      return ok(position);
    } finally {
      if (!committed) intake.rollback();
    }
  }
}
