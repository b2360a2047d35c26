import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { EpochMs } from "../../core/index.ts";
import {
  type ArchiveIndex,
  type ArchiveName,
  formatArchiveName,
  parseArchiveName,
  parseBaseList,
} from "../../formats/archive/index.ts";
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

/** Names of a base's archives; undefined if its list cannot be read. */
export async function namesOfBase(files: ArchiveFiles, list: ArchiveName): Promise<string[] | undefined> {
  const content = await files.readContent(list).catch(() => undefined);
  const base = content === undefined ? undefined : parseBaseList(content);
  return base?.ok === true ? base.value.archives.map(({ name }) => formatArchiveName(name)) : undefined;
}

/** Names of all archives that an index leads to, and of its base's list. */
export async function namesOfIndex(files: ArchiveFiles, { base, archives }: ArchiveIndex): Promise<string[]> {
  const names = [base, ...archives].map(({ name }) => formatArchiveName(name));
  return [...names, ...((await namesOfBase(files, base.name)) ?? [])];
}

/**
 * Says what is retired after a run: what readers may have been told of and nothing lists any more.
 *
 * @param earlier - what was retired before
 * @param wasListed - names of archives that were listed when the run began
 * @param isListed - names of archives that are listed from now on
 * @param isPublication - whether the run publishes changes
 */
export function planRetired(
  earlier: readonly Retired[],
  wasListed: readonly string[],
  isListed: ReadonlySet<string>,
  isPublication: boolean,
  now: EpochMs,
): Retired[] {
  const older = earlier.map(({ name, publications, since }) => ({
    name,
    publications: publications + (isPublication ? 1 : 0),
    since: Math.min(since, now), // A clock that was ahead must not keep files for years.
  }));
  const fresh = wasListed.map((name) => ({ name, publications: 0, since: now }));
  return [...older, ...fresh].filter(({ name }) => !isListed.has(name));
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

/** Names of all files in the published folder that have an archive's name; none if it is not there. */
export async function findArchives(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => parseArchiveName(name).ok);
}

/**
 * Removes archives that the ledger does not know: of a run that was killed before it was decided,
 * so that no reader was told of them. They stay for {@link keptAfterMs} of their own age.
 */
export async function removeUnknown(
  files: ArchiveFiles,
  ledger: Ledger,
  baseArchives: Iterable<string>,
  now: EpochMs,
): Promise<void> {
  const known = new Set([...namesOf(ledger.intervals), formatArchiveName(ledger.base.list.name), ...baseArchives]);
  for (const { name } of ledger.retired) known.add(name);
  for (const name of await findArchives(files.folder)) {
    if (known.has(name)) continue;
    const path = join(files.folder, name);
    const status = await stat(path).catch(() => undefined);
    if (status !== undefined && now - status.mtimeMs > keptAfterMs) await rm(path, { force: true });
  }
}
