import { type Cursor, ok, problem, type Result, type Validators } from "../../../core/index.ts";
import { intervalKey } from "../../../formats/archive/index.ts";
import { type ReadingVisit, throwIfAborted, warn } from "../visit/reading-visit.ts";
import { type ArchiveToRead, type ArchiveTrouble, readBaseList } from "./archive-reading.ts";
import { checkIndexSite, type IndexLocation, type ReadIndex, readIndex } from "./index-reading.ts";
import { chooseBaseArchives, planReading, type ReadingPlan, type Wanted } from "./reading-plan.ts";

// The plan itself, one that avoids what was broken, and the base.
const maxAttempts = 3;

/** Archives that lead from what is known to what an index says. */
export interface Reading {
  readonly source: "chain" | "base";
  readonly folder: string;
  readonly archives: readonly ArchiveToRead[];
  /** Intervals of the chain, without the base. */
  readonly intervals: number;
  /** Where the reading leads to. */
  readonly cursor: Cursor;
  /** Of the index. */
  readonly validators: Validators;
}

/**
 * Carries out the first reading that succeeds. After a trouble with an archive the index is read again, and the next
 * reading avoids that archive.
 *
 * @param wholeBase - whether, without a cursor, the base is read whole although only pages since some time are wanted
 * @param attempt - carries out a reading
 * @returns what the attempt returned; undefined if there is nothing to read, because the index is older than the cursor
 */
export async function carryOutReading<Outcome>(
  visit: ReadingVisit,
  location: IndexLocation,
  found: ReadIndex,
  { wanted, wholeBase }: { readonly wanted: Wanted; readonly wholeBase: boolean },
  attempt: (reading: Reading) => Promise<Result<Outcome, ArchiveTrouble>>,
): Promise<Result<Outcome | undefined>> {
  const sought = wholeBase ? { ...wanted, since: undefined } : wanted;
  checkIndexSite(visit, found.index);
  const broken = new Set<string>();
  let current = found;
  for (let attempts = 1; ; attempts++) {
    const plan = planReading(current.index, sought, { intervals: broken, chain: attempts >= maxAttempts });
    if (plan.kind === "stale") {
      const message = "The index is older than what was read before, probably an old copy from a cache; it is ignored.";
      warn(visit, "stale-index", message);
      return ok(undefined);
    }
    if (plan.kind === "none")
      return problem("site-unavailable", "no chain of archives leads to the index's publication");
    const reading = await openReading(visit, location, current, plan, sought);
    throwIfAborted(visit);
    const outcome = reading.ok ? await attempt(reading.value) : reading;
    throwIfAborted(visit);
    if (outcome.ok) return outcome;
    const { message, entry } = outcome.error;
    // An archive that was not requested is not broken.
    if (visit.tally.isPostponed) return problem("site-unavailable", `the rest waits for another visit: ${message}`);
    warn(visit, "bad-archive", `An archive cannot be used: ${message}.`);
    if (attempts >= maxAttempts) return problem("site-unavailable", `an archive cannot be used: ${message}`);
    broken.add(intervalKey(entry.name));
    const again = await readIndex(visit, location.path, { isFresh: true });
    throwIfAborted(visit);
    if (again.kind !== "index") {
      const why = again.kind === "unusable" ? again.message : "it is not there any more";
      return problem("site-unavailable", `the index cannot be read again: ${why}`);
    }
    current = again;
  }
}

async function openReading(
  visit: ReadingVisit,
  { folder }: IndexLocation,
  { index, validators }: ReadIndex,
  plan: ReadingPlan & { kind: "chain" | "base" },
  wanted: Wanted,
): Promise<Result<Reading, ArchiveTrouble>> {
  const archives: ArchiveToRead[] = [];
  if (plan.kind === "base") {
    const list = await readBaseList(visit, folder, index.base);
    if (!list.ok) return list;
    for (const entry of chooseBaseArchives(list.value.archives, wanted)) archives.push({ entry, inBase: true });
  }
  for (const entry of plan.chain.flat()) archives.push({ entry, inBase: false });
  visit.report({
    event: "plan",
    site: visit.origin,
    source: plan.kind,
    archives: archives.length,
    metadataBytes: archives.reduce((sum, { entry }) => sum + entry.sizeBytes, 0),
    changes: archives.reduce((sum, { entry }) => sum + entry.changes, 0),
  });
  const { epoch, publication } = index;
  const cursor = { epoch, publication };
  return ok({ source: plan.kind, folder, archives, intervals: plan.chain.length, cursor, validators });
}
