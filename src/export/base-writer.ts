import { baseGroup, formatArchiveName, formatBaseList, formatChangeLine } from "../format/index.ts";
import type { EpochSeconds, Page } from "../model/index.ts";
import type { ArchiveFiles } from "./archive-files.ts";
import type { Base } from "./ledger.ts";
import { type GroupedLine, groupOf, type PartitionOptions, SegmentWriter } from "./segment-writer.ts";
import { SortedLines } from "./sorted-lines.ts";

/** Names of archives that robots.txt may have room for: 32 KiB at some 90 bytes a line, and room to spare. */
const maxAnnounced = 400;

/**
 * Publishes the whole site as a base: exactly the partition of Brandman et al., section 3.3. All
 * pages in last-modified order, segments of 2000, split by MIME type, compressed.
 */
export class BaseWriter {
  readonly #folder: ArchiveFiles;
  readonly #options: PartitionOptions;
  readonly #lines: SortedLines;
  #pages = 0;

  /** @param spillFolder - where lines are sorted that have no room in memory */
  constructor(folder: ArchiveFiles, options: PartitionOptions, spillFolder: string) {
    this.#folder = folder;
    this.#options = options;
    this.#lines = new SortedLines(spillFolder);
  }

  /** Takes a page; they come in path order. */
  add(page: Page): void {
    this.#pages += 1;
    this.#lines.add(page.lastModified, formatChangeLine({ kind: "created", page }));
  }

  /** Sorts, cuts and publishes what was taken, and the list of it. */
  async end(publication: EpochSeconds, onBatch: (lines: number) => void): Promise<Base> {
    const times: EpochSeconds[] = [];
    let taken = 0;
    await using writer = new SegmentWriter(this.#folder, this.#options, (segment, lines) => {
      const segmentTimes = times.splice(0, lines.length);
      const [first = 1] = segmentTimes;
      return { from: segment === 0 ? 0 : first - 1, to: segmentTimes.at(-1) ?? first };
    });
    for (const batch of this.#lines.drain()) {
      for (const { time, line } of batch) {
        times.push(time);
        if (writer.add(toGrouped(line))) await writer.drain();
      }
      taken += batch.length;
      onBatch(taken);
    }
    const archives = (await writer.end())
      .map(({ name, changes, sizeBytes }) => ({ name, changes, sizeBytes }))
      .reverse();
    const text = formatBaseList({ publication, pages: this.#pages, archives });
    const list = await this.#folder.writeText({ from: 0, to: publication, group: baseGroup }, text, this.#pages);
    return {
      publication,
      list,
      archives: archives.length,
      announced: archives.slice(0, maxAnnounced).map(({ name }) => formatArchiveName(name)),
    };
  }

  /** Removes what was spilled. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lines[Symbol.asyncDispose]();
  }
}

// The type stands in the line: the fourth field. Keeping it beside each line would double the memory of the sort.
function toGrouped(line: string): GroupedLine {
  let start = 0;
  for (let field = 0; field < 3; field++) start = line.indexOf("\t", start) + 1;
  return { line, group: groupOf(line.slice(start, line.indexOf("\t", start))) };
}
