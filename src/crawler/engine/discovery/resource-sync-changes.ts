import { type EpochSeconds, ok, problem, type Result } from "../../../core/index.ts";
import type { Capability, ResourceSyncEntry } from "../../../formats/resourcesync/index.ts";
import type { SyncDocument, SyncDocuments } from "./resource-sync-documents.ts";

/** The lists and dumps that a capability list names, by what they are. */
export type Lists = ReadonlyMap<Capability, string>;

/** What change lists say from some time on. */
export interface SyncChanges {
  /** From then on they have every change: the time that was asked for, or a later one if they do not reach back so far. */
  readonly since: EpochSeconds;
  /** The parts in their order, without pages where they are as they were. */
  readonly parts: readonly SyncDocument[];
}

/**
 * Reads the change lists of a site.
 *
 * @param since - parts that end before are not read
 * @returns undefined if the site names none; a problem says why they cannot be used: one cannot be read, does not say from when
 *   on it has the changes (`from`), or has changes without a time (`datetime`, or at least `lastmod`)
 * @see ANSI/NISO Z39.99-2017 section 12
 */
export async function readChanges(
  documents: SyncDocuments,
  lists: Lists,
  since: EpochSeconds,
): Promise<Result<SyncChanges | undefined>> {
  const location = lists.get("changelist");
  if (location === undefined) return ok(undefined);
  const first = await documents.readNamed(location);
  if (!first.ok) return first;
  const { kind, from } = first.value.header;
  if (from === undefined)
    return problem("no-changes", `${location} does not say from when on it has the changes: it lacks "from"`);
  const parts = kind === "urlset" ? ok([first.value]) : await readParts(documents, first.value, Math.max(from, since));
  if (!parts.ok) return parts;
  if (parts.value.some(({ pages }) => pages.some((entry) => !Number.isFinite(timeOfChange(entry)))))
    return problem("no-changes", `${location} has changes that do not say when they happened: they lack "datetime"`);
  return ok({ since: Math.max(from, since), parts: parts.value });
}

async function readParts(
  documents: SyncDocuments,
  index: SyncDocument,
  since: EpochSeconds,
): Promise<Result<readonly SyncDocument[]>> {
  const parts: SyncDocument[] = [];
  for (const { until, location } of index.named) {
    // A closed list that ended before is known.
    if (until !== undefined && until < since) continue;
    const part = await documents.readNamed(location);
    if (!part.ok) return part;
    parts.push(part.value);
  }
  return ok(parts);
}

/** When a change happened, as its list says; infinite if it does not. */
export function timeOfChange({ changedAt, lastModified }: ResourceSyncEntry): number {
  return changedAt ?? lastModified ?? Number.POSITIVE_INFINITY;
}
