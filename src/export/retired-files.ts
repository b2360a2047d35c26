import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { formatArchiveName, parseArchiveName } from "../format/index.ts";
import type { EpochMs } from "../model/index.ts";
import type { ArchiveFiles } from "./archive-files.ts";
import type { Interval, Ledger, Retired } from "./ledger.ts";

/** An archive that nothing lists stays for this many publications... */
export const keptPublications = 3;
/** ...and at least this long. */
export const keptAfterMs: number = 48 * 3_600_000;

/** Names of an interval's archives. */
export function namesOf(intervals: readonly Interval[]): string[] {
  return intervals.flatMap((interval) => interval.archives.map(({ name }) => formatArchiveName(name)));
}

/**
 * Decides which files that nothing lists any more may go.
 *
 * @param retired - those of the ledger, and what this publication stopped listing
 */
export function planRemoval(
  retired: readonly Retired[],
  now: EpochMs,
): { readonly kept: Retired[]; readonly removed: Retired[] } {
  const isDue = ({ publications, since }: Retired) => publications >= keptPublications && now - since >= keptAfterMs;
  return { kept: retired.filter((file) => !isDue(file)), removed: retired.filter(isDue) };
}

/** Removes files of the published folder by name; those that are gone already do not matter. */
export async function removeFiles(folder: string, names: Iterable<string>): Promise<void> {
  for (const name of names) await rm(join(folder, name), { force: true });
}

/**
 * Removes archives that no ledger of ours knows: of a run that was killed, or of an epoch that is
 * lost. Readers may still be on their way to them, so they stay for {@link keptAfterMs} of their own age.
 */
export async function removeUnknown(
  files: ArchiveFiles,
  ledger: Ledger,
  baseArchives: Iterable<string>,
  now: EpochMs,
): Promise<void> {
  const known = new Set([...namesOf(ledger.intervals), formatArchiveName(ledger.base.list.name), ...baseArchives]);
  for (const { name } of ledger.retired) known.add(name);
  for (const name of await readdir(files.folder)) {
    if (known.has(name) || !parseArchiveName(name).ok) continue;
    const path = join(files.folder, name);
    const status = await stat(path).catch(() => undefined);
    if (status !== undefined && now - status.mtimeMs > keptAfterMs) await rm(path, { force: true });
  }
}
