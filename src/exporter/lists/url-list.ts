import { ListLines, readListBytes } from "./list-bytes.ts";
import type { ListFormat } from "./list-format.ts";
import { ListRows } from "./list-rows.ts";
import { ListedPages, type ListedPagesOptions } from "./listed-pages.ts";

export interface UrlListOptions extends ListedPagesOptions {
  /** A file's path, or the bytes as they come; gzip is undone. */
  readonly input: string | AsyncIterable<Uint8Array>;
  /** What messages call it; default the file's path, or `standard input`. Its ending tells the format. */
  readonly name?: string;
  /** How it is written; default by its name, or else by its first line. */
  readonly format?: ListFormat | undefined;
}

/**
 * Opens a list of pages: a URL a line, and maybe its last-modified, size, digest and media type.
 *
 * TSV and CSV may have a header; without one the columns are `url lastmod size digest type`, the later ones optional. In
 * JSON lines an object has members of the same names. `-` and nothing stand for what is not known. Empty lines and such
 * that begin with `#` are passed over. A line that is no page of the site is an item error. So is a field that is not
 * understood, and what was published of the page stays as it was. Of a path that stands twice the last line counts.
 *
 * Memory is about 100 MB, whatever the length of the list.
 *
 * @throws TidemarkError from `next`: `bad-option` if nothing in it is a page
 */
export function openUrlList(options: UrlListOptions): ListedPages {
  const { input } = options;
  const name = options.name ?? (typeof input === "string" ? input : "standard input");
  return new ListedPages(name, options, async (intake) => {
    const rows = new ListRows(options.origin, name, options.format, intake);
    const lines = new ListLines((line) => rows.add(line));
    for await (const piece of readListBytes(input, name)) {
      lines.add(piece);
      await intake.pause();
    }
    lines.end();
    rows.end();
  });
}
