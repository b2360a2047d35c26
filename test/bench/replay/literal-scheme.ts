import { gzipSync } from "node:zlib";
import type { Page } from "../../../src/core/page.ts";
import type { EpochSeconds } from "../../../src/core/time.ts";
import { groupNumberOf, planGroups } from "../../../src/exporter/publish/segment-writer.ts";
import { formatArchive, formatChangeLine } from "../../../src/formats/archive/archive.ts";
import type { Pages } from "./replayed-publisher.ts";

const segmentSize = 2000;
const minGroup = 50;

interface LiteralArchive {
  readonly newest: EpochSeconds;
  readonly sizeBytes: number;
}

/**
 * The scheme of Brandman et al., section 3.3, taken at its word: each night all pages in the order of
 * last-modified, cut in segments of 2000, each split by MIME type, groups of fewer than 50 joined. A visitor
 * downloads every archive that holds a page newer than its last visit. Deletions are not published at all.
 */
export class LiteralScheme {
  readonly #pages: Pages;
  #segments: Page[][] | undefined;
  readonly #packed = new Map<Page[], LiteralArchive[]>();

  constructor(pages: Pages) {
    this.#pages = pages;
  }

  /** Bytes of the archives that a visitor needs whose last visit was then. */
  bytesNewerThan(time: EpochSeconds): number {
    this.#segments ??= cutSegments(this.#pages);
    const needed = this.#segments.filter((segment) => (segment.at(-1)?.lastModified ?? 0) > time);
    const archives = needed.flatMap((segment) => this.#pack(segment)).filter(({ newest }) => newest > time);
    return archives.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  #pack(segment: Page[]): LiteralArchive[] {
    let archives = this.#packed.get(segment);
    if (archives === undefined) {
      const groups = Uint16Array.from(segment, (page) => groupNumberOf(page.mediaType));
      archives = [...planGroups(groups, minGroup).values()].map((places) => {
        const pages = places.map((at) => segment[at]).filter((page) => page !== undefined);
        const lines = pages.map((page) => formatChangeLine({ kind: "created", page }));
        return {
          newest: pages.at(-1)?.lastModified ?? 0,
          sizeBytes: gzipSync(Buffer.from(formatArchive(lines), "latin1"), { level: 6 }).length,
        };
      });
      this.#packed.set(segment, archives);
    }
    return archives;
  }
}

function cutSegments(pages: Pages): Page[][] {
  const sorted = [...pages.values()].sort(
    (a, b) => a.lastModified - b.lastModified || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
  );
  const segments: Page[][] = [];
  for (let at = 0; at < sorted.length; at += segmentSize) segments.push(sorted.slice(at, at + segmentSize));
  return segments;
}
