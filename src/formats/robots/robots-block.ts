/** First line of the block that the exporter owns in robots.txt. */
export const blockStart = "# BEGIN tidemark: written by `tidemark export`, which replaces it; edit outside";
/** Last line of that block. */
export const blockEnd = "# END tidemark";
/** robots.txt lists archives of the base up to this many bytes. */
export const maxBlockBytes: number = 32 * 1024;

/** What the block announces. */
export interface RobotsBlock {
  /** Absolute URL of the index. */
  readonly indexUrl: string;
  /** Absolute URL of the sitemap index, in the index's folder; undefined if there is none. */
  readonly sitemapUrl?: string | undefined;
  /** Absolute URLs of archives of the base, newest first; those beyond {@link maxBlockBytes} are left out. */
  readonly archiveUrls: Iterable<string>;
}

/** Writes the block, from its first to its last marker, ended by LF. */
export function formatRobotsBlock(block: RobotsBlock): string {
  let text = `${blockStart}\nArchive-Index: ${block.indexUrl}\n`;
  if (block.sitemapUrl !== undefined) text += `Sitemap: ${block.sitemapUrl}\n`;
  for (const url of block.archiveUrls) {
    const line = `Archive: ${url}\n`;
    if (text.length + line.length + blockEnd.length + 1 > maxBlockBytes) break;
    text += line;
  }
  return `${text}${blockEnd}\n`;
}

// An editor may have given the file other line ends, or a byte order mark before our first line.
const startForm = /(?<=^|[\r\n]|^\xef\xbb\xbf)# BEGIN tidemark:[^\r\n]*/;
const endForm = /(?<=[\r\n])# END tidemark[ \t]*(?:\r\n|\r|\n|$)/;
// A sitemap elsewhere is its owner's.
const ownLines =
  /^[^\r\n]*(?:\r\n|\r|\n|$)(?:(?:Archive(?:-Index)?:|Sitemap: [^ \r\n]*\/\.well-known\/tidemark\/)[^\r\n]*(?:\r\n|\r|\n|$))*/;

/**
 * Puts the block into a robots.txt, in the place of the old one or at the end.
 *
 * @param robots - the file's bytes, one character a byte, so that what is not UTF-8 survives
 * @param block - what {@link formatRobotsBlock} gave
 * @returns the new bytes in the same form; everything outside the block is as it was
 */
export function replaceRobotsBlock(robots: string, block: string): string {
  const start = startForm.exec(robots);
  if (start === null) {
    if (robots === "") return block;
    return `${robots}${/[\n\r]$/.test(robots) ? "" : "\n"}\n${block}`;
  }
  const rest = robots.slice(start.index);
  const second = startForm.exec(rest.slice(start[0].length));
  const end = endForm.exec(second === null ? rest : rest.slice(0, start[0].length + second.index));
  // Without its end, the block is the marker and the lines after it that can only be ours.
  const length = end === null ? (ownLines.exec(rest)?.[0].length ?? 0) : end.index + end[0].length;
  return robots.slice(0, start.index) + block + rest.slice(length);
}
