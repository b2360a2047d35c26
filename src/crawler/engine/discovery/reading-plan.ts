import type { Cursor, EpochSeconds, MediaTypeFilter } from "../../../core/index.ts";
import {
  type ArchiveEntry,
  type ArchiveIndex,
  mediaTypeOfGroup,
  otherGroup,
  planChain,
} from "../../../formats/archive/index.ts";

/** What is wanted of a site. */
export interface Wanted {
  readonly filter: MediaTypeFilter;
  /** Undefined if there is none, or it is void. */
  readonly cursor: Cursor | undefined;
  /** Without a cursor: pages last modified before this are not requested. */
  readonly since: EpochSeconds | undefined;
}

/** Which archives of an index to read. */
export type ReadingPlan =
  /** The index is older than the cursor: an old copy from a cache. */
  | { readonly kind: "stale" }
  | { readonly kind: "chain"; readonly chain: readonly (readonly ArchiveEntry[])[] }
  /** The whole site as it was at the base's publication, then the chain from there. */
  | { readonly kind: "base"; readonly chain: readonly (readonly ArchiveEntry[])[] }
  /** Neither a chain nor a base leads to the index's publication. */
  | { readonly kind: "none" };

/** Broken parts that a plan must avoid. */
interface Avoided {
  readonly intervals: ReadonlySet<string>;
  /** Whether the base is used instead of the cursor's chain. */
  readonly chain: boolean;
}

function newestBoundary(index: ArchiveIndex, notAfter: EpochSeconds): EpochSeconds | undefined {
  let newest: EpochSeconds | undefined;
  const consider = (boundary: EpochSeconds): void => {
    if (boundary <= notAfter && (newest === undefined || boundary > newest)) newest = boundary;
  };
  for (const time of [index.completeFrom, index.base.name.to, index.publication]) consider(time);
  for (const { name } of index.archives) {
    consider(name.from);
    consider(name.to);
  }
  return newest;
}

function startOf(index: ArchiveIndex, wanted: Wanted): EpochSeconds | undefined {
  const { cursor, since } = wanted;
  if (cursor !== undefined) return cursor.epoch === index.epoch ? cursor.publication : undefined;
  return since === undefined || since < index.completeFrom ? undefined : newestBoundary(index, since);
}

/** Plans which archives of an index to read. */
export function planReading(index: ArchiveIndex, wanted: Wanted, avoided: Avoided): ReadingPlan {
  const chainFrom = (from: EpochSeconds): ArchiveEntry[][] | undefined =>
    planChain(index.archives, {
      from,
      to: index.publication,
      wanted: (entry) => groupIsWanted(entry.name.group, wanted.filter),
      avoid: avoided.intervals,
    });
  const start = startOf(index, wanted);
  if (start !== undefined) {
    if (start > index.publication) return { kind: "stale" };
    const chain = start < index.completeFrom || avoided.chain ? undefined : chainFrom(start);
    if (chain !== undefined) return { kind: "chain", chain };
  }
  const chain = chainFrom(index.base.name.to);
  return chain === undefined ? { kind: "none" } : { kind: "base", chain };
}

/** The archives of a base that may contain wanted pages. */
export function chooseBaseArchives(
  archives: readonly ArchiveEntry[],
  wanted: Pick<Wanted, "filter" | "since">,
): ArchiveEntry[] {
  return archives.filter(
    ({ name }) => groupIsWanted(name.group, wanted.filter) && (wanted.since === undefined || name.to >= wanted.since),
  );
}

/** Whether archives of a MIME group can hold pages of the types asked for, or deletions. */
export function groupIsWanted(group: string, filter: MediaTypeFilter): boolean {
  if (filter.key === "" || group === otherGroup) return true;
  const mediaType = mediaTypeOfGroup(group);
  return mediaType === undefined || filter.matches(mediaType);
}
