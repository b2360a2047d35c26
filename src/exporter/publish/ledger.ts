import type { EpochMs, EpochSeconds } from "../../core/index.ts";
import type { ArchiveEntry } from "../../formats/archive/index.ts";
import type { IncludeMemory } from "./included-folders.ts";

/** An archive of a tier, with its place in the order of paths. */
export interface SegmentArchive extends ArchiveEntry {
  /** Number of its segment in the interval, from 0: all paths of a segment are below those of the next. */
  readonly segment: number;
}

/** The changes between two publications, published as archives. */
export interface Interval {
  /** 0 for the changes of one publication; a merger of two intervals of tier n is of tier n + 1. */
  readonly tier: number;
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
  readonly archives: readonly SegmentArchive[];
  /** Whether it was merged into an interval of the next tier already. */
  readonly merged: boolean;
}

/** The whole site at one publication. */
export interface Base {
  readonly publication: EpochSeconds;
  /** The immutable list of its archives. */
  readonly list: ArchiveEntry;
  /** How many archives it has. */
  readonly archives: number;
  /** Names of its newest archives, for robots.txt. */
  readonly announced: readonly string[];
}

/** A file that nothing lists any more and that is kept for readers on their way. */
export interface Retired {
  readonly name: string;
  /** Publications since it was listed last. */
  readonly publications: number;
  readonly since: EpochMs;
}

/** A file of remembered pages in the state folder. */
export interface PageFile {
  readonly name: string;
  /** Pages that it says something of. */
  readonly records: number;
}

/** All that an exporter knows beside the pages. Immutable; each run that changes something writes the next. */
export interface Ledger {
  readonly site: string;
  readonly epoch: string;
  readonly publication: EpochSeconds;
  readonly pages: number;
  readonly base: Base;
  /** Oldest first; of one end, lower tiers first. */
  readonly intervals: readonly Interval[];
  /** Lines of change that were published after the base. */
  readonly changesSinceBase: number;
  readonly retired: readonly Retired[];
  /** Options that listed pages which are no files; none if it is not there. */
  readonly lists?: readonly string[];
  /** Where server-side includes were looked for, and what was found; not there if they were not looked for. */
  readonly includes?: IncludeMemory;
  /** What is remembered of pages: a list of all of them, and later ones of what became of some. Oldest first. */
  readonly pageFiles: readonly PageFile[];
}
