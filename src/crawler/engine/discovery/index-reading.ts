import { excerpt, parseUrl, type Result, type Validators } from "../../../core/index.ts";
import {
  type ArchiveIndex,
  indexFileName,
  maxIndexBytes,
  parseArchiveIndex,
  publishedFolder,
} from "../../../formats/archive/index.ts";
import { type Robots, robotsAllow } from "../../../formats/robots/index.ts";
import { type ReadingVisit, warn } from "../visit/reading-visit.ts";
import { readDocument } from "./document.ts";
import { keepDocument, readKeptDocument } from "./kept-document.ts";

const maxPackedIndexBytes = 8 * 1024 * 1024;

/** Where an index may be. */
export interface IndexLocation {
  /** Path of the index on the site's own origin. */
  readonly path: string;
  /** Folder of the index and its archives; ends with `/`. */
  readonly folder: string;
  /** Whether robots.txt names it; otherwise it is looked for at the well-known place. */
  readonly announced: boolean;
}

/**
 * Finds the index: where robots.txt says, else at the well-known place.
 *
 * @returns undefined if robots.txt names none and disallows the well-known place
 */
export function locateIndex(visit: ReadingVisit, robots: Robots): IndexLocation | undefined {
  const locationOf = (path: string, announced: boolean): IndexLocation => ({
    path,
    folder: path.slice(0, path.lastIndexOf("/") + 1),
    announced,
  });
  for (const text of robots.archiveIndexes) {
    const url = parseUrl(text, visit.origin);
    if (url?.origin === visit.origin) return locationOf(url.pathname, true);
    warn(
      visit,
      "foreign-index",
      `robots.txt names an index that is not on this site: ${excerpt(text)}. It is ignored.`,
    );
  }
  const path = publishedFolder + indexFileName;
  return robotsAllow(robots, visit.agent, path) ? locationOf(path, false) : undefined;
}

/** An index as it was read. */
export interface ReadIndex {
  readonly kind: "index";
  readonly index: ArchiveIndex;
  readonly validators: Validators;
}

/** Result of requesting the index. */
export type IndexReading =
  | ReadIndex
  | { readonly kind: "not-modified"; readonly validators: Validators }
  | { readonly kind: "absent" }
  /** `isTrouble` if the server or the network is in trouble; otherwise the response is not an index. */
  | { readonly kind: "unusable"; readonly message: string; readonly isTrouble: boolean };

function parsePacked({ ports }: ReadingVisit, packed: Uint8Array): Result<ArchiveIndex> {
  const content = ports.codec.unpack(packed, maxIndexBytes);
  return content.ok ? parseArchiveIndex(content.value) : content;
}

const keptName = "index";

/** The index that an interrupted visit was following; undefined if there is none, or none of that age. */
export function readKeptIndex(visit: ReadingVisit, path: string, maxAgeMs: number): ReadIndex | undefined {
  const kept = readKeptDocument(visit, keptName, path, maxAgeMs);
  if (kept?.kind !== "fetched") return undefined;
  const index = parsePacked(visit, kept.body);
  return index.ok ? { kind: "index", index: index.value, validators: kept.validators } : undefined;
}

/**
 * Requests the index. If the response is no index, it is requested once more, bypassing caches.
 *
 * @param isFresh - whether caches are bypassed at once
 */
export async function readIndex(
  visit: ReadingVisit,
  path: string,
  { validators, isFresh = false }: { readonly validators?: Validators; readonly isFresh?: boolean } = {},
): Promise<IndexReading> {
  const answer = await readDocument(visit, { path, maxBytes: maxPackedIndexBytes, validators, isFresh });
  if (answer.kind === "not-modified") return answer;
  if (answer.kind === "gone") return { kind: "absent" };
  if (answer.kind !== "fetched")
    return { kind: "unusable", message: answer.message, isTrouble: answer.kind === "trouble" };
  const index = parsePacked(visit, answer.body);
  if (index.ok) {
    keepDocument(visit, keptName, path, answer);
    return { kind: "index", index: index.value, validators: answer.validators };
  }
  if (!isFresh) return readIndex(visit, path, { isFresh: true });
  return { kind: "unusable", message: index.error.message, isTrouble: false };
}

/** Warns of an index that names another site than the one it came from. */
export function checkIndexSite(visit: ReadingVisit, index: ArchiveIndex): void {
  if (index.site === `${visit.origin}/`) return;
  warn(visit, "other-site", `The index says it is of ${excerpt(index.site)}; it is read as of ${visit.origin}/.`);
}
