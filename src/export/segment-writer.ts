import { type ArchiveEntry, groupOfMediaType, otherGroup } from "../format/index.ts";
import type { EpochSeconds } from "../model/index.ts";
import type { ArchiveFolder } from "./archive-files.ts";
import type { SegmentArchive } from "./ledger.ts";

/** How an interval's lines are cut (Brandman et al., section 3.3, steps 2 and 3). */
export interface PartitionOptions {
  /** Lines a segment; default in the paper and here 2000. */
  readonly segmentSize: number;
  /** Groups of fewer lines join `other`; default 50. */
  readonly minGroup: number;
}

/** A line of an archive and the MIME group that it belongs to. */
export interface GroupedLine {
  readonly line: string;
  readonly group: string;
}

// Asked for each line; types are few.
const groups = new Map<string, string>();

/** The group of a change's line: deletions have no type and go to `other`. */
export function groupOf(mediaType: string | undefined): string {
  if (mediaType === undefined) return otherGroup;
  let group = groups.get(mediaType);
  if (group === undefined) {
    group = groupOfMediaType(mediaType);
    if (groups.size < 4096) groups.set(mediaType, group);
  }
  return group;
}

/**
 * Splits a segment by MIME group; groups smaller than `minGroup` join `other`.
 *
 * @returns groups in alphabetical order, each with its lines in the segment's order
 */
export function planGroups(segment: readonly GroupedLine[], minGroup: number): Map<string, string[]> {
  const sizes = new Map<string, number>();
  for (const { group } of segment) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const groups = new Map<string, string[]>();
  for (const group of [...sizes.keys()].sort()) if ((sizes.get(group) ?? 0) >= minGroup) groups.set(group, []);
  for (const { group, line } of segment) {
    const name = groups.has(group) ? group : otherGroup;
    const lines = groups.get(name);
    if (lines === undefined) groups.set(name, [line]);
    else lines.push(line);
  }
  return groups;
}

/** The interval that a segment's archives are named by. */
export interface SegmentInterval {
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
}

/** How many archives are compressed and written at a time. */
const maxInFlight = 4;

/** Cuts a stream of lines into segments and publishes each; holds one segment and a few archives. */
export class SegmentWriter {
  readonly #folder: ArchiveFolder;
  readonly #options: PartitionOptions;
  readonly #intervalOf: (segment: number, lines: readonly GroupedLine[]) => SegmentInterval;
  #segment: GroupedLine[] = [];
  #segments = 0;
  readonly #inFlight = new Set<Promise<void>>();
  #failure: { readonly reason: unknown } | undefined;
  readonly #entries: Promise<SegmentArchive>[] = [];

  /** @param intervalOf - names a segment that is complete, by its number from 0 */
  constructor(
    folder: ArchiveFolder,
    options: PartitionOptions,
    intervalOf: (segment: number, lines: readonly GroupedLine[]) => SegmentInterval,
  ) {
    this.#folder = folder;
    this.#options = options;
    this.#intervalOf = intervalOf;
  }

  /** Appends a line. @returns whether {@link drain} should be awaited before the next */
  add(line: GroupedLine): boolean {
    this.#segment.push(line);
    if (this.#segment.length >= this.#options.segmentSize) this.#cut();
    return this.#inFlight.size >= maxInFlight;
  }

  /** Waits until there is room for more. */
  async drain(): Promise<void> {
    while (this.#inFlight.size >= maxInFlight) await Promise.race(this.#inFlight);
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** Publishes the rest. @returns all archives, by segment and then by group */
  async end(): Promise<SegmentArchive[]> {
    if (this.#segment.length > 0) this.#cut();
    await this[Symbol.asyncDispose]();
    return await Promise.all(this.#entries);
  }

  /** Waits until nothing is written any more, whether that succeeded or not. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  #cut(): void {
    const lines = this.#segment;
    const segment = this.#segments++;
    this.#segment = [];
    const interval = this.#intervalOf(segment, lines);
    for (const [group, groupLines] of planGroups(lines, this.#options.minGroup)) {
      const written = this.#folder.write({ ...interval, group }, groupLines);
      const entry = written.then((archive: ArchiveEntry): SegmentArchive => ({ ...archive, segment }));
      this.#entries.push(entry);
      const flight: Promise<void> = entry.then(
        () => {
          this.#inFlight.delete(flight);
        },
        (reason: unknown) => {
          this.#inFlight.delete(flight);
          this.#failure ??= { reason };
        },
      );
      this.#inFlight.add(flight);
    }
  }
}
