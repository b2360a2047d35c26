import type { Cursor, EpochSeconds, MediaTypeFilter } from "../../../core/index.ts";
import type { ArchiveEntry, ArchiveIndex } from "../../../formats/archive/index.ts";
import { groupIsWanted, planChain } from "./chain.ts";

/** What a reader wants of a site. */
export interface Wanted {
  readonly filter: MediaTypeFilter;
  /** Undefined if there is none, or none that still holds. */
  readonly cursor: Cursor | undefined;
  /** Without a cursor: pages last modified before this are not asked for. */
  readonly since: EpochSeconds | undefined;
}

/** Which archives of an index are to be read. */
export type ReadingPlan =
  /** The index is older than the cursor: an old copy from some cache. */
  | { readonly kind: "stale" }
  | { readonly kind: "chain"; readonly chain: readonly (readonly ArchiveEntry[])[] }
  /** The whole site as it was at the base's publication, then the chain from there. */
  | { readonly kind: "base"; readonly chain: readonly (readonly ArchiveEntry[])[] }
  /** Neither a chain nor a base leads to the index's publication. */
  | { readonly kind: "none" };

/** What must not be in a plan, because it was found broken. */
export interface Avoided {
  readonly intervals: ReadonlySet<string>;
  /** Whether the cursor's own chain is given up in favour of the base. */
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

/** Decides what to read of an index. */
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

/** The archives of a base's list that can hold what is wanted. */
export function chooseBaseArchives(
  archives: readonly ArchiveEntry[],
  wanted: Pick<Wanted, "filter" | "since">,
): ArchiveEntry[] {
  return archives.filter(
    ({ name }) => groupIsWanted(name.group, wanted.filter) && (wanted.since === undefined || name.to >= wanted.since),
  );
}
