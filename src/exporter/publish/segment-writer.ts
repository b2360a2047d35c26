import type { Change, EpochSeconds } from "../../core/index.ts";
import {
  type ArchiveEntry,
  archiveHeader,
  groupOfMediaType,
  otherGroup,
  writeChangeLine,
} from "../../formats/archive/index.ts";
import { ByteText } from "../../fs/index.ts";
import type { ArchiveFolder } from "./archive-files.ts";
import type { SegmentArchive } from "./ledger.ts";

/** How an interval's lines are cut (Brandman et al., section 3.3, steps 2 and 3). */
export interface PartitionOptions {
  /** Lines a segment; default in the paper and here 2000. */
  readonly segmentSize: number;
  /** Groups of fewer lines join `other`; default 50. */
  readonly minGroup: number;
}

// Types are few, and a list of pages that names more than these gets no groups for the rest.
const maxGroups = 4096;
const groupNames: string[] = [otherGroup];
const groupNumbers = new Map<string, number>();

/** Number of the group of a media type's lines: deletions have no type and go to `other`, which is 0. */
export function groupNumberOf(mediaType: string | undefined): number {
  if (mediaType === undefined) return 0;
  const known = groupNumbers.get(mediaType);
  if (known !== undefined) return known;
  if (groupNumbers.size >= maxGroups) return 0;
  const name = groupOfMediaType(mediaType);
  let number = groupNames.indexOf(name);
  if (number < 0) number = groupNames.push(name) - 1;
  groupNumbers.set(mediaType, number);
  return number;
}

/**
 * Splits a segment by MIME group; groups smaller than `minGroup` join `other`.
 *
 * @param groups - number of each line's group, see {@link groupNumberOf}
 * @returns groups in alphabetical order, `other` last if only small groups made it, each with its lines' places in the segment
 */
export function planGroups(groups: Uint16Array, minGroup: number): Map<string, number[]> {
  const sizes = new Map<number, number>();
  for (const group of groups) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const large = [...sizes].filter(([, size]) => size >= minGroup).map(([group]) => group);
  const planned = new Map<string, number[]>();
  for (const name of large.map((group) => groupNames[group] ?? otherGroup).sort()) planned.set(name, []);
  const home = new Map<number, number[]>();
  for (const [at, group] of groups.entries()) {
    let lines = home.get(group);
    if (lines === undefined) {
      const name = large.includes(group) ? (groupNames[group] ?? otherGroup) : otherGroup;
      lines = planned.get(name) ?? [];
      planned.set(name, lines);
      home.set(group, lines);
    }
    lines.push(at);
  }
  return planned;
}

/** The interval that a segment's archives are named by. */
export interface SegmentInterval {
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
}

const archiveHead = Buffer.from(`${archiveHeader}\n`, "latin1");

/** How many archives are compressed and written at a time. */
const maxInFlight = 4;

/** Cuts a stream of lines into segments and publishes each; holds one segment and a few archives. */
export class SegmentWriter {
  readonly #folder: ArchiveFolder;
  readonly #options: PartitionOptions;
  readonly #intervalOf: (segment: number, lines: number) => SegmentInterval;
  readonly #text: ByteText = new ByteText(1 << 18);
  readonly #ends: Uint32Array;
  readonly #groups: Uint16Array;
  #lines = 0;
  #segments = 0;
  readonly #inFlight = new Set<Promise<void>>();
  #failure: { readonly reason: unknown } | undefined;
  readonly #entries: Promise<SegmentArchive>[] = [];

  /** @param intervalOf - names a segment that is complete, by its number from 0 and its number of lines */
  constructor(
    folder: ArchiveFolder,
    options: PartitionOptions,
    intervalOf: (segment: number, lines: number) => SegmentInterval,
  ) {
    this.#folder = folder;
    this.#options = options;
    this.#intervalOf = intervalOf;
    this.#ends = new Uint32Array(options.segmentSize);
    this.#groups = new Uint16Array(options.segmentSize);
  }

  /** Appends a change. @returns whether {@link drain} should be awaited before the next */
  add(change: Change): boolean {
    writeChangeLine(this.#text, change);
    return this.#endLine(groupNumberOf(change.kind === "deleted" ? undefined : change.page.mediaType));
  }

  /** Appends a line as bytes, LF included. @returns whether {@link drain} should be awaited before the next */
  addLine(group: number, bytes: Buffer, start: number, end: number): boolean {
    this.#text.putBytes(bytes, start, end);
    return this.#endLine(group);
  }

  #endLine(group: number): boolean {
    this.#ends[this.#lines] = this.#text.length;
    this.#groups[this.#lines] = group;
    this.#lines += 1;
    if (this.#lines >= this.#options.segmentSize) this.#cut();
    return this.#inFlight.size >= maxInFlight;
  }

  /** Waits until there is room for more. */
  async drain(): Promise<void> {
    while (this.#inFlight.size >= maxInFlight) await Promise.race(this.#inFlight);
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** Publishes the rest. @returns all archives, by segment and then by group */
  async end(): Promise<SegmentArchive[]> {
    if (this.#lines > 0) this.#cut();
    await this[Symbol.asyncDispose]();
    return await Promise.all(this.#entries);
  }

  /** Waits until nothing is written any more, whether that succeeded or not. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  #cut(): void {
    const segment = this.#segments++;
    const interval = this.#intervalOf(segment, this.#lines);
    const groups = planGroups(this.#groups.subarray(0, this.#lines), this.#options.minGroup);
    for (const [group, lines] of groups) {
      const content = this.#contentOf(lines);
      const written = this.#folder.write({ ...interval, group }, content, lines.length);
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
    this.#text.clear();
    this.#lines = 0;
  }

  #contentOf(lines: readonly number[]): Buffer {
    const startOf = (line: number): number => (line === 0 ? 0 : (this.#ends[line - 1] ?? 0));
    let sizeBytes = archiveHead.length;
    for (const line of lines) sizeBytes += (this.#ends[line] ?? 0) - startOf(line);
    const content = Buffer.allocUnsafeSlow(sizeBytes);
    let length = archiveHead.copy(content);
    for (let at = 0; at < lines.length; ) {
      const first = lines[at] ?? 0;
      // Neighbours are copied at once.
      let past = first;
      while (lines[at] === past) {
        past += 1;
        at += 1;
      }
      length += this.#text.bytes.copy(content, length, startOf(first), this.#ends[past - 1]);
    }
    return content;
  }
}
