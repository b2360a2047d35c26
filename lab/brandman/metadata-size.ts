import type { Page } from "../../src/core/page.ts";
import { encodeText } from "../experiment/byte-text.ts";
import type { ExportedSite, LabPorts } from "../experiment/ports.ts";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * A page as section 3.2 of Brandman et al. describes it, LF included:
 * `05/Feb/1999:16:01:30 -0800 people/pics/line/colorbars.gif 99999`. Times are in UTC.
 */
function formatPaperEntry({ path, lastModified, sizeBytes }: Page): string {
  const [year, month, rest = ""] = new Date(lastModified * 1000).toISOString().split("-");
  const [day, time = ""] = rest.split("T");
  const date = `${day}/${months[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
  return `${date} ${path.slice(1)} ${sizeBytes ?? 0}\n`;
}

/** What the meta-data of a site takes. Sizes are bytes. */
export interface MetadataSize {
  readonly pages: number;
  readonly pageBytes: number;
  readonly archives: number;
  readonly plainBytes: number;
  readonly packedBytes: number;
  /** The largest archive, packed. */
  readonly largestBytes: number;
}

/**
 * Measures what a site published, and what the paper's own entries would take in the same archives.
 *
 * @param onProgress - is told the share of pages that were read
 */
export async function measureMetadata(
  site: ExportedSite,
  pack: LabPorts["pack"],
  onProgress: (share: number) => void,
): Promise<{ readonly tidemark: MetadataSize; readonly paper: MetadataSize }> {
  const tidemark = new SizeSum();
  const paper = new SizeSum();
  for await (const { pages, plainBytes, packedBytes } of site.archives()) {
    const pageBytes = pages.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
    tidemark.add(pages.length, pageBytes, plainBytes, packedBytes);
    const entries = encodeText(pages.map(formatPaperEntry).join(""));
    paper.add(pages.length, pageBytes, entries.length, pack(entries, "archive").sizeBytes);
    onProgress(tidemark.pages / site.pages);
  }
  return { tidemark, paper };
}

class SizeSum implements MetadataSize {
  pages = 0;
  pageBytes = 0;
  archives = 0;
  plainBytes = 0;
  packedBytes = 0;
  largestBytes = 0;

  add(pages: number, pageBytes: number, plainBytes: number, packedBytes: number): void {
    this.pages += pages;
    this.pageBytes += pageBytes;
    this.archives += 1;
    this.plainBytes += plainBytes;
    this.packedBytes += packedBytes;
    this.largestBytes = Math.max(this.largestBytes, packedBytes);
  }
}
