import type { EpochSeconds, Page } from "../../core/index.ts";
import {
  type ArchiveEntry,
  baseGroup,
  formatArchiveName,
  formatBaseList,
  writeChangeLine,
} from "../../formats/archive/index.ts";
import { RecordSort } from "../../fs/index.ts";
import type { ArchiveFiles } from "./archive-files.ts";
import type { Base } from "./ledger.ts";
import { groupNumberOf, type PartitionOptions, SegmentWriter } from "./segment-writer.ts";

/** Names of archives that robots.txt may have room for: 32 KiB at some 90 bytes a line, and room to spare. */
const maxAnnounced = 400;

/** Names of a base's newest archives, for robots.txt. @param archives - newest first */
export function namesToAnnounce(archives: readonly ArchiveEntry[]): string[] {
  return archives.slice(0, maxAnnounced).map(({ name }) => formatArchiveName(name));
}

const linesATick = 4096;

/** A line is sorted by its time; the number of its group stands before it. */
const timeBytes = 5;
const groupBytes = 2;

/**
 * Publishes the whole site as a base: exactly the partition of Brandman et al., section 3.3. All
 * pages in last-modified order, segments of 2000, split by MIME type, compressed.
 */
export class BaseWriter {
  readonly #folder: ArchiveFiles;
  readonly #options: PartitionOptions;
  readonly #lines: RecordSort;
  #pages = 0;

  /** @param spillFolder - where lines are sorted that have no room in memory */
  constructor(folder: ArchiveFiles, options: PartitionOptions, spillFolder: string) {
    this.#folder = folder;
    this.#options = options;
    this.#lines = new RecordSort(spillFolder);
  }

  /** Takes a page; they come in path order. */
  add(page: Page): void {
    this.#pages += 1;
    const { text } = this.#lines;
    text.putUint(page.lastModified, timeBytes);
    text.putUint(groupNumberOf(page.mediaType), groupBytes);
    writeChangeLine(text, { kind: "created", page });
    this.#lines.add(timeBytes);
  }

  /**
   * Sorts, cuts and publishes what was taken, and the list of it.
   *
   * @param onBatch - is told now and then how many lines were taken
   */
  async end(publication: EpochSeconds, onBatch: (lines: number) => void): Promise<Base> {
    let first: EpochSeconds | undefined;
    let last: EpochSeconds = 1;
    await using writer = new SegmentWriter(this.#folder, this.#options, (segment) => {
      const interval = { from: segment === 0 ? 0 : (first ?? 1) - 1, to: last };
      first = undefined;
      return interval;
    });
    let taken = 0;
    for (const { bytes, start, keyEnd, end } of this.#lines.drain()) {
      last = bytes.readUIntBE(start, timeBytes);
      first ??= last;
      const group = bytes.readUIntBE(keyEnd, groupBytes);
      if (writer.addLine(group, bytes, keyEnd + groupBytes, end)) await writer.drain();
      taken += 1;
      if (taken % linesATick === 0) onBatch(taken);
    }
    const archives = (await writer.end())
      .map(({ name, changes, sizeBytes }) => ({ name, changes, sizeBytes }))
      .reverse();
    const text = formatBaseList({ publication, pages: this.#pages, archives });
    const list = await this.#folder.write(
      { from: 0, to: publication, group: baseGroup },
      Buffer.from(text, "latin1"),
      this.#pages,
    );
    return {
      publication,
      list,
      archives: archives.length,
      announced: namesToAnnounce(archives),
    };
  }

  /** Removes what was spilled. */
  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }
}
