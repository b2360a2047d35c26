import { join } from "node:path";
import { type Change, pathOf } from "../../core/index.ts";
import { indexFileName, publishedFolder } from "../../formats/archive/index.ts";
import { encodePathSegment } from "../../formats/url/index.ts";
import { type ReadPublicationOptions, readPublication } from "./publication-changes.ts";
import { readPublishedIndex, robotsFileName } from "./published-files.ts";

/** Which URLs are listed. */
export interface ListPurgeUrlsOptions extends ReadPublicationOptions {
  /** The site's origin with `/`. */
  readonly baseUrl: string;
  /** Names of index files, as an export was told. @default `index.html` */
  readonly index?: readonly string[];
  /** Whether `/about.html` is published as `/about`. @default false */
  readonly cleanUrls?: boolean;
}

/**
 * Lists the URLs that a cache may hold of the pages that one publication changed: those under which they are published,
 * and the other forms that a server may show of them, such as `/docs/` and `/docs/index.html`.
 *
 * The index and other files of Tidemark are not listed, because the server sends them with `Cache-Control: no-cache`. Of
 * the first publication of an epoch, index and robots.txt are listed: a cache may hold what the server said before.
 *
 * @throws TidemarkError as {@link readPublication} does
 */
export async function* listPurgeUrls(options: ListPurgeUrlsOptions): AsyncGenerator<string, void, void> {
  const { baseUrl, cleanUrls = false } = options;
  const index = options.index ?? [];
  const names = index.length === 0 ? ["index.html"] : index;
  const indexSegments = names.map((name) => encodePathSegment(Buffer.from(name).toString("latin1")));
  const origin = new URL(baseUrl).origin;
  for await (const change of readPublication(options))
    for (const path of formsOf(change, indexSegments, cleanUrls)) yield origin + path;
  const published = await readPublishedIndex(join(options.documentRoot, publishedFolder.slice(1)));
  if (published?.index.archives.length !== 0) return;
  yield origin + publishedFolder + indexFileName;
  yield `${origin}/${robotsFileName}`;
}

function formsOf(change: Change, indexSegments: readonly string[], cleanUrls: boolean): string[] {
  const path = pathOf(change);
  if (path.includes("?")) return [path];
  if (path.endsWith("/")) return [path, ...indexSegments.map((name) => path + name)];
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (indexSegments.includes(name)) return [path, path.slice(0, -name.length)];
  // Of a page that is gone nobody knows the type.
  const mayBeShort = change.kind === "deleted" ? !/\.html?$/.test(name) : isShortened(name, change.page.mediaType);
  return cleanUrls && mayBeShort ? [path, `${path}.html`, `${path}.htm`] : [path];
}

/** Whether a page may have its URL without the ending of its file. */
function isShortened(name: string, mediaType: string): boolean {
  return mediaType === "text/html" && !/\.html?$/.test(name);
}
