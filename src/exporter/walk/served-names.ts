import { type EntryKind, entryKinds, type FolderListing, sortListing } from "./folder-listing.ts";

/** How the server names files in URLs where it is not by the file's own name. */
export interface ServedNameRules {
  /**
   * Encoded names of index files, as in nginx's `index`: the first of them that a folder has is published as the
   * folder's URL.
   */
  readonly indexSegments: readonly string[];
  /** Whether `about.html` and `about.htm` are published as `about`. */
  readonly cleanUrls: boolean;
}

/** A folder's entries under the names that the server shows, in the order of those. */
export interface ServedListing {
  readonly listing: FolderListing;
  /** Encoded names of pages whose short name something else has: they keep their own. */
  readonly collisions: readonly string[];
}

// What cannot be told from a file keeps its published name covered: it was one when it was published.
const fileLike: ReadonlySet<EntryKind> = new Set(["file", "failed"]);
// Servers that try endings try these, as they are written here.
const pageEnding = /\.html?$/;

/**
 * Renames a folder's entries as the server does. Where two would get one name, the file that has it by itself keeps
 * it, then `.html` goes before `.htm`, and who comes too late keeps the own name: each file has a URL of its own.
 *
 * @param isTaken - whether something that is not in this folder has the segment's URL, or the one with `/` behind
 */
export function nameAsServed(
  listing: FolderListing,
  rules: ServedNameRules,
  isTaken: (segment: string) => boolean,
): ServedListing {
  const { segments, kinds } = listing;
  const isFileLike = (at: number): boolean => fileLike.has(entryKinds[kinds[at] ?? 0] ?? "gone");
  const renamed = new Map<number, string>();
  const index = rules.indexSegments.map((name) => segments.indexOf(name)).find((at) => at !== -1 && isFileLike(at));
  if (index !== undefined) renamed.set(index, "");
  const collisions = rules.cleanUrls ? shortenPages(segments, isFileLike, isTaken, renamed) : [];
  if (renamed.size === 0) return { listing, collisions };
  const served = segments.map((segment, at) => renamed.get(at) ?? segment);
  const ownSegments = new Map([...renamed.keys()].map((at) => [at, segments[at] ?? ""]));
  return { listing: sortListing({ ...listing, segments: served, ownSegments }), collisions };
}

function shortenPages(
  segments: readonly string[],
  isFileLike: (at: number) => boolean,
  isTaken: (segment: string) => boolean,
  renamed: Map<number, string>,
): string[] {
  const names = new Set(segments);
  const collisions: string[] = [];
  // Byte order has `a.htm` before `a.html`.
  const pages = [...segments.keys()].filter((at) => !renamed.has(at) && pageEnding.test(segments[at] ?? ""));
  const rank = (at: number): number => (segments[at]?.endsWith(".html") ? 0 : 1);
  for (const at of pages.sort((a, b) => rank(a) - rank(b) || a - b)) {
    const own = segments[at] ?? "";
    const short = own.replace(pageEnding, "");
    // Of ".html" and "..html" nothing, or a dot segment, would be left.
    if (short === "" || short === "." || short === ".." || !isFileLike(at)) continue;
    if (names.has(short) || isTaken(short)) collisions.push(own);
    else {
      names.add(short);
      renamed.set(at, short);
    }
  }
  return collisions;
}
